"""parallelize: the same plan with everything side by side that may be.

A plan's sequences are total orders, because planning goes from left to right. Here each becomes
what its steps really ask for: `dependencies` says which of them have to keep their order, and
`series_parallel` writes that down as nested sequences and parallels. docs/parallelize.md says
what is kept, and why.

    sequence  ─►  stretches between barriers, of steps, composites and moments of choice
              ─►  each a graph  ─►  an order  ─►  a tree

What may be caught when it fails is left as it is: other alternatives, or other branches of
`any` and `primary`, count on what the sequence would have left behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bthtn.analysis.dependencies import Part, dependencies
from bthtn.analysis.run_time import whole_footprint
from bthtn.analysis.series_parallel import Order, arranged
from bthtn.domain.construct import WITH_CLEANUP
from bthtn.domain.network import ParallelPolicy
from bthtn.plan.merge import conflict
from bthtn.plan.nodes import (
    NULL_NODE,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    TaskNode,
)
from bthtn.plan.plan import Plan
from bthtn.plan.walk import Visit, flat, fold, preorder, unwound
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint

DEEPEST: Final = 100
"""Composites below each other in a result; running a plan allows some more (BT305)."""


def parallelize(plan: Plan) -> Plan:
    """The plan with as much side by side as its footprints, resources and methods allow.

    Every order in which branches can take turns carries out the same steps, each with its
    precondition true, and leads to ``predicted``. No critical path is longer than before. The
    tree has no scopes, unless nothing could be gained: then the plan is returned as it is.
    """
    scopes = (node for _, node in preorder(plan.tree) if isinstance(node, ScopeNode))
    if any(scope.task.origin == WITH_CLEANUP for scope in scopes):
        return plan  # what is cleaned up after, and by what, only a scope tells
    before = flat(plan.tree)
    nested = fold(before, _nesting)
    # Shared among the levels, for what is gained on each comes on top of the others.
    room = max(0, DEEPEST - nested) // (nested + 1)
    if not room:
        return plan
    tree = flat(unwound(_rearranged(plan.tree, room, guarded=False)))
    longer = any(fold(tree, length) > fold(before, length) for length in (_weight, _makespan))
    if longer or fold(tree, _orderings) >= fold(before, _orderings):
        return plan
    return replace(plan, tree=tree)


def makespan(root: Node) -> float:
    """The planned duration in ticks when all goes well: that of the longest way through."""
    return fold(root, _makespan)


def _rearranged(root: Node, room: int, *, guarded: bool) -> Visit[Node]:
    """The tree with what it does in sequence rearranged; when guarded, behind its first step."""
    rows: list[Node] = []
    for stretch in _stretches(root, guarded=guarded):
        nodes: list[Node] = []
        for part in stretch:
            if part.node is None:
                nodes.append(NULL_NODE)
            else:
                nodes.append((yield _inside(part.node, room, guarded=guarded)))
                guarded = False
        rows.append(_woven(stretch, nodes, room))
    return SequenceNode(tuple(rows))


def _inside(node: Node, room: int, *, guarded: bool) -> Visit[Node]:
    """A composite with its own sequences rearranged, where a failure ends the plan.

    Of alternatives that is the last one. Its first step decides whether it is taken, and stays
    ahead of everything else in it (semantics 2.4.3).
    """
    match node:
        case ParallelNode(children, ParallelPolicy.ALL):
            branches = []
            for child in children:
                inside: Node = yield _rearranged(child, room, guarded=guarded)
                branches.append(inside)
            return replace(node, children=tuple(branches))
        case PriorityNode((*others, last), reactive=False):
            changed: Node = yield _rearranged(last, room, guarded=True)
            return replace(node, children=(*others, changed))
        case _:
            return node


def _stretches(root: Node, *, guarded: bool) -> list[list[Part]]:
    """What is done in sequence, cut so that each part nothing may pass is alone.

    These are suspended parts, for nobody knows what they will do; what has no whole footprint;
    and, when guarded, the first part. Parallel nodes are dissolved where no barrier is inside.
    """
    stretches: list[list[Part]] = [[]]
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
                stretches[-1].append(Part(node.footprint, within=within))
                pending.append((node.child, (len(stretches), len(stretches[-1]) - 1)))
            case ParallelNode(children) if not guarded and _falls_apart(node):
                pending.extend((child, decided) for child in reversed(children))
            case _:
                footprint = whole_footprint(node)
                if footprint is None or guarded:
                    stretches += [[Part(Footprint(), node)], []]
                else:
                    stretches[-1].append(Part(footprint, node, within))
                guarded = False
    return stretches


def _falls_apart(node: ParallelNode) -> bool:
    """Whether its steps can do without the node: nothing but their footprints orders them."""
    if node.policy is not ParallelPolicy.ALL:
        return False
    footprints = [whole_footprint(child) for child in node.children]
    return None not in footprints and conflict([one for one in footprints if one]) is None


def _woven(stretch: Sequence[Part], nodes: Sequence[Node], room: int) -> Node:
    """The nodes, one for each part, in as little order as the parts need."""
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


def _senses(part: Part) -> bool:
    """Whether it relies on what sensors said, which holds only before the first step (1.3.1)."""
    return any(isinstance(read, Fluent) and read.volatile for read in part.footprint.reads)


def _weight(node: Node, below: tuple[float, ...]) -> float:
    """How long it takes, for comparing paths: a step that claims no time counts one tick."""
    return max(1, node.duration) if isinstance(node, TaskNode) else _combined(node, below)


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
        case _:
            return sum(below)


def _nesting(node: Node, below: tuple[int, ...]) -> int:
    return max(below, default=0) + isinstance(node, ParallelNode | PriorityNode)


def _orderings(node: Node, below: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    """How many steps there are, and how many pairs of them come one after the other."""
    steps, pairs = 1 - bool(below) - isinstance(node, NullNode), 0
    for more, inside in below:
        pairs += inside + (steps * more if isinstance(node, SequenceNode) else 0)
        steps += more
    return steps, pairs
