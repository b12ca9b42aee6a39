"""Records do what frozen dataclasses with slots do, whose declarations are the same."""

from copy import copy, deepcopy
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from pickle import dumps, loads  # noqa: TID251 - users may pickle them
from typing import Any

import pytest

from bthtn.records import record


@record
class Point:
    """A place."""

    x: int
    y: int = 0
    seen: dict[str, int] = field(default_factory=dict, compare=False)
    _sum: int = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "_sum", self.x + self.y)


@dataclass(frozen=True, slots=True)
class Usual:
    x: int
    y: int = 0
    seen: dict[str, int] = field(default_factory=dict, compare=False)
    _sum: int = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        object.__setattr__(self, "_sum", self.x + self.y)


@record
class Named(Point):
    name: str = field(kw_only=True)
    kept: list[int] = field(default_factory=list, init=False)


@record(eq=False, repr=False)
class Bare:
    value: Any

    def __repr__(self):
        return f"<{self.value}>"


@record
class Empty:
    pass


@record
class Own:
    value: float

    def __eq__(self, other):
        return isinstance(other, Own) and round(self.value) == round(other.value)

    def __hash__(self):
        return round(self.value)


CALLS = [((1,), {}), ((1, 2), {}), ((1,), {"y": 3}), ((), {"y": 3, "x": 1}), ((1, 2, {"a": 1}), {})]


@pytest.mark.parametrize(("given", "named"), CALLS)
def test_a_record_has_what_it_is_given_and_else_its_defaults(given, named):
    made, usual = Point(*given, **named), Usual(*given, **named)
    assert [getattr(made, part.name) for part in fields(made)] == [
        getattr(usual, part.name) for part in fields(usual)
    ]
    assert repr(made) == repr(usual).replace("Usual", "Point")
    assert hash(made) == hash(usual)


@pytest.mark.parametrize(
    ("given", "named", "what"),
    [
        ((), {}, "Point: missing a required argument: 'x'"),
        ((), {"y": 1}, "Point: missing a required argument: 'x'"),
        ((1, 2, {}, 4), {}, "Point: too many positional arguments"),
        ((1,), {"x": 2}, "Point: multiple values for argument 'x'"),
        ((1,), {"z": 2}, "Point: got an unexpected keyword argument 'z'"),
    ],
)
def test_arguments_that_are_no_fields_are_refused(given, named, what):
    with pytest.raises(TypeError, match=f"^{what}$"):
        Point(*given, **named)


def test_a_default_that_is_made_is_made_anew_for_each_object():
    assert Point(1).seen is not Point(1).seen
    assert Named(1, name="a").kept is not Named(1, name="a").kept


def test_a_record_can_inherit_from_a_record():
    made = Named(1, 2, name="a")
    assert (made.x, made.y, made.seen, made._sum, made.name, made.kept) == (1, 2, {}, 3, "a", [])
    assert made != Point(1, 2)
    assert not hasattr(made, "__dict__")


def test_nothing_of_a_record_can_be_changed():
    made = Point(1)
    for name in ("x", "other"):
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
            setattr(made, name, 1)
        with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
            delattr(made, name)


def test_records_of_one_class_with_equal_fields_are_equal():
    assert Point(1, 2, {"a": 1}) == Point(1, 2)
    assert Point(1) != Point(2)
    assert Point(1).__eq__(Usual(1)) is NotImplemented
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())
    assert Bare(1) != Bare(1)
    assert len({Point(1), Point(1), Point(2)}) == 2


def test_a_method_that_a_class_has_itself_is_kept():
    assert Own(1.1) == Own(0.9)
    assert hash(Own(1.1)) == 1
    assert repr(Bare(1)) == "<1>"


def test_a_record_inside_itself_can_be_shown():
    made = Point(1)
    made.seen["me"] = made
    assert repr(made) == "Point(x=1, y=0, seen={'me': ...})"


@pytest.mark.parametrize("made", [Point(1, 2, {"a": 1}), Named(1, name="a"), Empty()])
def test_a_record_is_copied_and_pickled(made):
    for other in (copy(made), deepcopy(made), loads(dumps(made))):  # noqa: S301 - our own
        assert other == made
        assert other is not made
        assert repr(other) == repr(made)


def test_a_record_is_replaced_and_matched_as_a_dataclass():
    assert is_dataclass(Point)
    changed = replace(Point(1, 2), y=5)
    assert (changed, changed._sum) == (Point(1, 5), 6)
    match changed:
        case Point(1, y):
            assert y == 5
