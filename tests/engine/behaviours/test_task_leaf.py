"""TaskLeaf: a step starts only where it may, and what it does comes true only on success."""

import pytest
from py_trees.common import Status

from bthtn import UNKNOWN, Primitive, method, parallel, primitive
from bthtn.engine.agent.events import (
    BeliefChanged,
    LeafAborted,
    LeafEnded,
    LeafRefused,
    LeafStarted,
    PlanFailed,
)
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


def changing(stage, variable, value):
    """A first step during which a sensor reports something."""
    return stage.step("sense", "S", at_tick=lambda: stage.actor.believe(variable, value))


# start


def test_a_step_whose_precondition_has_become_false_is_refused(stage):
    step = stage.step("a", "S", precondition=World.open)
    assert stage.play((changing(stage, World.open, False), step), 1, open=True) == "F"
    assert stage.heard.lines() == ["start sense", "done sense", "refused a"]
    assert stage.code["a"].runs == []
    [refused] = stage.heard.of(LeafRefused)
    assert refused.reason == "open is false: open = false"


def test_a_step_whose_exec_only_condition_is_false_is_refused(stage):  # R000-32
    step = stage.step("a", "S", exec_only=World.count > 2)
    assert stage.play(step, 1) == "F"
    assert stage.heard.lines() == ["refused a"]
    assert "count = 0" in stage.heard.of(LeafRefused)[0].reason


def test_of_two_conditions_that_do_not_hold_the_precondition_is_the_reason(stage):
    step = stage.step("a", "S", precondition=World.open, exec_only=World.armed)
    stage.play((changing(stage, World.open, False), step), 1, open=True)
    assert stage.heard.of(LeafRefused)[0].reason.startswith("open is false")


def test_what_is_unknown_is_no_obstacle(stage):
    step = stage.step("a", "S", exec_only=World.open)
    other = stage.step("b", "S", precondition=World.lit)
    sense = changing(stage, World.lit, UNKNOWN)
    assert stage.play((step, sense, other), 1, open=UNKNOWN) == "S"
    assert stage.heard.lines()[-2:] == ["start b", "done b"]


def test_what_is_only_for_the_start_is_not_asked_while_the_step_runs(stage):
    step = stage.step("a", "RRS", exec_only=World.lit)
    goal = stage.goal(step)
    goal.tick_once()
    stage.actor.believe(World.lit, False)
    assert ticks(goal, 2) == "RS"


def test_conditions_and_operators_are_given_the_arguments(stage):
    @stage.domain.primitive
    def go(place: str) -> Primitive:
        return primitive(exec_only=World.place != place, effects=World.place.becomes(place))

    heard = []
    stage.operators.bind(go)(lambda agent, place: heard.append((agent, place)))
    assert stage.play((go("b"), go("a"), go("a")), 1) == "F"
    assert heard == [(stage.actor, "b"), (stage.actor, "a")]
    assert stage.heard.lines()[-1] == "refused go('a')"


def test_every_try_has_a_number_of_its_own(stage):
    step = stage.step("a", "F", "S")
    goal = stage.goal((step, stage.step("b"), stage.step("c", exec_only=World.open)))
    ticks(goal, 3)
    started = [event.leaf for event in stage.heard.of(LeafStarted)]
    refused = [event.leaf for event in stage.heard.of(LeafRefused)]
    assert len({*started, *refused}) == len(started) + len(refused) > 4


# effects


@pytest.mark.parametrize("script", ["RF", "R!", "R?", "RR"])
def test_effects_come_true_only_on_success(stage, script):  # R001-09
    step = stage.step(
        "a", script, effects=World.open.becomes(True), actual=World.lit.becomes(False)
    )
    goal = stage.goal(step, max_replans=0)
    ticks(goal, 2)
    goal.stop(Status.INVALID)
    assert not stage.believes(World.open)
    assert stage.believes(World.lit)
    assert stage.heard.of(BeliefChanged) == []


def test_effects_come_true_in_the_tick_of_success_before_the_next_step_starts(stage):
    first = stage.step("a", "RS", effects=World.open.becomes(True))
    second = stage.step("b", "S", exec_only=World.open)
    goal = stage.goal((first, second))
    assert ticks(goal, 1) == "R"
    assert not stage.believes(World.open)
    assert ticks(goal, 1) == "S"
    assert stage.believes(World.open)


def test_actual_effects_come_after_effects_and_expected_ones_not_at_all(stage):  # R004-02
    def double(state):
        state.count = state.count * 2

    step = stage.step(
        "a",
        "S",
        effects=World.count.becomes(3),
        expected=[World.lit.becomes(False), World.count.increases(50)],
        actual=double,
    )
    assert stage.play(step, 1, count=1) == "S"
    assert stage.believes(World.count) == 6
    assert stage.believes(World.lit) is True


