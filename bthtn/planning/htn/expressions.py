"""Compilation of expressions to Python source.

Comparisons, arithmetic, connectives, fluents and members of families are compiled. For everything
else, plain functions above all, the result is None, and the expression is evaluated instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
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
    TupleOf,
    leaves_of,
)
from bthtn.world.fluent import Fluent, FluentFamily, MemberOf
from bthtn.world.operations import ordering
from bthtn.world.truth import UNKNOWN
from bthtn.world.value_type import ValueType

# Operators are copied from these tables, never from an expression, which could hold any text.
_COMPARISONS: Final = MappingProxyType(
    {symbol: symbol for symbol in ("==", "!=", "<", "<=", ">", ">=")}
)
_ARITHMETIC: Final = MappingProxyType({symbol: symbol for symbol in ("+", "-", "*", "//", "%")})
_OPPOSITE: Final = MappingProxyType({"True": "False", "False": "True"})

DEEPEST: Final = 30
"""Expressions nested deeper are evaluated: Python's parser limits nested brackets."""
_LARGEST: Final = 2**62
"""Only numbers below it become literals: Python refuses to convert very long ones."""
MOST_MEMBERS: Final = 100_000
"""Size at which a table of members is emptied: in a long game most of them are gone."""


class MembersByIndex(dict[Any, Fluent[Any]]):
    """A cache of a family's members by index, from which generated source takes them."""

    def __init__(self, family: FluentFamily[Any, Any]) -> None:
        super().__init__()
        self._family = family

    def __missing__(self, index: Any) -> Fluent[Any]:
        if len(self) >= MOST_MEMBERS:
            self.clear()
        member = self[index] = self._family.member(index)
        return member

    def exact(self, index: Any) -> Fluent[Any]:
        """Return the member by an index that may only be equal to one, as True is to 1."""
        return self._family.member(index)


class Names:
    """The namespace of a generated source: each object under a letter and a number.

    The names are made up, so that no text of a domain can reach the source. ``constants`` are the
    names that stand for constants.
    """

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.constants: set[str] = set()
        self._by_id: dict[Any, str] = {}
        self._numbers = count()
        self._kept: list[Any] = []  # a name goes by the id of its object, which has to stay

    def of(self, thing: Any) -> str:
        """Return the name of an object, always the same; a family's names its table of members."""
        known = self._by_id.get(id(thing))
        if known is None:
            known = self._by_id[id(thing)] = self.new("k")
            self._kept.append(thing)
            is_family = isinstance(thing, FluentFamily)
            self.objects[known] = MembersByIndex(thing) if is_family else thing
        return known

    def new(self, letter: str) -> str:
        """Return an unused name."""
        return f"{letter}{next(self._numbers)}"

    def constant(self, value: Any) -> str:
        """Return the source of a constant: a literal for a small number, else a name."""
        if type(value) in (bool, type(None)):
            return repr(value)
        if type(value) in (int, float) and isfinite(value) and abs(value) < _LARGEST:
            return f"({value!r})" if repr(value).startswith("-") else repr(value)
        name = self.of(nan if type(value) is float and isnan(value) else value)
        self.constants.add(name)
        return name


class ExpressionSource:
    """Compiles expressions; subclasses define how fluents and arguments are read."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def argument(self, position: int) -> str:
        """Return the source of the argument at a position."""
        raise NotImplementedError

    def read(self, reference: FluentReference[Any], depth: int) -> str | None:
        """Return the source of a fluent's value, or None if it has to be evaluated."""
        raise NotImplementedError

    def truth(self, condition: Expression[Any], depth: int = 0) -> str | None:
        """Return the source of a condition's truth, or None if it has to be evaluated."""
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
                truths = [self.truth(part, depth + 1) for part in parts]
                return None if None in truths else joined(list(map(str, truths)), decisive=decisive)
            case _:
                return None

    def value(self, expression: Expression[Any], depth: int = 0) -> str | None:
        """Return the source of an expression's value, or None if it has to be evaluated."""
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
                first, second = (self.value(side, depth + 1) for side in (left, right))
                if first is None or second is None or symbol not in _ARITHMETIC:
                    return None
                return f"({first} {_ARITHMETIC[symbol]} {second})"
            case TupleOf(parts=parts):
                inside = [self.value(part, depth + 1) for part in parts]
                return None if None in inside else f"({''.join(f'{part}, ' for part in inside)})"
            case Comparison() | Negation() | Junction():
                truth = self.truth(expression, depth)
                return truth and f"bool({truth})"
            case _:
                return None

    def place(self, reference: FluentReference[Any], depth: int = 0) -> str | None:
        """Return the source of the fluent itself, or None if the reference has to be evaluated."""
        if not isinstance(reference, MemberOf):
            return self.names.of(reference)
        index, family = self.value(reference.index, depth + 1), reference.family
        if index is None or _is_exact(reference.index, family.indices):
            return index and f"{self.names.of(family)}[{index}]"
        return f"{self.names.of(family)}.exact({index})"

    def _comparison(self, compared: Comparison, depth: int) -> str | None:
        left, right = (self.value(side, depth + 1) for side in (compared.left, compared.right))
        symbol = _COMPARISONS.get(compared.symbol)
        if left is None or right is None or symbol is None:
            return None
        if symbol in ("==", "!=") or (is_number(compared.left) and is_number(compared.right)):
            return f"({left} {symbol} {right})"
        return f"{self.names.of(ordering(symbol))}({left}, {right})"


