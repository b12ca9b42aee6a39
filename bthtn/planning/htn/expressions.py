"""Expressions as Python source.

What is data becomes source: comparisons, arithmetic, connectives, fluents and members of families.
Everything else, plain functions above all, has None here and is evaluated by itself.
"""

from __future__ import annotations

from itertools import count
from math import isfinite, isnan, nan
from types import MappingProxyType
from typing import Any, Final

from bthtn.world.assignment import FluentReference
from bthtn.world.expression import (
    Arithmetic,
    Comparison,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
    ordering,
)
from bthtn.world.fluent import Fluent, FluentFamily, MemberOf
from bthtn.world.truth import UNKNOWN

# What is written comes from these tables, and not from an expression that somebody has made.
_COMPARISONS: Final = MappingProxyType({one: one for one in ("==", "!=", "<", "<=", ">", ">=")})
_ARITHMETIC: Final = MappingProxyType({one: one for one in ("+", "-", "*", "//", "%")})
_OPPOSITE: Final = MappingProxyType({"True": "False", "False": "True"})

DEEPEST: Final = 30
"""Expressions nested deeper are evaluated: Python's parser nests only so many brackets."""
MOST_MEMBERS: Final = 100_000
"""Members of one family that a table keeps; then it begins anew, as in long games most are gone."""
_LARGEST: Final = 2**62
"""Numbers below it are written out: Python itself refuses to write or read very long ones."""


class MembersByIndex(dict[Any, Fluent[Any]]):
    """Members of a family by index: a member that was met is found without a call."""

    def __init__(self, family: FluentFamily[Any, Any]) -> None:
        super().__init__()
        self._family = family

    def __missing__(self, index: Any) -> Fluent[Any]:
        if len(self) >= MOST_MEMBERS:
            self.clear()
        member = self[index] = self._family.member(index)
        return member


class Names:
    """The objects that a source mentions, each under a letter and a number.

    Nothing of what they are called is in these names, so that no text of a domain can reach the
    source. ``constants`` are the names of constants.
    """

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.constants: set[str] = set()
        self._by_id: dict[int, str] = {}
        self._numbers = count()
        self._kept: list[Any] = []  # a name goes by the id of its object, which has to stay

    def of(self, thing: Any) -> str:
        """The name of an object, the same at every call; a family's has its members by index."""
        known = self._by_id.get(id(thing))
        if known is None:
            known = self._by_id[id(thing)] = self.new("k")
            self._kept.append(thing)
            is_family = isinstance(thing, FluentFamily)
            self.objects[known] = MembersByIndex(thing) if is_family else thing
        return known

    def new(self, letter: str) -> str:
        """A name that nothing else has."""
        return f"{letter}{next(self._numbers)}"

    def constant(self, value: Any) -> str:
        """Source of a constant: numbers are written out, everything else is named."""
        if type(value) in (bool, type(None)):
            return repr(value)
        if type(value) in (int, float) and isfinite(value) and abs(value) < _LARGEST:
            return f"({value!r})" if repr(value).startswith("-") else repr(value)
        name = self.of(nan if type(value) is float and isnan(value) else value)
        self.constants.add(name)
        return name


