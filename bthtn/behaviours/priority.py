"""PlanPriority: the choice that was left open until now."""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector

from bthtn.plan.nodes import PriorityNode


class PlanPriority(Selector):
    """The first planned alternative that works in the actual state (semantics 2.4).

    Chosen on arrival and kept while it runs; on failure the next one is tried. A reactive one
    asks earlier alternatives again at every tick, and aborts the running one for them.
    """

    def __init__(self, node: PriorityNode, children: list[Behaviour]) -> None:
        super().__init__(str(node), memory=not node.reactive, children=children)
        self.node = node

    def initialise(self) -> None:
        """Called by py_trees when a run begins: an end of it is an end, even in the first tick."""
        self.status = Status.RUNNING
