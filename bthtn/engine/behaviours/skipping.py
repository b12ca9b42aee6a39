"""Nodes that are skipped, as in BehaviorTree.CPP, and sequences that go on past them.

py_trees has no status for that. A node that is skipped has the status INVALID after its tick, as
if it had not been ticked. A decorator passes that on, and so do the nodes of ``control``.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from py_trees import composites
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.decorators import Decorator, SuccessIsRunning

from bthtn.engine.behaviours.control import IfThenElse, Parallel, Switch, WhileDoElse
from bthtn.engine.behaviours.decorators import RunOnce
from bthtn.engine.behaviours.plan_behaviour import reset
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import Wait, in_order
from bthtn.engine.world.sharing import Unpicklable


class Skip(Unpicklable, Behaviour):
    """Is always skipped."""

    def update(self) -> Status:
        """Called by py_trees at every tick."""
        return INVALID

    def waits(self) -> Wait:
        """For nothing."""
        return Wait()


class _InOrder(Unpicklable, composites.Composite):
    """Ticks its children in order, as long as they are skipped or end with one status.

    It is skipped itself when all of them are. With ``memory`` it goes on at the child that ran.
    """

    memory: bool
    _goes_on: Status
    _keeps_its_place = False
    """Whether it goes on at the same child even when that has failed, or was stopped."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self._place = self._skipped = 0

    def tick(self) -> Iterator[Behaviour]:
        if self.status is not RUNNING:
            self.initialise()
            reset(self.children)
            self._skipped = 0
            if not self._keeps_its_place:
                self._place = 0
            self.status = RUNNING
        if not self.memory:
            self._place = self._skipped = 0
        status = self._goes_on
        while self._place < len(self.children):
            child = self.current_child = self.children[self._place]
            yield from child.tick()
            if child.status not in (self._goes_on, INVALID):
                status = child.status
                break
            self._skipped += child.status is INVALID
            self._place += 1
        else:
            self._place = 0
            if self._skipped == len(self.children):
                status = INVALID
        if status is RUNNING:
            self._stop_others(self.current_child)
        else:
            self._stop_others(None)
            self.stop(status)
        self.status = status
        yield self

    def waits(self) -> Wait:
        """For the child that decided, and without memory for those before it."""
        return in_order(self, memory=self.memory)

    def _stop_others(self, kept: Behaviour | None) -> None:
        for child in self.children:
            if child is not kept and child.status is RUNNING:
                child.stop(INVALID)


class SkippingSequence(_InOrder, composites.Sequence):
    """A sequence that goes on past a child that is skipped."""

    _goes_on = SUCCESS


class SkippingSelector(_InOrder, composites.Selector):
    """A selector that goes on past a child that is skipped."""

    _goes_on = FAILURE


class SequenceWithMemory(SkippingSequence):
    """A sequence that begins at the child that failed, or ran, when it is ticked again.

    py_trees' sequence with memory begins with its first child again after a failure.
    """

    _keeps_its_place = True


class Precondition(IfThenElse):
    """Asks its condition before it begins ``then``, and again when that has ended.

    It is not asked again while ``then`` was only stopped or skipped.
    """

    _is_begun = False

    def _branch(self) -> Generator[Behaviour, None, Behaviour | Status]:
        if self._is_begun:
            return self.children[1]
        found = yield from super()._branch()
        self._is_begun = found is self.children[1]
        return found

    def stop(self, new_status: Status = INVALID) -> None:
        """Called when it has ended, or is interrupted."""
        self._is_begun = self._is_begun and new_status is INVALID
        super().stop(new_status)


class KeepsRunning(Unpicklable, SuccessIsRunning):
    """Runs until its child fails, also while that is skipped."""

    def update(self) -> Status:
        """Called by py_trees after the child's tick."""
        status = super().update()
        return RUNNING if status is INVALID else status

    def waits(self) -> Wait:
        """For its child."""
        return Wait(below=self.children)


def may_be_skipped(node: Behaviour) -> bool:
    """Whether a tick of a node can leave it skipped."""
    match node:
        case Skip():
            return True
        case RunOnce():
            return node.then is INVALID or may_be_skipped(node.decorated)
        case IfThenElse() | WhileDoElse() | Switch():
            return any(map(may_be_skipped, node.children))
        case KeepsRunning():
            return False
        case Decorator():
            return may_be_skipped(node.decorated)
        case _InOrder() | Parallel():
            return bool(node.children) and all(map(may_be_skipped, node.children))
        case _:
            return False
