"""Progress: the steps of a running plan that are finished, running and ahead, as data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import chain, filterfalse
from typing import Final, NamedTuple, Protocol, assert_never

from bthtn.domain.network import ParallelPolicy
from bthtn.plan.equivalence import steps_outline
from bthtn.plan.failure import Failure
from bthtn.plan.nodes import (
    BranchingNode,
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
from bthtn.plan.walk import children_of, leaves, preorder


class Stage(Enum):
    """The stage of one step of a plan."""

    AHEAD = "ahead"
    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"


# Looking a member of an enum up takes as long as looking at a step.
AHEAD: Final = Stage.AHEAD
RUNNING: Final = Stage.RUNNING
FINISHED: Final = Stage.FINISHED
FAILED: Final = Stage.FAILED


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """The progress of a plan; nodes are compared by identity.

    ``stages`` has the stages of the steps; a step that is missing there has finished, and its
    behaviour is removed. ``planned`` has the trees that were planned on arrival for suspended
    parts, ``passed`` the number of failed alternatives of each priority node. Parallel nodes,
    priority nodes and decorated scopes that have ended as a whole are ``over``. Parts that were
    ``entered`` have begun although no step in them may have: a try of them has failed, or they
    were planned on arrival.
    """

    tree: Node
    stages: Mapping[TaskNode, Stage]
    planned: Mapping[SuspendedNode, Node] = field(default_factory=dict)
    passed: Mapping[PriorityNode, int] = field(default_factory=dict)
    over: frozenset[Node] = frozenset()
    entered: frozenset[Node] = frozenset()

    @classmethod
    def at_start(cls, tree: Node) -> Progress:
        """Progress of a plan with no step started."""
        nodes = (node for _, node in preorder(tree))
        return cls(tree, {node: AHEAD for node in nodes if isinstance(node, TaskNode)})

    def stage(self, node: TaskNode) -> Stage:
        """The stage of a step."""
        return self.stages.get(node, FINISHED)

    def below(self, node: Node) -> tuple[Node, ...]:
        """The nodes directly below, without failed alternatives; none below a node that is over.

        Below a suspended part this is the tree that was planned for it.
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
            if not isinstance(node, TaskNode):
                pending.extend(reversed(self.below(node)))

    def begun(self) -> frozenset[Node]:
        """The nodes in which a step has started, or a suspended part was planned.

        Nodes before such a node in a sequence count, too, even if they have no steps. Null nodes
        do not, since the same one may occur at several places.
        """
        order = list(self._inner())  # later walked backwards: children are decided before parents
        ahead = {node for node, stage in self.stages.items() if stage is AHEAD}
        steps = [node for _, below in order for node in below if isinstance(node, TaskNode)]
        steps += [self.tree] if isinstance(self.tree, TaskNode) else []
        found: set[Node] = {step for step in steps if step not in ahead}
        reached: dict[Node, int] = {}  # the last child that has begun
        ended = self.over | self.entered
        for node, below in reversed(order):
            begun = [n for n, child in enumerate(below) if child in found]
            if begun:
                reached[node] = begun[-1]
            if begun or node in self.planned or node in ended:
                found.add(node)
        passed: set[Node] = set()
        for node, below in order:
            if node in passed:
                passed.update(below)
            elif node in reached and not isinstance(node, BranchingNode):
                passed.update(below[: reached[node]])
        return frozenset(found.union(node for node in passed if not isinstance(node, NullNode)))

    def _inner(self) -> Iterator[tuple[Node, tuple[Node, ...]]]:
        """All nodes but steps, with those directly below, parents before children."""
        nodes = [] if isinstance(self.tree, TaskNode) else [self.tree]
        for node in nodes:
            below = self.below(node)
            yield node, below
            nodes += [child for child in below if not isinstance(child, TaskNode)]

    def running(self) -> list[TaskNode]:
        """The steps that are running."""
        return [node for node, stage in self.stages.items() if stage is RUNNING]

    def unfinished(self, root: Node | None = None) -> list[TaskNode | SuspendedNode]:
        """The steps and suspended parts that have not ended, left to right."""
        return [
            node
            for node in self.nodes(root)
            if isinstance(node, TaskNode | SuspendedNode) and self.is_unfinished(node)
        ]

    def is_unfinished(self, node: TaskNode | SuspendedNode) -> bool:
        """Whether a step has not ended, or a suspended part is not planned."""
        if isinstance(node, SuspendedNode):
            return node not in self.planned
        return self.stage(node) in (AHEAD, RUNNING)


IsIdle = Callable[[TaskNode], bool]
"""Whether a step has no effect at all, neither in the world nor in the plan."""


def is_continuation(progress: Progress, plan: Plan, is_idle: IsIdle) -> bool:
    """Whether a new plan has the same steps as the rest of the running one, in the same order.

    Finished steps, idle steps and the names of decompositions are not compared.
    """

    def skips(node: TaskNode) -> bool:
        return progress.stage(node) in (FINISHED, FAILED) or is_idle(node)

    steps = (node for node in progress.nodes() if isinstance(node, TaskNode))
    if begins_otherwise((step for step in steps if progress.is_unfinished(step)), plan, is_idle):
        return False
    left = steps_outline(progress.tree, skips, progress.below)
    return left == steps_outline(plan.tree, is_idle)


