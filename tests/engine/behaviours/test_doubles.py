"""The doubles do what they promise, and notice a run time that breaks its own promises."""

import pytest
from py_trees.common import Status

from bthtn.engine.agent.events import (
    LeafAborted,
    LeafEnded,
    LeafStarted,
)
from bthtn.studio.testing.doubles import (
    RecordingListener,
    ScriptedError,
    ScriptedOperator,
)

# ticks


# scripted operators


def begun(code):
    run = code(None)
    run.start()
    return run


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
