"""At run time, a rest that was checked needs no second search where the world is as foreseen."""

import pytest
from py_trees.common import Status

from bthtn import (
    UNKNOWN,
    Settings,
    any_order,
    defer,
    method,
    one_of,
    parallel,
    pause,
    priority,
    random_of,
    repeat,
)
from bthtn.engine.agent.events import GoalEnded, PlanAdopted, PlanFailed, PlanResumed
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World

CHECKED = Settings(horizon=1, check_rest=True)


@pytest.fixture
def expansions(monkeypatch):
    """Counts what every search uses while the goal is ticked."""
    used = []

    def counted(advance):
        def counting(search, limit=None):
            before = search.expansions
            try:
                return advance(search, limit)
            finally:
                used.append(search.expansions - before)

        return counting

    monkeypatch.setattr(HtnSearch, "advance", counted(HtnSearch.advance))
    return used


def choosing(stage):
    """A task that is done in one way while it is open, and in another while it is not."""
    one, other = stage.step("x", "RS"), stage.step("y", "RS")
    return stage.compound(
        "choose", lambda: [method(one, when=World.open), method(other, when=~World.open)]
    )


def started(stage):
    return [line.removeprefix("start ") for line in stage.heard.lines() if line.startswith("start")]


def test_a_plan_in_parts_runs_with_the_one_search_that_made_it(stage, expansions):
    letters = tuple(stage.step(name, "S") for name in "abcd")
    goal = stage.goal(letters, settings=CHECKED)
    assert stage.play_out(goal) == "RRRS"
    assert started(stage) == ["a", "b", "c", "d"]
    assert expansions == [4]
    assert [event.plan.expansions for event in stage.heard.of(PlanResumed)] == [0, 0, 0]


def test_without_it_every_part_is_searched_for(stage, expansions):
    letters = tuple(stage.step(name, "S") for name in "abcd")
    stage.play_out(stage.goal(letters, horizon=1))
    assert len(expansions) == 4


def test_a_goal_that_cannot_be_reached_is_not_begun(stage):
    last = stage.step("last", precondition=World.open)
    network = (stage.step("a", "S"), pause(now=True), last)
    assert stage.play(network, 1, settings=CHECKED) == "F"
    assert started(stage) == []
    assert stage.heard.of(PlanAdopted) == []
    assert stage.play(network, 3, horizon=1) == "RRF"
    assert started(stage) == ["a"]


@pytest.mark.parametrize("suspending", ["pause", "defer", "horizon"])
def test_a_belief_that_changed_leads_to_a_new_search(stage, expansions, suspending):
    choose = choosing(stage)
    ending = {
        "pause": (pause(now=True), choose),
        "defer": (defer(choose, now=True),),
        "horizon": (choose,),
    }
    goal = stage.goal((stage.step("a", "RS"), *ending[suspending]), settings=CHECKED)
    goal.tick_once()
    stage.actor.believe(World.open, True)
    stage.play_out(goal)
    assert started(stage) == ["a", "x"]
    assert len(expansions) == 2
    assert stage.heard.of(PlanFailed) == []


def test_what_is_planned_afresh_is_checked_as_well(stage):
    last = stage.step("last", "S", precondition=World.lit)
    careless = stage.step("careless", "S", effects=World.lit.becomes(False))
    careful = stage.step("careful", "S")
    choose = stage.compound("choose", lambda: [method(careless, last), method(careful, last)])
    goal = stage.goal((stage.step("a", "RS"), choose), settings=CHECKED)
    goal.tick_once()
    stage.actor.believe(World.armed, True)
    stage.play_out(goal)
    assert started(stage) == ["a", "careful", "last"]


def test_a_step_that_does_what_nobody_foresaw_leads_to_a_new_search(stage, expansions):
    surprising = stage.step("a", "S", actual=World.open.becomes(True))
    stage.play_out(stage.goal((surprising, choosing(stage)), settings=CHECKED))
    assert started(stage) == ["a", "x"]
    assert len(expansions) == 2


def test_what_was_unknown_is_searched_for_on_arrival_and_checked_from_there(stage, expansions):
    def look():
        stage.actor.believe(World.open, True)

    network = (stage.step("look", "S", at_tick=look), choosing(stage), stage.step("c", "S"))
    stage.play_out(stage.goal(network, settings=CHECKED, open=UNKNOWN))
    assert started(stage) == ["look", "x", "c"]
    assert [event.cause for event in stage.heard.of(PlanResumed)] == ["unknown open"] * 2


def test_sensors_of_volatile_fluents_do_not_lead_to_new_searches(stage, expansions):
    flicker = [
        stage.step(
            name,
            "RS",
            at_tick=lambda: stage.actor.believe(World.seen, not stage.believes(World.seen)),
        )
        for name in "abc"
    ]
    stage.play_out(stage.goal(tuple(flicker), settings=CHECKED))
    assert started(stage) == ["a", "b", "c"]
    assert len(expansions) == 1


