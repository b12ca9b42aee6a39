"""Decompositions: all ways to decompose one call of a compound task.

Their indices are those in the record of a plan.
"""

from __future__ import annotations

from typing import Any

from bthtn.engine.domain.choice import TurnChoice, ValueChoice
from bthtn.engine.domain.method import Method
from bthtn.engine.world.expression import Binding


class Decompositions:
    """All ways to decompose one call, the preferred one first.

    There is one for each method or, if there is a ``variable``, one for each of its values, such as
    the turns of ``unordered``. It may turn out to be inapplicable: conditions of methods are not
    evaluated here.
    """

    __slots__ = ("args", "methods", "values", "variable")

    def __init__(
        self,
        methods: tuple[Method, ...],
        args: Binding,
        variable: ValueChoice | TurnChoice | None = None,
        values: tuple[Any, ...] = (),
    ) -> None:
        self.methods = methods
        self.args = args
        self.variable = variable
        self.values = values

    def __len__(self) -> int:
        return len(self.methods if self.variable is None else self.values)

    def method(self, index: int) -> Method:
        return self.methods[index if self.variable is None else 0]

    def binding(self, index: int) -> Binding:
        """The values of the parameters in the method's condition and body."""
        if self.variable is None:
            return self.args
        return self.variable.with_value(self.args, self.values[index])

    def name(self, index: int) -> str:
        """The method's name, or ``spot = 'b'``."""
        if self.variable is None:
            return self.methods[index].name
        return self.variable.label(self.values[index])

    def avoidable(self, index: int) -> tuple[Method, Binding]:
        """The method and its binding by which the decomposition is excluded."""
        if isinstance(self.variable, TurnChoice) and self.values[index].method is not None:
            return self.values[index].method, self.values[index].binding
        return self.method(index), self.binding(index)
