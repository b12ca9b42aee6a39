"""Expressions over fluents and task parameters, as data.

An expression can be evaluated on a view of a state, with values for the task parameters it
mentions, and can be printed. A condition is an expression whose value is a boolean. The value is
``UNKNOWN`` if it depends on an unknown fluent.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final, Generic, NoReturn, Protocol, TypeVar, cast

from bthtn.engine.world.operations import COMPARE, COMPUTE
from bthtn.engine.world.symbol import Symbol
from bthtn.engine.world.truth import UNKNOWN, Truth, Unknown, negation, value_text
from bthtn.errors import SymbolError
from bthtn.records import record

T = TypeVar("T")
V = TypeVar("V")

REQUIRED: Final = inspect.Parameter.empty
"""The default of a parameter that has to be given in every call."""

Binding = tuple[Any, ...]
"""Values of a task's parameters, by position."""


class StateView(Protocol):
    """**Protocol:** an object from which the values of fluents can be read."""

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent, or ``UNKNOWN``."""
        ...


class PartlyKnown:
    """A view of a state in which all fluents are unknown but those with these values."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[Any, Any]) -> None:
        self._values = values

    def get(self, fluent: Any, /) -> Any:
        """The value given for the fluent, else UNKNOWN."""
        return self._values.get(fluent, UNKNOWN)


NOTHING_KNOWN: Final = PartlyKnown({})
"""The view for expressions that read no state."""


class Expression(Symbol, Generic[T]):
    """A computation on a state with a result of type T. Compared by identity.

    The operators ``== != < <= > >= & | ~ + - * // %`` build larger expressions. An expression
    has no truth value of its own: ``and``, ``or``, ``not`` and chained comparisons raise.
    """

    __slots__ = ()

    @abstractmethod
    def evaluate(self, view: StateView, binding: Binding = ()) -> T | Unknown:
        """The value in this state, with these parameter values; UNKNOWN if it is not known."""

    @abstractmethod
    def text(self, binding: Binding | None = None) -> str:
        """Readable form; with a binding, parameters appear as their values."""

    @property
    def is_condition(self) -> bool:
        """Whether the value can be a boolean; True if the type of the value is not known."""
        return True

    def is_in(self, values: Iterable[T]) -> Condition:
        """The condition that the value is one of these.

        Raises SymbolError for values that are a symbol themselves.
        """
        if isinstance(values, Expression):
            raise SymbolError(f"'{values.text()}' is a symbol: nothing is in it yet")
        parts = tuple(self == value for value in values)
        return Junction(parts, decisive=True) if parts else Constant(value=False)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{self.text()}>"

    __hash__ = Symbol.__hash__  # which `__eq__` would take away

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

    def __and__(self, other: Condition | bool | Callable[[Any], bool]) -> Condition:
        return _junction(self, other, decisive=False)

    __rand__ = __and__

    def __or__(self, other: Condition | bool | Callable[[Any], bool]) -> Condition:
        return _junction(self, other, decisive=True)

    __ror__ = __or__

    def __invert__(self) -> Condition:
        return Negation(truth_part(self))

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

    def __rfloordiv__(self, other: T) -> Expression[T]:
        return Arithmetic("//", as_expression(other), self)

    def __mod__(self, other: T | Expression[T]) -> Expression[T]:
        return Arithmetic("%", self, as_expression(other))

    def __rmod__(self, other: T) -> Expression[T]:
        return Arithmetic("%", as_expression(other), self)

    def __neg__(self) -> Expression[T]:
        return Arithmetic("-", Constant(cast("T", 0)), self)

    def __pos__(self) -> Expression[T]:
        return self


Condition = Expression[bool]


def is_symbolic(value: object) -> bool:
    """Whether the value is an expression, or a tuple with one in it."""
    return isinstance(value, Expression) or (
        isinstance(value, tuple) and any(map(is_symbolic, value))
    )


