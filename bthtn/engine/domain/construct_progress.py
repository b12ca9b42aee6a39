"""Conditions and arguments of the anonymous tasks that count the progress of a construct.

``any_order`` keeps the set of finished parts as the bits of a number, ``repeat`` the number of
repetitions left. These conditions depend on arguments only, not on the state, so a planner does
not report a method as rejected when one of them is false.
"""

from __future__ import annotations

from typing import Any

from bthtn.engine.world.expression import Binding, Expression, Parameter, StateView
from bthtn.records import record


class TurnCondition(Expression[bool]):
    """The condition of one method of a construct: whether it is this method's turn."""

    __slots__ = ()


@record(eq=False, repr=False)
class Due(TurnCondition):
    """True when the part at ``place`` is not done, and all parts in ``behind`` are done."""

    done: Expression[int]
    place: int
    behind: tuple[int, ...]
    names: tuple[str, ...]

    def evaluate(self, view: StateView, binding: Binding = ()) -> bool:
        bits: Any = self.done.evaluate(view, binding)
        return not bits >> self.place & 1 and all(bits >> place & 1 for place in self.behind)

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        text = f"{self.names[self.place]} is not done"
        if not self.behind:
            return text
        waited = " and ".join(self.names[place] for place in self.behind)
        return f"{text}, {waited} {'are' if self.behind[1:] else 'is'}"


@record(eq=False, repr=False)
class AllDone(TurnCondition):
    """True when all parts are done."""

    done: Expression[int]
    parts: int

    def evaluate(self, view: StateView, binding: Binding = ()) -> bool:
        bits: Any = self.done.evaluate(view, binding)
        return bool(bits == (1 << self.parts) - 1)

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        return "all are done"


@record(eq=False, repr=False)
class MarkDone(Expression[int]):
    """The set of finished parts with the part at ``place`` added."""

    done: Parameter[int]
    place: int

    def evaluate(self, view: StateView, binding: Binding = ()) -> int:
        bits: Any = self.done.evaluate(view, binding)
        return int(bits | 1 << self.place)

    def text(self, binding: Binding | None = None) -> str:
        if binding is not None:
            return str(binding[self.done.position] | 1 << self.place)
        return f"{self.done.text()} with {self.place}"


@record(eq=False, repr=False)
class OneLess(Expression[int]):
    """The number of repetitions left after one more."""

    left: Parameter[int]

    def evaluate(self, view: StateView, binding: Binding = ()) -> int:
        return self.left.evaluate(view, binding) - 1

    def text(self, binding: Binding | None = None) -> str:
        return "one less" if binding is None else str(binding[self.left.position] - 1)


@record(eq=False, repr=False)
class TimesLeft(TurnCondition):
    """True while repetitions are left; with ``over``, when none is left."""

    left: Expression[int]
    over: bool = False

    def evaluate(self, view: StateView, binding: Binding = ()) -> bool:
        left: Any = self.left.evaluate(view, binding)
        return bool(left <= 0) is self.over

    def text(self, binding: Binding | None = None) -> str:
        return f"{self.left.text(binding)} {'<=' if self.over else '>'} 0"
