"""Expressions: questions to a state that are data.

An expression knows how to evaluate itself on a view of a state, with the values of the
task parameters it mentions, and how to print itself. A condition is an expression whose
value is a truth. ``evaluate`` answers ``UNKNOWN`` when what it needs is unknown.
"""

from __future__ import annotations

import inspect
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, Generic, Protocol, TypeVar, cast

from bthtn.world.truth import UNKNOWN, Truth, Unknown, negation, value_text

T = TypeVar("T")
V = TypeVar("V")

REQUIRED: Final = inspect.Parameter.empty
"""Stands for the default of a parameter that has none."""

Binding = tuple[Any, ...]
"""Values of a task's parameters, by position."""


class StateView(Protocol):
    """**Protocol:** something that can be asked for the value of a fluent."""

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent, or ``UNKNOWN``."""
        ...


class Expression(ABC, Generic[T]):
    """A question to a state, with an answer of type T. Compared by identity.

    The operators ``== != < <= > >= & | ~ + - * // %`` build larger expressions. An expression
    has no truth value of its own: ``and``, ``or``, ``not`` and chained comparisons raise.
    """

    __slots__ = ()

    @abstractmethod
    def evaluate(self, view: StateView, binding: Binding = ()) -> T | Unknown:
        """The answer in this state, with these parameter values."""

    @abstractmethod
    def text(self, binding: Binding | None = None) -> str:
        """Readable form; with a binding, parameters appear as their values."""

    @property
    def is_condition(self) -> bool:
        """Whether the answer can be a truth, as far as that can be told."""
        return True

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{self.text()}>"

    # Equality builds a condition, as in every expression library; hashing stays by identity,
    # so fluents can be keys: a dict finds an identical key before it ever asks `==`.
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError(
            f"[BT107] '{self.text()}' is a condition, not a truth: combine conditions with"
            " & | ~ (and brackets), and write (0 < x) & (x < 5) for a chain"
        )

    def __eq__(self, other: object) -> Condition:  # type: ignore[override]  # builds data
        return Comparison("==", self, _decidable(other))

    def __ne__(self, other: object) -> Condition:  # type: ignore[override]  # builds data
        return Comparison("!=", self, _decidable(other))

    def __lt__(self, other: T | Expression[T]) -> Condition:
        return Comparison("<", self, as_expression(other))

    def __le__(self, other: T | Expression[T]) -> Condition:
        return Comparison("<=", self, as_expression(other))

    def __gt__(self, other: T | Expression[T]) -> Condition:
        return Comparison(">", self, as_expression(other))

    def __ge__(self, other: T | Expression[T]) -> Condition:
        return Comparison(">=", self, as_expression(other))

    def __and__(self, other: Condition | bool) -> Condition:
        return _junction(self, other, decisive=False)

    __rand__ = __and__

    def __or__(self, other: Condition | bool) -> Condition:
        return _junction(self, other, decisive=True)

    __ror__ = __or__

    def __invert__(self) -> Condition:
        return Negation(_truth_part(self))

    def __add__(self, other: T | Expression[T]) -> Expression[T]:
        return Arithmetic("+", self, as_expression(other))

    def __radd__(self, other: T) -> Expression[T]:
        return Arithmetic("+", as_expression(other), self)

    def __sub__(self, other: T | Expression[T]) -> Expression[T]:
        return Arithmetic("-", self, as_expression(other))

    def __rsub__(self, other: T) -> Expression[T]:
        return Arithmetic("-", as_expression(other), self)

    def __mul__(self, other: T | Expression[T]) -> Expression[T]:
        return Arithmetic("*", self, as_expression(other))

    __rmul__ = __mul__

    def __floordiv__(self, other: T | Expression[T]) -> Expression[T]:
        return Arithmetic("//", self, as_expression(other))

    def __mod__(self, other: T | Expression[T]) -> Expression[T]:
        return Arithmetic("%", self, as_expression(other))


Condition = Expression[bool]


def as_expression(value: Any) -> Expression[Any]:
    """The value itself when it is an expression, else a constant."""
    return value if isinstance(value, Expression) else Constant(value)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Constant(Expression[T]):
    """A value that no state can change."""

    value: T

    def evaluate(self, view: StateView, binding: Binding = ()) -> T:  # noqa: ARG002 - protocol
        """The value."""
        return self.value

    @property
    def is_condition(self) -> bool:
        """Whether the value is a truth."""
        return isinstance(self.value, bool)

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        """The value as people write it."""
        return value_text(self.value)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Parameter(Expression[T]):
    """The value that a task is called with at one position: symbolic until it is planned.

    ``default`` is the value in calls that do not mention the parameter, REQUIRED where they have
    to. Where it ``is_fixed``, they cannot mention it. ``literals`` are the only values there can
    be, where the author has said so by a type.
    """

    name: str
    position: int
    type: type | None = None
    default: Any = REQUIRED
    is_fixed: bool = False
    literals: tuple[T, ...] = field(default=(), kw_only=True)

    def evaluate(self, view: StateView, binding: Binding = ()) -> T:  # noqa: ARG002 - protocol
        """The value bound at this position."""
        return cast("T", binding[self.position])

    @property
    def is_condition(self) -> bool:
        """Whether a truth may be bound."""
        return self.type in (bool, None)

    def text(self, binding: Binding | None = None) -> str:
        """The name, or the bound value."""
        return self.name if binding is None else value_text(binding[self.position])


def _in_order(value: Any) -> Any:
    """What ``<`` compares: members of a plain Enum by their order of definition."""
    if isinstance(value, Enum) and not isinstance(value, (int, float, str)):
        return list(type(value)).index(value)
    return value


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: compare(_in_order(left), _in_order(right))


_COMPARE: Final = MappingProxyType(
    {
        "==": operator.eq,
        "!=": operator.ne,
        "<": _ordered(operator.lt),
        "<=": _ordered(operator.le),
        ">": _ordered(operator.gt),
        ">=": _ordered(operator.ge),
    }
)
_COMPUTE: Final = MappingProxyType(
    {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "//": operator.floordiv,
        "%": operator.mod,
    }
)


def ordering(symbol: str) -> Callable[[Any, Any], bool]:
    """The function that compares two known values by ``<``, ``<=``, ``>`` or ``>=``."""
    return _COMPARE[symbol]


def _operand(expression: Expression[Any], binding: Binding | None) -> str:
    """Text of a part, in brackets when it is made of parts itself."""
    text = expression.text(binding)
    return f"({text})" if isinstance(expression, Comparison | Arithmetic | Junction) else text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Expression[bool]):
    """Two values compared; unknown when either is. Enum members compare in definition order."""

    symbol: str
    left: Expression[Any]
    right: Expression[Any]

    def evaluate(self, view: StateView, binding: Binding = ()) -> Truth:
        """Whether the comparison holds."""
        left = self.left.evaluate(view, binding)
        right = self.right.evaluate(view, binding)
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
        return bool(_COMPARE[self.symbol](left, right))

    def text(self, binding: Binding | None = None) -> str:
        """``left symbol right``."""
        return f"{_operand(self.left, binding)} {self.symbol} {_operand(self.right, binding)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Arithmetic(Expression[T]):
    """Two values combined; unknown when either is."""

    symbol: str
    left: Expression[T]
    right: Expression[T]

    def evaluate(self, view: StateView, binding: Binding = ()) -> T | Unknown:
        """The combined value."""
        left = self.left.evaluate(view, binding)
        right = self.right.evaluate(view, binding)
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
        return cast("T", _COMPUTE[self.symbol](left, right))

    @property
    def is_condition(self) -> bool:
        """A number has no truth."""
        return False

    def text(self, binding: Binding | None = None) -> str:
        """``left symbol right``."""
        return f"{_operand(self.left, binding)} {self.symbol} {_operand(self.right, binding)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Negation(Expression[bool]):
    """True where the other condition is false."""

    operand: Condition

    def evaluate(self, view: StateView, binding: Binding = ()) -> Truth:
        """The negated truth."""
        return negation(self.operand.evaluate(view, binding))

    def text(self, binding: Binding | None = None) -> str:
        """``not operand``."""
        return f"not {_operand(self.operand, binding)}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Junction(Expression[bool]):
    """Conjunction or disjunction: one part with the ``decisive`` truth decides alone.

    Parts behind the deciding one are not read, so what an evaluation reads is enough to
    support its answer.
    """

    parts: tuple[Condition, ...]
    decisive: bool

    def evaluate(self, view: StateView, binding: Binding = ()) -> Truth:
        """Kleene's strong connective over all parts."""
        unknown = False
        for part in self.parts:
            truth = part.evaluate(view, binding)
            if truth is self.decisive:
                return truth
            unknown = unknown or truth is UNKNOWN
        return UNKNOWN if unknown else not self.decisive

    def text(self, binding: Binding | None = None) -> str:
        """``a and b``, ``a or b``."""
        word = " or " if self.decisive else " and "
        return word.join(
            f"({part.text(binding)})" if isinstance(part, Junction) else part.text(binding)
            for part in self.parts
        )


def _decidable(value: Any) -> Expression[Any]:
    """The other side of an equality. Raises TypeError for UNKNOWN: that is never decided."""
    if value is UNKNOWN:
        raise TypeError(
            "[BT107] nothing equals UNKNOWN, and nothing differs from it; a plain function can"
            " ask: lambda state: state.is_known(...)"
        )
    return as_expression(value)


def _truth_part(value: Any) -> Condition:
    """The value as part of a larger condition. Raises TypeError when it has no truth."""
    part = as_expression(value)
    if not part.is_condition:
        raise TypeError(
            f"[BT107] '{part.text()}' is no condition: put brackets around each comparison,"
            " (x > 0) & y, and compare numbers with something"
        )
    return part


def _junction(left: Any, right: Any, *, decisive: bool) -> Junction:
    parts: list[Condition] = []
    for side in (_truth_part(left), _truth_part(right)):
        if isinstance(side, Junction) and side.decisive is decisive:
            parts.extend(side.parts)
        else:
            parts.append(side)
    return Junction(tuple(parts), decisive)


ALWAYS: Final[Condition] = Constant(value=True)
"""The condition that holds in every state."""
