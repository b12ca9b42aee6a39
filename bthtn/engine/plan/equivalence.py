"""Equivalence of plan trees, and the part of a plan's record that can be compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, assert_never

from bthtn.engine.domain.choice import RandomOrder
from bthtn.engine.plan.nodes import (
    NULL_NODE,
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
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import (
    Visit,
    children_of,
    flat,
    outline,
    preorder,
    record_entries,
    unwound,
)

LONGEST_BOUND: Final = 1_000
"""Maximum length of the record to beat, for plans that are suspended again and again."""


def steps_outline(
    root: Node,
    skips: Callable[[TaskNode], bool],
    below: Callable[[Node], Sequence[Node]] = children_of,
) -> tuple[tuple[str, int], ...]:
    """The outline of a tree as it is run: equal for trees with the same steps in the same order.

    Scopes are left out, and so are steps for which ``skips`` is true. ``below`` gives the
    children of a node and may leave out finished ones.
    """

    def visit(node: Node) -> Visit[Node]:
        children: list[Node] = []
        for child in below(node):
            left: Node = yield visit(child)
            children.append(left)
        return _run(node, children, skips)

    tree: Node = unwound(visit(root))
    return outline(flat(tree))


def _run(node: Node, children: list[Node], skips: Callable[[TaskNode], bool]) -> Node:
    """The node as it is run: with these children, without scopes and skipped steps."""
    match node:
        case TaskNode():
            return NULL_NODE if skips(node) else node
        case ParallelNode():
            return replace(node, children=tuple(children)) if children else NULL_NODE
        case PriorityNode():
            over = len(node.kept) - len(children)
            alternatives = PriorityNode(tuple(children), node.kept[over:], node.reactive)
            return alternatives if children else NULL_NODE
        case SuspendedNode() if not children:
            return node
        case ScopeNode() if node.task.decorator is not None:
            return replace(node, child=SequenceNode(tuple(children)))
        case ScopeNode() | SequenceNode() | SuspendedNode():
            return SequenceNode(tuple(children))
        case NullNode():
            return NULL_NODE
        case _:
            assert_never(node)


def comparable_record(plan: Plan) -> tuple[MethodTraversalRecord, bool]:
    """The entries of the plan's record that can be compared, and whether these are all.

    When a suspended part inside a branch is planned later, its entries are appended to the
    record, after those of later branches. So two records have entries for the same choices only
    up to the first suspended part in a branch. Nor is one draw better than another: the entry of
    a random choice, and all behind it, cannot be compared with those of another draw.
    """
    if _is_whole_comparable(plan.tree):
        return plan.record, True
    return MethodTraversalRecord(record_entries(plan.tree, _is_drawn, open_branches=False)), False


def is_first_choice(plan: Plan) -> bool:
    """Whether the comparable record of a plan is one of zeros, which none beats.

    Found without the record where the first choice of the plan has a better one before it.
    """
    root = plan.tree
    if isinstance(root, ScopeNode) and root.method > 0 and not _is_drawn(root):
        return False
    return not any(plan.record) or not any(comparable_record(plan)[0])


def followed_by(
    known: tuple[MethodTraversalRecord, bool], plan: Plan
) -> tuple[MethodTraversalRecord, bool]:
    """The comparable record of a plan, with that of a suspended part which was planned by now."""
    record, is_whole = known
    if not is_whole or len(record) >= LONGEST_BOUND:
        return known
    entries, is_whole = plan.derived(comparable_record)
    return MethodTraversalRecord((*record, *entries)), is_whole


def _is_whole_comparable(tree: Node) -> bool:
    """Whether a tree has neither random choices nor suspended parts inside a branch."""
    pending: list[tuple[Node, bool]] = [(tree, False)]
    while pending:
        node, in_branch = pending.pop()
        if _is_drawn(node) or (in_branch and isinstance(node, SuspendedNode)):
            return False
        in_branch = in_branch or isinstance(node, BranchingNode)
        below = [child for child in children_of(node) if not isinstance(child, TaskNode)]
        pending += [(child, in_branch) for child in below]
    return True


def _is_drawn(node: Node) -> bool:
    """Whether another search could draw otherwise here.

    It cannot where all states draw alike, and the action drawn first is the one that runs.
    """
    if not isinstance(node, ScopeNode):
        return False
    choice = node.task.choice
    if not isinstance(choice, RandomOrder):
        return False
    return node.method > 0 or bool(node.args) or not choice.is_constant


def repeats_suspension(plan: Plan, resumed: SuspendedNode) -> bool:
    """Whether the plan of a suspended part begins by suspending the same part again."""
    first = next(
        (n for _, n in preorder(plan.tree) if isinstance(n, TaskNode | SuspendedNode)), None
    )
    return isinstance(first, SuspendedNode) and first.repeats(resumed)
