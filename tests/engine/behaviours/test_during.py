"""`during`: what has to hold while a step runs."""

import pytest
from py_trees.common import Status

from bthtn import UNKNOWN, parallel
from bthtn.engine.agent.events import LeafEnded
from bthtn.studio.testing.doubles import ScriptedError, ticks
from bthtn.studio.testing.strategies import World


def test_a_step_whose_condition_becomes_false_is_aborted_and_fails(stage):
    goal = stage.goal(stage.step("a", "R", during=World.open), max_replans=0, open=True)
    assert ticks(goal, 2) == "RR"
    stage.actor.believe(World.open, False, goal.name)
    assert ticks(goal, 1) == "F"
    assert stage.heard.lines() == ["start a", "failed a"]
    assert stage.heard.of(LeafEnded)[0].reason == "open is false: open = false"
    assert "a: open is false" in goal.feedback_message
    assert (stage.code["a"].ticks, stage.code["a"].aborts) == (2, 1)
    assert not stage.code["a"].faults


def test_it_is_asked_after_the_tick_in_which_the_step_starts(stage):
    goal = stage.goal(stage.step("a", "RS", during=World.open), max_replans=0, open=False)
    assert ticks(goal, 2) == "RF"
    assert stage.code["a"].ticks == 1


def test_a_step_that_is_done_when_it_starts_is_not_asked(stage):
    assert stage.play(stage.step("a", "S", during=World.open), 1, open=False) == "S"


def test_planning_does_not_ask_it(stage):
    goal = stage.goal(stage.step("a", "R", during=World.open), open=False)
    goal.tick_once()
    assert goal.plan is not None


def test_what_is_unknown_is_no_obstacle(stage):
    goal = stage.goal(stage.step("a", "RRS", during=World.open), open=UNKNOWN)
    assert ticks(goal, 3) == "RRS"


def test_a_condition_that_raises_aborts_the_step_and_is_kept(stage):
    def broken(state):
        raise ZeroDivisionError

    goal = stage.goal(stage.step("a", "R", during=broken), max_replans=0)
    assert ticks(goal, 2) == "RF"
    assert stage.heard.of(LeafEnded)[0].error.code == "BT201"
    assert stage.code["a"].aborts == 1


def test_an_abort_that_raises_is_kept_beside_the_reason(stage):
    step = stage.step("a", "R", during=World.open, raises=("abort",))
    goal = stage.goal(step, max_replans=0)
    assert ticks(goal, 2) == "RF"
    [ended] = stage.heard.of(LeafEnded)
    assert isinstance(ended.error, ScriptedError)
    assert ended.reason == "open is false: open = false"


def test_the_step_is_running_until_its_abort_is_done(stage):
    step = stage.step("a", "R", during=World.open, abort_ticks=2)
    goal = stage.goal(step, max_replans=0)
    assert ticks(goal, 4) == "RRRF"
    assert stage.heard.lines() == ["start a", "aborting a", "failed a"]
    assert stage.code["a"].runs[0].abort_ticks == 2
    assert not stage.code["a"].faults


def test_once_it_is_given_up_it_fails_whatever_becomes_true_again(stage):
    step = stage.step("a", "R", during=World.open, abort_ticks=2)
    goal = stage.goal(step, max_replans=0)
    ticks(goal, 2)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 2) == "RF"


def test_interrupted_while_it_gives_up_it_ends_as_aborted(stage):
    step = stage.step("a", "R", during=World.open, abort_ticks=2)
    goal = stage.goal(step)
    ticks(goal, 2)
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["start a", "aborting a"]
    ticks(goal, 2)
    assert stage.heard.lines()[2:] == ["aborted a", "start a"]
    assert stage.heard.faults() == []


@pytest.mark.parametrize(("policy", "letters"), [("any", "RRS"), ("all", "RF")])
def test_in_a_parallel_it_is_a_branch_that_failed(stage, policy, letters):
    branches = stage.step("a", "R", during=World.open), stage.step("b", "RRS")
    assert stage.play(parallel(*branches, policy=policy), len(letters)) == letters