class ExpressionSource:
    """Writes expressions; who derives from it tells how fluents and arguments are read."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def argument(self, position: int) -> str:
        """Source of the argument at a position."""
        raise NotImplementedError

    def read(self, reference: FluentReference[Any], depth: int) -> str | None:
        """Source of a fluent's value, None where it has to be evaluated."""
        raise NotImplementedError

    def truth(self, condition: Expression[Any], depth: int = 0) -> str | None:
        """Source of a condition's truth, None where it has to be evaluated."""
        if depth > DEEPEST:
            return None
        match condition:
            case Constant(value=bool()):
                return repr(condition.value)
            case Fluent() | MemberOf() if condition.value_type is bool:
                return self.read(condition, depth)
            case Comparison():
                return self._comparison(condition, depth)
            case Negation(operand=operand):
                inside = self.truth(operand, depth + 1)
                return inside and _OPPOSITE.get(inside, f"(not {inside})")
            case Junction(parts=parts, decisive=decisive):
                told = [self.truth(part, depth + 1) for part in parts]
                return None if None in told else joined(list(map(str, told)), decisive=decisive)
            case _:
                return None

    def value(self, expression: Expression[Any], depth: int = 0) -> str | None:
        """Source of an expression's value, None where it has to be evaluated."""
        if depth > DEEPEST:
            return None
        match expression:
            case Constant(value=value):
                return None if value is UNKNOWN else self.names.constant(value)
            case Parameter(position=position):
                return self.argument(position)
            case Fluent() | MemberOf():
                return self.read(expression, depth)
            case Arithmetic(symbol=symbol, left=left, right=right):
                first, second = (self.value(one, depth + 1) for one in (left, right))
                if first is None or second is None or symbol not in _ARITHMETIC:
                    return None
                return f"({first} {_ARITHMETIC[symbol]} {second})"
            case Comparison() | Negation() | Junction():
                truth = self.truth(expression, depth)
                return truth and f"bool({truth})"
            case _:
                return None

    def place(self, reference: FluentReference[Any], depth: int = 0) -> str | None:
        """Source of the fluent that a reference names, None where it has to be evaluated."""
        if not isinstance(reference, MemberOf):
            return self.names.of(reference)
        index = self.value(reference.index, depth + 1)
        return index and f"{self.names.of(reference.family)}[{index}]"

    def _comparison(self, compared: Comparison, depth: int) -> str | None:
        left, right = (self.value(one, depth + 1) for one in (compared.left, compared.right))
        symbol = _COMPARISONS.get(compared.symbol)
        if left is None or right is None or symbol is None:
            return None
        if symbol in ("==", "!=") or (is_number(compared.left) and is_number(compared.right)):
            return f"({left} {symbol} {right})"
        return f"{self.names.of(ordering(symbol))}({left}, {right})"


def joined(parts: list[str], *, decisive: bool) -> str:
    """Source of a junction: without parts that decide nothing, up to one that always does."""
    known, word = repr(decisive), " or " if decisive else " and "
    if known in parts:
        parts = parts[: parts.index(known) + 1]
    open_ones = [part for part in parts if part != _OPPOSITE[known]]
    if len(open_ones) > 1:
        return f"({word.join(open_ones)})"
    return open_ones[0] if open_ones else _OPPOSITE[known]


def is_volatile(reference: Expression[Any]) -> bool:
    """Whether a reference names a fluent that sensors change."""
    if isinstance(reference, MemberOf):
        return reference.family.prototype.volatile
    return isinstance(reference, Fluent) and reference.volatile


def prototype(reference: FluentReference[Any]) -> Fluent[Any]:
    """The fluent itself, or that after which the members of its family are made."""
    if isinstance(reference, MemberOf):
        return reference.family.prototype
    assert isinstance(reference, Fluent), "there are no other references"
    return reference


def fits(value: Expression[Any], target: FluentReference[Any]) -> bool:
    """Whether the target may have every value of the expression, for certain."""
    match value:
        case Constant():
            return True
        case Fluent() | MemberOf():
            return value.value_type is target.value_type and prototype(value).default is not None
        case _:
            return target.value_type is int and is_int(value)


def is_number(expression: Expression[Any]) -> bool:
    """Whether all values are numbers, for certain."""
    match expression:
        case Constant(value=value):
            return type(value) in (int, float)
        case Fluent() | MemberOf():
            return (
                expression.value_type in (int, float) and prototype(expression).default is not None
            )
        case Arithmetic(left=left, right=right):
            return is_number(left) and is_number(right)
        case _:
            return False


def is_int(expression: Expression[Any]) -> bool:
    """Whether all values are whole numbers, for certain."""
    match expression:
        case Constant(value=value):
            return type(value) is int
        case Fluent() | MemberOf():
            return expression.value_type is int and prototype(expression).default is not None
        case Arithmetic(left=left, right=right):
            return is_int(left) and is_int(right)
        case _:
            return False
