"""On the class, a fluent is an expression: a question that can be asked, printed and combined."""

from enum import Enum, IntEnum

import pytest

from bthtn import UNKNOWN, Fluent, FluentFamily, State, fluent, fluents
from bthtn.engine.world.expression import ALWAYS, Constant, Parameter, as_expression
from bthtn.engine.world.footprint import RecordingView


class Distance(Enum):
    NEAR = "z: last in the alphabet, first in this list"
    FAR = "a"


class Rank(IntEnum):
    PRIVATE = 10
    GENERAL = 5


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    health: Fluent[float] = fluent(default=1.0)
    target: Fluent[bool] = fluent(default=False)
    cover: Fluent[bool] = fluent(default=False)
    distance: Fluent[Distance] = fluent(default=Distance.NEAR)
    rank: Fluent[Rank] = fluent(default=Rank.PRIVATE)
    at: Fluent[str] = fluent(default="home")
    seen: FluentFamily[str, bool] = fluents(default=False)


def value(expression, binding=(), **values):
    return expression.evaluate(Soldier(**values).frozen(), binding)


# asked


def test_a_tuple_with_fluents_in_it_is_no_condition_and_shown_as_a_tuple():
    here = ("home", Soldier.ammo)
    with pytest.raises(TypeError, match=r"\('home', ammo\)' is no condition"):
        Soldier.cover & here
    assert value(as_expression(here), ammo=3) == ("home", 3)


def test_comparisons_ask_for_the_value_in_a_state():
    assert value(Soldier.ammo > 5)
    assert not value(Soldier.ammo > 6)
    assert value(Soldier.ammo >= 6)
    assert value(Soldier.ammo < 7)
    assert not value(Soldier.ammo < 6)
    assert value(Soldier.ammo <= 6)
    assert value(Soldier.ammo == 6)
    assert value(Soldier.ammo != 5)
    assert not value(Soldier.ammo != 6)


