"""How far a mounted plan has come, read off its behaviours."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.behaviours.parallel import PlanParallel
from bthtn.behaviours.priority import PlanPriority
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.plan.nodes import Node, PriorityNode, SuspendedNode, TaskNode
from bthtn.replanning.progress import Progress, Stage

_STAGE: Final = MappingProxyType(
    {
        Status.INVALID: Stage.AHEAD,
        Status.RUNNING: Stage.RUNNING,
        Status.SUCCESS: Stage.FINISHED,
        Status.FAILURE: Stage.FAILED,
    }
)

_ENDED: Final = (Status.SUCCESS, Status.FAILURE)


def progress_of(
    subtree: Behaviour, tree: Node, planned: Mapping[SuspendedNode, Node] = MappingProxyType({})
) -> Progress:
    """How far the plan with this tree has come, of which the subtree is the behaviour."""
    stages: dict[TaskNode, Stage] = {}
    passed: dict[PriorityNode, int] = {}
    over: set[Node] = set()
    pending = [subtree]
    while pending:
        node = pending.pop()
        if isinstance(node, TaskLeaf):
            stages[node.node] = _STAGE[node.status]
            continue
        if isinstance(node, PlanPriority | PlanParallel) and node.status in _ENDED:
            over.add(node.node)
        if isinstance(node, PlanPriority) and node.memory and node.status is Status.RUNNING:
            chosen = node.current_child
            passed[node.node] = 0 if chosen is None else node.children.index(chosen)
        pending.extend(node.children)
    return Progress(tree, stages, planned, passed, frozenset(over))
