"""Progress: how far a plan has come. What is finished, running and ahead, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from bthtn.plan.nodes import (
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    SuspendedNode,
    TaskNode,
)
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
    alternatives are over. Nodes with branches that are ``over`` have ended as a whole.
    """

    tree: Node
    stages: Mapping[TaskNode, Stage]
    planned: Mapping[SuspendedNode, Node] = field(default_factory=dict)
    passed: Mapping[PriorityNode, int] = field(default_factory=dict)
    over: frozenset[Node] = frozenset()

    @classmethod
    def at_start(cls, tree: Node) -> Progress:
        """That of a plan which has not begun."""
        nodes = (node for _, node in preorder(tree))
        return cls(tree, {node: Stage.AHEAD for node in nodes if isinstance(node, TaskNode)})

    def stage(self, node: TaskNode) -> Stage:
        """Where a step stands."""
        return self.stages.get(node, Stage.FINISHED)

    def below(self, node: Node) -> tuple[Node, ...]:
        """The nodes directly below that are not over as a whole.

        Below a suspended part, that is what was planned for it.
        """
        if node in self.over:
            return ()
        match node:
            case SuspendedNode():
                return (self.planned[node],) if node in self.planned else ()
            case PriorityNode():
                return node.children[self.passed.get(node, 0) :]
            case _:
                return children_of(node)

    def nodes(self, root: Node | None = None) -> Iterator[Node]:
        """Every node, from the root or another one, parents before children, left to right."""
        pending: list[Node] = [self.tree if root is None else root]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(self.below(node)))

    def begun(self) -> frozenset[Node]:
        """The nodes in which a step has started, or a suspended part was planned.

        What stands before such a node in a sequence was come past, also if it has no steps. Told
        backwards, so that what is below a node is known when it is come to. Null nodes are not
        among them: one of them may stand at several places.
        """
        order: list[tuple[Node, tuple[Node, ...]]] = []
        pending: list[Node] = [self.tree]
        while pending:
            node = pending.pop()
            below = self.below(node)
            order.append((node, below))
            pending.extend(reversed(below))
        found: set[Node] = set()
        for node, below in reversed(order):
            last = max((n for n, child in enumerate(below) if child in found), default=None)
            if last is None and not self._has_started(node):
                continue
            found.add(node)
            if last and not isinstance(node, ParallelNode | PriorityNode):
                for passed in below[:last]:
                    below_it = self.nodes(passed)
                    found.update(one for one in below_it if not isinstance(one, NullNode))
        return frozenset(found)

    def _has_started(self, node: Node) -> bool:
        if isinstance(node, TaskNode):
            return self.stage(node) is not Stage.AHEAD
        return node in self.planned or node in self.over

    def running(self) -> list[TaskNode]:
        """The steps that run now."""
        return [node for node, stage in self.stages.items() if stage is Stage.RUNNING]

    def unfinished(self, root: Node | None = None) -> list[TaskNode | SuspendedNode]:
        """The steps and suspended parts that have not ended, left to right."""
        return [
            node
            for node in self.nodes(root)
            if (isinstance(node, TaskNode) and self.stage(node) in (Stage.AHEAD, Stage.RUNNING))
            or (isinstance(node, SuspendedNode) and node not in self.planned)
        ]


class Course:
    """The tree of a running plan, which grows where suspended parts are planned.

    What is finished but for the part that is planned now is let go, so that a task which goes
    on by suspending itself does not make a tree without end.
    """

    def __init__(self, tree: Node) -> None:
        self.tree = self._plan = tree
        self.planned: dict[SuspendedNode, Node] = {}
        self._whole: dict[SuspendedNode, SuspendedNode | None] = {}
        self._know(tree, None)

    def resumed(self, node: SuspendedNode, tree: Node, progress: Progress) -> None:
        """A suspended part was reached, perhaps not for the first time, and planned."""
        if node not in self._whole:  # let go, and come back to by a reactive choice above it
            self._forget_below(self.tree)
            self.tree = self._plan
            self._know(self.tree, None)
        if node in self.planned:
            self._forget_below(self.planned[node])
        whole = self._whole.get(node)
        part = self.tree if whole is None else self.planned[whole]
        if progress.unfinished(part) != [node]:
            self.planned[node] = tree
            self._know(tree, node)
            return
        self._forget_below(part)
        if whole is None:
            self.tree = tree
        else:
            self.planned[whole] = tree
        self._know(tree, whole)

    def _know(self, tree: Node, whole: SuspendedNode | None) -> None:
        self._whole.update((node, whole) for node in _suspended(tree))

    def _forget_below(self, tree: Node) -> None:
        pending = [tree]
        while pending:
            for node in _suspended(pending.pop()):
                self._whole.pop(node, None)
                if node in self.planned:
                    pending.append(self.planned.pop(node))


def _suspended(tree: Node) -> list[SuspendedNode]:
    return [node for _, node in preorder(tree) if isinstance(node, SuspendedNode)]
