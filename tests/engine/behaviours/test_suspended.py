"""Suspended: what was left open is planned when execution gets there, from the actual state."""

import gc

import pytest
from py_trees.common import Status

from bthtn import UNKNOWN, Domain, Settings, defer, method, parallel, pause, priority
from bthtn.behaviours import Agent, PlanGoal
from bthtn.engine.agent.events import GoalEnded, PlanAdopted, PlanFailed, PlanResumed
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.plan.nodes import TaskNode
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


def choosing(stage, *, first="x", second="y"):
    """A task that is done in one way while it is open, and in another while it is not."""
    one, other = stage.step(first, "RS"), stage.step(second, "RS")
    return stage.compound(
        "choose", lambda: [method(one, when=World.open), method(other, when=~World.open)]
    )


def started(stage):
    return [line.removeprefix("start ") for line in stage.heard.lines() if line.startswith("start")]


# when and from what it plans


@pytest.mark.parametrize("open_", [False, True])
def test_a_deferred_task_is_planned_from_the_actual_state(stage, open_):
    goal = stage.goal((stage.step("a", "RS"), defer(choosing(stage), now=True)), open=not open_)
    goal.tick_once()
    stage.actor.believe(World.open, open_)
    assert ticks(goal, 2) == "RS"
    assert started(stage) == ["a", "x" if open_ else "y"]


def test_it_is_not_planned_before_execution_gets_there(stage):
    goal = stage.goal((stage.step("a", "RS"), defer(choosing(stage), now=True)))
    goal.tick_once()
    assert stage.heard.of(PlanResumed) == []
    goal.tick_once()
    [resumed] = stage.heard.of(PlanResumed)
    assert (resumed.goal, resumed.cause) == ("goal", "defer")
    assert [step.task.name for step in resumed.plan.steps] == ["y"]


def test_what_comes_behind_a_pause_is_planned_on_arrival(stage):
    goal = stage.goal((stage.step("a", "RS"), pause(now=True), choosing(stage)))
    goal.tick_once()
    stage.actor.believe(World.open, True)
    assert ticks(goal, 2) == "RS"
    assert started(stage) == ["a", "x"]


def looking_and_deciding(stage, suspended):
    """A step that sees nothing by itself, what is suspended behind it, and the goal."""
    return stage.goal((stage.step("look", "S"), *suspended))


@pytest.mark.parametrize("word", ["pause", "defer"])
def test_behind_a_step_it_is_planned_when_the_sensors_have_seen_what_the_step_did(stage, word):
    choose = choosing(stage)
    goal = looking_and_deciding(stage, (pause(), choose) if word == "pause" else (defer(choose),))
    goal.tick_once()
    assert started(stage) == ["look"]
    stage.actor.believe(World.open, True)
    assert ticks(goal, 2) == "RS"
    assert started(stage) == ["look", "x"]


@pytest.mark.parametrize("word", ["pause", "defer"])
def test_it_is_planned_in_the_tick_in_which_the_step_ends_if_the_author_says_now(stage, word):
    choose = choosing(stage)
    now = (pause(now=True), choose) if word == "pause" else (defer(choose, now=True),)
    looking_and_deciding(stage, now).tick_once()
    assert started(stage) == ["look", "y"]


def test_it_is_planned_at_once_where_no_step_is_before_it(stage):
    stage.goal(defer(choosing(stage))).tick_once()
    assert started(stage) == ["y"]


def test_steps_beside_it_that_end_in_every_tick_do_not_keep_it_waiting(stage):
    instant = stage.step("instant", "S")
    busy = stage.compound("busy", lambda: [method(instant, defer(busy))])
    goal = stage.goal(parallel(busy, (stage.step("a", "S"), defer(choosing(stage)))))
    ticks(goal, 2)
    assert "y" in started(stage)


def test_what_lies_behind_the_horizon_is_planned_on_arrival(stage):  # R000-33
    goal = stage.goal((stage.step("a", "RS"), choosing(stage)), horizon=1)
    goal.tick_once()
    stage.actor.believe(World.open, True)
    assert ticks(goal, 3) == "RRS"
    assert [event.cause for event in stage.heard.of(PlanResumed)] == ["horizon"]


def test_what_was_unknown_is_planned_when_it_is_known(stage):
    def look():
        stage.actor.believe(World.open, True)

    goal = stage.goal((stage.step("look", "S", at_tick=look), choosing(stage)), open=UNKNOWN)
    assert ticks(goal, 3) == "RRS"
    assert started(stage) == ["look", "x"]
    assert [event.cause for event in stage.heard.of(PlanResumed)] == ["unknown open"]


