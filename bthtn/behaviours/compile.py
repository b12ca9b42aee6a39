"""compiled: a plan tree as a py_trees subtree, one kind of node after the other.

Scopes leave nothing behind but the names on a step's path, unless they have a cleanup, and
sequences inside of sequences are merged: ten thousand decompositions below each other make a
flat tree.
"""

from __future__ import annotations

from typing import Final, assert_never

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Success

from bthtn.behaviours.parallel import PlanParallel
from bthtn.behaviours.plan_run import Arrival, Path, PlanRun, Reads, Resumption
from bthtn.behaviours.priority import PlanPriority
from bthtn.behaviours.sequence import Placeholder, PlanCleanup, PlanSequence, PlanWithCleanup
from bthtn.behaviours.suspended import Suspended
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.domain import construct
from bthtn.domain.network import ParallelPolicy
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

Steps = list[Behaviour]
"""Behaviours to be run one after the other."""


def compiled(
    node: Node, run: PlanRun, over: frozenset[Node] = frozenset(), path: Path = None
) -> Behaviour:
    """The behaviour that runs a plan tree without the nodes that are ``over``.

    ``path`` are the decompositions above the tree. Raises ExecutionError when branches,
    alternatives and cleanups are nested too deep for py_trees.
    """
    return _one(unwound(_Compiler(run, over).steps(node, path, 0)))


def compiled_steps(node: Node, run: PlanRun, arrival: Arrival, reads: Reads | None = None) -> Steps:
    """The behaviours that replace a suspended part. Raises ExecutionError as ``compiled``.

    ``reads`` are those of ``Resumption``.
    """
    depth, above = 0, arrival.parent
    while above is not None:
        depth += isinstance(above, PlanParallel | PlanPriority | PlanWithCleanup | PlanCleanup)
        above = above.parent
    inside = (*arrival.inside, Resumption(arrival.node, reads, run.moves))
    return unwound(_Compiler(run, inside=inside).steps(node, arrival.path, depth))


class _Compiler:
    """Turns nodes into behaviours by recursive generators, which ``unwound`` runs on a stack.

    ``depth`` counts the composites above a node that cannot be merged.
    """

    def __init__(
        self,
        run: PlanRun,
        over: frozenset[Node] = frozenset(),
        inside: tuple[Resumption, ...] = (),
    ) -> None:
        self._run = run
        self._over = over
        self._inside = inside

    def steps(self, node: Node, path: Path, depth: int) -> Visit[Steps]:
        """The behaviours for a node, to be put into a sequence. Raises ExecutionError."""
        if depth > DEEPEST:
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
                return _leaf([TaskLeaf(node, path, self._run)])
            case SuspendedNode():
                return _leaf([Suspended(node, path, self._run, self._inside)])
            case NullNode():
                return _leaf([])
            case ScopeNode():
                return self._scope(node, path, depth)
            case SequenceNode():
                return self._sequence(node, path, depth)
            case ParallelNode():
                return self._parallel(node, path, depth)
            case PriorityNode():
                return self._priority(node, path, depth)
            case _:
                assert_never(node)

    def _scope(self, node: ScopeNode, path: Path, depth: int) -> Visit[Steps]:
        origin = node.task.origin
        merges = origin not in (construct.WITH_CLEANUP, construct.FINALLY)
        below: Path = (str(node), path)
        inside: Steps = yield self.steps(node.child, below, depth if merges else depth + 1)
        if origin == construct.WITH_CLEANUP:
            return [PlanWithCleanup(node, path, self._run, inside)]
        return inside if merges else [PlanCleanup(inside, str(node))]

    def _sequence(self, node: SequenceNode, path: Path, depth: int) -> Visit[Steps]:
        steps: Steps = []
        for child in node.children:
            inside: Steps = yield self.steps(child, path, depth)
            steps = joined(steps, inside)
        return steps

    def _parallel(self, node: ParallelNode, path: Path, depth: int) -> Visit[Steps]:
        branches: list[Steps] = []
        for child in node.children:
            inside: Steps = yield self.steps(child, path, depth + 1)
            branches.append(inside)
        # Under the other policies, a branch with nothing to do decides how the node ends.
        if node.policy is ParallelPolicy.ALL:
            branches = [branch for branch in branches if branch]
            if len(branches) <= 1:
                return branches[0] if branches else []
        return [PlanParallel(node, [_one(branch) for branch in branches])]

    def _priority(self, node: PriorityNode, path: Path, depth: int) -> Visit[Steps]:
        alternatives: list[Behaviour] = []
        for child in node.children:
            inside: Steps = yield self.steps(child, path, depth + 1)
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
