"""PlanSequence: one step after the other, with the name of a task or with a cleanup.

with cleanup ── draw, attack, cleanup ── holster   all goes well: as planned
with cleanup ── draw, [attack]                     it fails or is aborted: the cleanup is owed,
                                                   and ``run.clean_up`` has it done
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final, TypeVar

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite, Sequence

from bthtn.behaviours.plan_run import Path, PlanRun
from bthtn.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS, mark_stopped
from bthtn.domain.task import call_text
from bthtn.plan.nodes import ScopeNode, SuspendedNode
from bthtn.world.footprint import Footprint

S = TypeVar("S", bound="PlanSequence")

_REMEMBERED: Final = 100
"""Finished steps that stay in a sequence which grows at run time, for displays of the tree."""


class Placeholder(Behaviour):
    """A child of a sequence that is replaced by other children at run time.

    It succeeds once ``replacement`` is set; the sequence goes on with those in the same tick.
    """

    node: SuspendedNode
    replacement: list[Behaviour] | None = None

    @property
    def foreseen(self) -> Footprint:
        """The predicted reads, writes and resources of the replacement, as far as known."""
        return Footprint()


class PlanSequence(Sequence):
    """py_trees' sequence with memory, with the same cost per tick for any number of children.

    The original looks its place up in the list of children at every tick, which makes a plan
    of ten thousand steps quadratic, and starts again when the child at hand is replaced.
    """

    def __init__(self, children: list[Behaviour], name: str = "sequence") -> None:
        super().__init__(name, memory=True, children=children)
        self._index = 0
        self._planned = dict.fromkeys(children)

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end, after the children have been stopped."""
        mark_stopped(self, new_status)

    def shutdown(self) -> None:
        """Called when the plan is taken down; finished steps no longer shown are discarded too."""
        shown = {child.id for child in self.children}
        for child in self._planned:
            if child.id not in shown:
                discard(child)

    @property
    def ahead(self) -> list[Behaviour]:
        """The current child and the later ones."""
        return self.children[self._index :]

    def tick(self) -> Iterator[Behaviour]:
        """Tick the current child and, as long as children succeed, the later ones."""
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
        """Put a child that is already running at ``index``, and continue from there."""
        self.children[index] = child
        child.parent = self
        self._planned = dict.fromkeys(self.children)
        self._index, self.current_child, self.status = index, child, RUNNING

    def let_go(self, child: Behaviour) -> None:
        """Remove a child that continues in another subtree, without stopping it."""
        self.children = [one for one in self.children if one is not child]
        self._planned.pop(child, None)

    def _restart(self) -> None:
        """Start from the first of the planned children, with replacements undone."""
        self._index = 0
        self.status = RUNNING
        self.feedback_message = ""
        for child in self.children:
            if child not in self._planned:
                discard(child)
        self.children = list(self._planned)
        reset(self.children)
        for child in self.children:
            child.parent = self

    def _replace(self, child: Placeholder, replacement: list[Behaviour]) -> None:
        """Put the replacement in the child's place."""
        for step in replacement:
            step.parent = self
        child.parent = None
        self.children[self._index : self._index + 1] = replacement
        # A task that suspends itself at its own end makes a sequence that grows for ever: steps
        # that finished long ago are discarded.
        forgotten = max(0, self._index - _REMEMBERED)
        for step in self.children[:forgotten]:
            if step not in self._planned:
                discard(step)
        del self.children[:forgotten]
        self._index -= forgotten

    def _leave(self, status: Status) -> Iterator[Behaviour]:
        if status is RUNNING:
            self.status = status
        else:
            self.stop(SUCCESS if status is SUCCESS else FAILURE)
        yield self


class PlanScope(PlanSequence):
    """The steps of a compound task, under the name of the task."""

    def __init__(self, node: ScopeNode, steps: list[Behaviour]) -> None:
        super().__init__(steps, call_text(node.task, node.args))
        self.node = node


class PlanCleanup(PlanSequence):
    """The cleanup at the end of a PlanWithCleanup, as it was planned with the rest."""


class PlanWithCleanup(PlanSequence):
    """The steps of a ``with_cleanup``, followed by its cleanup.

    It ``is_open`` from the start of its first step until its cleanup is done, has failed, or is
    owed: every time it is opened, exactly one of these happens.
    """

    def __init__(self, node: ScopeNode, path: Path, run: PlanRun, steps: list[Behaviour]) -> None:
        super().__init__(steps, str(node))
        self.node = node
        self.path = path
        self.is_open = False
        self._run = run

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end, after the children have been stopped."""
        super().terminate(new_status)
        was_open, self.is_open = self.is_open, False
        if not was_open or new_status is SUCCESS:
            return
        self._run.is_repairable = False
        if new_status is FAILURE and isinstance(self.current_child, PlanCleanup):
            return  # the cleanup itself failed; it is tried once
        self._run.clean_up(self.node, self.path, self._run)


def enclosing(node: Behaviour, kind: type[S]) -> Iterator[S]:
    """Yield the sequences of a kind that a behaviour stands in, innermost first."""
    above = node.parent
    while isinstance(above, Composite):
        if isinstance(above, kind):
            yield above
        above = above.parent


def reset(children: list[Behaviour]) -> None:
    """Set the children that ended in an earlier run back to INVALID, without their messages."""
    for child in children:
        if child.status is not INVALID:
            child.stop(INVALID)
        if child.feedback_message:
            _clear_messages(child)


def _clear_messages(node: Behaviour) -> None:
    node.feedback_message = ""
    for child in node.children if isinstance(node, Composite) else ():
        _clear_messages(child)


def discard(subtree: Behaviour) -> None:
    """Shut down a subtree that is not needed any more, and cut the references between its nodes.

    Without the cuts a discarded plan is a cycle: its memory would stay until the garbage
    collector's next full run, a pause in the middle of a game.
    """
    for node in list(subtree.iterate()):
        with suppress(Exception):  # no listener is left to report it to
            node.shutdown()
        for client in node.blackboards:
            client.unregister()
        node.iterator = iter(())
        node.parent = None
        node.children = []
