"""Stacks: what was at work, one inside of the other, and for how long.

    character soldier               own time passes for the innermost one
      node survive
        condition in danger         a call adds one inside, and its end goes back to where it was
      node fight                    an iterator's call is entered again for each of its steps
        search fight

There are as many as there were different ones, however long the run is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple


class Label(NamedTuple):
    """What a row is about."""

    kind: str
    name: str


class Stack:
    """Something at work inside of other things: its calls, and the nanoseconds that they took.

    ``own`` is the time in which nothing inside was at work, ``longest`` that of the longest call,
    with all that was inside.
    """

    __slots__ = ("calls", "inside", "label", "longest", "outside", "own")

    def __init__(self, label: Label, outside: Stack | None) -> None:
        self.label = label
        self.outside = outside
        self.inside: dict[Label, Stack] = {}
        self.calls = self.own = self.longest = 0

    @property
    def labels(self) -> tuple[Label, ...]:
        """Its label behind those of the stacks around it, of which the outermost one has none."""
        return tuple(stack.label for stack in reversed(list(self._outward())))

    @property
    def is_inside_itself(self) -> bool:
        """Whether something of its label is around it, which has its time already."""
        return self.label in self.labels[:-1]

    def _outward(self) -> Iterator[Stack]:
        stack = self
        while stack.outside is not None:
            yield stack
            stack = stack.outside


class Stacks:
    """All stacks, each behind those around it, and the one that is at work, for its ``subject``."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self.is_running = False
        self.all: list[Stack] = []
        self.at = Stack(Label("", ""), None)
        self.subject: object = None
        self._since = self._counted = 0

    def start(self) -> None:
        """Let time count from now on."""
        self.is_running = True
        self._since = self._clock()

    def stop(self) -> None:
        """Let no more time count, not that of calls either that have not ended."""
        self.turn()
        self.is_running = False

    def turn(self) -> int:
        """Count what has passed since the last turn for the one at work; all that has counted."""
        if self.is_running:
            now = self._clock()
            passed, self._since = now - self._since, now
            self.at.own += passed
            self._counted += passed
        return self._counted

    def inside(self, label: Label) -> Stack:
        """The stack of a label inside of the one at work."""
        stack = self.at.inside.get(label)
        if stack is None:
            stack = self.at.inside[label] = Stack(label, self.at)
            self.all.append(stack)
        return stack


class Call:
    """A context in which something is at work: one call, though it may be entered many times."""

    __slots__ = ("_before", "_began", "_label", "_spent", "_stack", "_stacks", "_subject")

    def __init__(self, stacks: Stacks, label: Label, subject: object) -> None:
        self._stacks = stacks
        self._label = label
        self._subject = subject
        self._spent = 0
        self._stack: Stack | None = None

    def __enter__(self) -> None:
        stacks, stack = self._stacks, self._stack
        self._began = stacks.turn()
        self._before = stacks.at, stacks.subject
        if stack is None:
            stack = self._stack = stacks.inside(self._label)
            stack.calls += 1
        stacks.at, stacks.subject = stack, self._subject

    def __exit__(self, *_: object) -> None:
        """Go back to what was at work before."""
        stacks, stack = self._stacks, self._stack
        assert stack is not None, "it was entered"
        self._spent += stacks.turn() - self._began
        stack.longest = max(stack.longest, self._spent)
        stacks.at, stacks.subject = self._before
