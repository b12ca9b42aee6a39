"""Numbers that tasks and methods have: durations and costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bthtn.domain.function import Computed
from bthtn.world.expression import Binding, Expression, StateView, as_expression
from bthtn.world.state import State
from bthtn.world.truth import UNKNOWN

NumberLike = float | Expression[Any] | Callable[[Any], float]
"""Everything that users may write as a number."""


def number_from(written: NumberLike, state_class: type[State]) -> Expression[Any]:
    """The number as data."""
    if callable(written) and not isinstance(written, Expression):
        return Computed(written, state_class)
    return as_expression(written)


def number_of(expression: Expression[Any], view: StateView, binding: Binding) -> float:
    """The number in this state; 0 if it is unknown."""
    value = expression.evaluate(view, binding)
    return 0 if value is UNKNOWN else value
