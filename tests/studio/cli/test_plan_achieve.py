"""bthtn plan --achieve: a condition in place of a task."""

import json

import pytest

AMMO = "has_ammo: reload needs has_magazine\nhas_magazine: no action brings it about\n"
SHOOTER = ("--set=has_target=true", "--set=has_magazine=true")


def test_the_steps_to_a_condition_are_shown(bthtn):
    answer = bthtn(
        *("plan", "domains/blocks/strips.py", "--achieve", "on[b] == a"),
        *("--set=on[a]=b", "--set=is_top[b]=false"),
    )
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "strips: achieve(on[b] == 'a')"
    assert lines[1].startswith("record [0], cost 4, ")
    assert lines[3] == "achieve: on[b] == 'a'"
    steps = [line.lstrip(" ├└─") for line in lines[5:]]
    assert steps == ["unstack('a', 'b')", "putdown('a')", "pickup('b')", "stack('b', 'a')"]


def test_programs_are_told_the_condition_too(bthtn):
    answer = bthtn("plan", "domains/fps/strips.py", "--achieve=not has_target", *SHOOTER, "--json")
    told = json.loads(answer.out)
    assert told["task"] == {"name": "achieve(not has_target)", "args": []}
    assert told["cost"] == 2


@pytest.mark.parametrize("more", ["--flat", "--forward", "--cheapest", "--horizon=1", "--all"])
def test_a_goal_is_pursued_however_it_is_asked_for(bthtn, more):
    asked = ("plan", "domains/fps/strips.py", "--achieve=not has_target", *SHOOTER)
    answer = bthtn(*asked, more)
    assert answer.code == 0
    assert "move_to_target" in answer.out


def test_without_a_plan_it_says_why_not(bthtn):
    answer = bthtn("plan", "domains/fps/strips.py", "--achieve", "has_ammo")
    assert answer.code == 1
    assert answer.out == f"strips: no plan for achieve(has_ammo), because\n{AMMO}"


def test_objects_are_given_with_the_condition(bthtn):
    asked = ("plan", "combat", "--achieve", "in_cover", "--set=cover=true")
    assert "'time' of 'wait'" in bthtn(*asked).err
    answer = bthtn(*asked, "--objects", "time=1,2")
    assert (answer.code, answer.err) == (0, "")
    assert "move_to_cover" in answer.out


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("--achieve", "has_amo"), "did you mean 'has_ammo'?"),
        (("--achieve", "has_ammo and"), "[BT411] a fluent is missing"),
        ((), "'TASK': say what is to be done, or give --achieve"),
        (("shot", "--achieve", "has_ammo"), "[BT409] a task and --achieve are given"),
        (("shot", "--forward"), "[BT409] --forward says nothing about a task"),
        (("shot", "--objects", "a=b"), "[BT409] --objects says nothing about a task"),
        (("--achieve", "has_ammo", "--objects", "a"), "[BT409] --objects a names nothing"),
        (("--achieve", "has_ammo", "--objects", "a=b"), "[BT121] no primitive task has"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_message(bthtn, typed, said):
    answer = bthtn("plan", "domains/fps/strips.py", *typed)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_values_of_objects_are_read_as_the_parameter_needs_them(bthtn):
    answer = bthtn("plan", "combat", "--achieve", "in_cover", "--objects", "time=soon")
    assert answer.code == 2
    assert "[BT103] 'time' is int and cannot be soon" in answer.err
    assert "--objects time=soon" in answer.err
