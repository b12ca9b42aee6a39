"""fresh_subtree: the behaviours of a plan, made after one pattern for equal plans.

A thousand agents that run equal plans share their tree. Which of its nodes become behaviours, and
which are merged, is worked out once for all of them.
"""

from __future__ import annotations

from typing import Any, Final

from py_trees.behaviour import Behaviour

from bthtn.engine.behaviours.compile import compiled
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.plan_behaviour import below, postorder
from bthtn.engine.behaviours.plan_run import Path, PlanRun
from bthtn.engine.behaviours.priority import PlanPriority
from bthtn.engine.behaviours.sequence import PlanScope, PlanSequence
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.plan.plan import Plan

_Part = tuple[Any, Any, Path, int]
"""A behaviour: its class, its node, the path of a leaf, and how many children it has."""

_KINDS: Final = (TaskLeaf, PlanScope, PlanSequence, PlanParallel, PlanPriority)

_PATTERN_AT: Final = 2
"""The use of a tree at which its pattern is made: most trees are used only once."""


def fresh_subtree(plan: Plan, run: PlanRun) -> Behaviour:
    """The behaviour that runs the whole plan. The plan must not be too deep for py_trees."""
    return plan.derived(_Pattern).made(plan, run)


class _Pattern:
    """The parts of the behaviours of equal plans, once a second one is run."""

    __slots__ = ("_parts", "_uses")

    def __init__(self, _plan: Plan) -> None:
        self._parts: list[_Part] = []
        self._uses = 0

    def made(self, plan: Plan, run: PlanRun) -> Behaviour:
        if self._parts:
            return _made_of(self._parts, run)
        subtree = compiled(plan.tree, run)
        self._uses += 1
        if self._uses == _PATTERN_AT:
            self._parts = _parts_of(subtree)
        return subtree


def _parts_of(subtree: Behaviour) -> list[_Part]:
    """All of its behaviours, children before their parents; none if one is of another kind."""
    nodes: list[Any] = postorder(subtree)
    if any(type(node) not in _KINDS for node in nodes):
        return []
    return [
        (type(node), node.node, getattr(node, "path", None), len(below(node))) for node in nodes
    ]


def _made_of(parts: list[_Part], run: PlanRun) -> Behaviour:
    """Such behaviours for another run."""
    ready: list[Behaviour] = []
    for kind, node, path, number in parts:
        if kind is TaskLeaf:
            ready.append(TaskLeaf(node, path, run))
            continue
        children = slice(len(ready) - number, None)
        if kind is PlanParallel:
            ready[children] = (PlanParallel(node, ready[children]),)
        elif kind is PlanPriority:
            ready[children] = (PlanPriority(node, ready[children], run),)
        else:
            ready[children] = (kind(ready[children], node),)
    return ready[0]