def joined(parts: list[str], *, decisive: bool) -> str:
    """Return the source of a junction, simplified where a part is constantly true or false."""
    known, word = repr(decisive), " or " if decisive else " and "
    if known in parts:
        parts = parts[: parts.index(known) + 1]
    open_ones = [part for part in parts if part != _OPPOSITE[known]]
    if len(open_ones) > 1:
        return f"({word.join(open_ones)})"
    return open_ones[0] if open_ones else _OPPOSITE[known]


def mentioned(expression: Expression[Any]) -> Iterator[Expression[Any]]:
    """Yield the parts that an expression depends on: parameters, fluents, members, functions."""
    for leaf in leaves_of(expression):
        if not isinstance(leaf, Constant):
            yield leaf
        if isinstance(leaf, MemberOf):
            yield from mentioned(leaf.index)


def is_volatile(reference: Expression[Any]) -> bool:
    """Whether the reference names a volatile fluent."""
    if isinstance(reference, MemberOf):
        return reference.family.prototype.volatile
    return isinstance(reference, Fluent) and reference.volatile


def prototype(reference: FluentReference[Any]) -> Fluent[Any]:
    """Return the fluent itself, or the prototype of its family."""
    if isinstance(reference, MemberOf):
        return reference.family.prototype
    assert isinstance(reference, Fluent), "there are no other references"
    return reference


def fits(value: Expression[Any], target: FluentReference[Any]) -> bool:
    """Whether every value of the expression certainly has the target's type."""
    match value:
        case Constant():
            return True
        case Fluent() | MemberOf():
            same = value.value_type is target.value_type and not value.values.is_optional
            return same and prototype(target).plain_type is not None
        case _:
            return prototype(target).plain_type is int and is_int(value)


def type_check(names: Names, target: FluentReference[Any], place: str, value: str) -> str:
    """Return the source that raises StateError if a value is not of the type of its target."""
    check = f"{place}.check({value})"
    if prototype(target).plain_type is None:
        return check
    return f"if type({value}) is not {names.of(target.value_type)}: {check}"


def _is_exact(index: Expression[Any], indices: ValueType) -> bool:
    """Whether an index that equals one that is valid certainly is valid itself."""
    kind = indices.kind
    match index:
        case TupleOf(parts=parts) if len(parts) == len(indices.parts):
            return all(map(_is_exact, parts, indices.parts))
        case _ if kind in (str, object) or (issubclass(kind, Enum) and not issubclass(kind, int)):
            return True
        case Constant(value=value):
            return type(value) is kind
        case Parameter():
            return index.type is kind
        case Fluent() | MemberOf():
            return index.value_type is kind
        case _:
            return is_int(index) and kind is int


def is_number(expression: Expression[Any]) -> bool:
    """Whether every value of the expression is certainly a number."""
    return _is_of(expression, (int, float))


def is_int(expression: Expression[Any]) -> bool:
    """Whether every value of the expression is certainly an integer."""
    return _is_of(expression, (int,))


def _is_of(expression: Expression[Any], kinds: tuple[type, ...]) -> bool:
    match expression:
        case Constant(value=value):
            return type(value) in kinds
        case Fluent() | MemberOf():
            return expression.value_type in kinds and not expression.values.is_optional
        case Arithmetic(left=left, right=right):
            return _is_of(left, kinds) and _is_of(right, kinds)
        case _:
            return False


def is_computable(expression: Expression[Any]) -> bool:
    """Whether a cost or value can always be computed, from fluents that are not volatile."""
    match expression:
        case Constant():
            return True
        case Parameter(type=kind):
            return kind in (int, float)
        case Arithmetic(symbol="+" | "-" | "*", left=left, right=right):
            return is_computable(left) and is_computable(right)
        case Fluent() | MemberOf(index=Constant() | Parameter()):
            return is_number(expression) and not is_volatile(expression)
        case _:
            return False