def test_effects_of_one_list_happen_at_the_same_time(stage):
    step = stage.step(
        "a",
        effects=[World.count.becomes(World.ammo), World.ammo.becomes(World.count)],
    )
    assert stage.play(step, 1, count=1, ammo=2) == "S"
    assert (stage.believes(World.count), stage.believes(World.ammo)) == (2, 1)


def test_effects_are_worked_out_from_what_is_believed_at_the_end(stage):
    step = stage.step("a", "RS", effects=World.count.increases(1))
    goal = stage.goal(step)
    goal.tick_once()
    stage.actor.believe(World.count, 7)
    goal.tick_once()
    assert stage.believes(World.count) == 8


def test_an_unknown_amount_makes_the_fluent_unknown(stage):
    step = stage.step("a", actual=World.count.becomes(World.ammo + 1))
    assert stage.play(step, 1, ammo=UNKNOWN) == "S"
    assert stage.believes(World.count) is UNKNOWN


def write_wrong_type(state):
    state.count = "many"


def write_then_raise(state):
    state.count = 9
    raise ZeroDivisionError


def read_unknown(state):
    state.count = 9
    state.ammo = state.ammo + 1


@pytest.mark.parametrize(
    ("actual", "reason"),
    [
        (write_wrong_type, "BT106"),
        (write_then_raise, "ZeroDivisionError"),
        (read_unknown, "unknown"),
        (World.count.becomes(World.place), "BT106"),
    ],
)
def test_of_effects_that_go_wrong_none_comes_true(stage, actual, reason):
    step = stage.step(
        "a", "S", effects=[World.open.becomes(True), World.fuel.becomes(9.0)], actual=actual
    )
    assert stage.play(step, 1, ammo=UNKNOWN) == "F"
    assert stage.heard.of(BeliefChanged) == []
    assert not stage.believes(World.open)
    [ended] = stage.heard.of(LeafEnded)
    assert not ended.succeeded
    assert reason in ended.reason
    assert isinstance(ended.error, Exception)


def test_a_belief_that_a_step_changes_names_the_goal_as_its_source(stage):
    step = stage.step("a", effects=World.open.becomes(True), actual=World.count.increases(1))
    stage.goal(step, name="patrol").tick_once()
    stage.actor.believe(World.lit, False)
    stage.actor.believe(World.armed, True, "a friend")
    assert stage.heard.changes() == [
        "open: false → true (by patrol)",
        "count: 0 → 1 (by patrol)",
        "lit: true → false (by sensor)",
        "armed: false → true (by a friend)",
    ]


def test_writing_what_is_believed_already_is_no_change(stage):
    step = stage.step("a", effects=World.open.becomes(True))
    stage.play(step, 1, open=True)
    stage.actor.believe(World.open, True)
    assert stage.heard.of(BeliefChanged) == []


# events


def test_events_say_which_decomposition_a_step_belongs_to(stage):
    step = stage.step("a", "F")
    inner = stage.compound("inner", lambda: [method(step)])
    outer = stage.compound("outer", lambda: [method(inner)])
    assert stage.play(outer, 1) == "F"
    [started], [ended] = stage.heard.of(LeafStarted), stage.heard.of(LeafEnded)
    assert started.path == ended.path == "outer m0 > inner m0"
    [failed] = stage.heard.of(PlanFailed)
    assert failed.reason == "outer m0 > inner m0 > a: the operator answered FAILURE"


def test_events_of_refused_and_aborted_steps_say_it_too(stage):
    long, barred = stage.step("a", "R"), stage.step("b", exec_only=World.open)
    outer = stage.compound("outer", lambda: [method(parallel(long, barred))])
    assert stage.play(outer, 1) == "F"
    [refused], [aborted] = stage.heard.of(LeafRefused), stage.heard.of(LeafAborted)
    assert refused.path == aborted.path == "outer m0"


def test_start_and_end_carry_the_same_number_and_task(stage):
    stage.play((stage.step("a", "RS"), stage.step("b", "RF")), 3)
    starts, ends = stage.heard.of(LeafStarted), stage.heard.of(LeafEnded)
    assert [start.task for start in starts] == ["a", "b"]
    assert [(end.leaf, end.task, end.succeeded) for end in ends] == [
        (starts[0].leaf, "a", True),
        (starts[1].leaf, "b", False),
    ]


def test_the_reason_of_a_failure_is_shown_at_the_goal(stage):
    goal = stage.goal(stage.step("a", exec_only=World.open), max_replans=0)
    goal.tick_once()
    assert goal.feedback_message.endswith("a: open is false: open = false")
