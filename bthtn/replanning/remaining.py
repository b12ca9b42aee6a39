"""RemainingPlan: the rest of a running plan, as a tree in which a part can be replaced.

Suspended parts that were planned on arrival are replaced by their plans, and alternatives that
have failed are dropped. All other nodes are kept, including finished ones: they are needed for the
record of the whole plan, and to know that the methods of decompositions that have begun need no
further check.

``RemainingProjection`` computes the state that the rest leads to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from bthtn.domain.effect import writes_of
from bthtn.domain.network import ParallelPolicy
from bthtn.domain.task import PrimitiveTask
from bthtn.plan.nodes import (
    BranchingNode,
    Dropped,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.plan.projection import Projection
from bthtn.plan.walk import Visit, children_of, leaves, node_text, unwound, with_children
from bthtn.replanning.progress import AHEAD, FAILED, FINISHED, RUNNING, Progress, Stage
from bthtn.world.expression import Binding, StateView
from bthtn.world.fluent import Fluent, UnknownRead
from bthtn.world.footprint import Footprint, Write, WriteKind
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN, Unknown


@dataclass(frozen=True, eq=False)
class RemainingPlan:
    """A plan that does not work: its current tree, and the nodes that are ``over``.

    ``broken`` is the node in the tree that does not work, ``running`` are the running steps.
    ``entered`` are parts that have begun, whatever their steps say: see ``Progress``.
    """

    tree: Node
    broken: Node
    over: frozenset[Node] = frozenset()
    running: frozenset[TaskNode] = frozenset()
    entered: frozenset[Node] = frozenset()

    @cached_property
    def begun(self) -> frozenset[Node]:
        """The nodes in which a step has started."""
        return self.progress().begun()

    def progress(
        self, tree: Node | None = None, copies: Mapping[Node, Node] = MappingProxyType({})
    ) -> Progress:
        """The progress of this tree, or of another one that shares nodes with it.

        ``copies`` has the nodes of the other tree that stand for nodes of this one.
        """
        tree = self.tree if tree is None else tree
        stages = {node: self._stage(node) for node in leaves(tree)}
        over = frozenset(filter(_has_branches, self.over))
        entered = frozenset(copies.get(node, node) for node in self.entered)
        return Progress(tree, stages, over=over, entered=entered)

    def _stage(self, node: TaskNode) -> Stage:
        if node in self.over:
            return FINISHED
        return RUNNING if node in self.running else AHEAD


def remaining_plan(progress: Progress, broken: Node) -> RemainingPlan | None:
    """The rest of a running plan in which the node ``broken`` does not work.

    None if the node does not belong to the plan any more. If a choice among alternatives has
    failed, the whole choice is broken, not its last alternative.
    """
    path = path_to(progress, broken)
    if path is None:
        return None
    broken = path[-1]
    left = _CurrentTree(progress, frozenset(path))
    tree: Node = unwound(left.node(progress.tree))
    over, running = frozenset(left.over), frozenset(progress.running())
    broken = left.replaced.get(broken, broken)
    return RemainingPlan(tree, broken, over, running, frozenset(left.entered))


def path_to(progress: Progress, wanted: Node) -> list[Node] | None:
    """The nodes from the root down to this one, None if it does not belong to the plan any more.

    The path ends at the outermost choice that has failed, if there is one.
    """
    above: dict[Node, Node] = {}
    pending = [progress.tree]
    while pending:
        node = pending.pop()
        for child in _all_below(progress, node):
            above[child] = node
            pending.append(child)
    path = [wanted]
    while path[-1] in above:
        path.append(above[path[-1]])
    if path[-1] is not progress.tree:
        return None
    path.reverse()
    failed = (n for n, node in enumerate(path) if node in progress.over and _is_choice(node))
    return path[: next(failed, len(path) - 1) + 1]


def _all_below(progress: Progress, node: Node) -> tuple[Node, ...]:
    """The nodes directly below, including those that are over."""
    below = progress.below(node)
    return below if below or isinstance(node, SuspendedNode) else children_of(node)


def _has_branches(node: Node) -> bool:
    return isinstance(node, BranchingNode)


def _is_choice(node: Node) -> bool:
    """Whether the node fails only when all of its branches do."""
    return isinstance(node, PriorityNode) or (
        isinstance(node, ParallelNode) and node.policy is ParallelPolicy.ANY
    )


class _CurrentTree:
    """Makes the current tree; ``replaced`` maps changed nodes to their new nodes.

    New nodes in place of parts that were planned on arrival, or tried in vain, are ``entered``.
    """

    def __init__(self, progress: Progress, path: frozenset[Node]) -> None:
        self._progress = progress
        self._path = path
        self.over: set[Node] = set()
        self.entered: set[Node] = set()
        self.replaced: dict[Node, Node] = {}

    def node(self, node: Node) -> Visit[Node]:
        """The node itself, or the new node if something below it has changed."""
        progress = self._progress
        if isinstance(node, TaskNode):
            if progress.stage(node) is FINISHED:
                self.over.add(node)
            return node
        if node in progress.over and node not in self._path:
            self.over.update(_every(progress, node))
            return node
        below: list[Node] = []
        for child in _all_below(progress, node):
            left: Node = yield self.node(child)
            below.append(left)
        new = _with(node, below)
        if new is not node:
            self.replaced[node] = new
        if node in progress.planned or node in progress.entered:
            self.entered.add(new)
        return new


def _every(progress: Progress, root: Node) -> list[Node]:
    found = [root]
    for node in found:
        found.extend(_all_below(progress, node))
    return found


def _with(node: Node, children: Sequence[Node]) -> Node:
    """The node with these children; a suspended part that was planned becomes its plan."""
    if isinstance(node, SuspendedNode):
        return _entered(children[0]) if children else node
    if isinstance(node, PriorityNode) and len(children) < len(node.children):
        return _without_failed(node, children)
    return with_children(node, children)


def _entered(node: Node) -> Node:
    """A node that can be ``entered``: no step, and no node that occurs elsewhere."""
    return SequenceNode((node,)) if isinstance(node, TaskNode | NullNode) else node


def _without_failed(node: PriorityNode, children: Sequence[Node]) -> PriorityNode:
    """The node with only its last alternatives, since those before them have failed."""
    gone = len(node.children) - len(children)
    failed = zip(node.kept[:gone], node.children, strict=False)
    more = [Dropped(place, node_text(child), "it has failed") for place, child in failed]
    dropped = sorted((*node.dropped, *more), key=lambda drop: drop.alternative)
    return replace(node, children=tuple(children), kept=node.kept[gone:], dropped=tuple(dropped))


class RemainingProjection(Projection):
    """Computes the state that the rest of a running plan leads to.

    Finished nodes are skipped. Effects of steps ahead are computed again, and are unknown if they
    depend on unknown fluents. Preconditions are not checked. ``runs`` is true while a running
    step is projected.
    """

    def __init__(self, progress: Progress, now: FrozenState) -> None:
        super().__init__(now)
        self.progress = progress
        self.runs = False

    def below(self, node: Node) -> Sequence[Node]:
        """The nodes directly below that have not ended."""
        return self.progress.below(node)

    def in_turn(self, nodes: Iterable[Node]) -> Visit[None]:
        """Project nodes that follow each other; steps without a call of ``visit`` for each."""
        for node in nodes:
            if self.has_ended:
                return
            if isinstance(node, TaskNode):
                self.task(node)
            else:
                yield self.visit(node)

    def task(self, node: TaskNode) -> None:
        """Apply the effects of a step that has not ended."""
        stage = self.progress.stage(node)
        if stage is FINISHED or stage is FAILED:
            return
        self.runs = stage is RUNNING
        super().task(node)
        self.runs = False

    def sense(self) -> None:
        """Make volatile fluents known or unknown; they are known for a running step."""
        self.state.foreseeable = self.runs or self.senses

    def effects(self, node: TaskNode) -> Footprint:
        """The footprint of the step: computed again, or the planned one if it is running."""
        if self.runs:
            # It may have changed the fluents from which its effects are computed.
            return node.footprint
        return Footprint(node.footprint.reads, self.writes(node), node.footprint.uses)

    def writes(self, node: TaskNode) -> Mapping[Fluent[Any], Write]:
        """The writes of a step that starts in the current state."""
        found = writes_of_call(node.task, node.args, self.state)
        return unknown_writes(node) if found is UNKNOWN else found

    def suspended(self, node: SuspendedNode) -> Visit[None]:
        """Project the tree that was planned for the part on arrival, or the effects it ensures."""
        if node in self.progress.planned:
            yield self.in_turn(self.below(node))
        else:
            yield super().suspended(node)


def writes_of_call(
    task: PrimitiveTask[...], args: Binding, view: StateView
) -> Mapping[Fluent[Any], Write] | Unknown:
    """The writes of a step that starts in this state; unknown if one is not certain."""
    try:
        return writes_of((*task.effects, *task.expected), view, args)
    except UnknownRead:
        return UNKNOWN


def unknown_writes(node: TaskNode) -> Mapping[Fluent[Any], Write]:
    """Unknown values for all that a step was planned to write."""
    return dict.fromkeys(node.footprint.writes, Write(WriteKind.COMPUTED, UNKNOWN))