def test_the_rest_behind_a_promise_runs_after_the_deferred_task(stage):
    last = stage.step("last", "S", precondition=World.lit)
    lighting = stage.step("lighting", "S", effects=World.lit.becomes(True))
    network = (
        stage.step("a", "S"),
        defer(lighting, ensures=World.lit.becomes(True), now=True),
        last,
    )
    assert stage.play(network, 1, lit=False) == "S"
    assert started(stage) == ["a", "lighting", "last"]


def test_its_steps_carry_the_path_of_the_task_that_was_suspended(stage):
    inner = choosing(stage)
    outer = stage.compound("outer", lambda: [method(defer(inner, now=True))])
    stage.play(outer, 1)
    assert stage.heard.events[-1].path == "outer m0 > choose m1"


def test_the_record_grows_by_what_was_planned(stage):
    goal = stage.goal((stage.step("a", "RS"), defer(choosing(stage), now=True)))
    goal.tick_once()
    assert list(goal.record) == []
    ticks(goal, 1)
    assert list(goal.record) == [1]


def test_with_a_horizon_the_same_steps_run_as_without(stage):
    letters = [stage.step(name, "RS") for name in "abc"]
    network = (letters[0], parallel(letters[1], letters[2]), letters[0])
    whole, parts = stage.goal(network), stage.goal(network, horizon=1)
    assert ticks(whole, 4) == "RRRS"
    one = stage.heard.lines()
    stage.heard.clear()
    ticks(parts, 8)
    assert stage.heard.lines()[: len(one)] == one
    assert stage.heard.of(GoalEnded)[0].succeeded


# over several ticks


def long_winded(stage):
    """A task that takes ten expansions to plan, and the step that it comes down to."""
    barred = [stage.step(f"barred {n}", precondition=World.place == f"place {n}") for n in range(9)]
    choose = choosing(stage)
    return stage.compound("long", lambda: [*(method(one) for one in barred), method(choose)])


@pytest.mark.parametrize("budget", [1, 2, 3, 7, None])
def test_it_plans_over_as_many_ticks_as_its_budget_needs(stage, budget):
    goal = stage.goal((stage.step("a", "S"), defer(long_winded(stage), now=True)), budget=budget)
    waited = ticks(goal, 60).index("S")
    assert started(stage)[:2] == ["a", "y"]
    work = stage.heard.of(PlanResumed)[0].plan.expansions
    assert work > 10
    assert waited == 1 if budget is None else 0 <= waited - work // budget <= 2
    assert stage.heard.of(PlanFailed) == []


def test_while_it_plans_nothing_else_of_its_branch_runs_and_other_branches_do(stage):
    beside = stage.step("beside", "R")
    goal = stage.goal(parallel(defer(long_winded(stage), now=True), beside), budget=2)
    assert ticks(goal, 3) == "RRR"
    assert started(stage) == ["beside"]
    assert stage.code["beside"].ticks == 3
    assert goal.tip().name == "beside"


def test_a_plan_for_a_world_that_has_moved_on_is_not_run(stage):
    goal = stage.goal((stage.step("a", "S"), defer(long_winded(stage), now=True)), budget=2)
    ticks(goal, 4)
    assert started(stage) == ["a"]
    assert stage.heard.of(PlanResumed) == []
    stage.actor.believe(World.open, True)
    ticks(goal, 40)
    assert "x" in started(stage)
    assert "y" not in started(stage)


def test_a_world_that_moved_on_elsewhere_does_not_matter(stage):
    goal = stage.goal((stage.step("a", "S"), defer(long_winded(stage), now=True)), budget=2)
    ticks(goal, 4)
    assert started(stage) == ["a"]
    stage.actor.believe(World.fuel, 3.0)
    ticks(goal, 40)
    assert started(stage)[:2] == ["a", "y"]
    assert stage.heard.of(PlanFailed) == []


# without a plan


def test_a_rest_that_cannot_be_planned_fails_the_plan_and_another_is_looked_for(stage):
    only = stage.step("only", "S", precondition=World.open)
    goal = stage.goal((stage.step("a", "RS"), defer(only, now=True)), max_replans=1)
    assert ticks(goal, 2) == "RR"
    [failed] = stage.heard.of(PlanFailed)
    assert failed.again
    assert "there is no plan" in failed.reason
    assert "suspended (defer): only" in failed.reason
    stage.actor.believe(World.open, True)
    assert ticks(goal, 2) == "RS"
    assert [event.reason for event in stage.heard.of(PlanAdopted)][1] == failed.reason


