"""Values as text that people write, and as JSON."""

from enum import Enum

import pytest

from bthtn.engine.text.values import json_value, value_from
from bthtn.engine.world.expression import Parameter
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import InputError


class Gait(Enum):
    WALK = 1
    RUN = 2


class Place:
    def __repr__(self) -> str:
        return "<place>"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        (3, 3),
        (0.5, 0.5),
        ("a", "a"),
        (None, None),
        (Gait.WALK, "WALK"),
        (UNKNOWN, "unknown"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        (("a", 1), "('a', 1)"),
        (Place(), "<place>"),
    ],
)
def test_values_are_written_as_json_knows_them(value, expected):
    assert json_value(value) == expected


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (bool, "true", True),
        (bool, "False", False),
        (int, "-3", -3),
        (int, "'4'", 4),
        (float, "3", 3),
        (float, "0.5", 0.5),
        (str, "tokyo", "tokyo"),
        (str, '"new york"', "new york"),
        (str, r"'it\'s'", "it's"),
        (str, r"'\q'", r"\q"),
        (str, r"'\x'", r"\x"),
        (str, "3", "3"),
        (Gait, "RUN", Gait.RUN),
        (None, "3", 3),
        (None, "true", True),
        (None, "none", None),
        (None, "tokyo", "tokyo"),
        (None, "'3'", "3"),
        (object, "(1, 'a')", (1, "a")),
    ],
)
def test_a_text_is_read_as_the_type_of_its_parameter(kind, text, value):
    read = value_from(text, Parameter("x", 0, kind))
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("kind", "text", "hint"),
    [
        (bool, "maybe", "write true or false"),
        (int, "3.5", "write a whole number"),
        (float, "three", "write a number, such as 2.5"),
        (Gait, "RUNN", "did you mean 'RUN'?"),
        (Place, "hall", "values of type Place cannot be written as text"),
    ],
)
def test_a_text_of_another_type_is_refused_with_a_hint(kind, text, hint):
    with pytest.raises(InputError) as caught:
        value_from(text, Parameter("x", 0, kind))
    (fault,) = caught.value.diagnostics
    assert fault.code == "BT103"
    assert fault.message == f"'x' is {kind.__name__} and cannot be {text}"
    assert fault.hint == hint


def test_a_text_of_a_million_brackets_is_just_a_text():
    text = "(" * 1_000_000
    assert value_from(text, Parameter("x", 0)) == text
    with pytest.raises(InputError) as caught:
        value_from(text, Parameter("x", 0, int))
    assert len(str(caught.value)) < 200
