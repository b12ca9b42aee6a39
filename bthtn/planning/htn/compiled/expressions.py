"""Expressions as Python source, where that needs no state.

What is data becomes source: comparisons, arithmetic, connectives, fluents and members of
families. Everything else, plain functions above all, answers None here and is evaluated by
itself, through a recording view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from math import isfinite
from types import MappingProxyType
from typing import Any, Final

from bthtn.world.assignment import Reference
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
from bthtn.world.fluent import Fluent, MemberOf
from bthtn.world.truth import UNKNOWN

Read = Callable[[Reference[Any] | Parameter[Any]], str | None]
"""Gives the source that reads a fluent, member or parameter, None where there is none."""

_OPPOSITE: Final = MappingProxyType({"True": "False", "False": "True"})
_LARGEST: Final = 2**62
"""Numbers below it are written out: Python itself refuses to write or read very long ones."""
_ORDERINGS: Final = frozenset({"<", "<=", ">", ">="})


class Names:
    """The objects that generated source mentions, each under a letter and a number.

    Nothing of what they are called is in these names, so that no text of a domain can reach the
    source. ``strings`` are those objects that are constant strings.
    """

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.strings: dict[str, str] = {}
        self._names: dict[int, str] = {}
        self._equal: dict[Any, Any] = {}
        self._by_string: dict[str, str] = {}
        self._called: dict[str, str] = {}

    def of(self, prefix: str, text: str, thing: Any) -> str:
        """The name of an object, the same at every call."""
        known = self._names.get(id(thing))
        if known is None:
            known = self._names[id(thing)] = self.new(prefix, text, thing)
        return known

    def of_equal(self, prefix: str, text: str, thing: Any) -> str:
        """The name of an object, the same for all that are equal."""
        return self.of(prefix, text, self._equal.setdefault(thing, thing))

    def new(self, prefix: str, text: str, thing: Any) -> str:
        """A name of its own for an object; the text is what people call it."""
        name = f"{prefix}_{len(self.objects) + 1}"
        self.objects[name] = thing
        if text:
            self._called[name] = text
        return name

    def string(self, value: str) -> str:
        """The name of a constant string, the same for equal ones."""
        name = self._by_string.get(value)
        if name is None:
            name = self._by_string[value] = self.new("v", value, value)
            self.strings[name] = value
        return name

    def explained(self, text: str) -> str:
        """A source with what its names stand for behind it, to be read and never to be run."""
        return "".join([text, "\n", *(f"# {name}: {of!r}\n" for name, of in self._called.items())])


def references(expression: Expression[Any]) -> list[Reference[Any]] | None:
    """The fluents and members that an evaluation may read, in order of reading.

    None where only a state can tell which these are.
    """
    found: list[Reference[Any]] = []
    pending = [expression]
    while pending:
        one = pending.pop()
        match one:
            case Constant() | Parameter():
                pass
            case Fluent():
                found.append(one)
            case MemberOf(index=Constant() | Parameter()):
                found.append(one)
            case Comparison(left=left, right=right) | Arithmetic(left=left, right=right):
                pending += (right, left)
            case Negation(operand=operand):
                pending.append(operand)
            case Junction(parts=parts):
                pending.extend(reversed(parts))
            case _:
                return None
    return found


def mentioned(expression: Expression[Any]) -> Iterator[Expression[Any]]:
    """Parameters, fluents and members in an expression, in no order that matters."""
    pending = [expression]
    while pending:
        one = pending.pop()
        match one:
            case Parameter() | Fluent():
                yield one
            case MemberOf(index=index):
                yield one
                pending.append(index)
            case Comparison(left=left, right=right) | Arithmetic(left=left, right=right):
                pending += (right, left)
            case Negation(operand=operand):
                pending.append(operand)
            case Junction(parts=parts):
                pending.extend(parts)


def condition_source(condition: Expression[Any], names: Names, read: Read) -> str | None:
    """Source of the condition's truth, for fluents that are all known."""
    match condition:
        case Constant(value=bool()):
            return repr(condition.value)
        case Fluent() | MemberOf() if condition.value_type is bool:
            return read(condition)
        case Comparison(symbol=symbol, left=left, right=right):
            return _compared(symbol, left, right, names, read)
        case Negation(operand=operand):
            inside = condition_source(operand, names, read)
            return inside and _OPPOSITE.get(inside, f"(not {inside})")
        case Junction(parts=parts, decisive=decisive):
            several = [condition_source(part, names, read) for part in parts]
            return joined(list(map(str, several)), decisive=decisive) if all(several) else None
        case _:
            return None


