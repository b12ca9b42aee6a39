"""Conditions that cannot both hold, as far as their source tells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bthtn.world.expression import (
    Comparison,
    Condition,
    Constant,
    Expression,
    Junction,
    Negation,
)
from bthtn.world.fluent import Fluent


def exclude_each_other(one: Condition, other: Condition) -> bool:
    """Whether no state satisfies both conditions; False where that is not plain to see."""
    demanded = dict(demands(one))
    return any(fluent in demanded and demanded[fluent] != value for fluent, value in demands(other))


def demands(condition: Condition) -> Iterator[tuple[Fluent[Any], Any]]:
    """Fluents of which the condition demands one certain value."""
    match condition:
        case Fluent() if condition.value_type is bool:
            yield condition, True
        case Negation(operand=Fluent() as fluent) if fluent.value_type is bool:
            yield fluent, False
        case Comparison(symbol="==", left=Fluent() as fluent, right=Constant(value=value)):
            if _is_plain(value):
                yield fluent, value
        case Junction(parts=parts, decisive=False):
            for part in parts:
                yield from demands(part)


def _is_plain(value: Expression[Any] | object) -> bool:
    return isinstance(value, bool | int | str)
