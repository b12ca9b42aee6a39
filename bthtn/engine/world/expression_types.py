"""The types of expressions' values, and how constants beside them are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bthtn.engine.world.assignment import FluentReference
from bthtn.engine.world.at_start import AtStart
from bthtn.engine.world.expression import (
    Arithmetic,
    Comparison,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
    Related,
)
from bthtn.engine.world.fluent import Fluent, MemberOf
from bthtn.engine.world.truth import UNKNOWN
from bthtn.engine.world.value_type import ValueType, values_of


def parser_of(like: Expression[Any]) -> Callable[[str], Any] | None:
    """The function that reads a constant compared with ``like``; None where it has no type."""
    match like:
        case Fluent():
            return like.parse
        case MemberOf():
            return like.family.prototype.parse
        case Parameter() if like.type is not None:
            return constant_of(values_of(like), like.name)
        case _:
            return None


def constant_of(values: ValueType, name: str) -> Callable[[str], Any]:
    """The function that reads a constant of this type, for the thing called ``name``."""
    read: Fluent[Any] = Fluent(UNKNOWN, values=values, volatile=False, name=name)
    return read.parse


def kind_of(value: Expression[Any]) -> type:
    """The type of the value, ``object`` if it is not known."""
    match value:
        case Constant(constant):
            return type(constant)
        case FluentReference():
            return value.value_type
        case Parameter(type=kind):
            return kind or object
        case Arithmetic():
            return float
        case Comparison() | Negation() | Junction() | Related() | AtStart():
            return bool
        case _:
            return object


def are_comparable(left: Expression[Any], right: Expression[Any]) -> bool:
    """Whether values of the two types may be equal."""
    kinds = {kind_of(left), kind_of(right)}
    return len(kinds) == 1 or object in kinds or kinds == {int, float}
