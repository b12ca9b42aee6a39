"""Assignments: changes of a state that are data, and the references they change."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

from bthtn.engine.world.expression import (
    Binding,
    Constant,
    Expression,
    Parameter,
    StateView,
    as_expression,
)
from bthtn.engine.world.footprint import RecordingView, Write, WriteKind
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.truth import UNKNOWN, Unknown, value_text
from bthtn.engine.world.value_type import ValueType
from bthtn.errors import StateError
from bthtn.records import record

T = TypeVar("T")


class FluentReference(Expression[T]):
    """An expression that can be assigned to: a fluent, or a member of a family."""

    __slots__ = ()

    @property
    @abstractmethod
    def values(self) -> ValueType:
        """The values that the fluent may have."""

    @property
    def value_type(self) -> type:
        return self.values.kind

    @property
    def is_condition(self) -> bool:
        """Whether the fluent can be used as a condition: its values are, or can be, booleans."""
        return self.value_type in (bool, object)

    @abstractmethod
    def accepts(self, value: object) -> bool:
        """Whether the fluent may have this value."""

    @abstractmethod
    def ground(self, view: StateView, binding: Binding = ()) -> FluentReference[T] | Unknown:
        """The fluent that this refers to in the state, or UNKNOWN when its index is unknown."""

    def becomes(self, value: T | Expression[T] | Unknown) -> Assignment:
        """The effect that assigns a value. Raises StateError for a value of a wrong type."""
        return Assignment(self, self._fitting(value))

    def increases(self, by: T | Expression[T]) -> Assignment:
        """The effect that adds an amount. Raises StateError when it is not a number."""
        return self._growing(as_expression(by))

    def decreases(self, by: T | Expression[T]) -> Assignment:
        """The effect that subtracts an amount. Raises StateError when it is not a number."""
        amount = as_expression(by)
        if isinstance(amount, Constant):
            return self._growing(Constant(-amount.value if self._can_add(amount.value) else by))
        return self._growing(-1 * amount)

    def check(self, value: object) -> None:
        """Raise StateError unless the fluent may have this value."""
        if not self.accepts(value):
            values = self.values
            message = f"'{self.text()}' is {values.name}; {values.fault(value)}"
            raise StateError("BT106", message, "", values.advice(value))

    def check_write(self, value: object) -> None:
        """Raise StateError unless the fluent may be given this value by now."""
        self.check(value)

    def _fitting(self, value: object) -> Expression[Any]:
        expression = as_expression(value)
        if isinstance(expression, Constant):
            self.check(expression.value)
        if isinstance(expression, Parameter) and expression.type is not None:
            kinds, given = self.values.kinds, expression.type
            if not issubclass(given, kinds) and not (float in kinds and given is int):
                message = (
                    f"'{self.text()}' is {self.values.name};"
                    f" parameter '{expression.name}' is {given.__name__}"
                )
                raise StateError("BT106", message)
        return expression

    def _growing(self, amount: Expression[Any]) -> Assignment:
        if self.value_type not in (int, float):
            message = f"'{self.text()}' is {self.value_type.__name__} and cannot grow"
            hint = "only int and float fluents increase and decrease; use becomes(...)"
            raise StateError("BT106", message, hint=hint)
        if isinstance(amount, Constant) and not self._can_add(amount.value):
            shown = f"{value_text(amount.value)} is {type(amount.value).__name__}"
            message = f"'{self.text()}' is {self.value_type.__name__}; it cannot grow by {shown}"
            raise StateError("BT106", message)
        return Assignment(self, amount, grows=True)

    def _can_add(self, amount: object) -> bool:
        numbers = (int,) if self.value_type is int else (int, float)
        return isinstance(amount, numbers) and not isinstance(amount, bool)


@record(eq=False, repr=False)
class Assignment(Shared, Unpicklable):
    """An effect as data: set the target to the value, or add the value to it if it ``grows``."""

    target: FluentReference[Any]
    value: Expression[Any]
    grows: bool = False

    def write(self, view: StateView, binding: Binding = ()) -> Write:
        """The write to the target in this state. An increase does not read the target."""
        recorder = RecordingView(view)
        value = self.value.evaluate(recorder, binding)
        if not self.grows:
            kind = WriteKind.COMPUTED if recorder.readings else WriteKind.CONSTANT
            return Write(kind, value)
        if value is UNKNOWN:
            return Write(WriteKind.COMPUTED, UNKNOWN)
        return Write(WriteKind.INCREASE, value)

    def text(self, binding: Binding | None = None) -> str:
        """``ammo becomes 3``, ``health decreases by 1``."""
        verb, value = "becomes", self.value
        if self.grows:
            verb = "increases by"
            if isinstance(value, Constant) and value.value < 0:
                verb, value = "decreases by", Constant(-value.value)
        return f"{self.target.text(binding)} {verb} {value.text(binding)}"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{self.text()}>"
