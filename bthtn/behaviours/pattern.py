"""fresh_subtree: the behaviours of a plan, made after one pattern for equal plans.

A thousand agents that run equal plans share their tree. What becomes a behaviour of its own, and
what is merged, is worked out of it once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from py_trees.behaviour import Behaviour

from bthtn.behaviours.compile import compiled
from bthtn.behaviours.parallel import PlanParallel
from bthtn.behaviours.plan_run import PlanRun
from bthtn.behaviours.priority import PlanPriority
from bthtn.behaviours.sequence import PlanScope, PlanSequence
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.plan.nodes import ParallelNode, PriorityNode, ScopeNode
from bthtn.plan.plan import Plan

Make = Callable[[PlanRun], Behaviour]
"""Makes a behaviour, with those below it, for a run."""

_PATTERN_AT: Final = 2
"""The use of a tree at which its pattern is made: most trees are used only once."""


def fresh_subtree(plan: Plan, run: PlanRun) -> Behaviour:
    """The behaviour that runs the whole plan. The plan must not be too deep for py_trees."""
    return plan.derived(_Pattern).made(plan, run)


class _Pattern:
    """What makes the behaviours of equal plans, once a second one is run."""

    __slots__ = ("_make", "_uses")

    def __init__(self, _plan: Plan) -> None:
        self._make: Make | None = None
        self._uses = 0

    def made(self, plan: Plan, run: PlanRun) -> Behaviour:
        """The behaviours of one of these plans."""
        if self._make is not None:
            return self._make(run)
        subtree = compiled(plan.tree, run)
        self._uses += 1
        if self._uses == _PATTERN_AT:
            self._make = _again(subtree)
        return subtree


def _again(node: Behaviour) -> Make | None:
    """What makes such behaviours for another run; None if one of them is of another kind."""
    if isinstance(node, TaskLeaf):
        step, path = node.node, node.path
        return lambda run: TaskLeaf(step, path, run)
    if type(node) in (PlanScope, PlanSequence) and isinstance(node, PlanSequence):
        return None if node.has_unmade else _sequence(type(node), node.node, node.made)
    if isinstance(node, PlanParallel):
        return _parallel(node.node, node.made)
    if isinstance(node, PlanPriority):
        return _priority(node.node, node.made)
    return None


def _sequence(
    kind: type[PlanSequence], scope: ScopeNode | None, children: list[Behaviour]
) -> Make | None:
    below = _all_again(children)
    if below is None:
        return None
    return lambda run: kind([make(run) for make in below], None, scope)


def _parallel(node: ParallelNode, children: list[Behaviour]) -> Make | None:
    below = _all_again(children)
    if below is None:
        return None
    return lambda run: PlanParallel(node, [make(run) for make in below])


def _priority(node: PriorityNode, children: list[Behaviour]) -> Make | None:
    below = _all_again(children)
    if below is None:
        return None
    return lambda run: PlanPriority(node, [make(run) for make in below], run)


def _all_again(children: list[Behaviour]) -> list[Make] | None:
    """The same of all of them, or None."""
    makes = [make for child in children if (make := _again(child)) is not None]
    return makes if len(makes) == len(children) else None
