"""parallelize: an equivalent plan in which as many steps as possible run in parallel.

A plan's sequences are total orders, because planning goes from left to right. Here each is
replaced by the order that its steps need: `dependencies` finds the steps that have to keep their
order, and `series_parallel` expresses that as nested sequences and parallels. docs/parallelize.md
explains which properties are preserved, and why.

    sequence  ─►  stretches between barriers, of steps, composites and moments
              ─►  each a graph  ─►  an order  ─►  a tree

Sequences whose failure can be caught are not changed: the other alternatives, or the other branches
of `any` and `primary`, rely on the effects that the sequence would have had before it failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, assert_never

from bthtn.engine.domain.construct import WITH_CLEANUP
from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.merge import conflict
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
from bthtn.engine.plan.walk import Visit, flat, fold, preorder, unwound
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.footprint import Footprint
from bthtn.studio.analysis.dependencies import SequencePart, dependencies
from bthtn.studio.analysis.run_time import whole_footprint
from bthtn.studio.analysis.series_parallel import Order, arranged

DEEPEST: Final = 100
"""Maximum nesting of composites in the result; running a plan allows some more (BT305)."""


def parallelize(plan: Plan) -> Plan:
    """The plan with as many steps in parallel as its footprints, resources and methods allow.

    Every interleaving of the branches executes the same steps, each with its precondition true,
    and leads to ``predicted``. The critical path is not longer than before. The tree has no
    scopes. If nothing can be gained, the plan itself is returned.
    """
    tasks = (node.task for _, node in preorder(plan.tree) if isinstance(node, ScopeNode))
    if any(task.origin == WITH_CLEANUP or task.decorator is not None for task in tasks):
        return plan  # only scopes say what belongs to a cleanup or decorator; the result has none
    before = flat(plan.tree)
    nested = fold(before, _nesting)
    # Shared among the levels of the plan, since the nesting added on each level adds up.
    room = max(0, DEEPEST - nested) // (nested + 1)
    if not room:
        return plan
    tree = flat(unwound(_rearranged(plan.tree, room, keeps_first=False)))
    longer = any(fold(tree, length) > fold(before, length) for length in (_weight, _makespan))
    if longer or fold(tree, _orderings) >= fold(before, _orderings):
        return plan
    return replace(plan, tree=tree)


def makespan(plan: Plan | Node) -> float:
    """The planned duration if no step fails: the length of the critical path.

    It is in ticks or in seconds, as the durations of the domain. Of the alternatives of a
    ``priority`` the longest counts.
    """
    return fold(plan.tree if isinstance(plan, Plan) else plan, _makespan)


def _rearranged(root: Node, room: int, *, keeps_first: bool) -> Visit[Node]:
    """The tree with its sequences rearranged; if ``keeps_first``, its first step stays first."""
    rows: list[Node] = []
    for stretch in _stretches(root, keeps_first=keeps_first):
        nodes: list[Node] = []
        for part in stretch:
            if part.node is None:
                nodes.append(NULL_NODE)
            else:
                nodes.append((yield _inside(part.node, room, keeps_first=keeps_first)))
                keeps_first = False
        rows.append(_woven(stretch, nodes, room))
    return SequenceNode(tuple(rows))


def _inside(node: Node, room: int, *, keeps_first: bool) -> Visit[Node]:
    """A composite with those of its sequences rearranged whose failure ends the plan.

    Of the alternatives of a priority node only the last one is rearranged. Its first step decides
    whether it is chosen, and stays before all its other steps (semantics 2.4.3).
    """
    match node:
        case ParallelNode(children, ParallelPolicy.ALL):
            branches = []
            for child in children:
                inside: Node = yield _rearranged(child, room, keeps_first=keeps_first)
                branches.append(inside)
            return replace(node, children=tuple(branches))
        case PriorityNode((*others, last), reactive=False):
            changed: Node = yield _rearranged(last, room, keeps_first=True)
            return replace(node, children=(*others, changed))
        case ParallelNode() | PriorityNode():
            return node
        case TaskNode() | ScopeNode() | SequenceNode() | SuspendedNode() | NullNode():
            return node
        case _:
            assert_never(node)


def _stretches(root: Node, *, keeps_first: bool) -> list[list[SequencePart]]:
    """The parts of a sequence, divided so that each barrier is in a stretch of its own.

    No part may be moved across a barrier. Barriers are suspended parts, whose effects are not
    known yet, parts without a whole footprint and, if ``keeps_first``, the first part. Parallel
    nodes without a barrier inside are replaced by their steps.
    """
    stretches: list[list[SequencePart]] = [[]]
    pending: list[tuple[Node, tuple[int, int]]] = [(root, (-1, 0))]
    while pending:
        node, decided = pending.pop()
        within = decided[1] if decided[0] == len(stretches) else None
        match node:
            case NullNode():
                pass
            case SequenceNode(children):
                pending.extend((child, decided) for child in reversed(children))
            case ScopeNode():
                stretches[-1].append(SequencePart(node.footprint, within=within))
                pending.append((node.child, (len(stretches), len(stretches[-1]) - 1)))
            case ParallelNode(children) if not keeps_first and _falls_apart(node):
                pending.extend((child, decided) for child in reversed(children))
            case TaskNode() | ParallelNode() | PriorityNode() | SuspendedNode():
                footprint = whole_footprint(node)
                if footprint is None or keeps_first:
                    stretches += [[SequencePart(Footprint(), node)], []]
                else:
                    stretches[-1].append(SequencePart(footprint, node, within))
                keeps_first = False
            case _:
                assert_never(node)
    return stretches


def _falls_apart(node: ParallelNode) -> bool:
    """Whether the node can be replaced by its steps: only their footprints order them."""
    if node.policy is not ParallelPolicy.ALL:
        return False
    footprints = [whole_footprint(child) for child in node.children]
    return (
        None not in footprints
        and conflict([footprint for footprint in footprints if footprint]) is None
    )


def _woven(stretch: Sequence[SequencePart], nodes: Sequence[Node], room: int) -> Node:
    """The nodes, one for each part, as a tree with as little order as the parts need."""
    if sum(part.node is not None for part in stretch) <= 1:
        return SequenceNode(tuple(nodes))
    order = Order(dependencies(stretch))
    placed = [NULL_NODE if rank else nodes[place] for place, rank in order.places]
    at_once = [
        number
        for number, (place, rank) in enumerate(order.places)
        if not (rank or order.before[number]) and _senses(stretch[place])
    ]
    weights = [fold(node, _weight) for node in placed]
    return arranged(order, placed, weights, room=room, at_once=at_once)


def _senses(part: SequencePart) -> bool:
    """Whether it reads volatile fluents, which are valid only before the first step (1.3.1)."""
    return any(isinstance(read, Fluent) and read.volatile for read in part.footprint.reads)


def _weight(node: Node, below: tuple[float, ...]) -> float:
    """The duration for comparing paths; a step without one counts a tick, or a second."""
    return node.duration or 1 if isinstance(node, TaskNode) else _combined(node, below)


def _makespan(node: Node, below: tuple[float, ...]) -> float:
    return node.duration if isinstance(node, TaskNode) else _combined(node, below)


def _combined(node: Node, below: tuple[float, ...]) -> float:
    match node:
        case ParallelNode(policy=ParallelPolicy.ANY):
            return min(below)
        case ParallelNode(policy=ParallelPolicy.PRIMARY):
            return below[0]
        case ParallelNode() | PriorityNode():
            return max(below)
        case TaskNode() | ScopeNode() | SequenceNode() | SuspendedNode() | NullNode():
            return sum(below)
        case _:
            assert_never(node)


def _nesting(node: Node, below: tuple[int, ...]) -> int:
    return max(below, default=0) + isinstance(node, BranchingNode)


def _orderings(node: Node, below: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    """The number of steps, and the number of pairs of steps that are ordered."""
    steps, pairs = 1 - bool(below) - isinstance(node, NullNode), 0
    for more, inside in below:
        pairs += inside + (steps * more if isinstance(node, SequenceNode) else 0)
        steps += more
    return steps, pairs
