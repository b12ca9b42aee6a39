"""Generated functions look a value up once, and again when it may be another one."""

import pytest

from bthtn import Domain, Fluent, FluentFamily, State, fluent, fluents, method, primitive
from bthtn.planning.htn.fastpath import accelerator
from bthtn.planning.protocol import request
from tests.properties.plain import source_of


class Boxes(State):
    is_open: Fluent[bool] = fluent(default=True)
    inside: FluentFamily[str, str] = fluents(default="")


boxes = Domain("boxes", Boxes)


@boxes.primitive
def fill(box: str):
    return primitive(
        precondition=Boxes.inside[box] == "", effects=Boxes.inside[box].becomes("sand")
    )


@boxes.primitive
def weigh(box: str):
    return primitive(precondition=Boxes.inside[box] == "sand")


@boxes.compound
def fill_one(box: str):
    yield method(fill(box), when=Boxes.inside[box] == "")


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


def names(plan):
    return [(task.name, *args) for task, args in plan.actions]


def test_what_a_condition_has_read_is_not_looked_up_again():
    source = source_of(asked_of(fill_one("red"), Boxes()))
    _, whole = source.split("def h0(")
    assert whole.partition("\n\n")[0].count("S.get(") == 1


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
