"""compiled: a plan tree as a py_trees subtree, one kind of node after the other.

A compound task becomes a sequence with its name; other sequences inside of sequences are merged.
A task inside of itself is merged, too, and so are all below ``MOST_SCOPES`` others: ten thousand
decompositions below each other make a flat tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.behaviours.decorated import PlanDecorated
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.plan_behaviour import PlanLeaf
from bthtn.engine.behaviours.plan_run import (
    Arrival,
    Inside,
    Path,
    PlanRun,
    Reads,
    Resumption,
    shortened,
)
from bthtn.engine.behaviours.priority import PlanPriority
from bthtn.engine.behaviours.sequence import (
    Placeholder,
    PlanCleanup,
    PlanScope,
    PlanSequence,
    PlanWithCleanup,
)
from bthtn.engine.behaviours.status import SUCCESS
from bthtn.engine.behaviours.suspended import Suspended
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.domain import construct
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.domain.task import CompoundTask
from bthtn.engine.plan.nodes import (
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
from bthtn.engine.plan.plan import Plan
from bthtn.errors import ExecutionError

DEEPEST: Final = 150
"""Composites that may be nested; py_trees calls itself once or twice for each."""

MOST_SCOPES: Final = 20
"""Compound tasks below each other that are shown as nodes of their own."""

_DEEPER: Final = (PlanParallel, PlanPriority, PlanWithCleanup, PlanCleanup, PlanDecorated)


class NothingToDo(PlanLeaf):
    """The behaviour of a plan, or a branch, without steps: it succeeds."""

    def update(self) -> Status:
        """Called by py_trees at every tick."""
        return SUCCESS

    def tick(self) -> Iterator[Behaviour]:
        self.status = self.update()
        yield self

    def _title(self) -> str:
        """The name that displays show."""
        return "nothing to do"


_CLEANUPS: Final = (construct.WITH_CLEANUP, construct.FINALLY)

_Tasks = tuple[CompoundTask[...], ...]
_Place = tuple[Path, _Tasks]
"""Where a node stands: the decompositions above it, and those of their tasks that are shown."""

_Pending = list[tuple[Node, _Place]]
"""What is left of the sequences that are merged, the next node last."""


def compiled(node: Node, run: PlanRun, path: Path = None) -> Behaviour:
    """The behaviour that runs a plan tree. ``path`` are the decompositions above the tree.

    ``refuse_too_deep`` has let it pass.
    """
    return in_turn(_Compiler(run).steps(node, (path, ())))


def compiled_steps(
    node: Node,
    run: PlanRun,
    above: Behaviour | None,
    path: Path,
    inside: tuple[Resumption, ...] = (),
) -> list[Behaviour]:
    """The behaviours of a part that is put below a running one. Raises as ``refuse_too_deep``.

    ``path`` are the decompositions above it, ``inside`` the suspended parts whose plans it is in.
    """
    depth, tasks = 0, dict[CompoundTask[...], None]()
    while above is not None:
        depth += isinstance(above, _DEEPER)
        tasks.update({above.node.task: None} if isinstance(above, PlanScope) else {})
        above = above.parent
    _refuse_too_deep(node, depth)
    return _Compiler(run, inside).steps(node, (path, tuple(tasks)))


def resumed_steps(
    node: Node, run: PlanRun, arrival: Arrival, reads: Reads | None = None
) -> list[Behaviour]:
    """The behaviours that replace a suspended part; ``reads`` are those of ``Resumption``.

    Raises ExecutionError as ``refuse_too_deep``.
    """
    inside = (*arrival.inside, Resumption(arrival.node, reads, run.moves))
    return compiled_steps(node, run, arrival.parent, shortened(arrival.path), inside)


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
        inside: tuple[Resumption, ...] = (),
    ) -> None:
        self._run = run
        self._inside = inside

    def steps(self, root: Node, place: _Place) -> list[Behaviour]:
        """The behaviours of a node, one after the other, to be put into a sequence."""
        made: list[Behaviour] = []
        pending: _Pending = [(root, place)]
        run = self._run
        while pending:
            node, place = pending.pop()
            if isinstance(node, TaskNode):
                made.append(TaskLeaf(node, place[0], run))
            elif isinstance(node, SequenceNode):
                path = place[0]
                for number, child in enumerate(node.children):
                    if not isinstance(child, TaskNode):  # few are anything else
                        pending += [(later, place) for later in reversed(node.children[number:])]
                        break
                    made.append(TaskLeaf(child, path, run))
            elif isinstance(node, ScopeNode) and not self._is_shown(node, place[1]):
                pending.append((node.child, (Inside(node, place[0]), place[1])))
            else:
                made += self._behaviours(node, place)
        return made

    def _is_shown(self, node: ScopeNode, shown: _Tasks) -> bool:
        """Whether a decomposition becomes a behaviour of its own."""
        task = node.task
        if task.origin:
            return _is_kept(node)
        return (task not in shown and len(shown) < MOST_SCOPES) or _is_kept(node)

    def _behaviours(
        self, node: ScopeNode | BranchingNode | SuspendedNode | NullNode, place: _Place
    ) -> list[Behaviour]:
        """The behaviour of a node that is not merged; none where there is nothing to do."""
        match node:
            case ScopeNode():
                return self._scope(node, place)
            case ParallelNode():
                return self._parallel(node, place)
            case PriorityNode():
                alternatives = [in_turn(self.steps(child, place)) for child in node.children]
                return [behaviour_of(node, alternatives, place[0], self._run)]
            case SuspendedNode():
                part = Suspended(node, place[0], self._run)
                part.inside = self._inside
                return [part]
            case NullNode():
                return []
            case _:
                assert_never(node)

    def _scope(self, node: ScopeNode, place: _Place) -> list[Behaviour]:
        """The sequence of a decomposition; none without steps, unless it has a cleanup."""
        task, (path, shown) = node.task, place
        inside = shown if task.origin or task in shown else (*shown, task)
        steps = self.steps(node.child, (Inside(node, path), inside))
        if not steps and task.origin not in _CLEANUPS:
            return []
        return [behaviour_of(node, steps, path, self._run)]

    def _parallel(self, node: ParallelNode, place: _Place) -> list[Behaviour]:
        """The node with its branches; of one branch at most, its steps."""
        branches = [self.steps(child, place) for child in node.children]
        # Under the other policies, a branch with nothing to do decides how the node ends.
        if node.policy is ParallelPolicy.ALL:
            branches = [branch for branch in branches if branch]
            if len(branches) <= 1:
                return [step for branch in branches for step in branch]
        return [behaviour_of(node, list(map(in_turn, branches)), place[0], self._run)]


def behaviour_of(node: Node, below: list[Behaviour], path: Path, run: PlanRun) -> Behaviour:
    """The behaviour of a node that has one, with those below it."""
    match node:
        case TaskNode():
            return TaskLeaf(node, path, run)
        case ScopeNode(task=CompoundTask(origin=origin, decorator=decorator)):
            if origin == construct.WITH_CLEANUP:
                return PlanWithCleanup(below, node, path, run)
            if origin == construct.FINALLY:
                return PlanCleanup(below, node)
            if decorator is not None:
                return PlanDecorated(below, node, decorator, path, run)
            return PlanScope(below, node)
        case ParallelNode():
            return PlanParallel(node, below)
        case PriorityNode():
            return PlanPriority(node, below, run)
        case SuspendedNode():
            return Suspended(node, path, run)
        case SequenceNode() | NullNode():
            raise TypeError(f"{node} has no behaviour of its own")
        case _:
            assert_never(node)


def _is_kept(node: ScopeNode) -> bool:
    """Whether no sequence may be merged with the decomposition."""
    task = node.task
    return task.decorator is not None or (bool(task.origin) and task.origin in _CLEANUPS)


def in_turn(steps: list[Behaviour]) -> Behaviour:
    """The behaviour of steps that follow each other."""
    if not steps:
        return NothingToDo()
    # A placeholder needs a sequence in which it can be replaced.
    alone = len(steps) == 1 and not isinstance(steps[0], Placeholder)
    return steps[0] if alone else PlanSequence(steps)
