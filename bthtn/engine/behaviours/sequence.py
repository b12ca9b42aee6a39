"""PlanSequence: one step after the other, with the name of a task or with a cleanup.

with cleanup ── draw, attack, cleanup ── holster   all goes well: as planned
with cleanup ── draw, [attack]                     it fails or is aborted: the cleanup is owed,
                                                   and the plan's owner has it done

It cannot be py_trees' own Sequence: that one searches its list of children for the current one at
every tick, and begins again at the first when the current one is replaced. Plans have thousands of
steps, and suspended parts are replaced by their steps while the sequence runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Sequence

from bthtn.engine.behaviours.plan_behaviour import PlanComposite, PlanLeaf, discard, reset
from bthtn.engine.behaviours.plan_run import Path, PlanRun
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.domain.task import call_text
from bthtn.engine.plan.nodes import ScopeNode, SuspendedNode
from bthtn.engine.world.footprint import Footprint

S = TypeVar("S", bound="PlanSequence")

_REMEMBERED: Final = 100
"""Finished steps that stay in a sequence which grows at run time, for displays of the tree."""


class Placeholder(PlanLeaf):
    """A child of a sequence that is replaced by other children at run time.

    It succeeds once ``replacement`` is set; the sequence goes on with those in the same tick.
    """

    node: SuspendedNode
    replacement: list[Behaviour] | None = None

    @property
    def foreseen(self) -> Footprint:
        """The predicted reads, writes and resources of the replacement, as far as known."""
        return Footprint()


class PlanSequence(PlanComposite, Sequence):
    """py_trees' sequence with memory, with the same cost per tick for any number of children.

    The original looks its place up in the list of children at every tick, which makes a plan
    of ten thousand steps quadratic, and starts again when the child at hand is replaced.
    """

    memory = True

    def __init__(self, children: list[Behaviour], node: ScopeNode | None = None) -> None:
        super().__init__(children)
        self.node = node
        self._index = 0
        self._planned: list[Behaviour] | None = None
        """The children as they were planned, once some of them were replaced."""

    def _title(self) -> str:
        """The name that displays show."""
        return "sequence" if self.node is None else str(self.node)

    @property
    def taking_part(self) -> list[Behaviour]:
        """The current child while it runs: those before it have ended, those behind wait."""
        if self.status is not RUNNING:
            return self.children
        return self.children[self._index : self._index + 1]

    def shutdown(self) -> None:
        """Called when the plan is taken down; finished steps no longer shown are discarded too."""
        if self._planned is not None:
            self._discard_all_but(self.children, self._planned)

    @property
    def ahead(self) -> list[Behaviour]:
        """The current child and the later ones."""
        return self.children[self._index :]

    @property
    def planned(self) -> list[Behaviour]:
        """The children with which it begins anew: suspended parts are not replaced yet."""
        return self.children if self._planned is None else self._planned

    @property
    def replaced(self) -> list[SuspendedNode]:
        """The suspended parts that stand again where others were put, once it begins anew."""
        return [child.node for child in self._planned or () if isinstance(child, Placeholder)]

    def tick(self) -> Iterator[Behaviour]:
        """Tick the current child and, as long as children succeed, the later ones."""
        if self.status is not RUNNING:
            self._restart()
        status = SUCCESS
        while self._index < len(self.children):
            self.current_child = child = self.children[self._index]
            yield from child.tick()
            status = child.status
            if status is not SUCCESS:
                break
            if isinstance(child, Placeholder) and child.replacement is not None:
                self._replace(child, child.replacement)
            else:
                self._index += 1
        if status is RUNNING:
            self.status = status
        else:
            self._leave(status)
        yield self

    def waits(self) -> Wait:
        """For the current child."""
        return AT_ONCE if self.current_child is None else Wait(below=(self.current_child,))

    def go_on_at(self, index: int, child: Behaviour) -> None:
        """Put a child that is already running at ``index``, and continue from there."""
        self.children[index] = child
        child.parent = self
        self._planned = None
        self._index, self.current_child, self.status = index, child, RUNNING

    def splice(self, start: int, old: list[Behaviour], new: PlanSequence) -> None:
        """Put the children of a new sequence, which may be running, in the place of old ones."""
        stop, steps = start + len(old), new.children
        self.children[start:stop] = steps
        if self._planned is not None:  # what was planned on arrival is planned anew
            gone = [n for n, child in enumerate(self._planned) if child in old]
            if gone:
                self._planned[gone[0] : gone[-1] + 1] = steps
        for step in steps:
            step.parent = self
        if self._index >= stop and old:
            self._index += len(steps) - len(old)
        elif self._index >= start:
            self._index = start + (new._index if new.status is RUNNING else 0)
        if self._index < len(self.children):
            self.current_child = self.children[self._index]

    def let_go(self, child: Behaviour) -> None:
        """Remove a child that continues in another subtree, without stopping it."""
        self.children.remove(child)
        if self._planned is not None:
            self._planned = [step for step in self._planned if step is not child]

    def stop(self, new_status: Status = INVALID) -> None:
        """Called at every end; stopped from outside, it stops the children that it has ticked.

        Behind the current child all are as they were made, since every run begins with a reset.
        """
        if new_status is INVALID:
            self.current_child = None
            for child in self.children[: self._index + 1]:
                if child.status is not INVALID:
                    child.stop(INVALID)
        self.terminate(new_status)
        self.status = new_status

    def _restart(self) -> None:
        """Start from the first of the planned children, with replacements undone."""
        self._index = 0
        self.status = RUNNING
        if self.feedback_message:
            self.feedback_message = ""
        elif self.current_child is None and self._planned is None:
            return  # the children are as they were made
        if self._planned is not None:
            self._discard_all_but(self._planned, self.children)
            self.children, self._planned = self._planned, None
            for child in self.children:
                child.parent = self
        reset(self.children)

    def _replace(self, child: Placeholder, replacement: list[Behaviour]) -> None:
        if self._planned is None:
            self._planned = self.children.copy()
        for step in replacement:
            step.parent = self
        child.parent = None
        child.shutdown()  # else it keeps what it was replaced by, and that its own, and so on
        self.children[self._index : self._index + 1] = replacement
        # A task that suspends itself at its own end makes a sequence that grows for ever: steps
        # that finished long ago are discarded.
        forgotten = max(0, self._index - _REMEMBERED)
        if forgotten:
            self._discard_all_but(self._planned, self.children[:forgotten])
            del self.children[:forgotten]
            self._index -= forgotten

    @staticmethod
    def _discard_all_but(kept: list[Behaviour], steps: list[Behaviour]) -> None:
        needed = set(kept)
        for step in steps:
            if step not in needed:
                discard(step)

    def _leave(self, status: Status) -> None:
        """End with this status; any other than SUCCESS is a failure."""
        self.stop(SUCCESS if status is SUCCESS else FAILURE)


class PlanScope(PlanSequence):
    """The steps of a compound task, under the name of the task."""

    node: ScopeNode

    def _title(self) -> str:
        """The name of the task, with its arguments."""
        return call_text(self.node.task, self.node.args)


class PlanCleanup(PlanSequence):
    """The cleanup at the end of a PlanWithCleanup, as it was planned with the rest."""


class PlanWithCleanup(PlanSequence):
    """The steps of a ``with_cleanup``, followed by its cleanup.

    It ``is_open`` from the start of its first step until its cleanup is done, has failed, or is
    owed: every time it is opened, exactly one of these happens.
    """

    node: ScopeNode

    def __init__(
        self,
        children: list[Behaviour],
        node: ScopeNode,
        path: Path,
        run: PlanRun,
    ) -> None:
        super().__init__(children, node)
        self.path = path
        self.is_open = False
        self._run = run
        run.has_cleanups = True

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end, after the children have been stopped."""
        super().terminate(new_status)
        was_open, self.is_open = self.is_open, False
        if not was_open or new_status is SUCCESS:
            return
        self._run.is_repairable = False
        if new_status is FAILURE and isinstance(self.current_child, PlanCleanup):
            return  # the cleanup itself failed; it is tried once
        self._run.owner.owe_cleanup(self.node, self.path, self._run)


def enclosing(node: Behaviour, kind: type[S]) -> Iterator[S]:
    """Yield the sequences of a kind that a behaviour stands in, innermost first."""
    above = node.parent
    while isinstance(above, PlanComposite):
        if isinstance(above, kind):
            yield above
        above = above.parent
