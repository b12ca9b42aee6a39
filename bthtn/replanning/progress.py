"""Progress: how far a plan has come. What is finished, running and ahead, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from bthtn.plan.nodes import Node, PriorityNode, SuspendedNode, TaskNode
from bthtn.plan.walk import children_of, preorder


class Stage(Enum):
    """Where one step of a plan stands."""

    AHEAD = "ahead"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """How far a plan has come; nodes are told apart by identity.

    ``stages`` are those of the steps: one that is missing has ended and was let go. ``planned``
    has what was planned for suspended parts on arrival, ``passed`` for a priority node how many
    alternatives are over.
    """

    tree: Node
    stages: Mapping[TaskNode, Stage]
    planned: Mapping[SuspendedNode, Node] = field(default_factory=dict)
    passed: Mapping[PriorityNode, int] = field(default_factory=dict)

    @classmethod
    def at_start(cls, tree: Node) -> Progress:
        """That of a plan which has not begun."""
        nodes = (node for _, node in preorder(tree))
        return cls(tree, {node: Stage.AHEAD for node in nodes if isinstance(node, TaskNode)})

    def stage(self, node: TaskNode) -> Stage:
        """Where a step stands."""
        return self.stages.get(node, Stage.FINISHED)

    def below(self, node: Node) -> tuple[Node, ...]:
        """The nodes directly below; below a suspended part, what was planned for it."""
        if isinstance(node, SuspendedNode):
            return (self.planned[node],) if node in self.planned else ()
        return children_of(node)

    def nodes(self) -> Iterator[Node]:
        """Every node, parents before children, left to right."""
        pending: list[Node] = [self.tree]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(self.below(node)))

    def begun(self) -> frozenset[Node]:
        """The nodes in which a step has started, or a suspended part was planned."""
        above: dict[Node, Node] = {}
        found: set[Node] = set()
        for node in self.nodes():
            above.update((child, node) for child in self.below(node))
            started = isinstance(node, TaskNode) and self.stage(node) is not Stage.AHEAD
            reached: Node | None = node if started or node in self.planned else None
            while reached is not None and reached not in found:
                found.add(reached)
                reached = above.get(reached)
        return frozenset(found)

    def unfinished(self) -> list[TaskNode | SuspendedNode]:
        """The steps and suspended parts that have not ended, left to right."""
        return [
            node
            for node in self.nodes()
            if (isinstance(node, TaskNode) and self.stage(node) in (Stage.AHEAD, Stage.RUNNING))
            or (isinstance(node, SuspendedNode) and node not in self.planned)
        ]
