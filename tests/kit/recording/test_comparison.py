"""Two runs compared line by line, and the cause of their first difference in words."""

import pytest

from bthtn.kit.recording.comparison import LineComparison, cause_of

TICK = {"tick": 1, "active": []}
START = {"event": "leaf_started", "agent": "Ann", "task": "dig", "path": ""}
END = {"end": 1, "finished": True, "reason": ""}
LINES = ['{"tick":1,"active":[]}', '{"end":1,"finished":true,"reason":""}']


def compared(lines, *replayed):
    comparison = LineComparison(iter(lines))
    comparison.take((1, list(replayed)))
    comparison.close()
    return comparison


def test_equal_lines_do_not_differ():
    found = compared(LINES, TICK, END)
    assert (found.difference, found.ticks, found.events) == (None, 1, 0)


def test_a_recording_that_was_cut_off_is_compared_as_far_as_it_goes():
    assert compared(LINES[:1], TICK, START, START, END).difference is None
    found = compared(LINES, TICK, END, TICK).difference
    assert found.cause == "the recording is over where the run has the beginning of tick 1"


def test_a_line_that_is_no_json_is_a_difference_of_its_own():
    for text in ("{", "[]"):
        found = compared([LINES[0], text], TICK, END).difference
        assert (found.tick, found.recorded) == (1, text)
        assert found.cause == "there is the end instead of an unknown line"


@pytest.mark.parametrize(
    ("recorded", "replayed", "cause"),
    [
        (START, {}, "the run is over where the recording has leaf_started dig of Ann"),
        (
            START,
            {**START, "agent": "Bob"},
            "leaf_started dig of Bob instead of leaf_started dig of Ann",
        ),
        (START, {**START, "path": "play"}, 'path is "play" instead of ""'),
        (
            {"tick": 1, "active": ["a"]},
            {"tick": 1, "active": ["b"]},
            'active[0] is "b" instead of "a"',
        ),
        ({"tick": 1, "active": []}, {"tick": 1, "active": ["b"]}, 'active is ["b"] instead of []'),
        ({"view": 1, "agent": "Ann"}, END, "the end instead of the tree of Ann"),
        (
            TICK,
            {"active": [], "tick": 1},
            "the beginning of tick 1 has the same, written otherwise",
        ),
        (TICK, {**TICK, "time": None}, "the beginning of tick 1 has the same, written otherwise"),
    ],
)
def test_a_cause_says_what_there_is_instead(recorded, replayed, cause):
    assert cause_of(recorded, replayed).endswith(cause)
