"""How far a construct has come: questions to the arguments of the task that stands for it.

``any_order`` keeps what it has done as the bits of a number, ``repeat`` what is left as a count.
A question that is answered with no says nothing about the world: nobody is told.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bthtn.world.expression import Binding, Expression, Parameter, StateView


class Progress(Expression[bool]):
    """Whether it is the turn of one method of a construct."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Due(Progress):
    """The part at ``place`` is not done, and those it has to wait for are."""

    done: Expression[int]
    place: int
    behind: tuple[int, ...]
    names: tuple[str, ...]

    def evaluate(self, view: StateView, binding: Binding = ()) -> bool:
        """Whether the part may come next."""
        bits: Any = self.done.evaluate(view, binding)
        return not bits >> self.place & 1 and all(bits >> place & 1 for place in self.behind)

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        """``roof is not done, walls and wires are``."""
        text = f"{self.names[self.place]} is not done"
        if not self.behind:
            return text
        waited = " and ".join(self.names[place] for place in self.behind)
        return f"{text}, {waited} {'are' if self.behind[1:] else 'is'}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AllDone(Progress):
    """All of so many parts are done."""

    done: Expression[int]
    parts: int

    def evaluate(self, view: StateView, binding: Binding = ()) -> bool:
        """Whether nothing is left."""
        bits: Any = self.done.evaluate(view, binding)
        return bool(bits == (1 << self.parts) - 1)

    def text(self, binding: Binding | None = None) -> str:  # noqa: ARG002 - protocol
        """``all are done``."""
        return "all are done"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Marked(Expression[int]):
    """What is done, once the part at ``place`` is done too."""

    done: Parameter[int]
    place: int

    def evaluate(self, view: StateView, binding: Binding = ()) -> int:
        """The number with one more bit."""
        bits: Any = self.done.evaluate(view, binding)
        return int(bits | 1 << self.place)

    def text(self, binding: Binding | None = None) -> str:
        """The number, or how it comes about."""
        if binding is not None:
            return str(binding[self.done.position] | 1 << self.place)
        return f"{self.done.text()} with {self.place}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OneLess(Expression[int]):
    """What is left once it was done one more time."""

    left: Parameter[int]

    def evaluate(self, view: StateView, binding: Binding = ()) -> int:
        """The number less one."""
        return self.left.evaluate(view, binding) - 1

    def text(self, binding: Binding | None = None) -> str:
        """The number, or how it comes about."""
        return "one less" if binding is None else str(binding[self.left.position] - 1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TimesLeft(Progress):
    """There is something left to repeat; not so when ``over``."""

    left: Expression[int]
    over: bool = False

    def evaluate(self, view: StateView, binding: Binding = ()) -> bool:
        """Whether to go on, or whether to end."""
        left: Any = self.left.evaluate(view, binding)
        return bool(left <= 0) is self.over

    def text(self, binding: Binding | None = None) -> str:
        """``times > 0``."""
        return f"{self.left.text(binding)} {'<=' if self.over else '>'} 0"