def as_expression(value: Any) -> Expression[Any]:
    """The value itself when it is an expression, one for a tuple of some, else a constant."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, tuple) and is_symbolic(value):
        return TupleOf(tuple(map(as_expression, value)))
    return Constant(value)


@record(eq=False, repr=False)
class Constant(Expression[T]):
    """An expression with the same value in every state."""

    value: T

    def evaluate(self, view: StateView, binding: Binding = ()) -> T:  # noqa: ARG002 - protocol
        return self.value

    @property
    def is_condition(self) -> bool:
        return isinstance(self.value, bool)

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        """The value as text: ``true``, ``3``, ``'tokyo'``."""
        return value_text(self.value)


@record(eq=False, repr=False)
class TupleOf(Expression[tuple[Any, ...]]):
    """A tuple of several values, such as the index of a family with two of them."""

    parts: tuple[Expression[Any], ...]

    def evaluate(self, view: StateView, binding: Binding = ()) -> tuple[Any, ...] | Unknown:
        values = tuple(part.evaluate(view, binding) for part in self.parts)
        return UNKNOWN if any(value is UNKNOWN for value in values) else values

    @property
    def is_condition(self) -> bool:
        return False

    def text(self, binding: Binding | None = None) -> str:
        return f"({', '.join(part.text(binding) for part in self.parts)})"


@record(eq=False, repr=False)
class Parameter(Expression[T]):
    """A parameter of a task: its value is the argument at ``position`` in the call.

    ``default`` is the value in calls that leave the parameter out, or REQUIRED. If it
    ``is_fixed``, calls cannot give another value than the default. ``literals`` are the values
    of a parameter that is annotated with a ``Literal`` type. ``annotation`` is what it is annotated
    with: a class, or a name for one that ``NewType`` makes.
    """

    name: str
    position: int
    type: type | None = None
    default: Any = REQUIRED
    is_fixed: bool = False
    literals: tuple[T, ...] = field(default=(), kw_only=True)
    annotation: Any = field(default=None, kw_only=True)

    def __format__(self, spec: str) -> str:
        raise SymbolError(f"'{self.text()}' is a symbol: it has no text yet")

    def evaluate(self, view: StateView, binding: Binding = ()) -> T:  # noqa: ARG002 - protocol
        return cast("T", binding[self.position])

    @property
    def is_condition(self) -> bool:
        return self.type in (bool, None)

    def text(self, binding: Binding | None = None) -> str:
        return self.name if binding is None else value_text(binding[self.position])


def _operand(expression: Expression[Any], binding: Binding | None) -> str:
    """Text of a part, in brackets when it is made of parts itself."""
    text = expression.text(binding)
    return f"({text})" if isinstance(expression, _IN_BRACKETS) else text


@record(eq=False, repr=False)
class Comparison(Expression[bool]):
    """Two values compared; unknown when either is. Enum members compare in definition order."""

    symbol: str
    left: Expression[Any]
    right: Expression[Any]

    def evaluate(self, view: StateView, binding: Binding = ()) -> Truth:
        left = self.left.evaluate(view, binding)
        right = self.right.evaluate(view, binding)
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
        return bool(COMPARE[self.symbol](left, right))

    def text(self, binding: Binding | None = None) -> str:
        return f"{_operand(self.left, binding)} {self.symbol} {_operand(self.right, binding)}"


@record(eq=False, repr=False)
class Arithmetic(Expression[T]):
    """Two values combined; unknown when either is."""

    symbol: str
    left: Expression[T]
    right: Expression[T]

    def evaluate(self, view: StateView, binding: Binding = ()) -> T | Unknown:
        left = self.left.evaluate(view, binding)
        right = self.right.evaluate(view, binding)
        if left is UNKNOWN or right is UNKNOWN:
            return UNKNOWN
        return cast("T", COMPUTE[self.symbol](left, right))

    @property
    def is_condition(self) -> bool:
        return False

    def text(self, binding: Binding | None = None) -> str:
        return f"{_operand(self.left, binding)} {self.symbol} {_operand(self.right, binding)}"


@record(eq=False, repr=False)
class Negation(Expression[bool]):
    """True where the other condition is false."""

    operand: Condition

    def evaluate(self, view: StateView, binding: Binding = ()) -> Truth:
        return negation(self.operand.evaluate(view, binding))

    def text(self, binding: Binding | None = None) -> str:
        inside = self.operand
        is_again = isinstance(inside, Negation)
        return f"not {inside.text(binding) if is_again else _operand(inside, binding)}"


@record(eq=False, repr=False)
class Junction(Expression[bool]):
    """A conjunction (``decisive`` is False) or a disjunction (``decisive`` is True).

    Evaluation stops at the first part with the decisive value, so the fluents read are enough to
    justify the result.
    """

    parts: tuple[Condition, ...]
    decisive: bool

    def evaluate(self, view: StateView, binding: Binding = ()) -> Truth:
        """Kleene's strong three-valued conjunction or disjunction of the parts."""
        unknown = False
        for part in self.parts:
            truth = part.evaluate(view, binding)
            if truth is self.decisive:
                return truth
            unknown = unknown or truth is UNKNOWN
        return UNKNOWN if unknown else not self.decisive

    def text(self, binding: Binding | None = None) -> str:
        word = " or " if self.decisive else " and "
        return word.join(
            f"({part.text(binding)})" if isinstance(part, Junction) else part.text(binding)
            for part in self.parts
        )


