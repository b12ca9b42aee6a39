"""compiled: a plan tree as a py_trees subtree, one kind of node after the other.

A compound task becomes a sequence with its name; other sequences inside of sequences are merged.
A task inside of itself is merged, too, and so are all below ``MOST_SCOPES`` others: ten thousand
decompositions below each other make a flat tree. Of a long plan, a few steps are made at once, and
the others when they are reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.behaviours.decorated import PlanDecorated
from bthtn.behaviours.parallel import PlanParallel
from bthtn.behaviours.plan_behaviour import PlanLeaf
from bthtn.behaviours.plan_run import (
    Arrival,
    Inside,
    Path,
    PlanRun,
    Reads,
    Resumption,
    shortened,
)
from bthtn.behaviours.priority import PlanPriority
from bthtn.behaviours.sequence import (
    Placeholder,
    PlanCleanup,
    PlanScope,
    PlanSequence,
    PlanWithCleanup,
    Unmade,
)
from bthtn.behaviours.status import SUCCESS
from bthtn.behaviours.suspended import Suspended
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.domain import construct
from bthtn.domain.network import ParallelPolicy
from bthtn.domain.task import CompoundTask
from bthtn.errors import ExecutionError
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

DEEPEST: Final = 150
"""Composites that may be nested; py_trees calls itself once or twice for each."""

MOST_SCOPES: Final = 20
"""Compound tasks below each other that are shown as nodes of their own."""

_DEEPER: Final = (PlanParallel, PlanPriority, PlanWithCleanup, PlanCleanup, PlanDecorated)

AT_ONCE: Final = 12
"""Behaviours that are made before a plan begins, if it has so many."""


class NothingToDo(PlanLeaf):
    """The behaviour of a plan, or a branch, without steps: it succeeds."""

    def update(self) -> Status:
        """Called by py_trees at every tick."""
        return SUCCESS

    def tick(self) -> Iterator[Behaviour]:
        """Succeed."""
        self.status = self.update()
        yield self

    def _title(self) -> str:
        """The name that displays show."""
        return "nothing to do"


_CLEANUPS: Final = (construct.WITH_CLEANUP, construct.FINALLY)

_Tasks = tuple[CompoundTask[...], ...]
_Place = tuple[Path, _Tasks]
"""Where a node stands: the decompositions above it, and those of their tasks that are shown."""

_Pending = list[tuple[Iterator[Node | Behaviour], _Place]]
"""The rests of the sequences that are merged, inner ones last."""


def compiled(
    node: Node,
    run: PlanRun,
    over: frozenset[Node] = frozenset(),
    path: Path = None,
    at_once: int = AT_ONCE,
) -> Behaviour:
    """The behaviour that runs a plan tree without the nodes that are ``over``.

    ``path`` are the decompositions above the tree, which ``refuse_too_deep`` has let pass. Behind
    so many behaviours that are made ``at_once``, the others are made when they are reached.
    """
    compiler = _Compiler(run, over, at_once=at_once)
    return _one(*compiler.begun(node, (path, ())))


def compiled_steps(
    node: Node, run: PlanRun, arrival: Arrival, reads: Reads | None = None
) -> list[Behaviour]:
    """The behaviours that replace a suspended part. Raises ExecutionError as ``refuse_too_deep``.

    ``reads`` are those of ``Resumption``.
    """
    depth, above, tasks = 0, arrival.parent, dict[CompoundTask[...], None]()
    while above is not None:
        depth += isinstance(above, _DEEPER)
        tasks.update({above.node.task: None} if isinstance(above, PlanScope) else {})
        above = above.parent
    _refuse_too_deep(node, depth)
    inside = (*arrival.inside, Resumption(arrival.node, reads, run.moves))
    place = (shortened(arrival.path), tuple(tasks))
    return list(_Compiler(run, inside=inside).steps([(iter((node,)), place)]))


def refuse_too_deep(plan: Plan) -> None:
    """Raise ExecutionError when branches, alternatives and cleanups are too deep for py_trees."""
    _refuse_too_deep(plan.tree, 0)


def _refuse_too_deep(root: Node, depth: int) -> None:
    """The same for a tree that itself stands ``depth`` deep."""
    if depth + _nesting(root) > DEEPEST:
        message = f"branches, alternatives and cleanups are nested more than {DEEPEST} deep"
        hint = "py_trees runs a tree by recursion; use a sequence or a suspension"
        raise ExecutionError("BT305", message, hint=hint)


def _nesting(root: Node) -> int:
    """How many branches, alternatives and cleanups are below each other."""
    deepest, pending = 0, [(root, 0)]
    while pending:
        node, depth = pending.pop()
        below: tuple[Node, ...] = ()
        if isinstance(node, ScopeNode):
            depth, below = depth + _is_kept(node), (node.child,)
        elif isinstance(node, SequenceNode):
            below = node.children
        elif isinstance(node, BranchingNode):
            depth, below = depth + 1, node.children
        deepest = max(deepest, depth)
        pending += [(child, depth) for child in below if not isinstance(child, TaskNode)]
    return deepest


class _Compiler:
    """Turns nodes into behaviours, one after the other."""

    def __init__(
        self,
        run: PlanRun,
        over: frozenset[Node] = frozenset(),
        inside: tuple[Resumption, ...] = (),
        at_once: int = AT_ONCE,
    ) -> None:
        self._run = run
        self._at_once = at_once
        self._over = over
        self._inside = inside
        self._not_before = run.next_resumption
        self._made = 0

    def steps(self, pending: _Pending) -> Iterator[Behaviour]:
        """Yield the behaviours of the pending nodes, to be put into a sequence."""
        while pending:
            left, place = pending[-1]
            node = next(left, None)
            if node is None:
                pending.pop()
            elif node in self._over:
                pass
            elif isinstance(node, TaskNode):
                yield TaskLeaf(node, place[0], self._run)
            elif isinstance(node, SequenceNode):
                pending.append((iter(node.children), place))
            elif isinstance(node, ScopeNode) and not self._is_shown(node, place[1]):
                pending.append((iter((node.child,)), (Inside(node, place[0]), place[1])))
            else:
                made = self._behaviour(node, place, pending)
                if made is not None:
                    yield made

    def _is_shown(self, node: ScopeNode, shown: _Tasks) -> bool:
        """Whether a decomposition becomes a behaviour of its own."""
        task = node.task
        if task.origin:
            return _is_kept(node)
        return (task not in shown and len(shown) < MOST_SCOPES) or _is_kept(node)

    def _behaviour(
        self,
        node: ScopeNode | BranchingNode | SuspendedNode | NullNode | Behaviour,
        place: _Place,
        pending: _Pending,
    ) -> Behaviour | None:
        """The behaviour of a node, None where there is nothing to do, or it is put to pending."""
        match node:
            case ScopeNode():
                return self._scope(node, place)
            case ParallelNode():
                return self._parallel(node, place, pending)
            case PriorityNode():
                alternatives = [self.begun(child, place) for child in node.children]
                return PlanPriority(
                    node, [_one(*alternative) for alternative in alternatives], self._run
                )
            case SuspendedNode():
                return Suspended(node, place[0], self._run, self._not_before, self._inside)
            case NullNode():
                return None
            case Behaviour():
                return node
            case _:
                assert_never(node)

    def _scope(self, node: ScopeNode, place: _Place) -> Behaviour | None:
        """The sequence of a decomposition, None without steps: then it is not there at all."""
        task, run, (path, shown) = node.task, self._run, place
        inside = shown if task.origin or task in shown else (*shown, task)
        made, rest = self.begun(node.child, (Inside(node, path), inside))
        if task.origin == construct.WITH_CLEANUP:
            return PlanWithCleanup(made, rest, node, path, run)
        if task.origin == construct.FINALLY:
            return PlanCleanup(made, rest, node)
        if not made:
            return None
        if task.decorator is not None:
            return PlanDecorated(made, rest, node, task.decorator, path, run)
        return PlanScope(made, rest, node)

    def _parallel(self, node: ParallelNode, place: _Place, pending: _Pending) -> Behaviour | None:
        """The branches; None if there is one at most, which goes on in the sequence."""
        branches = [self.begun(child, place) for child in node.children]
        # Under the other policies, a branch with nothing to do decides how the node ends.
        if node.policy is ParallelPolicy.ALL:
            branches = [branch for branch in branches if branch[0]]
        if len(branches) > 1 or node.policy is not ParallelPolicy.ALL:
            return PlanParallel(node, [_one(*branch) for branch in branches])
        for made, rest in branches:
            pending += [] if rest is None else rest.pending
            pending.append((iter(made), place))
        return None

    def begun(self, node: Node, place: _Place) -> tuple[list[Behaviour], Unmade | None]:
        """The first steps, two at least if there are so many, and the others, not made yet."""
        if node in self._over:
            return [], None
        if isinstance(node, TaskNode):
            self._made += 1
            return [TaskLeaf(node, place[0], self._run)], None
        if isinstance(node, ScopeNode) and self._is_shown(node, place[1]):
            scope = self._scope(node, place)
            self._made += scope is not None
            return ([] if scope is None else [scope]), None
        made: list[Behaviour] = []
        pending: _Pending = [(iter((node,)), place)]
        steps = self.steps(pending)
        for step in steps:
            made.append(step)
            self._made += 1
            if len(made) > 1 and self._made >= self._at_once:
                return made, Unmade(steps, pending, self._over)
        return made, None


def _is_kept(node: ScopeNode) -> bool:
    """Whether no sequence may be merged with the decomposition."""
    task = node.task
    return task.decorator is not None or (bool(task.origin) and task.origin in _CLEANUPS)


def _one(made: list[Behaviour], rest: Unmade | None) -> Behaviour:
    if not made:
        return NothingToDo()
    # A placeholder needs a sequence in which it can be replaced.
    alone = len(made) == 1 and not isinstance(made[0], Placeholder)
    return made[0] if alone else PlanSequence(made, rest)