def test_calculations_are_expressions_too():
    assert value(Soldier.ammo + 1) == 7
    assert value(1 + Soldier.ammo) == 7
    assert value(Soldier.ammo - 1) == 5
    assert value(10 - Soldier.ammo) == 4
    assert value(Soldier.ammo * 2) == value(2 * Soldier.ammo) == 12
    assert value(-Soldier.ammo) == -6
    assert value(+Soldier.ammo) == 6
    assert value(20 // Soldier.ammo) == 3
    assert value(20 % Soldier.ammo) == 2
    assert value(Soldier.ammo // 4) == 1
    assert value(Soldier.ammo % 4) == 2


def test_whatever_is_made_with_an_unknown_is_unknown():
    for expression in (Soldier.ammo > 5, ~Soldier.cover, Soldier.ammo + 1, 1 - Soldier.ammo):
        assert value(expression, ammo=UNKNOWN, cover=UNKNOWN) is UNKNOWN


def test_a_comparison_may_have_fluents_on_both_sides():
    assert value(Soldier.ammo > Soldier.health)
    assert value(Soldier.ammo > Soldier.health, health=UNKNOWN) is UNKNOWN


def test_members_of_a_plain_enum_compare_in_the_order_of_their_definition():  # R001-02
    assert value(Soldier.distance < Distance.FAR)
    assert not value(Soldier.distance > Distance.NEAR)
    assert value(Soldier.distance <= Distance.NEAR)
    assert value(Soldier.distance >= Distance.FAR, distance=Distance.FAR)


def test_members_of_an_enum_of_numbers_compare_as_numbers():
    assert value(Soldier.rank > Rank.GENERAL)


def test_parts_behind_the_deciding_one_are_not_read():
    for condition in (Soldier.cover & Soldier.target, ~Soldier.cover | Soldier.target):
        recorder = RecordingView(Soldier(cover=False).frozen())
        condition.evaluate(recorder)
        assert recorder.reads == {Soldier.cover}


def test_a_decided_junction_does_not_mind_an_unknown_part():
    assert value(Soldier.target & Soldier.cover, target=UNKNOWN) is False
    assert value(Soldier.target | ~Soldier.cover, target=UNKNOWN) is True


def test_a_member_of_a_family_is_found_by_a_parameter():
    who = Parameter("who", 0, str)
    assert value(Soldier.seen[who], ("enemy",), seen={"enemy": True}) is True
    assert value(Soldier.seen[who], ("friend",), seen={"enemy": True}) is False


def test_a_member_of_a_family_is_found_by_another_fluent():
    somewhere = Soldier.seen[Soldier.at]
    assert value(somewhere, at="hill", seen={"hill": True}) is True
    assert value(somewhere, at=UNKNOWN, seen={"hill": True}) is UNKNOWN


# printed


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Soldier.ammo > 0, "ammo > 0"),
        (Soldier.distance == Distance.FAR, "distance == FAR"),
        (Soldier.at != "home", "at != 'home'"),
        (~Soldier.target, "not target"),
        (~(Soldier.ammo > 0), "not (ammo > 0)"),
        (~(Soldier.target & Soldier.cover), "not (target and cover)"),
        (Soldier.target & Soldier.cover, "target and cover"),
        (Soldier.target & (Soldier.ammo > 0), "target and ammo > 0"),
        ((Soldier.target | Soldier.cover) & (Soldier.ammo > 0), "(target or cover) and ammo > 0"),
        (Soldier.target | Soldier.cover & ~Soldier.target, "target or (cover and not target)"),
        (Soldier.ammo + 1 > 3, "(ammo + 1) > 3"),
        ((Soldier.ammo - 1) * 2, "(ammo - 1) * 2"),
        (7 - Soldier.ammo, "7 - ammo"),
        (Soldier.ammo // 2 % 3, "(ammo // 2) % 3"),
        (Soldier.seen["enemy"], "seen[enemy]"),
        (Soldier.seen[Soldier.at], "seen[at]"),
        (Soldier.seen[Parameter("who", 0)], "seen[who]"),
        (ALWAYS, "true"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_expression_prints_as_it_is_read(expression, text):
    assert str(expression) == text
    assert repr(expression) == f"<{text}>"


def test_with_a_binding_parameters_print_as_their_values():
    who = Parameter("who", 0, str)
    condition = Soldier.seen[who] & (Soldier.at == who)
    assert condition.text() == "seen[who] and at == who"
    assert condition.text(("enemy",)) == "seen[enemy] and at == 'enemy'"


def test_three_parts_of_one_kind_are_one_junction():
    three = Soldier.target & Soldier.cover & (Soldier.ammo > 0)
    assert str(three) == "target and cover and ammo > 0"
    assert str(Soldier.target | (Soldier.cover | Soldier.target)) == "target or cover or target"


def test_a_plain_truth_may_stand_in_a_junction():
    assert value(Soldier.cover & True) is False
    assert value(Soldier.cover | True) is True
    assert str(True & Soldier.cover) == "cover and true"


# misused

MISUSES = {
    "and": lambda: Soldier.target and Soldier.cover,
    "or": lambda: Soldier.target or Soldier.cover,
    "not": lambda: not Soldier.target,
    "if": lambda: 1 if Soldier.ammo > 0 else 2,
    "a chained comparison": lambda: 0 < Soldier.ammo < 5,
    "in": lambda: Soldier.ammo in (1, 2, 3),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_python_words_that_ask_for_a_truth_are_refused_with_advice(misuse):
    with pytest.raises(TypeError) as caught:
        MISUSES[misuse]()
    message = str(caught.value)
    assert message.startswith("[BT107] '")
    assert "is a condition, not a truth" in message
    assert "& | ~" in message
    assert "(0 < x) & (x < 5)" in message


def test_a_number_beside_a_condition_is_refused_because_brackets_were_forgotten():
    # `ammo > 0 & cover` is `ammo > (0 & cover)`, which nobody has ever meant.
    with pytest.raises((TypeError, ValueError), match="BT107"):
        Soldier.ammo > 0 & Soldier.cover  # noqa: B015 - it raises


@pytest.mark.parametrize(
    "compare",
    [lambda: Soldier.ammo == UNKNOWN, lambda: Soldier.target != UNKNOWN],
    ids=["==", "!="],
)
def test_comparing_with_unknown_is_refused_because_it_would_never_be_decided(compare):
    # A plan would be suspended until it is known whether something equals the unknown: for ever.
    with pytest.raises((TypeError, ValueError), match="is_known"):
        compare()


def test_expressions_can_be_kept_in_dicts_and_sets():
    place = {Soldier.ammo: 1, Soldier.health: 2}
    assert place[Soldier.ammo] == 1
    assert len({Soldier.ammo, Soldier.ammo, Soldier.health}) == 2


def test_a_constant_is_the_same_in_every_state():
    assert value(Constant(3)) == 3
