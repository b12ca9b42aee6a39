"""Generated functions look a value up once, and again when it may be another one."""

import pytest

from bthtn import Domain, Fluent, FluentFamily, State, fluent, fluents, method, primitive
from bthtn.planning.htn.fastpath import accelerator
from bthtn.planning.protocol import request
from tests.properties.plain import source_of


class Boxes(State):
    is_open: Fluent[bool] = fluent(default=True)
    inside: FluentFamily[str, str] = fluents(default="")
    owner: FluentFamily[str, str | None] = fluents(default=None)
    label: Fluent[str] = fluent(default="")
    sand: Fluent[int] = fluent(default=5)
    weight: FluentFamily[str, int] = fluents(default=2)


boxes = Domain("boxes", Boxes)


@boxes.primitive
def fill(box: str):
    return primitive(
        precondition=Boxes.inside[box] == "", effects=Boxes.inside[box].becomes("sand")
    )


@boxes.primitive
def weigh(box: str):
    return primitive(precondition=Boxes.inside[box] == "sand")


@boxes.primitive
def call(it: str):
    return primitive(effects=Boxes.label.becomes(it))


@boxes.primitive
def pour(box: str):
    return primitive(effects=Boxes.sand.decreases(Boxes.weight[box]))


@boxes.compound
def fill_one(box: str):
    yield method(fill(box), when=Boxes.inside[box] == "")


@boxes.compound
def fill_twice(box: str):
    yield method(fill(box), fill(box), when=Boxes.inside[box] == "")


@boxes.compound
def fill_in_turn(box: str):
    yield method(fill(box), weigh(box), when=(Boxes.inside[box] == "") & ~Boxes.is_open)
    yield method(fill(box), when=Boxes.is_open & (Boxes.inside[box] == ""))
    yield method(call(box))


@boxes.compound
def weigh_if_open(box: str):
    yield method(weigh(box), when=Boxes.is_open & (Boxes.inside[box] == "sand"))


@boxes.compound
def pour_one(box: str):
    yield method(pour(box))


@boxes.compound
def call_by_content(box: str):
    yield method(call(Boxes.inside[box]), call(Boxes.inside[box]))


@boxes.compound
def call_by_owner(box: str):
    yield method(call(Boxes.owner[box]))


@boxes.compound
def fill_and_weigh(one: str, other: str):
    empty = (Boxes.inside[one] == "") & (Boxes.inside[other] == "")
    yield method(fill(one), weigh(other), when=empty)


@boxes.compound
def check(box: str):
    yield method(when=(Boxes.inside[box] == "sand") & Boxes.is_open)
    yield method(weigh(box), when=Boxes.is_open & (Boxes.inside[box] == "sand"))
    yield method(fill(box), when=~(Boxes.is_open & (Boxes.inside[box] == "sand")))


@boxes.compound
def fill_unless_sand_shows(box: str):
    yield method(fill(box), when=~(Boxes.is_open & (Boxes.inside[box] == "sand")))


def asked_of(goal, state):
    return request(boxes, state, goal)


def answer_of(goal, **values):
    asked = asked_of(goal, Boxes(**values))
    ask = accelerator(asked.domain, asked.goal, asked.binding, asked.settings)
    answer = ask(asked.state, 1_000)
    assert answer is not None, "it is left to the search"
    return answer


def first_function(goal):
    """The source of the function of the goal's task."""
    source = source_of(asked_of(goal, Boxes()))
    return source.split("def h0(")[1].partition("\n\n")[0]


def names(plan):
    return [(task.name, *args) for task, args in plan.actions]


def test_what_a_condition_has_read_is_not_looked_up_again():
    assert first_function(fill_one("red")).count("S.get(") == 1


def test_what_an_argument_was_read_from_is_not_looked_up_again():
    assert first_function(call_by_content("red")).count("S.get(") == 1
    assert names(answer_of(call_by_content("red"), inside={"red": "sand"})) == [
        ("call", "sand"),
        ("call", "sand"),
    ]


def test_an_argument_that_may_be_of_another_type_is_checked():
    assert ".check(" in first_function(call_by_owner("red"))
    assert names(answer_of(call_by_owner("red"), owner={"red": "Ann"})) == [("call", "Ann")]
    asked = asked_of(call_by_owner("red"), Boxes())
    ask = accelerator(asked.domain, asked.goal, asked.binding, asked.settings)
    assert ask(asked.state, 1_000) is None, "the search says what is wrong"


def test_a_condition_that_holds_is_not_tested_again():
    assert first_function(fill_one("red")).count("==") == 1


def test_a_condition_that_held_before_an_effect_is_tested_again():
    assert answer_of(fill_twice("red")) == 3, "expansions: the second one finds it full"


@pytest.mark.parametrize(
    ("is_open", "inside", "expected"),
    [
        (False, "", ["fill", "weigh"]),
        (True, "", ["fill"]),
        (False, "sand", ["call"]),
        (True, "sand", ["call"]),
    ],
)
def test_a_condition_of_another_method_does_not_count_as_true(is_open, inside, expected):
    plan = answer_of(fill_in_turn("red"), is_open=is_open, inside={"red": inside})
    assert [name for name, _ in names(plan)] == expected


def test_a_member_is_not_looked_up_where_no_condition_comes_to_it():
    before, _, behind = first_function(weigh_if_open("red")).partition(" and ")
    assert "[a0]" not in before
    assert behind.count("[a0]") == 1


def test_what_a_member_says_is_subtracted():
    assert answer_of(pour_one("red"), weight={"red": 3}).predicted.get(Boxes.sand) == 2


def test_what_an_effect_may_have_written_is_looked_up_again():
    filled = answer_of(fill_and_weigh("red", "red"))
    assert names(filled) == [("fill", "red"), ("weigh", "red")]
    assert answer_of(fill_and_weigh("red", "blue")) == 3, "expansions: there is no plan"


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("inside", ["", "sand"])
def test_what_may_not_have_been_read_is_looked_up_later(is_open, inside):
    expected = [] if is_open and inside else [("fill", "red")]
    goal, values = check("red"), {"is_open": is_open, "inside": {"red": inside}}
    if inside and not is_open:
        assert answer_of(goal, **values) == 2, "it is full, so it cannot be filled"
    else:
        assert names(answer_of(goal, **values)) == expected


def test_what_a_part_may_not_have_read_is_looked_up_behind_it():
    assert names(answer_of(fill_unless_sand_shows("red"), is_open=False)) == [("fill", "red")]