def test_branches_go_on_beside_each_other_without_a_search(stage, expansions):
    def branch(name):
        return tuple(
            stage.step(f"{name}{n}", "RS", effects=World.count.increases(1)) for n in range(3)
        )

    stage.play_out(stage.goal(parallel(branch("a"), branch("b")), settings=CHECKED))
    assert started(stage) == ["a0", "b0", "a1", "b1", "a2", "b2"]
    assert len(expansions) == 1
    assert stage.believes(World.count) == 6


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("beside", [False, True])
def test_what_was_drawn_and_chosen_goes_on_as_foreseen_whatever_the_seed(
    stage, expansions, seed, beside
):
    # Beliefs hold no seed: that of the plan is no belief that changed.
    def several(name):
        return tuple(stage.step(f"{name}{number}", "S") for number in range(2))

    spot = one_of(("a", "b"), name="spot")
    visits = several("visit")
    visit = stage.compound("visit", lambda: [method(*visits, when=spot != World.place)])
    draw = random_of((1, several("heads")), (1, several("tails")))
    network = (any_order(*several("any")), repeat(2, draw), visit)
    goal = parallel(network, several("other")) if beside else network
    settings = Settings(horizon=1, check_rest=True, seed=seed)
    stage.play_out(stage.goal(goal, settings=settings))
    assert len(expansions) == 1
    assert len(started(stage)) == (10 if beside else 8)


def test_what_is_planned_beside_it_waits_for_what_is_foreseen(stage):
    # Planned at once, the run would be in the plan; suspended, its legs are spoken for as well.
    def look():
        stage.actor.believe(World.open, True)

    kick = stage.step("kick", "S", uses="legs")
    kicker = stage.compound("kicker", lambda: [method(kick, when=World.open)])
    runner = (
        stage.step("look", "S", at_tick=look),
        stage.step("stroll", "RRS"),
        stage.step("run", "RS", uses="legs"),
    )
    network = parallel((stage.step("wait", "RS"), kicker), runner)
    stage.play_out(stage.goal(network, settings=CHECKED, open=UNKNOWN, max_replans=0))
    lines = stage.heard.lines()
    assert lines.index("done wait") < lines.index("start run")
    assert lines[-2:] == ["start kick", "done kick"]


def test_the_next_alternative_goes_on_as_it_was_foreseen(stage, expansions):
    guard = stage.step("guard", "S", exec_only=World.open)
    network = priority((guard, stage.step("a", "S")), (stage.step("b", "S"), stage.step("c", "S")))
    stage.play_out(stage.goal(network, settings=CHECKED))
    assert started(stage) == ["b", "c"]
    assert len(expansions) == 1


def test_a_deferred_guard_is_asked_on_arrival(stage, expansions):
    # Its precondition is unknown while planning and false on arrival: no reason to search again.
    guard = stage.step("guard", "S", precondition=World.seen)
    goal = stage.goal(
        (stage.step("a", "S"), priority(defer(guard, now=True), stage.step("b", "S"))),
        settings=CHECKED,
    )
    stage.play_out(goal)
    assert started(stage) == ["a", "b"]
    assert len(expansions) == 1
    assert goal.status is Status.SUCCESS


def test_interrupted_and_begun_again_it_is_planned_from_the_beliefs_of_then(stage):
    network = (stage.step("a", "RS"), choosing(stage), stage.step("c", "S"))
    goal = stage.goal(network, settings=CHECKED)
    ticks(goal, 3)
    goal.stop(Status.INVALID)
    assert stage.heard.lines()[-1] == "aborted y"
    stage.actor.believe(World.open, True)
    stage.heard.clear()
    stage.play_out(goal)
    assert started(stage) == ["a", "x", "c"]


def test_arrived_at_again_in_the_foreseen_state_it_goes_on_again_as_foreseen(stage, expansions):
    alarm = stage.step("alarm", "S", exec_only=World.seen)
    p, q = stage.step("p", "RRS"), stage.step("q", "RS")
    both = stage.compound("both", lambda: [method(p, q)])
    network = priority((alarm, stage.step("z", "RF")), defer(both, now=True), reactive=True)
    goal = stage.goal(network, settings=CHECKED)
    ticks(goal, 2)
    stage.actor.believe(World.seen, True)
    ticks(goal, 1)
    stage.actor.believe(World.seen, False)
    stage.play_out(goal)
    assert started(stage) == ["p", "alarm", "z", "p", "q"]
    assert goal.status is Status.SUCCESS
    assert len(expansions) == 1


def test_a_world_that_changes_during_the_search_is_looked_at_up_to_the_end(stage):
    # The plan still holds up to its horizon; what lies behind is no longer possible.
    barred = [stage.step(f"n{n}", precondition=World.place == "z") for n in range(9)]
    last = stage.step("last", precondition=World.lit)
    long = stage.compound("long", lambda: [*(method(one) for one in barred), method(last)])
    goal = stage.goal((stage.step("a", "S"), long), settings=CHECKED, budget=4, max_replans=0)
    ticks(goal, 2)
    stage.actor.believe(World.lit, False)
    stage.play_out(goal)
    assert started(stage) == []
    [ended] = stage.heard.of(GoalEnded)
    assert ended.reason.startswith("there is no plan")


def test_a_method_that_answers_differently_on_arrival_fails_the_plan_and_not_the_tree(stage):
    letters = [stage.step(name, "S") for name in "abc"]
    answers = [[letters[1], letters[2]]]
    whim = stage.compound("whim", lambda: [method(lambda _: answers.pop() if answers else [])])
    goal = stage.goal((letters[0], whim), settings=CHECKED, max_replans=0)
    stage.play_out(goal)
    [ended] = stage.heard.of(GoalEnded)
    assert "BT201" in ended.reason