def begins_otherwise(steps: Iterable[TaskNode], plan: Plan, is_idle: IsIdle) -> bool:
    """Whether a plan has another step in the place of one of these, which its first ones could be.

    Most plans differ in one of the next steps, which is found out without looking at the rest.
    """
    ours, theirs = iter(steps), leaves(plan.tree)
    for our, their in zip(ours, theirs, strict=False):
        if not _are_interchangeable(our, their):
            ours = filterfalse(is_idle, chain((our,), ours))
            theirs = filterfalse(is_idle, chain((their,), theirs))
            return any(map(_are_different, ours, theirs))
    return False


def _are_interchangeable(one: TaskNode, other: TaskNode) -> bool:
    """Whether two steps are equal, and both idle or both not."""
    return (
        one.task is other.task
        and one.args == other.args
        and one.duration == other.duration
        and one.footprint.writes == other.footprint.writes
    )


def _are_different(one: TaskNode, other: TaskNode) -> bool:
    """Whether two steps are different; those of a newer domain have other tasks of equal names."""
    if one.task is other.task and one.args == other.args:
        return False
    return one.task.name != other.task.name or str(one) != str(other)


class MountedTree:
    """The tree of a running plan, which grows when suspended parts are planned.

    If all of a tree is finished except one suspended part, the plan of that part replaces the tree
    when the progress is next looked at, so that a task which continues by suspending itself again
    and again does not make the tree grow without limit. Parts of the tree that were ``over``, or
    ``entered``, before it was mounted are told with each progress.
    """

    __slots__ = ("_entered", "_has_grown", "_over", "_owner", "_plan", "planned", "tree")

    def __init__(
        self,
        tree: Node,
        over: frozenset[Node] = frozenset(),
        entered: frozenset[Node] = frozenset(),
    ) -> None:
        self.tree = self._plan = tree
        self._over = frozenset(node for node in over if not isinstance(node, TaskNode))
        self._entered = entered
        self.planned: dict[SuspendedNode, Node] = {}
        # For each suspended part, the one whose plan it stands in; None in the plan itself.
        # Found when the first one is planned: most plans have none.
        self._owner: dict[SuspendedNode, SuspendedNode | None] = {}
        self._has_grown = False

    def resumed(self, node: SuspendedNode, tree: Node) -> None:
        """Add the tree that was planned for a suspended part when execution reached it."""
        if not self._owner:
            self._own(self.tree, None)
        if node not in self._owner:  # replaced once, and reached again by a reactive choice
            self._forget_below(self.tree)
            self.tree = self._plan
            self._own(self.tree, None)
        if node in self.planned:
            self._forget_below(self.planned[node])
        self.planned[node] = tree
        self._own(tree, node)
        self._has_grown = True

    def without_finished(self, progress: Progress) -> Progress:
        """Replace the trees that are finished but for one part. Returns the new progress."""
        if self._entered or self._over:
            over, entered = progress.over | self._over, progress.entered | self._entered
            progress = replace(progress, over=over, entered=entered)
        if not self._has_grown:
            return progress
        self._has_grown = False
        steps: Counter[SuspendedNode | None] = Counter()  # unfinished, of each tree by its owner
        parts: list[SuspendedNode] = []
        pending: list[tuple[Node, SuspendedNode | None]] = [(self.tree, None)]
        while pending:
            node, owner = pending.pop()
            if isinstance(node, SuspendedNode) and node in self.planned:
                parts.append(node)
                pending.append((self.planned[node], node))
            elif isinstance(node, TaskNode | SuspendedNode):
                steps[owner] += progress.is_unfinished(node)
            else:
                steps[owner] += node not in progress.over and _is_more_than_what_is_left(node)
                pending.extend((child, owner) for child in progress.below(node))
        unfinished: dict[SuspendedNode | None, list[SuspendedNode]] = defaultdict(list)
        for node in reversed(parts):  # inner parts first
            if steps[node] or unfinished[node]:
                unfinished[self._owner[node]].append(node)
        for node in reversed(parts):
            owner = self._owner.get(node)
            if unfinished[owner] == [node] and not steps[owner]:
                self._replace(owner, node)
        return replace(progress, tree=self.tree)

    def _replace(self, owner: SuspendedNode | None, node: SuspendedNode) -> None:
        """Put the plan of a part in the place of the tree that it stands in."""
        tree = self.planned.pop(node)
        self._forget_below(self.tree if owner is None else self.planned[owner])
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


def _is_more_than_what_is_left(node: Node) -> bool:
    """Whether the node need not end as what is left of it does: a choice, a race, a decorator."""
    if isinstance(node, ScopeNode):
        return node.task.decorator is not None
    if isinstance(node, ParallelNode):
        return node.policy is not ParallelPolicy.ALL
    return isinstance(node, PriorityNode)


def _suspended(tree: Node) -> list[SuspendedNode]:
    return [node for _, node in preorder(tree) if isinstance(node, SuspendedNode)]


class AtWork(NamedTuple):
    """The steps of a plan that are running, and whether a better plan may interrupt them."""

    steps: list[TaskNode]
    are_interruptible: bool


class RunningPlan(Protocol):
    """**Protocol:** a plan that runs. It is asked only if the plan has to be checked."""

    def progress(self) -> Progress:
        """How far it has come."""
        ...

    def place(self) -> object:
        """A key that is equal only as long as the progress is the same."""
        ...

    def give_up(self, ended: Iterable[Failure]) -> None:
        """Let running steps fail whose precondition does not hold any more, in their next tick."""
        ...

    def at_work(self) -> AtWork:
        """The steps that are running, and whether it may be replaced by a better plan now."""
        ...
