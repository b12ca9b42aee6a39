"""Plan: a tree, the record of how it came about, and what it will lead to."""

from __future__ import annotations

from collections.abc import Callable

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, network_text
from bthtn.plan.nodes import Node, PriorityNode, TaskNode
from bthtn.plan.record import MethodTraversalRecord
from bthtn.plan.walk import flat, fold, footprint, leaves
from bthtn.world.expression import Binding
from bthtn.world.footprint import Footprint
from bthtn.world.state import FrozenState


class Plan:
    """What a search found for a goal. Never changed; knows nothing of the search.

    ``expansions`` is what finding it took. The tree, the record and the predicted state may
    be given as functions that make them: then each is made when it is first asked for. Two
    threads may make one each; they are equal, since plans are data.
    """

    __slots__ = ("_predicted", "_record", "_tree", "binding", "domain", "expansions", "goal")

    def __init__(  # noqa: PLR0913, PLR0917 - the parts of a plan, in their order
        self,
        domain: FrozenDomain,
        goal: Network,
        binding: Binding,
        tree: Node | Callable[[], Node],
        record: MethodTraversalRecord | Callable[[], MethodTraversalRecord],
        predicted: FrozenState | Callable[[], FrozenState],
        expansions: int = 0,
    ) -> None:
        self.domain = domain
        self.goal = goal
        self.binding = binding
        self._tree = tree
        self._record = record
        self._predicted = predicted
        self.expansions = expansions

    @property
    def tree(self) -> Node:
        """Who decomposed what, down to the primitive tasks."""
        if callable(self._tree):
            self._tree = self._tree()
        return self._tree

    @property
    def record(self) -> MethodTraversalRecord:
        """Which choices were made."""
        if callable(self._record):
            self._record = self._record()
        return self._record

    @property
    def predicted(self) -> FrozenState:
        """The state after the plan; what alternatives disagree on is unknown there."""
        if callable(self._predicted):
            self._predicted = self._predicted()
        return self._predicted

    @property
    def goal_text(self) -> str:
        """The goal as it would be written."""
        return network_text(self.goal, self.binding)

    @property
    def steps(self) -> tuple[TaskNode, ...]:
        """The primitive tasks, left to right."""
        return tuple(leaves(self.tree))

    @property
    def cost(self) -> float:
        """Sum of the tasks' costs; of alternatives, the dearest counts."""
        return fold(self.tree, _cost)

    @property
    def footprint(self) -> Footprint:
        """What the plan reads, writes and uses, whichever way it goes."""
        return footprint(self.tree)

    def flat(self) -> Node:
        """The tree without scopes, as it is run."""
        return flat(self.tree)

    def __repr__(self) -> str:
        return f"<plan for {self.goal_text}: {len(self.steps)} steps, record {self.record!r}>"


def _cost(node: Node, below: tuple[float, ...]) -> float:
    if isinstance(node, TaskNode):
        return node.cost
    return max(below) if isinstance(node, PriorityNode) else sum(below)