def test_in_a_priority_the_next_alternative_is_tried_first(stage):
    only = stage.step("only", "S", precondition=World.open)
    network = priority((stage.step("a", "S"), defer(only, now=True)), stage.step("b", "S"))
    assert stage.play(network, 2) == "SS"
    assert started(stage)[:2] == ["a", "b"]
    assert stage.heard.of(PlanFailed) == []


def test_an_exception_while_it_plans_fails_the_plan(stage):
    def broken(state):
        raise ZeroDivisionError

    only = stage.step("only", precondition=broken)
    assert stage.play((stage.step("a", "S"), defer(only, now=True)), 1) == "F"
    assert "ZeroDivisionError" in stage.heard.of(PlanFailed)[0].reason


def test_the_limit_of_expansions_holds_for_the_rest_too(stage):
    long = long_winded(stage)
    goal = stage.goal(
        (stage.step("a", "S"), defer(long, now=True)),
        settings=Settings(max_expansions=5),
        max_replans=0,
    )
    assert ticks(goal, 1) == "F"
    assert "no plan within 5 expansions" in stage.heard.of(PlanFailed)[0].reason


def test_what_is_still_unknown_on_arrival_fails_the_plan(stage):
    goal = stage.goal((stage.step("a", "S"), choosing(stage)), open=UNKNOWN, max_replans=0)
    assert ticks(goal, 2) == "RF"
    assert "'open' is still unknown" in goal.feedback_message


def test_a_task_that_only_suspends_itself_fails_instead_of_hanging(stage):
    loop = stage.compound("loop", lambda: [method(pause(now=True), loop)])

    goal = stage.goal(loop, max_replans=0)
    assert "F" in ticks(goal, 5)
    assert stage.heard.lines() == []


def leaving_it_to_each_other(stage, *, way_out):
    """Two tasks that each leave everything to the other, later, until there is a way out."""

    act = stage.step("act", "S")
    ask = stage.compound("ask", lambda: [method(act, when=way_out), method(defer(tell))])
    tell = stage.compound("tell", lambda: [method(pause(), ask)])
    return ask


def test_tasks_that_leave_everything_to_each_other_fail_when_the_world_stands_still(stage):
    asking = leaving_it_to_each_other(stage, way_out=World.open)
    goal = stage.goal(asking, open=False, count=0, max_replans=0)
    letters = ""
    while len(letters) < 20 and "F" not in letters:
        letters += ticks(goal, 1)
        stage.actor.believe(World.count, len(letters))  # what nobody looks at
    assert letters.endswith("F")
    assert "it comes back to itself without progress" in goal.feedback_message


def test_tasks_that_leave_everything_to_each_other_go_on_while_what_they_look_at_changes(stage):
    asking = leaving_it_to_each_other(stage, way_out=World.count >= 30)
    goal = stage.goal(asking, count=0)
    for count in range(30):
        stage.actor.believe(World.count, count)
        assert ticks(goal, 1) == "R", goal.feedback_message
    stage.actor.believe(World.count, 30)
    assert ticks(goal, 4).startswith(("S", "RS", "RRS"))


def test_a_patrol_in_parts_goes_on_for_ever(stage):
    step = stage.step("walk", "S")
    watch = stage.compound("watch", lambda: [method(defer(patrol))])
    patrol = stage.compound("patrol", lambda: [method(step, pause(), watch)])
    assert ticks(stage.goal(patrol), 100) == "R" * 100
    assert len(started(stage)) > 20


def test_a_task_with_nothing_to_do_may_be_deferred_again_and_again(stage):
    nothing = stage.compound("nothing", lambda: [method()])
    assert ticks(stage.goal(tuple(defer(nothing) for _ in range(5))), 20).count("S") >= 1


def test_a_loop_of_instant_steps_goes_on_for_ever_without_hanging_a_tick(stage):
    step = stage.step("a", "S", effects=World.count.increases(1))
    patrol = stage.compound("patrol", lambda: [method(step, defer(patrol, now=True))])

    assert stage.play(patrol, 50) == "R" * 50
    assert 40 <= stage.believes(World.count) <= 60


# interrupted


