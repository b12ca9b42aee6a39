"""Ways: how one call of a compound task can be decomposed, numbered as in the record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bthtn.domain.choice import Bound
from bthtn.domain.method import Method
from bthtn.world.expression import Binding
from bthtn.world.truth import value_text


@dataclass(frozen=True, slots=True, eq=False)
class Ways:
    """The ways of one call, most preferred first: methods, or values for a variable of one.

    Whether a way can be used is not known before its method's condition is asked.
    """

    methods: tuple[Method, ...]
    args: Binding
    variable: Bound | None = None
    values: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.methods if self.variable is None else self.values)

    def method(self, index: int) -> Method:
        """The method of this way."""
        return self.methods[index if self.variable is None else 0]

    def binding(self, index: int) -> Binding:
        """The values that the method's condition and body see."""
        if self.variable is None:
            return self.args
        return self.variable.bound(self.args, self.values[index])

    def name(self, index: int) -> str:
        """The method's name, or ``spot = 'b'``."""
        if self.variable is None:
            return self.methods[index].name
        return f"{self.variable.name} = {value_text(self.values[index])}"
