"""The plan as an immutable tree, and functions that walk, compare, store and check it.

A plan knows nothing of the search that found it. ``replay`` checks the plans of every planner
independently.
"""

from bthtn.engine.plan.failure import Failure
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
from bthtn.engine.plan.walk import fold, leaves, preorder

__all__ = [
    "Failure",
    "Node",
    "NullNode",
    "ParallelNode",
    "PriorityNode",
    "ScopeNode",
    "SequenceNode",
    "SuspendedNode",
    "TaskNode",
    "fold",
    "leaves",
    "preorder",
]