def interrupt(goal):
    goal.stop(Status.INVALID)
    goal.stop(Status.INVALID)


def test_interrupted_while_it_plans_it_begins_again(stage):
    goal = stage.goal(defer(long_winded(stage), now=True), budget=3)
    ticks(goal, 2)
    interrupt(goal)
    stage.actor.believe(World.open, True)
    ticks(goal, 30)
    assert started(stage)[0] == "x"
    assert stage.heard.faults() == []


@pytest.mark.parametrize("tick", [1, 2])
def test_interrupted_while_its_plan_runs_that_is_aborted_once(stage, tick):
    goal = stage.goal((stage.step("a", "S"), defer(stage.step("b", "RRRR"), now=True)))
    ticks(goal, tick)
    interrupt(goal)
    assert stage.heard.lines()[-2:] == ["start b", "aborted b"]
    assert stage.code["b"].aborts == 1
    assert stage.code["b"].faults == stage.heard.faults() == []


def test_arrived_at_again_it_is_planned_again(stage):
    """A reactive choice leaves the alternative and comes back to it in another world."""
    network = priority(
        stage.step("alarm", "RF", exec_only=World.armed),
        (stage.step("a", "S"), defer(choosing(stage), now=True)),
        reactive=True,
    )
    goal = stage.goal(network)
    goal.tick_once()
    assert started(stage) == ["a", "y"]
    stage.actor.believe(World.armed, True)
    goal.tick_once()
    stage.actor.believe(World.armed, False)
    stage.actor.believe(World.open, True)
    goal.tick_once()
    assert started(stage) == ["a", "y", "alarm", "a", "x"]
    assert stage.heard.lines().count("aborted y") == 1


def test_arrived_at_again_in_an_unchanged_world_it_is_planned_again_as_well(stage):
    both = stage.compound("both", lambda: [method(parallel(one, other))])
    one, other = stage.step("one", "R"), stage.step("other", "R")
    alarm = stage.step("alarm", "RF", exec_only=World.armed)
    goal = stage.goal(priority(alarm, defer(both, now=True), reactive=True))
    for armed in (False, True, False):
        stage.actor.believe(World.armed, armed)
        assert ticks(goal, 1) == "R"
    assert started(stage) == ["one", "other", "alarm", "one", "other"]
    assert len(stage.heard.of(PlanResumed)) == 2


def test_arrived_at_again_nothing_of_a_long_alternative_is_left_out(stage):
    step = stage.step("step", "RS", effects=World.count.increases(1))
    last = stage.step("last", "R")
    march = stage.compound(
        "march",
        lambda: [method(last, when=World.count >= 300), method(step, defer(march, now=True))],
    )

    network = priority(
        stage.step("alarm", "RF", exec_only=World.armed),
        (stage.step("first", "S"), march),
        reactive=True,
    )
    goal = stage.goal(network)
    ticks(goal, 700)
    assert started(stage)[-1] == "last"
    stage.actor.believe(World.armed, True)
    goal.tick_once()
    stage.actor.believe(World.armed, False)
    stage.heard.clear()
    goal.tick_once()
    assert started(stage)[0] == "first"


def test_what_a_budget_left_open_is_planned_on_arrival():
    domain = Domain("mine", World)
    dig = domain.primitive("dig", effects=World.count.increases(1))

    @domain.compound
    def work():
        yield method(dig(), work(), when=World.count < 20)
        yield method()

    digger = Agent("digger", domain, World(), body=None)
    few = Settings(anytime=True, max_expansions=8)
    goal = PlanGoal("work", digger, work(), settings=few)
    goal.setup()
    for _ in range(60):
        goal.tick_once()
        if goal.status is not Status.RUNNING:
            break
    assert goal.status is Status.SUCCESS
    assert digger.beliefs.get(World.count) == 20
    assert len(goal.record) == 21


def test_a_part_that_recurs_for_ever_needs_no_more_memory_for_ever(stage):
    walk = stage.task("walk")

    @stage.domain.compound
    def patrol():
        yield method(walk(), defer(patrol()))

    goal, counts = stage.goal(patrol()), []
    for _ in range(3):
        ticks(goal, 300)
        stage.heard.clear()  # its events keep the plans
        gc.collect()
        counts.append(sum(isinstance(one, TaskNode | TaskLeaf) for one in gc.get_objects()))
    assert goal.status is Status.RUNNING
    assert counts[2] - counts[1] < 150  # each tick makes one of both