@record(eq=False, repr=False)
class Related(Expression[bool]):
    """Whether a relation lists the tuple of these values, or the value where it is one."""

    relation: Expression[Any]
    values: tuple[Expression[Any], ...]

    def evaluate(self, view: StateView, binding: Binding = ()) -> Truth:
        listed = self.relation.evaluate(view, binding)
        values = tuple(value.evaluate(view, binding) for value in self.values)
        if listed is UNKNOWN or any(value is UNKNOWN for value in values):
            return UNKNOWN
        return (values if len(values) > 1 else values[0]) in listed

    def becomes(self, value: object) -> NoReturn:
        """Raises StateError: a relation never changes."""
        self.relation.becomes(value)  # type: ignore[attr-defined]  # the relation knows why
        raise AssertionError("it refuses")

    increases = decreases = becomes

    def text(self, binding: Binding | None = None) -> str:
        shown = ", ".join(value.text(binding) for value in self.values)
        return f"{self.relation.text()}[{shown}]"


@record(eq=False, repr=False)
class Matching(Expression[tuple[Any, ...]]):
    """The values that a relation lists beside these, in the columns where the pattern has None."""

    relation: Expression[Any]
    pattern: tuple[Expression[Any] | None, ...]

    def evaluate(self, view: StateView, binding: Binding = ()) -> tuple[Any, ...] | Unknown:
        listed = self.relation.evaluate(view, binding)
        pattern = tuple(
            ... if part is None else part.evaluate(view, binding) for part in self.pattern
        )
        if listed is UNKNOWN or any(part is UNKNOWN for part in pattern):
            return UNKNOWN
        found: tuple[Any, ...] = listed.matching(pattern)
        return found

    @property
    def is_condition(self) -> bool:
        return False

    def text(self, binding: Binding | None = None) -> str:
        shown = ", ".join("..." if part is None else part.text(binding) for part in self.pattern)
        return f"{self.relation.text()}[{shown}]"


@record(eq=False, repr=False)
class Asked(Expression[bool]):
    """A function of the state beside data, until it is known of which State class."""

    function: Callable[[Any], bool]

    def evaluate(self, view: StateView, binding: Binding = ()) -> Truth:  # noqa: ARG002 - protocol
        raise SymbolError(f"'{self.text()}' is a function of a state that is not known yet")

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        return getattr(self.function, "__name__", type(self.function).__name__)


_IN_BRACKETS: Final = (Comparison, Arithmetic, Junction, Negation)
_MADE_OF_OTHERS: Final = frozenset(
    {Comparison, Arithmetic, Negation, Junction, TupleOf, Related, Matching}
)
"""The kinds of expressions with expressions inside. A test of the type is faster than a match."""


def operands(expression: Expression[Any]) -> tuple[Expression[Any], ...]:
    """The expressions directly inside of one that is made of others; else none."""
    if type(expression) not in _MADE_OF_OTHERS:
        return ()
    match expression:
        case Comparison(_, left, right) | Arithmetic(_, left, right):
            return (left, right)
        case Negation(operand):
            return (operand,)
        case Related(relation, values):
            return (relation, *values)
        case Matching(relation, pattern):
            return (relation, *(part for part in pattern if part is not None))
    assert isinstance(expression, Junction | TupleOf), "those are all kinds"
    return expression.parts


def leaves_of(expression: Expression[Any]) -> Iterator[Expression[Any]]:
    """The fluents, constants, parameters and functions that the expression is made of."""
    pending = [expression]
    while pending:
        inner = pending.pop()
        inside = operands(inner)
        if not inside:
            yield inner
        pending.extend(reversed(inside))


def conjuncts(condition: Condition) -> tuple[Condition, ...]:
    """The parts of a conjunction; any other condition is its own only part."""
    if isinstance(condition, Junction) and not condition.decisive:
        return condition.parts
    return (condition,)


def always_holds(condition: Condition) -> bool:
    """Whether the condition is the constant True."""
    return isinstance(condition, Constant) and condition.value is True


def _decidable(value: Any) -> Expression[Any]:
    """The other side of an equality. Raises SymbolError for UNKNOWN, which equals nothing."""
    if value is UNKNOWN:
        raise SymbolError(
            "nothing equals UNKNOWN, and nothing differs from it",
            "a plain function can ask: lambda state: state.is_known(...)",
        )
    return as_expression(value)


def truth_part(value: Any) -> Condition:
    """The value as part of a larger condition. Raises SymbolError when it cannot be a boolean."""
    if callable(value) and not isinstance(value, type):
        return Asked(value)
    part = as_expression(value)
    if not part.is_condition:
        raise SymbolError(
            f"'{part.text()}' is no condition",
            "put brackets around each comparison, (x > 0) & y, and compare numbers with something",
        )
    return part


def _junction(left: Any, right: Any, *, decisive: bool) -> Junction:
    parts: list[Condition] = []
    for side in (truth_part(left), truth_part(right)):
        if isinstance(side, Junction) and side.decisive is decisive:
            parts.extend(side.parts)
        else:
            parts.append(side)
    return Junction(tuple(parts), decisive)


ALWAYS: Final[Condition] = Constant(value=True)
"""The condition that holds in every state."""
