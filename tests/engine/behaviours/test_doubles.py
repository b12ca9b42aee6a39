"""The doubles do what they promise, and notice a run time that breaks its own promises."""

import py_trees
import pytest
from py_trees.common import Status

from bthtn.engine.agent.events import (
    GoalEnded,
    LeafAborted,
    LeafEnded,
    LeafRefused,
    LeafStarted,
    LeafWaits,
    PlanAborted,
)
from bthtn.kit.recording import line_of
from bthtn.studio.testing.doubles import (
    RecordingListener,
    ScriptedError,
    ScriptedOperator,
    letter_of,
    ticks,
)
from bthtn.studio.testing.strategies import World

# ticks


def test_ticks_are_letters():
    queue = [Status.RUNNING, Status.SUCCESS, Status.FAILURE]
    root = py_trees.behaviours.StatusQueue("queue", queue, eventually=None)
    assert ticks(root, 4) == "RSFR"
    assert ticks(root, 0) == ""
    assert letter_of(Status.INVALID) == "-"


# scripted operators


def begun(code):
    run = code(None)
    run.start()
    return run


def test_a_script_is_answered_letter_by_letter_and_its_last_one_for_ever():
    run = begun(ScriptedOperator("RRS"))
    assert [run.tick() for _ in range(3)] == [Status.RUNNING, Status.RUNNING, Status.SUCCESS]
    endless = begun(ScriptedOperator("R"))
    assert {endless.tick() for _ in range(5)} == {Status.RUNNING}
    assert begun(ScriptedOperator("F")).tick() is Status.FAILURE
    assert begun(ScriptedOperator()).tick() is Status.SUCCESS
    assert begun(ScriptedOperator("?")).tick() not in list(Status)


def test_it_raises_where_the_script_says_so():
    run = begun(ScriptedOperator("R!"))
    assert run.tick() is Status.RUNNING
    with pytest.raises(ScriptedError, match="tick 2"):
        run.tick()
    assert run.ends == 1


@pytest.mark.parametrize("place", ["make", "start", "abort"])
def test_it_raises_in_the_calls_that_are_named(place):
    code = ScriptedOperator("R", raises=(place,))

    def live():
        run = begun(code)
        run.tick()
        run.abort()

    with pytest.raises(ScriptedError, match=place):
        live()
    assert code.ends + code.aborts == len(code.runs) == (place != "make")


def test_every_start_follows_the_next_script():
    code = ScriptedOperator("F", "S")
    answers = [begun(code).tick() for _ in range(3)]
    assert answers == [Status.FAILURE, Status.SUCCESS, Status.SUCCESS]


def test_it_counts_what_happens_to_it():
    code = ScriptedOperator("RS", "R")
    first, second = code(None, 1), code(None, "a", 2)
    first.start()
    first.tick()
    first.tick()
    second.start()
    second.tick()
    second.abort()
    assert (code.starts, code.ticks, code.ends, code.aborts) == (2, 3, 1, 1)
    assert code.args == [(1,), ("a", 2)]
    assert (first.over, second.over) == (True, True)
    assert code.faults == []


def test_before_every_answer_it_calls_back():
    called = []
    run = begun(ScriptedOperator("RS", at_tick=lambda: called.append(1)))
    run.tick()
    run.tick()
    assert len(called) == 2


@pytest.mark.parametrize(
    ("calls", "fault"),
    [
        (["tick"], "ticked before it was started"),
        (["abort"], "aborted before it was started"),
        (["start", "start"], "started twice"),
        (["start", "tick", "tick"], "ticked after its end"),
        (["start", "tick", "abort"], "aborted after its end"),
        (["start", "abort", "abort"], "aborted after its end"),
        (["start", "abort", "tick"], "ticked after its end"),
    ],
)
def test_it_notices_what_no_caller_may_do(calls, fault):
    code = ScriptedOperator("S")
    run = code(None)
    for call in calls:
        getattr(run, call)()
    assert code.faults[-1] == f"run 0: {fault}"


# the listener


def listening(*events):
    heard = RecordingListener()
    for event in events:
        heard(event)
    return heard


def test_what_has_started_and_not_ended_is_running():
    start, end = LeafStarted(1, "a", ""), LeafEnded(1, "a", True)
    other, abort = LeafStarted(2, "b", ""), LeafAborted(2, "b")
    open_ = LeafStarted(3, "c", "")
    heard = listening(start, other, end, open_, abort)
    assert heard.running() == ["c"]
    assert heard.faults() == []


@pytest.mark.parametrize(
    ("events", "fault"),
    [
        ([LeafEnded(1, "a", True)], "a #1 ended and was never started"),
        ([LeafAborted(1, "a"), LeafStarted(1, "a", "")], "a #1 ended and was never started"),
        ([LeafStarted(1, "a", ""), LeafStarted(1, "a", "")], "a #1 started twice"),
        (
            [LeafStarted(1, "a", ""), LeafEnded(1, "a", True), LeafAborted(1, "a")],
            "a #1 ended twice",
        ),
    ],
)
def test_breaches_of_the_promise_are_named(events, fault):
    assert listening(*events).faults() == [fault]


def test_events_as_lines():
    told = {
        "start a": LeafStarted(1, "a", ""),
        "done a": LeafEnded(1, "a", True),
        "failed a": LeafEnded(1, "a", False),
        "refused a": LeafRefused(1, "a", "no"),
        "waiting a": LeafWaits("a", ("arms",), "b #1", "goal"),
        "aborted a": LeafAborted(1, "a"),
        "fight succeeded": GoalEnded("fight", True),
        "fight failed": GoalEnded("fight", False),
        "PlanAborted fight": PlanAborted("fight", "the tree was stopped"),
    }
    assert [line_of(event, reasons=False) for event in told.values()] == list(told)
    assert line_of(LeafRefused(1, "a", "no")) == "refused a — no"
    heard = listening(*told.values())
    assert heard.lines() == [line for line in list(told)[:6] if line != "waiting a"]
    assert heard.story() == list(told)


def test_what_was_heard_can_be_sorted_and_forgotten(stage):
    stage.play(stage.step("a", "S", effects=World.open.becomes(True)), 1)
    assert [event.task for event in stage.heard.of(LeafStarted)] == ["a"]
    assert stage.heard.changes() == ["open: false → true (by goal)"]
    assert line_of(stage.heard.events[2]) == "open: false → true (by goal)"
    stage.heard.clear()
    assert stage.heard.events == stage.heard.lines() == []
