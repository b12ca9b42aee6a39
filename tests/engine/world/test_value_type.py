from enum import Enum
from typing import Annotated, Any, Literal, NewType, Protocol

import pytest

from bthtn.engine.world.value_type import value_type_of

Crew = NewType("Crew", str)


class Gait(Enum):
    WALK = 1
    RUN = 2


class Quacks(Protocol):
    def quack(self) -> None: ...


Bool = type("bool", (), {"__module__": "elsewhere", "shape": (), "__repr__": lambda self: "True_"})
"""A class such as numpy has for its scalars."""


class Duck:
    def __str__(self):
        return "duck"


@pytest.mark.parametrize(
    ("annotation", "values", "others"),
    [
        (int | None, [1, None], ["1", True, 1.5]),
        (float, [1, 1.5], [True, None]),
        (int | str, [1, "a"], [None, True, ()]),
        (Literal["a", "b"] | None, ["a", None], ["c", 1]),
        (tuple[int, str], [(1, "a")], [(1,), ("a", 1), 1, (1, "a", 2)]),
        (Annotated[Crew, "on board"], ["ann"], [1]),
        (Gait, [Gait.RUN], [1, "RUN"]),
        (bool, [True], [1]),
        (Any, [1, True, "a", None], [[1]]),
        (Any | None, [1, None], [[1]]),
        (tuple[Any, int], [("a", 1), (None, 1)], [("a", "b")]),
    ],
)
def test_a_type_accepts_the_values_that_its_annotation_describes(annotation, values, others):
    found = value_type_of(annotation)
    assert all(found.accepts(value) for value in values)
    assert not any(found.accepts(other) for other in others)


@pytest.mark.parametrize("annotation", [Literal["a"] | int, Quacks, Quacks | int, "Crew"])
def test_an_annotation_that_no_check_can_decide_describes_no_type(annotation):
    assert value_type_of(annotation) is None


@pytest.mark.parametrize(
    ("annotation", "name"),
    [
        (int | None, "int or None"),
        (int | str, "int or str"),
        (tuple[int, Gait] | None, "(int, Gait) or None"),
    ],
)
def test_its_name_is_what_one_would_say(annotation, name):
    assert value_type_of(annotation).name == name


@pytest.mark.parametrize(
    ("annotation", "values"),
    [
        (Literal[1, "a"], (1, "a")),
        (bool, (False, True)),
        (Gait, (Gait.WALK, Gait.RUN)),
        (tuple[bool, Literal["a"]], ((False, "a"), (True, "a"))),
        (tuple[bool, int], ()),
        (int, ()),
    ],
)
def test_all_its_values_are_known_where_there_are_few(annotation, values):
    assert value_type_of(annotation).values() == values


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (int | None, "none", None),
        (int | None, "3", 3),
        (Literal["a", 2], "2", 2),
        (tuple[int, str], "1, a", (1, "a")),
        (Gait, "RUN", Gait.RUN),
        (bool, "true", True),
    ],
)
def test_a_text_stands_for_a_value(annotation, text, value):
    assert value_type_of(annotation).parse(text) == value


@pytest.mark.parametrize(
    ("annotation", "text", "hint"),
    [
        (tuple[int, str], "1", 'write int, str; a text with a comma in it in quotes, "a, b"'),
        (Literal["left", "right"], "rihgt", "did you mean 'right'?"),
        (bool, "maybe", "write true, false or unknown"),
        (Gait, "RUNN", "did you mean 'RUN'?"),
        (float, "much", "write a number (float) or unknown"),
        (tuple, "a b", 'write its elements as in ["a", "b"], or unknown'),
        (Duck, "quack", "objects of type Duck cannot be written as text"),
    ],
)
def test_a_text_that_stands_for_no_value_has_a_hint(annotation, text, hint):
    found = value_type_of(annotation)
    with pytest.raises(ValueError):  # noqa: PT011 - what is wrong is said by the hint
        found.parse(text)
    assert found.hint(text, or_unknown=True) == hint


@pytest.mark.parametrize(
    ("annotation", "value", "fault"),
    [
        (Literal["a", "b"], "c", "'c' is none of its values"),
        (tuple[int, str], ("a", 1), "('a', 1) is (str, int)"),
        (int, "c", "'c' is str"),
        (bool, Bool(), "True_ is elsewhere.bool"),
        (list[str], ["a"], "['a'] can change"),
        (tuple, ["a"], "['a'] is list"),
    ],
)
def test_what_is_wrong_with_a_value_is_said(annotation, value, fault):
    assert value_type_of(annotation).fault(value) == fault


@pytest.mark.parametrize(
    ("annotation", "value", "advice"),
    [
        (Gait, "RUN", "write Gait.RUN"),
        (Gait | None, 2, "write Gait.RUN"),
        (Gait, "STOP", "there is: Gait.RUN, Gait.WALK"),
        (bool, Bool(), "convert it: bool(…)"),
        (tuple[int, str], [1, "a"], "convert it: tuple(…)"),
        (frozenset, {1}, "convert it: frozenset(…)"),
        (Literal["north", "south"], "nord", "did you mean 'north'?"),
        (int, "c", "give a hashable value of type int, or UNKNOWN"),
        (list[str], (), "declare a value that stays the same: Fluent[tuple[…, ...]]"),
        (set, {1}, "declare a value that stays the same: Fluent[frozenset[…]]"),
        (dict[str, int], {}, "declare a family: fluents(default=…) has a fluent for each key"),
        (
            tuple,
            ([],),
            "let tuple, and what is in it, be hashable, as with @dataclass(frozen=True)",
        ),
        (tuple, {1}, "give a hashable value of type tuple, or UNKNOWN"),
    ],
)
def test_what_to_give_instead_is_said(annotation, value, advice):
    assert value_type_of(annotation).advice(value) == advice


@pytest.mark.parametrize(
    ("annotation", "index", "text"),
    [
        (int | None, None, "none"),
        (str | None, None, "none"),
        (str | None, "none", '"none"'),
        (int | float, 1.5, "1.5"),
        (tuple[int, str], (1, "a"), "1, a"),
        (tuple[tuple[int, str], bool], ((1, "a, b"), True), '(1, "a, b"), true'),
        (Any, None, "none"),
        (Any, "none", '"none"'),
        (Any, 3, "3"),
        (int | str, "a", '"a"'),
    ],
)
def test_an_index_is_read_as_it_is_written(annotation, index, text):
    found = value_type_of(annotation)
    assert found.index_text(index) == text
    assert found.parse_index(text) == index


@pytest.mark.parametrize(
    ("annotation", "text", "index"),
    [(tuple[int, str], "(1, a)", (1, "a")), (Any, "a b", "a b"), (int | str, "a", "a")],
)
def test_an_index_may_have_brackets_or_no_quotes(annotation, text, index):
    assert value_type_of(annotation).parse_index(text) == index


@pytest.mark.parametrize(
    ("annotation", "text", "hint"),
    [
        (str, '"a', 'close the quote, or write all of it in quotes: "…"'),
        (int | float, "much", "write int or float"),
    ],
)
def test_a_text_that_is_no_index_has_a_hint(annotation, text, hint):
    found = value_type_of(annotation)
    with pytest.raises(ValueError):  # noqa: PT011 - what is wrong is said by the hint
        found.parse_index(text)
    assert found.hint(text).startswith(hint)


def test_a_set_as_an_index_is_shown_in_order():
    assert value_type_of(Any).index_text(frozenset({"b", "a"})) == '["a", "b"]'
