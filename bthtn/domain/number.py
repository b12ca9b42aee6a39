"""Numbers that tasks and methods have: durations and costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final

from bthtn.domain.function import Computed, is_function
from bthtn.errors import Diagnostic, DomainError, PlanningError
from bthtn.world.expression import Binding, Constant, Expression, StateView
from bthtn.world.state import State
from bthtn.world.truth import UNKNOWN

NumberLike = float | Expression[Any] | Callable[[Any], float]
"""Everything that users may write as a number."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time in seconds; a plain number in its place is a time in ticks."""

    length: NumberLike


seconds = Seconds
"""A time in seconds: ``duration=seconds(1.5)``; in a generator operator, ``yield seconds(3)``."""

TOLERANCE: Final = 1e-6
"""Seconds that may be missing: sums of floats, as of ten times 0.1, are a little too small."""

Duration = NumberLike | Seconds
"""Everything that users may write as the duration of a task."""


def number_from(written: NumberLike, state_class: type[State]) -> Expression[Any]:
    """The number as an expression. Raises DomainError for anything else."""
    if type(written) in (int, float):
        return Constant(written)
    if isinstance(written, Expression):
        state_class.__schema__.check(written)
        return written
    if is_function(written):
        return Computed(written, state_class)
    if not isinstance(written, int | float) or isinstance(written, bool):
        hint = "write a number, an expression such as Soldier.distance, or a function of the state"
        message = f"{written!r} is not a number, but {type(written).__name__}"
        raise DomainError(Diagnostic("BT110", message, hint=hint))
    return Constant(written)


def number_of(expression: Expression[Any], view: StateView, binding: Binding) -> float:
    """The number in this state; 0 if it is unknown. Raises PlanningError if it is no number."""
    value = expression.evaluate(view, binding)
    if value is UNKNOWN:
        return 0
    if not isinstance(value, Real):
        message = f"{expression.text(binding)} is {value!r}, not a number"
        hint = "a cost, a value and a duration are numbers: return 2, return 0.5 * state.distance"
        raise PlanningError(Diagnostic("BT110", message, hint=hint))
    return value  # type: ignore[return-value]  # numbers of other libraries act as floats
