"""Rest: how far each node of a running plan has come, and what of it is left.

It reads the statuses of the behaviours that run the plan, and has none of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Protocol, assert_never

from py_trees.common import Status

from bthtn.engine.domain.construct import FINALLY, WITH_CLEANUP
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import (
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.plan.walk import (
    Visit,
    children_of,
    footprint_over,
    preorder,
    unwound,
    with_children,
)
from bthtn.engine.world.footprint import Footprint

# Looking a member of an enum up takes as long as looking at a step.
INVALID: Final = Status.INVALID
RUNNING: Final = Status.RUNNING
SUCCESS: Final = Status.SUCCESS
FAILURE: Final = Status.FAILURE

_ENDED: Final = (SUCCESS, FAILURE)


class Ran(Protocol):
    """**Protocol:** what runs a node of a plan: a step, a choice, branches, a decorated part."""

    @property
    def status(self) -> Status:
        """Its status as a behaviour: INVALID before it has begun."""
        ...


class RanParts(Ran, Protocol):
    """**Protocol:** what runs a node that has others below it."""

    @property
    def gone(self) -> Collection[int]:
        """The branches, or alternatives, that have failed and are not run again in this run."""
        ...

    @property
    def is_tried_again(self) -> bool:
        """Whether something below it was tried in vain, and something is tried again."""
        ...


class Rest:
    """The rest of a running plan at one moment; nodes are compared by identity.

    ``behaviours`` run the steps, choices, parallel nodes and decorated parts; a step that has none
    any more is finished. ``instead`` has what stands in the place of nodes: the plans of suspended
    parts, and the new parts of repairs. Nodes that are run ``anew`` have not begun, whatever their
    behaviours say. Those that are ``mended`` go on although they may have failed.
    """

    def __init__(
        self,
        tree: Node,
        behaviours: Mapping[Node, Any],
        instead: Mapping[Node, Node] = MappingProxyType({}),
        anew: frozenset[Node] = frozenset(),
        mended: frozenset[Node] = frozenset(),
    ) -> None:
        self.tree = tree
        self._behaviours: Mapping[Node, Any] = behaviours
        self._instead = instead
        self._anew = anew
        self._mended = mended
        self._begun: set[Node] = set()
        """Nodes that are known to have begun; there may be others."""

    @classmethod
    def at_start(cls, tree: Node) -> Rest:
        """The rest of a plan of which nothing has begun."""
        return cls(tree, {}, anew=frozenset(node for _, node in preorder(tree)))

    def mended(self, path: Iterable[Node]) -> Rest:
        return Rest(self.tree, self._behaviours, self._instead, self._anew, frozenset(path))

    def with_part(self, old: Node, part: ScopeNode) -> Rest:
        """The rest with a new part, of which nothing has begun, in the place of an old one."""
        instead = {node: new for node, new in self._instead.items() if new is not old}
        place = next((node for node, new in self._instead.items() if new is old), old)
        anew = self._anew.union(node for _, node in preorder(part))
        mended = self._mended | {part}
        return Rest(self.tree, self._behaviours, instead | {place: part}, anew, mended)

    def status(self, step: TaskNode) -> Status:
        if step in self._anew:
            return INVALID
        behaviour = self._behaviours.get(step)
        status: Status = SUCCESS if behaviour is None else behaviour.status
        return INVALID if status is FAILURE and step in self._mended else status

    def plan_of(self, node: SuspendedNode) -> Node | None:
        """What was planned for a suspended part, None if it has not been planned."""
        return None if node in self._anew else self._instead.get(node)

    def is_over(self, node: Node) -> bool:
        """Whether a choice, a parallel node or a decorated part has ended as a whole."""
        behaviour = self._ran(node)
        return behaviour is not None and behaviour.status in _ENDED and node not in self._mended

    def below(self, node: Node) -> tuple[Node, ...]:
        """The nodes directly below, without failed branches; none below a node that is over.

        Below a suspended part this is what was planned for it.
        """
        match node:
            case SequenceNode():  # frequent kinds first
                return self._now(node.children)
            case ScopeNode():
                return () if self.is_over(node) else self._now((node.child,))
            case TaskNode() | NullNode():
                return ()
            case SuspendedNode():
                plan = self.plan_of(node)
                return () if plan is None else (plan,)
            case ParallelNode() | PriorityNode():
                return () if self.is_over(node) else self._left_of(node)
            case _:
                assert_never(node)

    def all_below(self, node: Node) -> tuple[Node, ...]:
        """The nodes directly below, those included that are over or have failed."""
        return self.below(node) if isinstance(node, SuspendedNode) else self._now(children_of(node))

    def nodes(self, root: Node | None = None) -> Iterator[Node]:
        """Every node, from the root or another one, parents before children, left to right."""
        pending: list[Node] = [self.tree if root is None else root]
        while pending:
            node = pending.pop()
            yield node
            if not isinstance(node, TaskNode):
                pending.extend(reversed(self.below(node)))

    def path_to(self, wanted: Node) -> list[Node] | None:
        """The nodes from the root down to this one, None if it is not of the plan any more.

        The path ends at the outermost choice that has failed, if there is one.
        """
        above: dict[Node, Node] = {}
        pending = [self.tree]
        while pending:
            node = pending.pop()
            for child in self.all_below(node):
                above[child] = node
                pending.append(child)
        path = [wanted]
        while path[-1] in above:
            path.append(above[path[-1]])
        if path[-1] is not self.tree:
            return None
        path.reverse()
        failed = (n for n, node in enumerate(path) if _is_choice(node) and self.is_over(node))
        return path[: next(failed, len(path) - 1) + 1]

    def has_begun(self, node: Node) -> bool:
        """Whether a step in a node has started, or a suspended part in it was planned."""
        if isinstance(node, TaskNode):  # as most are
            return self._has_begun_itself(node)
        path: list[Node] = []
        pending: list[Iterator[Node]] = [iter((node,))]
        while pending:
            inner = next(pending[-1], None)
            if inner is None:
                pending.pop()
                path[-1:] = ()
                continue
            path.append(inner)
            if self._has_begun_itself(inner):
                self._begun.update(path)  # who asks about one of these later, knows it
                return True
            pending.append(iter(self.below(inner)))
        return False

    def last_begun(self, nodes: Sequence[Node]) -> int:
        """The place of the last node that has begun of nodes that follow each other, or -1.

        Those before it are over, even where they have no steps, and those behind it are ahead.
        """
        last = -1
        for place, node in enumerate(nodes):
            if self.has_begun(node):
                last = place
            elif last >= 0 and _has_leaves(node):
                break
        return last

    def is_unfinished(self, node: TaskNode | SuspendedNode) -> bool:
        """Whether a step has not ended, or a suspended part is not planned."""
        if isinstance(node, SuspendedNode):
            return self.plan_of(node) is None
        return self.status(node) not in _ENDED

    def unfinished(self) -> list[TaskNode | SuspendedNode]:
        """The steps and suspended parts that have not ended, left to right."""
        leaves = (node for node in self.nodes() if isinstance(node, TaskNode | SuspendedNode))
        return [leaf for leaf in leaves if self.is_unfinished(leaf)]

    def is_left(self, node: Node) -> bool:
        """Whether a node has not ended that may end otherwise than what is left below it does."""
        match node:
            case TaskNode() | SuspendedNode():
                return self.is_unfinished(node)
            case ScopeNode() if node.task.origin in (WITH_CLEANUP, FINALLY):
                return any(self.is_left(inner) for inner in self.nodes(node) if inner is not node)
            case ScopeNode():
                is_decorated = node.task.decorator is not None and _has_leaves(node)
                return is_decorated and not self.is_over(node)
            case ParallelNode():
                return node.policy is not ParallelPolicy.ALL and not self.is_over(node)
            case PriorityNode():
                return not self.is_over(node)
            case SequenceNode() | NullNode():
                return False
            case _:
                assert_never(node)

    def footprint(self, root: Node) -> Footprint:
        """The combined reads, writes and resources of what is left of a node."""

        def visit(node: Node) -> Visit[Footprint]:
            if self.is_over(node) or (isinstance(node, TaskNode) and not self.is_unfinished(node)):
                return Footprint()
            below: list[Footprint] = []
            for child in self.below(node):
                left: Footprint = yield visit(child)
                below.append(left)
            if isinstance(node, SuspendedNode) and below:
                return below[0]
            return footprint_over(node, tuple(below))

        return unwound(visit(root))

    def as_tree(self) -> Node:
        """The whole plan as a tree of its own, with finished nodes."""

        def visit(node: Node) -> Visit[Node]:
            below: list[Node] = []
            for child in self.all_below(node):
                now: Node = yield visit(child)
                below.append(now)
            if isinstance(node, SuspendedNode):
                return below[0] if below else node
            return with_children(node, below)

        return unwound(visit(self.tree))

    def _has_begun_itself(self, node: Node) -> bool:
        """Whether a step has started, or a node has begun in which no step need have."""
        if node in self._begun:
            return True
        if isinstance(node, TaskNode):
            return self.status(node) is not INVALID
        if isinstance(node, SuspendedNode):
            return self.plan_of(node) is not None
        behaviour = self._ran(node)
        if behaviour is None:
            return False
        if behaviour.is_tried_again or (behaviour.status in _ENDED and node not in self._mended):
            return True
        return isinstance(node, ParallelNode) and len(self._left_of(node)) < len(node.children)

    def _ran(self, node: Node) -> RanParts | None:
        """What runs a node that has others below it, None if nothing of its own does."""
        return None if node in self._anew else self._behaviours.get(node)

    def _left_of(self, node: ParallelNode | PriorityNode) -> tuple[Node, ...]:
        below, behaviour = self._now(node.children), self._ran(node)
        if behaviour is None or not behaviour.gone:
            return below
        gone, goes_on = behaviour.gone, self._mended
        return tuple(node for n, node in enumerate(below) if n not in gone or node in goes_on)

    def _now(self, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        """What stands in the place of these nodes by now."""
        if not self._instead:
            return nodes
        instead = self._instead
        return tuple(instead.get(n, n) if isinstance(n, ScopeNode) else n for n in nodes)


def _has_leaves(node: Node) -> bool:
    """Whether there is something to do in a node; where there is not, nothing ever begins."""
    if isinstance(node, TaskNode):  # as most are
        return True
    return any(isinstance(below, TaskNode | SuspendedNode) for _, below in preorder(node))


def _is_choice(node: Node) -> bool:
    """Whether the node fails only when all of its branches do."""
    return isinstance(node, PriorityNode) or (
        isinstance(node, ParallelNode) and node.policy is ParallelPolicy.ANY
    )
