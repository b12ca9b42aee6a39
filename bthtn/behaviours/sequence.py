"""PlanSequence: steps one after the other, however many there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Sequence

from bthtn.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.world.footprint import Footprint

_REMEMBERED: Final = 100
"""Finished steps that stay in a sequence which grows at run time, for whoever looks at it."""


class Placeholder(Behaviour):
    """A child in whose place a sequence puts others, once it knows which.

    It succeeds when ``replacement`` is there; the sequence goes on with those in the same tick.
    ``foreseen`` is what those will read, write and use, as far as that is known.
    """

    replacement: list[Behaviour] | None = None

    @property
    def foreseen(self) -> Footprint:
        """Nothing is known of them, unless a kind of placeholder knows more."""
        return Footprint()


class PlanSequence(Sequence):
    """py_trees' sequence with memory, with the same cost per tick for any number of children.

    The original looks its place up in the list of children at every tick, which makes a plan
    of ten thousand steps quadratic, and starts again when the child at hand is replaced.
    """

    def __init__(self, children: list[Behaviour], name: str = "sequence") -> None:
        super().__init__(name, memory=True, children=children)
        self._index = 0
        self._planned = tuple(children)

    def shutdown(self) -> None:
        """Called when the plan is taken down: steps that were let go, too."""
        shown = {child.id for child in self.children}
        for child in self._planned:
            if child.id not in shown:
                discard(child)

    @property
    def ahead(self) -> list[Behaviour]:
        """The child at hand and those behind it."""
        return self.children[self._index :]

    def tick(self) -> Iterator[Behaviour]:
        """Tick the child at hand and, while children succeed, those behind it."""
        if self.status is not RUNNING:
            self._restart()
        while self._index < len(self.children):
            child = self.current_child = self.children[self._index]
            yield from child.tick()
            if child.status is not SUCCESS:
                yield from self._leave(child.status)
                return
            if isinstance(child, Placeholder) and child.replacement is not None:
                self._replace(child, child.replacement)
            else:
                self._index += 1
        yield from self._leave(SUCCESS)

    def go_on_at(self, index: int, child: Behaviour) -> None:
        """Be running, with this child, which runs already, in the place of the one there."""
        self.children[index] = child
        child.parent = self
        self._planned = tuple(self.children)
        self._index, self.current_child, self.status = index, child, RUNNING

    def let_go(self, child: Behaviour) -> None:
        """Forget a child that goes on elsewhere."""
        self.children = [one for one in self.children if one is not child]
        self._planned = tuple(one for one in self._planned if one is not child)

    def _restart(self) -> None:
        """Begin with the children as they were planned, nothing of them done yet."""
        self._index = 0
        self.status = RUNNING
        reset(self.children)
        planned = {child.id for child in self._planned}
        for child in self.children:
            if child.id not in planned:
                discard(child)
        self.children = list(self._planned)
        for child in self.children:
            child.parent = self

    def _replace(self, child: Placeholder, replacement: list[Behaviour]) -> None:
        """Put the replacement where the child is, and let long finished steps go.

        A task that suspends itself at its own end makes a sequence that never ends.
        """
        for step in replacement:
            step.parent = self
        child.parent = None
        self.children[self._index : self._index + 1] = replacement
        forgotten = max(0, self._index - _REMEMBERED)
        planned = {step.id for step in self._planned}
        for step in self.children[:forgotten]:
            if step.id not in planned:
                discard(step)
        del self.children[:forgotten]
        self._index -= forgotten

    def _leave(self, status: Status) -> Iterator[Behaviour]:
        if status is RUNNING:
            self.status = status
        else:
            self.stop(SUCCESS if status is SUCCESS else FAILURE)
        yield self


def reset(children: list[Behaviour]) -> None:
    """Forget how children ended in an earlier run."""
    for child in children:
        if child.status is not INVALID:
            child.stop(INVALID)


def discard(subtree: Behaviour) -> None:
    """Take a subtree down for good, whatever its own code says to that.

    Its nodes let go of each other, of their iterators over themselves and of the blackboard,
    so that memory is given back at once and not when the garbage collector next stops the
    world.
    """
    for node in list(subtree.iterate()):
        with suppress(Exception):  # it is thrown away: nobody is left who could be told
            node.shutdown()
        for client in node.blackboards:
            client.unregister()
        node.iterator = iter(())
        node.parent = None
        node.children = []
