"""Patterns of plans: what is left open, and what is not."""

import pytest

from bthtn.errors import InputError
from bthtn.studio.testing.plan_pattern import check_pattern, is_pattern, matches

PLAN = "(go('hall'), look, parallel(hum, (go('store'), grab)), go('hall'))"


@pytest.mark.parametrize(
    "pattern",
    [
        "*",
        "(*, grab*)",
        "(go(?room), look, *, go(?room))",
        "(go(?room), *, ?last)",
        "({look, go('hall')}, *)",
        "(go('hall'), look, parallel{(go('store'), grab), hum}, go('hall'))",
        "(go('hall'),look,  parallel{ hum , (go('store'), grab) },*)",
        "(?step, look, *, ?step)",
        "(?step, {parallel(*), look}, *)",
    ],
)
def test_what_is_left_open_may_be_anything(pattern):
    assert is_pattern(pattern)
    assert matches(pattern, PLAN)


@pytest.mark.parametrize(
    "pattern",
    [
        "(*, grab)",
        "(go(?room), look, parallel(hum, (go(?room), grab)), *)",
        "({look, grab}, *)",
        "(?step, ?step, *)",
        "(go('hall'), look, parallel{hum, grab}, *)",
        "(look, *)",
    ],
)
def test_what_is_said_has_to_be_there(pattern):
    assert not matches(pattern, PLAN)


def test_what_is_quoted_is_nothing_but_text():
    assert not is_pattern("(say('*?{}'), wait)")
    assert matches("(say('*'), *)", "(say('*'), wait)")
    assert not matches("(say('*'), *)", "(say('hello'), wait)")


def test_steps_in_any_order_may_be_several_in_a_row():
    assert matches("{(a, b), c}", "c, a, b")


@pytest.mark.parametrize(
    ("pattern", "wrong"),
    [
        ("({go(1), look)", "a brace is not closed"),
        ("(go(1), look})", "a brace is not closed"),
        ("{look, look, look, look, look, look}", "6 parts in any order"),
        ("(go(?x), lok, *)", "there is no task 'lok'.*did you mean 'look'"),
        ("parallel{look, hmu}", "there is no task 'hmu'"),
        ("({a, b, c, d}, {a, b, c, d}, {a, b})", "more than 1000 orders"),
    ],
)
def test_what_cannot_be_meant_is_refused(pattern, wrong):
    with pytest.raises(InputError, match=f"(?s){wrong}"):
        check_pattern(pattern, {"look", "go"})


def test_tasks_and_their_values_are_told_from_each_other():
    check_pattern(
        "(go(?x), parallel{look, (look, go(NORTH))}, priority(*, look), *)", {"look", "go"}
    )