def joined(parts: list[str], *, decisive: bool) -> str:
    """Source of a junction: without parts that decide nothing, up to one that always does."""
    known, word = repr(decisive), " or " if decisive else " and "
    if known in parts:
        parts = parts[: parts.index(known) + 1]
    open_ones = [part for part in parts if part != _OPPOSITE[known]]
    if len(open_ones) > 1:
        return f"({word.join(open_ones)})"
    return open_ones[0] if open_ones else _OPPOSITE[known]


def value_source(expression: Expression[Any], names: Names, read: Read) -> str | None:
    """Source of the expression's value, for fluents that are all known."""
    match expression:
        case Constant(value=value):
            return literal(value, names)
        case Parameter() | Fluent() | MemberOf():
            return read(expression)
        case Arithmetic(symbol=symbol, left=left, right=right):
            first, second = (value_source(one, names, read) for one in (left, right))
            if first and symbol == "*" and second == "(-1)":
                return f"(-{first})"
            return f"({first} {symbol} {second})" if first and second else None
        case Comparison(symbol=symbol, left=left, right=right):
            compared = _compared(symbol, left, right, names, read)
            return compared and f"bool({compared})"
        case _:
            return None


def literal(value: Any, names: Names) -> str:
    """Source of a constant: numbers are written out, everything else is named."""
    if type(value) is str:
        return names.string(value)
    is_number = type(value) in (int, float) and isfinite(value) and abs(value) < _LARGEST
    if is_number or type(value) in (bool, type(None)):
        return repr(value) if not repr(value).startswith("-") else f"({value!r})"
    if value is UNKNOWN:
        return "UNKNOWN"
    text = f"{type(value).__name__}_{value.name}" if isinstance(value, Enum) else "value"
    return names.of("v", text, value)


def _compared(
    symbol: str, left: Expression[Any], right: Expression[Any], names: Names, read: Read
) -> str | None:
    first, second = (value_source(one, names, read) for one in (left, right))
    if first is None or second is None:
        return None
    numbers = _is_number(left) and _is_number(right)
    if symbol in _ORDERINGS and not numbers:
        return f"{names.of('order', '', ordering(symbol))}({first}, {second})"
    return f"({first} {symbol} {second})"


def _is_number(expression: Expression[Any]) -> bool:
    """Whether all values are numbers, for certain."""
    match expression:
        case Constant(value=value):
            return type(value) in (int, float)
        case Fluent() | MemberOf():
            return expression.value_type in (int, float)
        case Arithmetic(left=left, right=right):
            return _is_number(left) and _is_number(right)
        case _:
            return False


def is_atom(condition: Expression[Any]) -> bool:
    """Whether asking for the condition always reads all that it mentions."""
    while isinstance(condition, Negation):
        condition = condition.operand
    return not isinstance(condition, Junction)


def is_int(expression: Expression[Any], *, declared: bool = False) -> bool:
    """Whether all values are whole numbers, for certain; ``declared`` as for ``is_sure``."""
    return is_sure(expression, int, declared=declared)


def is_sure(expression: Expression[Any], kind: type, *, declared: bool = False) -> bool:
    """Whether all values are of this type, ``int`` or ``str``, for certain.

    With ``declared``, as long as parameters have the types that they declare.
    """
    match expression:
        case Constant(value=value):
            return type(value) is kind
        case Fluent():
            return expression.value_type is kind and expression.default is not None
        case MemberOf(family=family):
            return is_sure(family.prototype, kind)
        case Arithmetic(left=left, right=right):
            return all(is_sure(one, kind, declared=declared) for one in (left, right))
        case Parameter(type=given):
            return declared and given is kind
        case _:
            return False
