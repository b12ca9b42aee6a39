"""PlanPriority: alternatives, one of which is chosen when execution gets there."""

from __future__ import annotations

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector

from bthtn.behaviours.sequence import reset
from bthtn.behaviours.status import mark_stopped
from bthtn.behaviours.task_leaf import interruptible
from bthtn.plan.nodes import PriorityNode


class PlanPriority(Selector):
    """The first planned alternative that works in the actual state (semantics 2.4).

    It is chosen on arrival and kept while it runs; when it fails, the next one is tried. A
    reactive priority tries the earlier alternatives again at every tick. The running one is
    aborted for the first of them that does not fail: before a step of that one starts, once its
    conditions hold. Two exceptions: while an uninterruptible step runs, none is tried; and one
    that has had another aborted and failed at once is not tried again while that one runs.

    Alternatives that have failed keep that status until they are tried again or the node starts
    anew, so that displays show the refused ones; py_trees' selector resets them at every tick.
    """

    def __init__(self, node: PriorityNode, children: list[Behaviour]) -> None:
        super().__init__(str(node), memory=not node.reactive, children=children)
        self.node = node
        self._in_vain: list[Behaviour] = []

    def initialise(self) -> None:
        """Called by py_trees when a run starts; RUNNING, so that an end in the same tick is one."""
        self.status, self.feedback_message = Status.RUNNING, ""
        self._in_vain = []
        reset(self.children)

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end, after the children have been stopped."""
        mark_stopped(self, new_status)

    def tick(self) -> Iterator[Behaviour]:
        """Tick the alternatives, or only the one that must not be interrupted."""
        running = self.current_child if self.status is Status.RUNNING else None
        if running is None:
            yield from super().tick()
        elif self.memory or interruptible(running):
            yield from self._try_again(running)
        else:
            yield from running.tick()
            # After a failure the others are tried in the next tick. In this one, a step of theirs
            # would be reported as refused although it was not even due.
            if running.status is Status.SUCCESS:
                self.stop(Status.SUCCESS)
            yield self

    def _try_again(self, running: Behaviour) -> Iterator[Behaviour]:
        """Try the alternatives in order; a step that starts has aborted the running one before.

        With memory those from the running one on, else all but those tried in vain.
        """
        first = self.children.index(running) if self.memory else 0
        for child in [one for one in self.children[first:] if one not in self._in_vain]:
            yield from child.tick()
            if child.status in (Status.RUNNING, Status.SUCCESS):
                self._choose(child)
                break
            if child is not running and running.status is not Status.RUNNING:
                self._in_vain.append(child)
        else:
            self.current_child = self.children[-1]
            self.stop(Status.FAILURE)
        yield self

    def _choose(self, child: Behaviour) -> None:
        if child is not self.current_child:
            self._in_vain = []
        self.current_child = child
        for later in self.children[self.children.index(child) + 1 :]:
            if later.status is Status.RUNNING:
                later.stop(Status.INVALID)
        if child.status is Status.SUCCESS:
            self.stop(Status.SUCCESS)
