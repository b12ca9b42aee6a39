"""PlanPriority: the choice that was left open until now."""

from __future__ import annotations

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector

from bthtn.behaviours.task_leaf import interruptible
from bthtn.plan.nodes import PriorityNode


class PlanPriority(Selector):
    """The first planned alternative that works in the actual state (semantics 2.4).

    Chosen on arrival and kept while it runs; on failure the next one is tried. A reactive one
    asks earlier alternatives again at every tick, and aborts the running one for them; not
    while a step of it is uninterruptible.
    """

    def __init__(self, node: PriorityNode, children: list[Behaviour]) -> None:
        super().__init__(str(node), memory=not node.reactive, children=children)
        self.node = node

    def initialise(self) -> None:
        """Called by py_trees when a run begins: an end of it is an end, even in the first tick."""
        self.status = Status.RUNNING

    def tick(self) -> Iterator[Behaviour]:
        """As py_trees ticks a selector; or the one alternative that cannot be left now."""
        held = self.current_child if self.status is Status.RUNNING and not self.memory else None
        if held is None or interruptible(held):
            yield from super().tick()
            return
        yield from held.tick()
        # After a failure the others are asked in the next tick: a step that was passed over in
        # this one is not to be seen as refused.
        if held.status is Status.SUCCESS:
            self.stop(Status.SUCCESS)
        yield self
