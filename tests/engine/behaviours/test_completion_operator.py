"""Operators that are done when somebody calls back."""

import threading

from py_trees.common import Status

from bthtn import parallel
from bthtn.behaviours import Completion
from bthtn.engine.agent.events import LeafAborted, LeafEnded
from bthtn.studio.testing.doubles import ScriptedError, ticks
from bthtn.studio.testing.strategies import World


class Body:
    """Makes completions, and remembers them."""

    def __init__(self, on_abort=None):
        self.made = []
        self.on_abort = on_abort

    def __call__(self, agent, *args):
        self.made.append(Completion(self.on_abort))
        return self.made[-1]


def test_a_step_runs_until_somebody_calls_back(stage):
    body = Body()
    goal = stage.goal(stage.run_by("walk", body, effects=World.open.becomes(True)))
    assert ticks(goal, 3) == "RRR"
    body.made[0].succeed()
    assert not stage.believes(World.open)
    assert ticks(goal, 1) == "S"
    assert stage.believes(World.open)


def test_a_failure_gives_its_reason(stage):
    body = Body()
    goal = stage.goal(stage.run_by("walk", body), max_replans=0)
    ticks(goal, 1)
    body.made[0].fail("stuck")
    assert ticks(goal, 1) == "F"
    assert stage.heard.of(LeafEnded)[0].reason == "stuck"


def test_who_calls_back_at_once_is_heard_in_the_same_tick(stage):
    def instant(agent):
        done = Completion()
        done.succeed()
        return done

    assert stage.play(stage.run_by("walk", instant), 1) == "S"


def test_a_call_from_another_thread_is_seen_at_the_next_tick(stage):
    body = Body()
    goal = stage.goal(stage.run_by("walk", body))
    ticks(goal, 1)
    thread = threading.Thread(target=body.made[0].succeed)
    thread.start()
    thread.join()
    assert ticks(goal, 1) == "S"


def test_a_call_after_the_abort_changes_nothing_and_is_counted(stage):
    halted = []
    body = Body(on_abort=lambda: halted.append("halt"))
    goal = stage.goal(stage.run_by("walk", body))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert halted == ["halt"]
    assert not body.made[0].succeed()
    assert ticks(goal, 2) == "RR"
    assert body.made[0].ignored == 1
    assert stage.heard.lines() == ["start walk", "aborted walk", "start walk"]


def test_a_call_that_comes_before_the_abort_comes_too_late_all_the_same(stage):
    """The step is interrupted before the tick in which it would have been seen."""
    body = Body()
    goal = stage.goal(stage.run_by("walk", body, effects=World.open.becomes(True)))
    ticks(goal, 1)
    body.made[0].succeed()
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["start walk", "aborted walk"]
    assert not stage.believes(World.open)


def test_what_the_abort_raises_is_contained(stage):
    def refuse():
        raise ScriptedError

    goal = stage.goal(stage.run_by("walk", Body(on_abort=refuse)))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert isinstance(stage.heard.of(LeafAborted)[0].error, ScriptedError)


def test_a_completion_cannot_be_used_twice(stage):
    done = Completion()
    done.succeed()
    walk = stage.run_by("walk", lambda agent: done)
    assert stage.play((walk, walk), 1) == "F"
    assert stage.heard.of(LeafEnded)[-1].error.code == "BT307"


def test_no_lock_is_held_while_code_of_the_user_s_runs(stage):
    """A call-back from the abort, on another thread, would wait for ever."""

    def halt():
        thread = threading.Thread(target=lambda: body.made[0].fail("halted"))
        thread.start()
        thread.join(timeout=10)
        assert not thread.is_alive()

    body = Body(on_abort=halt)
    goal = stage.goal(parallel(stage.run_by("walk", body), stage.step("b", "F")), max_replans=0)
    assert ticks(goal, 1) == "F"
    assert stage.heard.of(LeafAborted)[0].error is None
    assert body.made[0].ignored == 1
