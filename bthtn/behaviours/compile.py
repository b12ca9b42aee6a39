"""compiled: a plan tree as a py_trees subtree, by one table.

Scopes leave nothing behind but the names on a step's path, unless they are cleaned up after, and
sequences inside sequences become one, so that ten thousand decompositions below each other make a
flat tree.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Success

from bthtn.behaviours.parallel import PlanParallel
from bthtn.behaviours.priority import PlanPriority
from bthtn.behaviours.run import Arrival, Path, PlanRun
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
    """The behaviour that runs the plan tree, below this path, but for the nodes that are over.

    Raises ExecutionError when branches, alternatives and cleanups are nested too deep for
    py_trees.
    """
    return _one(unwound(_Compiler(run, over).steps(node, path, 0)))


def compiled_steps(node: Node, run: PlanRun, arrival: Arrival) -> Steps:
    """The behaviours that take the place of a suspended part. Raises ExecutionError as above."""
    depth, above = 0, arrival.parent
    while above is not None:
        depth += isinstance(above, PlanParallel | PlanPriority | PlanWithCleanup | PlanCleanup)
        above = above.parent
    return unwound(_Compiler(run).steps(node, arrival.path, depth))


class _Compiler:
    """Turns nodes into steps; ``depth`` counts the composites above."""

    def __init__(self, run: PlanRun, over: frozenset[Node] = frozenset()) -> None:
        self.run = run
        self.over = over

    def steps(self, node: Node, path: Path, depth: int) -> Visit[Steps]:
        """What takes the node's place in a sequence."""
        if depth > DEEPEST:
            raise ExecutionError(
                Diagnostic(
                    "BT305",
                    f"branches, alternatives and cleanups are nested more than {DEEPEST} deep",
                    hint="py_trees runs a tree by recursion; use a sequence or a suspension",
                )
            )
        make = _null if node in self.over else TABLE[type(node)]
        return make(self, node, path, depth)


def _task(compiler: _Compiler, node: TaskNode, path: Path, _: int) -> Visit[Steps]:
    yield from ()
    return [TaskLeaf(node, path, compiler.run)]


def _scope(compiler: _Compiler, node: ScopeNode, path: Path, depth: int) -> Visit[Steps]:
    inside: Steps
    below = (str(node), path)
    match node.task.origin:
        case construct.WITH_CLEANUP:
            inside = yield compiler.steps(node.child, below, depth + 1)
            return [PlanWithCleanup(node, path, compiler.run, inside)]
        case construct.FINALLY:
            inside = yield compiler.steps(node.child, below, depth + 1)
            return [PlanCleanup(inside, str(node))]
        case _:
            inside = yield compiler.steps(node.child, below, depth)
            return inside


def _sequence(compiler: _Compiler, node: SequenceNode, path: Path, depth: int) -> Visit[Steps]:
    steps: Steps = []
    for child in node.children:
        inside: Steps = yield compiler.steps(child, path, depth)
        steps = joined(steps, inside)
    return steps


def _parallel(compiler: _Compiler, node: ParallelNode, path: Path, depth: int) -> Visit[Steps]:
    branches: list[Steps] = []
    for child in node.children:
        inside: Steps = yield compiler.steps(child, path, depth + 1)
        branches.append(inside)
    if node.policy is ParallelPolicy.ALL:
        branches = [branch for branch in branches if branch]
        if len(branches) <= 1:
            return branches[0] if branches else []
    return [PlanParallel(node, [_one(branch) for branch in branches])]


def _priority(compiler: _Compiler, node: PriorityNode, path: Path, depth: int) -> Visit[Steps]:
    alternatives: list[Behaviour] = []
    for child in node.children:
        inside: Steps = yield compiler.steps(child, path, depth + 1)
        alternatives.append(_one(inside))
    return [PlanPriority(node, alternatives)]


def _suspended(compiler: _Compiler, node: SuspendedNode, path: Path, _: int) -> Visit[Steps]:
    yield from ()
    return [Suspended(node, path, compiler.run)]


def _null(_: _Compiler, __: Node, ___: Path, ____: int) -> Visit[Steps]:
    yield from ()
    return []


TABLE: Final = MappingProxyType[type[Node], Callable[..., Visit[Any]]](
    {
        TaskNode: _task,
        ScopeNode: _scope,
        SequenceNode: _sequence,
        ParallelNode: _parallel,
        PriorityNode: _priority,
        SuspendedNode: _suspended,
        NullNode: _null,
    }
)
"""Which factory makes the behaviour for a plan node."""


def _one(steps: Steps) -> Behaviour:
    if not steps:
        return Success("nothing to do")
    alone = len(steps) == 1 and not isinstance(steps[0], Placeholder)
    return steps[0] if alone else PlanSequence(steps)
