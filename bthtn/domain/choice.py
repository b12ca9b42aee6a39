"""Choices: how the decompositions of a call are found, if not simply one for each method.

A task with a ``RandomOrder`` has one decomposition for each method, in an order drawn by weight;
a task with a ``ValueChoice`` has one for each value of a variable.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from bthtn.domain.chance import SEED, drawn_order, stable_text
from bthtn.domain.function import used
from bthtn.domain.parameter import Bindable
from bthtn.errors import Diagnostic, DomainError
from bthtn.world.expression import Binding, Constant, Expression
from bthtn.world.fluent import UnknownRead
from bthtn.world.footprint import RecordingView
from bthtn.world.state import State
from bthtn.world.truth import UNKNOWN, value_text

Key = Callable[[Any, Any], Any]
"""A function of the state and a value; values are tried by its result, the lowest first."""


class DecompositionChoice(ABC):
    """Finds the decompositions of a call at the moment when the search reaches it."""

    __slots__ = ()

    @property
    @abstractmethod
    def asks(self) -> tuple[Expression[Any] | Key, ...]:
        """The expressions and plain functions that are evaluated to find the decompositions."""


@dataclass(frozen=True, slots=True, eq=False)
class RandomOrder(DecompositionChoice):
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
        return all(isinstance(one, Constant) for one in self.asks)

    def order(self, view: RecordingView, args: Binding) -> tuple[int, ...]:
        """The indices of the methods in drawn order. Raises UnknownRead for an unknown weight."""
        weights, by = (
            [_known(one, view, args) for one in several] for several in (self.weights, self.by)
        )
        about = " ".join(map(stable_text, (*args, *by)))
        seed = SEED.evaluate(view)
        return drawn_order(weights, f"{seed}:{self.task}:{about}")


@dataclass(frozen=True, slots=True, eq=False)
class ValueChoice(DecompositionChoice):
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

    def candidates(self, view: RecordingView, args: Binding) -> tuple[Any, ...]:
        """The values to try, in order.

        Raises UnknownRead when the values are unknown, and DomainError when the expression gives
        something else than a collection of hashable values.
        """
        found = _known(self.values, view, args)
        if isinstance(found, str) or not isinstance(found, Iterable):
            raise _unusable(self, f"{value_text(found)} holds no values")
        values = sorted(found, key=stable_text) if isinstance(found, set | frozenset) else [*found]
        for value in values:
            if not isinstance(value, Hashable):
                raise _unusable(self, f"{value!r} is {type(value).__name__}, which can change")
        if self.key is None:
            return tuple(values)
        window = self.state_class.over(view)
        return used(Bindable(self.key), args, lambda key: _sorted(values, key, window))

    def with_value(self, args: Binding, value: Any) -> Binding:
        """The arguments with the value at its position, and None at positions not used yet."""
        room = (*args, *[None] * (self.position + 1 - len(args)))
        return (*room[: self.position], value, *room[self.position + 1 :])


def _known(expression: Expression[Any], view: RecordingView, args: Binding) -> Any:
    value = expression.evaluate(view, args)
    if value is UNKNOWN:
        raise UnknownRead(view.unknown)
    return value


def _sorted(values: list[Any], key: Key, window: State) -> tuple[Any, ...]:
    return tuple(sorted(values, key=lambda value: key(window, value)))


def _unusable(choice: ValueChoice, message: str) -> DomainError:
    return DomainError(
        Diagnostic(
            "BT117",
            message,
            where=f"values of '{choice.name}': {choice.values}",
            hint="one_of chooses among the hashable values of a tuple, or of a list",
        )
    )
