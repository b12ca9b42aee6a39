"""Choices: how the decompositions of a call are found, if not simply one for each method.

A task with a ``RandomOrder`` has one decomposition for each method, in an order drawn by weight;
a task with a ``ValueChoice`` has one for each value of a variable; a task with a ``TurnChoice`` has
one for each turn of ``unordered``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from bthtn.engine.domain.bindable import Bindable
from bthtn.engine.domain.chance import SEED, drawn_order, stable_text, values_in_order
from bthtn.engine.domain.function import blame
from bthtn.engine.world.expression import Binding, Constant, Expression
from bthtn.engine.world.fluent import UnknownRead
from bthtn.engine.world.footprint import ReadRecorder
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import UNKNOWN, value_text
from bthtn.records import record

_HINT: Final = "one_of chooses among the hashable values of a tuple, or of a list"

Key = Callable[[Any, Any], Any]
"""A function of the state and a value; values are tried by its result, the lowest first."""


@record(eq=False)
class RandomOrder:
    """The methods in a random order, drawn by weight without replacement."""

    task: str
    weights: tuple[Expression[Any], ...]
    by: tuple[Expression[Any], ...] = ()

    @property
    def asks(self) -> tuple[Expression[Any] | Key, ...]:
        """The weights, and the expressions on whose values the draw depends."""
        return (*self.weights, *self.by)

    @property
    def is_constant(self) -> bool:
        """Whether calls with equal arguments draw alike in every state."""
        return all(isinstance(asked, Constant) for asked in self.asks)

    def order(self, view: ReadRecorder, args: Binding) -> tuple[int, ...]:
        """The indices of the methods in drawn order. Raises UnknownRead for an unknown weight."""
        weights, by = (
            [known_value(expression, view, args) for expression in expressions]
            for expressions in (self.weights, self.by)
        )
        about = " ".join(map(stable_text, (*args, *by)))
        seed = SEED.evaluate(view)
        return drawn_order(weights, f"{seed}:{self.task}:{about}")


@record(eq=False)
class ValueChoice:
    """One decomposition for each value of a variable.

    ``position`` is the index of the variable's value among the task's arguments.
    """

    name: str
    position: int
    values: Expression[Any]
    key: Key | None
    state_class: type[State]

    @property
    def asks(self) -> tuple[Expression[Any] | Key, ...]:
        """The expression for the values, and the key if there is one."""
        key = self.key
        return (self.values,) if key is None else (self.values, key)

    def candidates(self, view: ReadRecorder, args: Binding) -> tuple[Any, ...]:
        """The values to try, in order.

        Raises UnknownRead when the values are unknown, and DomainError when the expression gives
        something else than a collection of hashable values.
        """
        values = values_in_order(known_value(self.values, view, args), self._where, _HINT)
        if self.key is None:
            return tuple(values)
        window = self.state_class.over(view)
        try:
            return _sorted(values, Bindable(self.key).bound(args), window)
        except UnknownRead:
            raise
        except Exception as error:  # noqa: BLE001 - raised as the function's
            blame(self.key, error)

    def _where(self) -> str:
        return f"values of '{self.name}': {self.values!s}"

    def with_value(self, args: Binding, value: Any) -> Binding:
        """The arguments with the value at its position, and None at positions not used yet."""
        if self.position == len(args):
            return (*args, value)
        room = (*args, *[None] * (self.position + 1 - len(args)))
        return (*room[: self.position], value, *room[self.position + 1 :])

    def label(self, value: Any) -> str:
        return f"{self.name} = {value_text(value)}"


@record(eq=False)
class TurnChoice:
    """One decomposition for each turn: FrozenDomain knows them, since it has the methods."""

    @property
    def asks(self) -> tuple[Expression[Any] | Key, ...]:
        """None: a turn depends on the same as the decomposed task."""
        return ()

    def with_value(self, args: Binding, value: Any) -> Binding:  # noqa: ARG002 - see ValueChoice
        """The values of the parameters in the part that is planned, and the turn as the last."""
        return (*value.head_binding, value)

    def label(self, value: Any) -> str:
        return str(value)


DecompositionChoice = RandomOrder | ValueChoice | TurnChoice
"""How the decompositions of a call are found when the search reaches it."""


def known_value(expression: Expression[Any], view: ReadRecorder, args: Binding) -> Any:
    """The value of an expression. Raises UnknownRead if it is unknown."""
    value = expression.evaluate(view, args)
    if value is UNKNOWN:
        raise UnknownRead(view.unknown)
    return value


def _sorted(values: list[Any], key: Key, window: State) -> tuple[Any, ...]:
    return tuple(sorted(values, key=lambda value: key(window, value)))
