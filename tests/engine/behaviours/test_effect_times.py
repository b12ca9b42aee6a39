"""Effects of other moments than a success: the start, a failure, an abort."""

import pytest
from py_trees.common import Status

from bthtn import UNKNOWN
from bthtn.behaviours import OperatorFailed
from bthtn.engine.agent.events import BeliefChanged, CodeFailed, LeafAborted, LeafEnded
from bthtn.kit.recording import line_of
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World

COUNTED = {
    "effects": World.count.becomes(1),
    "on_start": World.open.becomes(True),
    "on_failure": World.count.becomes(2),
    "on_abort": World.count.becomes(3),
}


def divided_by_zero(state):
    state.count = 1 // 0


def story(stage):
    """What happened to steps and beliefs, in order."""
    kinds = (BeliefChanged, LeafEnded, LeafAborted)
    return [
        line_of(event, reasons=False) for event in stage.heard.events if isinstance(event, kinds)
    ]


def test_each_end_has_effects_of_its_own(stage):
    assert stage.play(stage.step("a", "RS", **COUNTED), 2) == "RS"
    assert story(stage) == [
        "open: false → true (by goal)",
        "count: 0 → 1 (by goal)",
        "done a",
    ]


def test_a_failure_writes_what_is_said_of_failures(stage):
    assert stage.play(stage.step("a", "RF", **COUNTED), 2) == "RF"
    assert story(stage)[1:] == ["count: 0 → 2 (by goal)", "failed a"]


def test_an_abort_writes_what_is_said_of_aborts(stage):
    goal = stage.goal(stage.step("a", "R", **COUNTED))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert story(stage)[1:] == ["count: 0 → 3 (by goal)", "aborted a"]


def test_the_start_is_written_before_the_operator_is_made(stage):
    seen = []

    def look(agent):
        seen.append(agent.beliefs.now.open)

    stage.play(stage.run_by("a", look, on_start=World.open.becomes(True)), 1)
    assert seen == [True]


def test_a_step_that_is_refused_writes_nothing(stage):
    step = stage.step("a", "S", exec_only=World.lit, **COUNTED)
    assert stage.play(step, 1, lit=False) == "F"
    assert story(stage) == []


def test_an_abort_that_takes_time_is_written_when_it_is_done(stage):
    goal = stage.goal(stage.step("a", "R", abort_ticks=1, **COUNTED))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.believes(World.count) == 0
    goal.tick_once()
    assert story(stage)[1:3] == ["count: 0 → 3 (by goal)", "aborted a"]


def test_a_step_that_may_not_go_on_has_failed(stage):
    goal = stage.goal(stage.step("a", "R", during=World.lit, **COUNTED), max_replans=0)
    goal.tick_once()
    stage.actor.believe(World.lit, False, goal.name)
    goal.tick_once()
    assert story(stage)[-2:] == ["count: 0 → 2 (by goal)", "failed a"]


def test_none_of_them_are_planned(stage):
    first = stage.step("a", "S", on_start=World.open.becomes(True))
    second = stage.step("b", "S", precondition=World.open)
    assert stage.play((first, second), 1) == "F"
    assert stage.heard.lines() == []


def test_the_effects_of_a_list_happen_at_the_same_time(stage):
    swap = [World.open.becomes(World.lit), World.lit.becomes(World.open)]
    stage.play(stage.step("a", "R", on_start=swap), 1, open=False, lit=True)
    assert (stage.believes(World.open), stage.believes(World.lit)) == (True, False)


@pytest.mark.parametrize("moment", ["on_start", "on_failure", "on_abort"])
def test_effects_that_cannot_be_written_write_nothing_and_are_told(stage, moment):
    broken = [World.open.becomes(True), divided_by_zero]
    step = stage.step("a", "RF", **{moment: broken})
    goal = stage.goal(step, max_replans=0)
    goal.tick_once()
    if moment == "on_abort":
        goal.stop(Status.INVALID)
    goal.tick_once()
    assert not stage.believes(World.open)
    kind = LeafAborted if moment == "on_abort" else LeafEnded
    assert "ZeroDivisionError" in str(stage.heard.of(kind)[0].error)
    assert stage.heard.faults() == []


def test_a_start_that_cannot_be_written_fails_the_step_before_its_operator_is_made(stage):
    step = stage.step("a", "S", on_start=divided_by_zero, on_failure=World.open.becomes(True))
    assert stage.play(step, 1) == "F"
    assert stage.code["a"].runs == []
    assert stage.heard.lines() == ["start a", "failed a"]
    assert stage.believes(World.open)


def test_a_failure_says_what_else_went_wrong(stage):
    step = stage.step("a", "F", on_failure=divided_by_zero)
    stage.play(step, 1)
    [ended] = stage.heard.of(LeafEnded)
    assert ended.reason.startswith("the operator answered FAILURE; its on_failure effects: ")
    assert "ZeroDivisionError" in ended.reason


def test_of_two_mistakes_the_first_is_the_error_of_the_end(stage):
    stage.play(stage.step("a", "!", on_failure=divided_by_zero), 1)
    [ended] = stage.heard.of(LeafEnded)
    [other] = stage.heard.of(CodeFailed)
    assert "tick 1 was to fail" in str(ended.error)
    assert "ZeroDivisionError" in str(other.error)


def test_a_mistake_is_the_error_of_an_end_that_the_world_brought_about(stage):
    def takes(agent):
        raise OperatorFailed("taken")
        yield

    step = stage.run_by("a", takes, on_failure=divided_by_zero)
    stage.play(step, 1)
    [ended] = stage.heard.of(LeafEnded)
    assert "ZeroDivisionError" in str(ended.error)
    assert not stage.heard.of(CodeFailed)


def test_an_unknown_value_makes_the_fluent_unknown(stage):
    stage.play(stage.step("a", "R", on_start=World.open.becomes(World.lit)), 1, lit=UNKNOWN)
    assert stage.believes(World.open) is UNKNOWN


def test_success_effects_that_cannot_be_written_are_a_failure_with_its_effects(stage):
    step = stage.step("a", "S", actual=divided_by_zero, on_failure=World.lit.becomes(False))
    assert stage.play(step, 1) == "F"
    assert stage.believes(World.lit) is False


def test_they_are_the_goal_s_own_changes(stage):
    goal = stage.goal(stage.step("a", "R", **COUNTED), name="guard")
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert {event.change.source for event in stage.heard.of(BeliefChanged)} == {"guard"}
