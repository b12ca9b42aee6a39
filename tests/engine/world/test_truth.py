"""Three truth values: unknown is an answer, not a mistake, and never taken for true or false."""

from enum import Enum

import pytest

from bthtn import UNKNOWN, Fluent, State, fluent
from bthtn.engine.world.truth import negation, value_text


class Lamp(State):
    lit: Fluent[bool] = fluent(default=False)
    whole: Fluent[bool] = fluent(default=False)


def truth(condition, **values):
    return condition.evaluate(Lamp(**values).frozen())


TRUTHS = [True, False, UNKNOWN]


@pytest.mark.parametrize("left", TRUTHS, ids=str)
@pytest.mark.parametrize("right", TRUTHS, ids=str)
def test_a_conjunction_is_as_true_as_its_least_true_part(left, right):
    expected = False if False in (left, right) else UNKNOWN if UNKNOWN in (left, right) else True
    assert truth(Lamp.lit & Lamp.whole, lit=left, whole=right) is expected


@pytest.mark.parametrize("left", TRUTHS, ids=str)
@pytest.mark.parametrize("right", TRUTHS, ids=str)
def test_a_disjunction_is_as_true_as_its_truest_part(left, right):
    expected = True if True in (left, right) else UNKNOWN if UNKNOWN in (left, right) else False
    assert truth(Lamp.lit | Lamp.whole, lit=left, whole=right) is expected


def test_a_negation_turns_truth_around_and_leaves_the_unknown_unknown():
    assert [truth(~Lamp.lit, lit=value) for value in TRUTHS] == [False, True, UNKNOWN]
    assert [negation(value) for value in TRUTHS] == [False, True, UNKNOWN]


def test_unknown_cannot_be_taken_for_a_truth_by_accident():
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(UNKNOWN)


def test_values_are_written_as_people_read_them():
    class Colour(Enum):
        RED = 1

    values = [True, False, 3, "tokyo", Colour.RED, None, UNKNOWN]
    assert [value_text(value) for value in values] == [
        *("true", "false", "3", "'tokyo'", "RED", "none", "unknown")
    ]
    assert repr(UNKNOWN) == "UNKNOWN"


def test_the_text_of_a_set_is_the_same_in_every_process():
    letters = "'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'"
    several = frozenset("hgfedcba")
    assert value_text(several) == f"frozenset({{{letters}}})"
    assert value_text((several, 1)) == f"(frozenset({{{letters}}}), 1)"
    assert value_text((frozenset([several]),)) == f"(frozenset({{frozenset({{{letters}}})}}),)"
    assert value_text(frozenset()) == "frozenset()"
