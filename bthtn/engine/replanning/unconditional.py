"""asks_nothing: rests of plans that need no check, since nothing can fail any more."""

from __future__ import annotations

from typing import assert_never

from bthtn.engine.domain.choice import ValueChoice
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import (
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
        if not _asks_nothing(node, rest):
            return False
        pending += rest.all_below(node)
    return True


def _asks_nothing(node: Node, rest: Rest) -> bool:
    """Whether the rest of a node reads nothing besides its parts."""
    match node:
        case TaskNode():
            status = rest.status(node)
            return status is not INVALID and (status is not RUNNING or _runs_freely(node))
        case ScopeNode():
            is_static = not node.args and node.body is None and node.task.decorator is None
            return is_static and not isinstance(node.task.choice, ValueChoice)
        case SequenceNode():
            return bool(node.children)
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
