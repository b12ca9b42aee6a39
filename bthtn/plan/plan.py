"""Plan: a tree, the record of how it came about, and what it will lead to."""

from __future__ import annotations

from dataclasses import dataclass

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, network_text
from bthtn.plan.nodes import Node, PriorityNode, ScopeNode, TaskNode
from bthtn.plan.record import MethodTraversalRecord
from bthtn.plan.walk import flat, fold, footprint, leaves
from bthtn.world.expression import Binding
from bthtn.world.footprint import Footprint
from bthtn.world.state import FrozenState


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What a search found for a goal. Frozen; knows nothing of the search.

    ``predicted`` is the state after the plan; fluents on which alternatives disagree are
    unknown there. ``expansions`` is what finding it took.
    """

    domain: FrozenDomain
    goal: Network
    binding: Binding
    tree: Node
    record: MethodTraversalRecord
    predicted: FrozenState
    expansions: int = 0

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
        """Sum of the costs of tasks and methods; of alternatives, the dearest counts."""
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
    if isinstance(node, ScopeNode):
        return node.cost + below[0]
    return max(below) if isinstance(node, PriorityNode) else sum(below)
