"""compiled: a plan tree as a py_trees subtree, one kind of node after the other.

A compound task becomes a sequence with its name; other sequences inside of sequences are merged.
A task inside of itself is merged, too, and so are all below ``MOST_SCOPES`` others: ten thousand
decompositions below each other make a flat tree.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, assert_never

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Success

from bthtn.behaviours.decorated import PlanDecorated
from bthtn.behaviours.parallel import PlanParallel
from bthtn.behaviours.plan_run import Arrival, Path, PlanRun, Reads, Resumption
from bthtn.behaviours.priority import PlanPriority
from bthtn.behaviours.sequence import (
    Placeholder,
    PlanCleanup,
    PlanScope,
    PlanSequence,
    PlanWithCleanup,
)
from bthtn.behaviours.suspended import Suspended
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.domain import construct
from bthtn.domain.network import ParallelPolicy
from bthtn.domain.task import CompoundTask
from bthtn.errors import Diagnostic, ExecutionError
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
from bthtn.plan.walk import Visit, joined, unwound

DEEPEST: Final = 150
"""Composites that may be nested; py_trees calls itself once or twice for each."""

MOST_SCOPES: Final = 20
"""Compound tasks below each other that are shown as nodes of their own."""

_DEEPER: Final = (PlanParallel, PlanPriority, PlanWithCleanup, PlanCleanup, PlanDecorated)

Steps = list[Behaviour]
"""Behaviours to be run one after the other."""


class _Place(NamedTuple):
    """Where a node stands: the decompositions above it, with the tasks that are shown.

    ``depth`` counts the composites above it that cannot be merged.
    """

    path: Path = None
    depth: int = 0
    tasks: frozenset[CompoundTask[Any]] = frozenset()

    def deeper(self) -> _Place:
        """The place inside of one more composite."""
        return self._replace(depth=self.depth + 1)


def compiled(
    node: Node, run: PlanRun, over: frozenset[Node] = frozenset(), path: Path = None
) -> Behaviour:
    """The behaviour that runs a plan tree without the nodes that are ``over``.

    ``path`` are the decompositions above the tree. Raises ExecutionError when branches,
    alternatives and cleanups are nested too deep for py_trees.
    """
    return _one(unwound(_Compiler(run, over).steps(node, _Place(path))))


def compiled_steps(node: Node, run: PlanRun, arrival: Arrival, reads: Reads | None = None) -> Steps:
    """The behaviours that replace a suspended part. Raises ExecutionError as ``compiled``.

    ``reads`` are those of ``Resumption``.
    """
    depth, above, tasks = 0, arrival.parent, set[CompoundTask[Any]]()
    while above is not None:
        depth += isinstance(above, _DEEPER)
        tasks.update((above.node.task,) if isinstance(above, PlanScope) else ())
        above = above.parent
    inside = (*arrival.inside, Resumption(arrival.node, reads, run.moves))
    place = _Place(arrival.path, depth, frozenset(tasks))
    return unwound(_Compiler(run, inside=inside).steps(node, place))


class _Compiler:
    """Turns nodes into behaviours by recursive generators, which ``unwound`` runs on a stack."""

    def __init__(
        self,
        run: PlanRun,
        over: frozenset[Node] = frozenset(),
        inside: tuple[Resumption, ...] = (),
    ) -> None:
        self._run = run
        self._over = over
        self._inside = inside

    def steps(self, node: Node, place: _Place) -> Visit[Steps]:
        """The behaviours for a node, to be put into a sequence. Raises ExecutionError."""
        if place.depth > DEEPEST:
            raise ExecutionError(
                Diagnostic(
                    "BT305",
                    f"branches, alternatives and cleanups are nested more than {DEEPEST} deep",
                    hint="py_trees runs a tree by recursion; use a sequence or a suspension",
                )
            )
        if node in self._over:
            return _leaf([])
        match node:
            case TaskNode():
                return _leaf([TaskLeaf(node, place.path, self._run)])
            case SuspendedNode():
                return _leaf([Suspended(node, place.path, self._run, self._inside)])
            case NullNode():
                return _leaf([])
            case ScopeNode():
                return self._scope(node, place)
            case SequenceNode():
                return self._sequence(node, place)
            case ParallelNode():
                return self._parallel(node, place)
            case PriorityNode():
                return self._priority(node, place)
            case _:
                assert_never(node)

    def _scope(self, node: ScopeNode, place: _Place) -> Visit[Steps]:
        path, depth, tasks = place
        task, origin = node.task, node.task.origin
        is_shown = not origin and task not in tasks and len(tasks) < MOST_SCOPES
        decorator = task.decorator
        is_kept = origin in (construct.WITH_CLEANUP, construct.FINALLY) or decorator is not None
        below = _Place((str(node), path), depth + is_kept, tasks | {task} if is_shown else tasks)
        inside: Steps = yield self.steps(node.child, below)
        if decorator is not None:
            return [PlanDecorated(node, decorator, path, self._run, inside)] if inside else []
        if origin == construct.WITH_CLEANUP:
            return [PlanWithCleanup(node, path, self._run, inside)]
        if origin == construct.FINALLY:
            return [PlanCleanup(inside, str(node))]
        return [PlanScope(node, inside)] if is_shown and inside else inside

    def _sequence(self, node: SequenceNode, place: _Place) -> Visit[Steps]:
        steps: Steps = []
        for child in node.children:
            inside: Steps = yield self.steps(child, place)
            steps = joined(steps, inside)
        return steps

    def _parallel(self, node: ParallelNode, place: _Place) -> Visit[Steps]:
        branches: list[Steps] = []
        for child in node.children:
            inside: Steps = yield self.steps(child, place.deeper())
            branches.append(inside)
        # Under the other policies, a branch with nothing to do decides how the node ends.
        if node.policy is ParallelPolicy.ALL:
            branches = [branch for branch in branches if branch]
            if len(branches) <= 1:
                return branches[0] if branches else []
        return [PlanParallel(node, [_one(branch) for branch in branches])]

    def _priority(self, node: PriorityNode, place: _Place) -> Visit[Steps]:
        alternatives: list[Behaviour] = []
        for child in node.children:
            inside: Steps = yield self.steps(child, place.deeper())
            alternatives.append(_one(inside))
        return [PlanPriority(node, alternatives)]


def _leaf(steps: Steps) -> Visit[Steps]:
    yield from ()
    return steps


def _one(steps: Steps) -> Behaviour:
    if not steps:
        return Success("nothing to do")
    # A placeholder needs a sequence in which it can be replaced.
    alone = len(steps) == 1 and not isinstance(steps[0], Placeholder)
    return steps[0] if alone else PlanSequence(steps)
