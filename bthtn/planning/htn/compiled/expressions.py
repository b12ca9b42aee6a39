"""Expressions as Python source, where that needs no state.

What is data becomes source: comparisons, arithmetic, connectives, fluents, members with a
constant or a parameter for an index. Everything else, plain functions above all, answers
None here and is evaluated by itself, through a recording view.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable
from enum import Enum
from math import isfinite
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

Read = Callable[[Reference[Any]], str]
"""Gives the source that reads a fluent or member."""

_ORDERINGS: Final = frozenset({"<", "<=", ">", ">="})


class Names:
    """The objects that generated source mentions, each under one readable name."""

    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self._names: dict[int, str] = {}

    def of(self, prefix: str, text: str, thing: Any) -> str:
        """The name of an object, the same at every call; made of the prefix and the text."""
        known = self._names.get(id(thing))
        if known is None:
            known = self._names[id(thing)] = self.new(prefix, text, thing)
        return known

    def new(self, prefix: str, text: str, thing: Any) -> str:
        """A name of its own for an object."""
        plain = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
        name = f"{prefix}_{plain}" if plain else prefix
        number = 1
        while name in self.objects or keyword.iskeyword(name):
            number += 1
            name = f"{prefix}_{plain}_{number}"
        self.objects[name] = thing
        return name


def references(expression: Expression[Any]) -> list[Reference[Any]] | None:
    """Every fluent or member that the expression may read, once each, in order of reading.

    None where only a state can tell which these are.
    """
    found: dict[Any, Reference[Any]] = {}
    pending = [expression]
    while pending:
        one = pending.pop()
        match one:
            case Constant() | Parameter():
                pass
            case Fluent():
                found[one] = one
            case MemberOf():
                if not isinstance(one.index, Constant | Parameter):
                    return None
                found.setdefault(_place(one), one)
            case Comparison(left=left, right=right) | Arithmetic(left=left, right=right):
                pending += (right, left)
            case Negation(operand=operand):
                pending.append(operand)
            case Junction(parts=parts):
                pending.extend(reversed(parts))
            case _:
                return None
    return list(found.values())


def reads_when(condition: Expression[Any], *, truth: bool) -> list[Reference[Any]] | None:
    """What an evaluation with this outcome has read; None where only a state can tell."""
    if isinstance(condition, Negation):
        return reads_when(condition.operand, truth=not truth)
    if not isinstance(condition, Junction):
        return references(condition)
    if truth is condition.decisive:
        return None
    several = [reads_when(part, truth=truth) for part in condition.parts]
    return once(several)


def once(several: Iterable[list[Reference[Any]] | None]) -> list[Reference[Any]] | None:
    """The references of several expressions, once each; None if one of them is None."""
    found: dict[Any, Reference[Any]] = {}
    for some in several:
        if some is None:
            return None
        for one in some:
            found.setdefault(_place(one), one)
    return list(found.values())


def _place(reference: Reference[Any]) -> Any:
    """Equal for references that always name the same fluent."""
    if not isinstance(reference, MemberOf):
        return reference
    index = reference.index
    if isinstance(index, Parameter):
        return (id(reference.family), "parameter", index.position)
    return (id(reference.family), "constant", getattr(index, "value", index))


def condition_source(condition: Expression[Any], names: Names, read: Read) -> str | None:
    """Source of the condition's truth, for fluents that are all known."""
    match condition:
        case Constant(value=bool()):
            return repr(condition.value)
        case Fluent() | MemberOf() if condition.value_type is bool:
            return read(condition) if references(condition) is not None else None
        case Comparison(symbol=symbol, left=left, right=right):
            return _compared(symbol, left, right, names, read)
        case Negation(operand=operand):
            inside = condition_source(operand, names, read)
            return inside and f"(not {inside})"
        case Junction(parts=parts, decisive=decisive):
            several = [condition_source(part, names, read) for part in parts]
            word = " or " if decisive else " and "
            return f"({word.join(part for part in several if part)})" if all(several) else None
        case _:
            return None


def value_source(expression: Expression[Any], names: Names, read: Read) -> str | None:
    """Source of the expression's value, for fluents that are all known."""
    match expression:
        case Constant(value=value):
            return literal(value, names)
        case Parameter(position=position):
            return f"a{position}"
        case Fluent() | MemberOf():
            return read(expression) if references(expression) is not None else None
        case Arithmetic(symbol=symbol, left=left, right=right):
            first, second = (value_source(one, names, read) for one in (left, right))
            return f"({first} {symbol} {second})" if first and second else None
        case Comparison(symbol=symbol, left=left, right=right):
            compared = _compared(symbol, left, right, names, read)
            return compared and f"bool({compared})"
        case _:
            return None


def literal(value: Any, names: Names) -> str:
    """Source of a constant: written out where that gives an equal value, named otherwise."""
    plain = type(value) in (bool, int, str, type(None))
    if plain or (type(value) is float and isfinite(value)):
        return repr(value) if not repr(value).startswith("-") else f"({value!r})"
    if value is UNKNOWN:
        return "UNKNOWN"
    text = f"{type(value).__name__}_{value.name}" if isinstance(value, Enum) else "value"
    return names.of("v", text, value)


def static_type(expression: Expression[Any]) -> type | None:
    """Type of the values, where it is certain."""
    match expression:
        case Constant(value=value):
            return type(value)
        case Fluent() | MemberOf():
            return expression.value_type
        case Arithmetic(left=left, right=right):
            kinds = {static_type(left), static_type(right)}
            return float if kinds <= {int, float} else None
        case Comparison():
            return bool
        case _:
            return None


def _compared(
    symbol: str, left: Expression[Any], right: Expression[Any], names: Names, read: Read
) -> str | None:
    first, second = (value_source(one, names, read) for one in (left, right))
    if first is None or second is None:
        return None
    numbers = {static_type(left), static_type(right)} <= {int, float}
    if symbol in _ORDERINGS and not numbers:
        return f"{names.of('order', '', ordering(symbol))}({first}, {second})"
    return f"({first} {symbol} {second})"
