"""The rest of a running plan: its tree as it is now, and which of its steps are over.

Suspended parts that were planned on arrival are replaced by their plans, and alternatives that
have failed are dropped. All other nodes are the same nodes, those that are over too: what has
begun is not asked for its condition again, and the record stays that of the whole plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from bthtn.domain.network import ParallelPolicy
from bthtn.plan.nodes import (
    Dropped,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.plan.walk import Visit, children_of, leaves, node_text, unwound
from bthtn.replanning.progress import Progress, Stage


@dataclass(frozen=True, eq=False)
class Rest:
    """What is left of a plan: the tree without the nodes that are ``over``.

    ``broken`` is the node in the tree that does not work.
    """

    tree: Node
    broken: Node
    over: frozenset[Node] = frozenset()
    running: frozenset[TaskNode] = frozenset()

    @cached_property
    def begun(self) -> frozenset[Node]:
        """The nodes in which something has happened."""
        return self.progress().begun()

    def progress(self, tree: Node | None = None) -> Progress:
        """How far a plan with this tree has come, of which these steps are over, or running."""
        tree = self.tree if tree is None else tree
        stages = {node: self._stage(node) for node in leaves(tree)}
        return Progress(tree, stages, over=frozenset(filter(_has_branches, self.over)))

    def _stage(self, node: TaskNode) -> Stage:
        if node in self.over:
            return Stage.FINISHED
        return Stage.RUNNING if node in self.running else Stage.AHEAD


def rest_of(progress: Progress, broken: Node) -> Rest | None:
    """What is left of a running plan that breaks at this node; None where it was let go.

    A choice that has failed breaks as a whole, and not where its last alternative did.
    """
    way = way_to(progress, broken)
    if way is None:
        return None
    broken = way[-1]
    left = _Left(progress, frozenset(way))
    tree: Node = unwound(left.node(progress.tree))
    over, running = frozenset(left.over), frozenset(progress.running())
    return Rest(tree, left.now.get(broken, broken), over, running)


def way_to(progress: Progress, wanted: Node) -> list[Node] | None:
    """The nodes from the root down to this one, None when it is not there any more.

    They end with the outermost choice that has failed, if there is one.
    """
    above: dict[Node, Node] = {}
    pending = [progress.tree]
    while pending:
        node = pending.pop()
        for child in _all_below(progress, node):
            above[child] = node
            pending.append(child)
    way = [wanted]
    while way[-1] in above:
        way.append(above[way[-1]])
    if way[-1] is not progress.tree:
        return None
    way.reverse()
    failed = (n for n, node in enumerate(way) if node in progress.over and _is_choice(node))
    return way[: next(failed, len(way) - 1) + 1]


def _all_below(progress: Progress, node: Node) -> tuple[Node, ...]:
    """The nodes directly below, those that are over too."""
    below = progress.below(node)
    return below if below or isinstance(node, SuspendedNode) else children_of(node)


def _has_branches(node: Node) -> bool:
    return isinstance(node, ParallelNode | PriorityNode)


def _is_choice(node: Node) -> bool:
    """Whether it fails only when all of it does."""
    return isinstance(node, PriorityNode) or (
        isinstance(node, ParallelNode) and node.policy is ParallelPolicy.ANY
    )


class _Left:
    """Makes the tree as it is now; ``now`` has the nodes that have become others."""

    def __init__(self, progress: Progress, way: frozenset[Node]) -> None:
        self._progress = progress
        self._way = way
        self.over: set[Node] = set()
        self.now: dict[Node, Node] = {}

    def node(self, node: Node) -> Visit[Node]:
        """A node as it is now."""
        progress = self._progress
        if isinstance(node, TaskNode):
            if progress.stage(node) is Stage.FINISHED:
                self.over.add(node)
            return node
        if node in progress.over and node not in self._way:
            self.over.update(_every(progress, node))
            return node
        below: list[Node] = []
        for child in _all_below(progress, node):
            now: Node = yield self.node(child)
            below.append(now)
        became = _with(node, below)
        if became is not node:
            self.now[node] = became
        return became


def _every(progress: Progress, root: Node) -> list[Node]:
    found = [root]
    for node in found:
        found.extend(_all_below(progress, node))
    return found


def _with(node: Node, children: Sequence[Node]) -> Node:
    """The node with its children as they are now; a planned part is its plan."""
    match node:
        case SuspendedNode() if children:
            return children[0]
        case ScopeNode():
            return node if children[0] is node.child else replace(node, child=children[0])
        case PriorityNode() if len(children) < len(node.children):
            return _behind(node, children)
        case SequenceNode() | ParallelNode() | PriorityNode():
            same = all(one is other for one, other in zip(children, node.children, strict=True))
            return node if same else replace(node, children=tuple(children))
        case _:
            return node


def _behind(node: PriorityNode, children: Sequence[Node]) -> PriorityNode:
    """The node without its first alternatives, which have failed."""
    past = len(node.children) - len(children)
    failed = zip(node.kept[:past], node.children, strict=False)
    gone = [Dropped(place, node_text(child), "it has failed") for place, child in failed]
    dropped = sorted((*node.dropped, *gone), key=lambda one: one.alternative)
    kept, children = node.kept[past:], tuple(children)
    return replace(node, children=children, kept=kept, dropped=tuple(dropped))
