"""The ids of plans in events: which plan a step, a belief or a lease belongs to."""

from py_trees.common import Status

from bthtn import method, with_cleanup
from bthtn.behaviours import Agent, PlanGoal
from bthtn.engine.agent.events import (
    BeliefChanged,
    CleanupEnded,
    GoalEnded,
    LeafEnded,
    LeafStarted,
    LeaseReturned,
    LeaseTaken,
    PlanAborted,
    PlanAdopted,
    PlanFailed,
    PlanKept,
    PlanRepaired,
    PlanReplaced,
)
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


def ids(stage, kind):
    return [event.plan_id for event in stage.heard.of(kind)]


def test_every_plan_that_is_adopted_has_an_id_of_its_own(stage):
    goal = stage.goal(stage.step("a", "F", "F", "S"))
    ticks(goal, 3)
    assert ids(stage, PlanAdopted) == [f"somebody #{number}" for number in (1, 2, 3)]
    assert ids(stage, LeafStarted) == ids(stage, LeafEnded) == ids(stage, PlanAdopted)
    assert ids(stage, PlanFailed) == ids(stage, PlanAdopted)[:2]
    assert ids(stage, GoalEnded) == [goal.plan_id] == ["somebody #3"]


def test_plans_of_two_agents_and_of_two_goals_have_different_ids(stage):
    walk = stage.step("walk", "R")
    stage.agent()
    other = Agent("other", stage.domain, World(), body=None, listener=stage.heard)
    for name, agent in (("one", stage.actor), ("two", stage.actor), ("three", other)):
        PlanGoal(name, agent, walk).tick_once()
    assert ids(stage, PlanAdopted) == ["somebody #1", "somebody #2", "other #1"]


def test_a_replaced_plan_has_the_old_id_and_a_step_that_runs_on_that_of_its_start(stage):
    walk, more = stage.step("walk", "RRS"), stage.step("more", "S", precondition=World.lit)
    rest = stage.compound("rest", lambda: [method(more), method(stage.last)])
    stage.last = stage.step("last", "S")
    goal = stage.goal((walk, rest), lit=False)
    ticks(goal, 1)
    stage.actor.believe(World.lit, True)
    ticks(goal, 1)
    assert (goal.tip().name, goal.tip().plan_id, goal.plan_id) == (
        *("walk", "somebody #1"),
        "somebody #2",
    )
    ticks(goal, 1)
    assert ids(stage, PlanReplaced) == ["somebody #1"]
    assert ids(stage, PlanAdopted) == ["somebody #1", "somebody #2"]
    assert ids(stage, LeafEnded) == ["somebody #1", "somebody #2"]


def test_a_plan_that_is_kept_or_repaired_has_its_id_still(stage):
    b = stage.step("b", "R", precondition=World.lit, during=World.lit)
    d = stage.step("d", "RS")
    tail = stage.compound("tail", lambda: [method(b), method(d)])
    goal = stage.goal((stage.step("a", "S"), tail), lit=True)
    ticks(goal, 1)
    stage.actor.believe(World.lit, False)
    assert stage.play_out(goal)[-1] == "S"
    assert ids(stage, PlanRepaired) == ["somebody #1"]
    assert set(ids(stage, LeafStarted)) == set(ids(stage, GoalEnded)) == {"somebody #1"}


def test_a_goal_that_starts_anew_has_no_plan_before_it_has_found_one(stage):
    goal = stage.goal(stage.step("a", "R", precondition=World.lit), lit=True)
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert ids(stage, PlanAborted) == ["somebody #1"]
    stage.actor.believe(World.lit, False)
    ticks(goal, 1)
    assert ids(stage, GoalEnded) == [""]


def test_a_review_that_finds_nothing_better_names_the_plan_that_goes_on(stage):
    better, worse = stage.step("better", "R"), stage.step("worse", "R")
    goal = stage.goal(
        stage.compound("d", lambda: [method(better, when=World.count > 3), method(worse)])
    )
    ticks(goal, 1)
    stage.actor.believe(World.count, 3)
    ticks(goal, 1)
    assert ids(stage, PlanKept) == ["somebody #1"]


def test_a_cleanup_has_the_id_of_the_plan_that_owed_it(stage):
    run, tidy = stage.step("run", "R"), stage.step("tidy", "S")
    goal = stage.goal(with_cleanup(run, finally_=tidy))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    stage.actor.sense()
    assert ids(stage, CleanupEnded) == ["somebody #1"]
    assert stage.heard.of(LeafStarted)[-1].task == "tidy"
    assert ids(stage, LeafStarted) == ["somebody #1"] * 2


def test_beliefs_and_leases_name_the_goal_and_the_plan_of_the_step(stage):
    def strike(agent):
        agent.take("attack")
        agent.believe(World.place, "b")
        yield

    goal = stage.goal(stage.run_by("strike", strike, effects=World.lit.becomes(True)), lit=False)
    stage.actor.believe(World.count, 5)
    assert stage.play_out(goal)[-1] == "S"
    changes = stage.heard.of(BeliefChanged)
    assert [(str(one.change.fluent), one.goal, one.plan_id) for one in changes] == [
        ("count", "", ""),
        ("place", "goal", "somebody #1"),
        ("lit", "goal", "somebody #1"),
    ]
    for kind in (LeaseTaken, LeaseReturned):
        [lease] = stage.heard.of(kind)
        assert (lease.goal, lease.plan_id) == ("goal", "somebody #1")


def test_without_a_listener_no_event_of_a_step_is_made_and_errors_are_counted_all_the_same(
    stage, monkeypatch
):
    def no_text(_):
        raise AssertionError("nobody reads it")

    monkeypatch.setattr("bthtn.engine.behaviours.step.path_text", no_text)

    def breaks(agent):
        raise ZeroDivisionError

    wrong = stage.run_by("c", breaks)
    goal = stage.goal((stage.step("a", "RS"), stage.step("b", "R")))
    stage.actor.listener = None
    ticks(goal, 3)
    goal.stop(Status.INVALID)
    assert (stage.code["a"].ends, stage.code["b"].aborts) == (1, 1)
    monkeypatch.undo()
    stage.goal(wrong).tick_once()
    assert len(stage.actor.errors) == 1
