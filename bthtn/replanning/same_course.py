"""Is another plan only what is left of the running one? And which records can be compared?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain

from bthtn.plan.nodes import (
    NULL_NODE,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.plan.walk import Visit, flat, outline, preorder, unwound
from bthtn.replanning.progress import Progress, Stage

IsIdle = Callable[[TaskNode], bool]
"""Whether a step does nothing at all, neither in the world nor in the plan."""


def is_same_course(progress: Progress, plan: Plan, is_idle: IsIdle) -> bool:
    """Whether the plan is what is left of the running one: nothing would be done otherwise.

    Finished steps, idle steps and the names of decompositions are not looked at.
    """
    left, new = (
        outline(unwound(_left(one, one.tree, is_idle)))
        for one in (progress, Progress.at_start(plan.tree))
    )
    return left == new


def _left(progress: Progress, root: Node, is_idle: IsIdle) -> Visit[Node]:
    """What is left of the tree, as it is run."""

    def visit(node: Node) -> Visit[Node]:
        if isinstance(node, TaskNode):
            over = progress.stage(node) in (Stage.FINISHED, Stage.FAILED)
            return NULL_NODE if over or is_idle(node) else node
        below: list[Node] = []
        for child in progress.below(node):
            rest: Node = yield visit(child)
            below.append(rest)
        match node:
            case ParallelNode() if below:
                return replace(node, children=tuple(below))
            case PriorityNode() if below:
                gone = len(node.kept) - len(below)
                return PriorityNode(tuple(below), node.kept[gone:], node.reactive)
            case SuspendedNode() if node not in progress.planned:
                return node
            case ScopeNode() | SequenceNode() | SuspendedNode():
                return SequenceNode(tuple(below))
            case _:
                return NULL_NODE

    whole: Node = yield visit(root)
    return flat(whole)


def comparable(plan: Plan) -> tuple[MethodTraversalRecord, bool]:
    """The part of the plan's record that stands at its place, and whether that is all of it.

    What is planned later for a part inside a branch is appended to the record, behind the
    entries of later branches. So the places agree only up to the first such part.
    """
    if not _is_open_inside(plan.tree):
        return plan.record, True
    return MethodTraversalRecord(_comparable_entries(plan.tree)), False


def _comparable_entries(tree: Node) -> list[int]:
    """The entries of a tree's record, up to the first part that is suspended in a branch."""
    entries: list[int] = []
    pending: list[tuple[Node | int, bool]] = [(tree, False)]
    while pending:
        node, inside = pending.pop()
        match node:
            case int():
                entries.append(node)
            case SuspendedNode() if inside:
                break
            case ScopeNode():
                entries.append(node.method)
                pending.append((node.child, inside))
            case SequenceNode(children):
                pending.extend((child, inside) for child in reversed(children))
            case ParallelNode(children):
                pending.extend((child, True) for child in reversed(children))
            case PriorityNode():
                pending.extend((one, True) for one in reversed(_alternatives(node)))
            case _:
                pass
    return entries


def _alternatives(node: PriorityNode) -> list[Node | int]:
    """What the alternatives leave in the record, in order: 1, or 0 and their own entries."""
    planned = dict(zip(node.kept, node.children, strict=True))
    places = range(len(node.kept) + len(node.dropped))
    each = ((0, planned[place]) if place in planned else (1,) for place in places)
    return list(chain.from_iterable(each))


def _is_open_inside(tree: Node) -> bool:
    """Whether something is suspended inside a branch."""
    branch: int | None = None
    for depth, node in preorder(tree):
        if branch is None or depth <= branch:
            branch = depth if isinstance(node, ParallelNode | PriorityNode) else None
        elif isinstance(node, SuspendedNode):
            return True
    return False
