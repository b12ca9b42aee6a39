"""Numbers that tasks and methods have: durations and costs."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Final

from bthtn.engine.domain.function import Computed, is_function
from bthtn.engine.world.expression import Binding, Constant, Expression, StateView
from bthtn.engine.world.expression_types import kind_of
from bthtn.engine.world.state import State
from bthtn.engine.world.symbol import Comparable
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import Diagnostic, DomainError, PlanningError
from bthtn.records import record

NumberLike = float | Expression[Any] | Callable[[Any], float]
"""Everything that users may write as a number."""


@record(eq=False)
class Seconds(Comparable):
    """A time in seconds; a plain number in its place is a time in ticks."""

    length: NumberLike


seconds = Seconds
"""A time in seconds: ``duration=seconds(1.5)``; in a generator operator, ``yield seconds(3)``."""

NOTHING: Final = Constant(0)
"""What nearly all methods cost, and are worth."""

TOLERANCE: Final = 1e-6
"""Seconds that may be missing: sums of floats, as of ten times 0.1, are a little too small."""

Duration = NumberLike | Seconds
"""Everything that users may write as the duration of a task."""

_HINT: Final = "a cost, a value and a duration are numbers: return 2, return 0.5 * state.distance"


def number_from(written: NumberLike, state_class: type[State]) -> Expression[Any]:
    """The number as an expression. Raises DomainError for anything else."""
    if type(written) is int and written == 0:
        return NOTHING
    made = expression_from(written, state_class)
    kind = kind_of(made)
    if kind is str or kind is bool:
        raise _no_number(made.text(), kind)
    return made


def cost_from(written: NumberLike, state_class: type[State]) -> Expression[Any]:
    """The cost or value as an expression. Raises DomainError, for NaN, too."""
    made = number_from(written, state_class)
    if isinstance(made, Constant) and made.value != made.value:
        raise DomainError("BT110", f"{made.text()} is not a number", hint=_HINT)
    return made


def duration_from(written: NumberLike, state_class: type[State]) -> Expression[Any]:
    """The duration as an expression. Raises DomainError, for one below zero and for NaN, too."""
    made = number_from(written, state_class)
    length = made.value if isinstance(made, Constant) else 0
    if isinstance(length, int | float) and not length >= 0:
        raise DomainError.of(no_duration(length))
    return made


def expression_from(written: NumberLike, state_class: type[State]) -> Expression[Any]:
    """A number, an expression or a function of the state as an expression of any value.

    Raises DomainError for anything else.
    """
    if type(written) in (int, float):
        return Constant(written)
    if isinstance(written, Expression):
        state_class.__schema__.check(written)
        return written
    if is_function(written):
        return Computed(written, state_class)
    if not isinstance(written, int | float) or isinstance(written, bool):
        raise _no_number(repr(written), type(written))
    return Constant(written)


def _no_number(shown: str, kind: type) -> DomainError:
    hint = "write a number, an expression such as Soldier.distance, or a function of the state"
    return DomainError("BT110", f"{shown} is not a number, but {kind.__name__}", hint=hint)


def number_of(expression: Expression[Any], view: StateView, binding: Binding) -> float:
    """The number in this state; 0 if it is unknown. Raises PlanningError if it is no number.

    Truths and NaN are none.
    """
    value: Any = expression.evaluate(view, binding)
    if value is UNKNOWN:
        return 0
    if not _is_number(value):
        message = f"{expression.text(binding)} is {value!r}, not a number"
        raise PlanningError("BT110", message, hint=_HINT)
    number: float = value  # numbers of other libraries act as floats
    return number


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    return bool(value == value)  # noqa: PLR0124 - NaN


def no_duration(duration: object, where: str = "") -> Diagnostic:
    """The diagnostic for a duration that is below zero, or NaN."""
    hint = "a step takes no time, or some: give a number that is not below zero"
    return Diagnostic("BT202", f"the duration is {duration}", where, hint)
