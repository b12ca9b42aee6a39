"""PlanPriority: alternatives, one of which is chosen when execution gets there."""

from __future__ import annotations

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector

from bthtn.behaviours.task_leaf import interruptible
from bthtn.plan.nodes import PriorityNode


class PlanPriority(Selector):
    """The first planned alternative that works in the actual state (semantics 2.4).

    It is chosen on arrival and kept while it runs; when it fails, the next one is tried. A
    reactive priority tries the earlier alternatives again at every tick and aborts the running
    one for them, except while an uninterruptible step runs.
    """

    def __init__(self, node: PriorityNode, children: list[Behaviour]) -> None:
        super().__init__(str(node), memory=not node.reactive, children=children)
        self.node = node

    def initialise(self) -> None:
        """Called by py_trees when a run starts; RUNNING, so that an end in the same tick is one."""
        self.status = Status.RUNNING

    def tick(self) -> Iterator[Behaviour]:
        """Tick as a py_trees selector, or only the alternative that must not be interrupted."""
        held = self.current_child if self.status is Status.RUNNING and not self.memory else None
        if held is None or interruptible(held):
            yield from super().tick()
            return
        yield from held.tick()
        # After a failure the others are tried in the next tick. In this one, a step of theirs
        # would be reported as refused although it was not even due.
        if held.status is Status.SUCCESS:
            self.stop(Status.SUCCESS)
        yield self
