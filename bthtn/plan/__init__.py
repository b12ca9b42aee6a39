"""WHAT DO WE INTEND? The plan as an immutable tree, and what can be said about it.

A plan knows nothing of the search that found it. ``replay`` is the independent judge that
every plan of every planner answers to.
"""

from bthtn.plan.failure import Failure
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
from bthtn.plan.walk import fold, leaves, preorder

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
