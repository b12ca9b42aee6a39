"""Choices: how the decompositions of a call are found, if not simply one for each method.

A task with a ``RandomOrder`` has one decomposition for each method, in an order drawn by weight;
a task with a ``ValueChoice`` has one for each value of a variable, or of several; a task with a
``TurnChoice`` has one for each turn of ``unordered``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bthtn.engine.domain.bindable import Bindable
from bthtn.engine.domain.chance import SEED, drawn_order, stable_text, values_in_order
from bthtn.engine.domain.function import blame
from bthtn.engine.domain.join import HINT, Join
from bthtn.engine.world.expression import Binding, Constant, Expression
from bthtn.engine.world.fluent import UnknownRead
from bthtn.engine.world.footprint import ReadRecorder
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import UNKNOWN, value_text
from bthtn.records import record

Key = Callable[..., Any]
"""A function of the state and a value, or several: those with the lowest result come first."""


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
    """One decomposition for each value of a variable, or of several that are chosen at once.

    ``positions`` are the indices of the variables' values among the task's arguments, ``ranges``
    the expressions for the values. Several are chosen by a ``join``, and so are those of which
    some are known not to fit.
    """

    names: tuple[str, ...]
    positions: tuple[int, ...]
    ranges: tuple[Expression[Any], ...]
    key: Key | None
    state_class: type[State]
    join: Join | None = None

    @property
    def asks(self) -> tuple[Expression[Any] | Key, ...]:
        """The expressions for the values, the conditions of a join, and the key if there is one."""
        conditions = () if self.join is None else self.join.conditions
        keys = () if self.key is None else (self.key,)
        return (*self.ranges, *conditions, *keys)

    def candidates(self, view: ReadRecorder, args: Binding) -> tuple[Any, ...]:
        """The values to try, in order; of several variables, tuples of values.

        Raises UnknownRead when the values are unknown, and DomainError when the expression gives
        something else than a collection of hashable values.
        """
        if self.join is not None:
            rows = self._sorted(self.join.rows(view, args, known_value), view, args, are_rows=True)
            return self.join.chosen(rows, self.positions)
        (values,) = self.ranges
        listed = values_in_order(known_value(values, view, args), self._where, HINT)
        return tuple(self._sorted(listed, view, args, are_rows=False))

    def _sorted(
        self, values: list[Any], view: ReadRecorder, args: Binding, *, are_rows: bool
    ) -> list[Any]:
        if self.key is None:
            return values
        window = self.state_class.over(view)
        try:
            key = Bindable(self.key).bound(args)
            if are_rows:
                return sorted(values, key=lambda row: key(window, *row))
            return sorted(values, key=lambda value: key(window, value))
        except UnknownRead:
            raise
        except Exception as error:  # noqa: BLE001 - raised as the function's
            blame(self.key, error)

    def _where(self) -> str:
        return f"values of '{self.names[0]}': {self.ranges[0]!s}"

    def assigned(self, value: Any) -> dict[int, Any]:
        """The values of the variables by their positions among the arguments."""
        values = value if len(self.positions) > 1 else (value,)
        return dict(zip(self.positions, values, strict=True))

    def with_value(self, args: Binding, value: Any) -> Binding:
        """The arguments with the values at their positions, and None at positions not used yet."""
        if self.positions == (len(args),):
            return (*args, value)
        room = [*args, *[None] * (max(self.positions) + 1 - len(args))]
        for position, given in self.assigned(value).items():
            room[position] = given
        return tuple(room)

    def label(self, value: Any) -> str:
        values = self.assigned(value).values()
        pairs = zip(self.names, values, strict=True)
        return ", ".join(f"{name} = {value_text(given)}" for name, given in pairs)


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
