"""Progress: which steps of a running plan are finished, running and ahead, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import assert_never

from bthtn.plan.equivalence import steps_outline
from bthtn.plan.nodes import (
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.plan.plan import Plan
from bthtn.plan.walk import children_of, preorder


class Stage(Enum):
    """Where one step of a plan stands."""

    AHEAD = "ahead"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """How far a plan has come; nodes are compared by identity.

    ``stages`` are those of the steps; a step that is missing there has ended, and its behaviour
    is gone. ``planned`` has the trees that were planned on arrival for suspended parts,
    ``passed`` for a priority node the number of alternatives that have failed. Parallel and
    priority nodes that have ended as a whole are ``over``.
    """

    tree: Node
    stages: Mapping[TaskNode, Stage]
    planned: Mapping[SuspendedNode, Node] = field(default_factory=dict)
    passed: Mapping[PriorityNode, int] = field(default_factory=dict)
    over: frozenset[Node] = frozenset()

    @classmethod
    def at_start(cls, tree: Node) -> Progress:
        """Progress of a plan with no step started."""
        nodes = (node for _, node in preorder(tree))
        return cls(tree, {node: Stage.AHEAD for node in nodes if isinstance(node, TaskNode)})

    def stage(self, node: TaskNode) -> Stage:
        """Where a step stands."""
        return self.stages.get(node, Stage.FINISHED)

    def below(self, node: Node) -> tuple[Node, ...]:
        """The nodes directly below that have not ended as a whole.

        Below a suspended part, the tree that was planned for it.
        """
        if node in self.over:
            return ()
        match node:
            case SuspendedNode():
                return (self.planned[node],) if node in self.planned else ()
            case PriorityNode():
                return node.children[self.passed.get(node, 0) :]
            case TaskNode() | NullNode() | ScopeNode() | SequenceNode() | ParallelNode():
                return children_of(node)
            case _:
                assert_never(node)

    def nodes(self, root: Node | None = None) -> Iterator[Node]:
        """Every node, from the root or another one, parents before children, left to right."""
        pending: list[Node] = [self.tree if root is None else root]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(self.below(node)))

    def begun(self) -> frozenset[Node]:
        """The nodes in which a step has started, or a suspended part was planned.

        Nodes that stand before such a node in a sequence count, also if they have no steps. Null
        nodes do not, since one of them may stand at several places.
        """
        # Walked backwards, so that the answer for all below a node is there when it is reached.
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


IsIdle = Callable[[TaskNode], bool]
"""Whether a step does nothing at all, neither in the world nor in the plan."""


def is_continuation(progress: Progress, plan: Plan, is_idle: IsIdle) -> bool:
    """Whether a plan is what is left of the running one: nothing would be done otherwise.

    Finished steps, idle steps and the names of decompositions are not compared.
    """

    def skips(node: TaskNode) -> bool:
        return progress.stage(node) in (Stage.FINISHED, Stage.FAILED) or is_idle(node)

    left = steps_outline(progress.tree, skips, progress.below)
    return left == steps_outline(plan.tree, is_idle)


class MountedTree:
    """The tree of a running plan, which grows where suspended parts are planned.

    A part that is finished but for the suspended part that is planned now gives its place to the
    plan of that, so that a task which goes on by suspending itself does not make an endless tree.
    """

    def __init__(self, tree: Node) -> None:
        self.tree = self._plan = tree
        self.planned: dict[SuspendedNode, Node] = {}
        # For each suspended part, the one whose plan it stands in; None in the plan itself.
        self._owner: dict[SuspendedNode, SuspendedNode | None] = {}
        self._own(tree, None)

    def resumed(self, node: SuspendedNode, tree: Node, progress: Progress) -> None:
        """A suspended part was reached, perhaps not for the first time, and planned."""
        if node not in self._owner:  # replaced once, and reached again by a reactive choice
            self._forget_below(self.tree)
            self.tree = self._plan
            self._own(self.tree, None)
        if node in self.planned:
            self._forget_below(self.planned[node])
        owner = self._owner.get(node)
        part = self.tree if owner is None else self.planned[owner]
        if progress.unfinished(part) != [node]:
            self.planned[node] = tree
            self._own(tree, node)
            return
        self._forget_below(part)
        if owner is None:
            self.tree = tree
        else:
            self.planned[owner] = tree
        self._own(tree, owner)

    def _own(self, tree: Node, owner: SuspendedNode | None) -> None:
        self._owner.update((node, owner) for node in _suspended(tree))

    def _forget_below(self, tree: Node) -> None:
        pending = [tree]
        while pending:
            for node in _suspended(pending.pop()):
                self._owner.pop(node, None)
                if node in self.planned:
                    pending.append(self.planned.pop(node))


def _suspended(tree: Node) -> list[SuspendedNode]:
    return [node for _, node in preorder(tree) if isinstance(node, SuspendedNode)]
