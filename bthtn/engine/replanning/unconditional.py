"""asks_nothing: rests of plans that need no check, since nothing can fail any more."""

from __future__ import annotations

from typing import assert_never

from bthtn.engine.domain.choice import ValueChoice
from bthtn.engine.domain.network import ParallelPolicy
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
from bthtn.engine.replanning.rest import INVALID, RUNNING, Rest
from bthtn.engine.world.expression import ALWAYS
from bthtn.engine.world.footprint import INCREASE


def asks_nothing(rest: Rest) -> bool:
    """Whether all that is left are running steps that no condition can stop, and nothing is read.

    The last steps of most plans are. ``False`` where that takes a check.
    """
    pending: list[Node] = [rest.tree]
    while pending:
        node = pending.pop()
        if isinstance(node, TaskNode):
            status = rest.status(node)
            if status is INVALID or (status is RUNNING and not _runs_freely(node)):
                return False
        elif _only_its_parts_ask(node):
            pending += rest.all_below(node)
        else:
            return False
    return True


def _only_its_parts_ask(
    node: ScopeNode | SequenceNode | BranchingNode | SuspendedNode | NullNode,
) -> bool:
    """Whether the rest of a node reads nothing besides its parts."""
    match node:
        case SequenceNode():
            return bool(node.children)
        case ScopeNode():
            is_static = not node.args and node.body is None and node.task.decorator is None
            return is_static and not isinstance(node.task.choice, ValueChoice)
        case ParallelNode():
            return bool(node.children) and node.policy is ParallelPolicy.ALL
        case PriorityNode() | SuspendedNode() | NullNode():
            return False
        case _:
            assert_never(node)


def _runs_freely(node: TaskNode) -> bool:
    writes = node.footprint.writes.values()
    is_read = any(write.kind is INCREASE for write in writes)
    return node.task.during is ALWAYS and node.task.watched is ALWAYS and not is_read
