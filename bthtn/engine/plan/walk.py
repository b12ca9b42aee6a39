"""Walking a plan tree without recursion.

Trees may be nested deeper than Python's recursion limit, so all functions here keep their own
stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, TypeVar, assert_never

from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.domain.task import CompoundTask
from bthtn.engine.plan.merge import side_by_side
from bthtn.engine.plan.nodes import (
    NULL_NODE,
    Foreseen,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.world.footprint import Footprint
from bthtn.records import replaced

R = TypeVar("R")

Visit = Generator[Any, Any, R]
"""A recursive function written for ``unwound``: it yields its calls and is sent their results."""


def unwound(visit: Visit[R]) -> R:
    """The result of a recursive generator, run without using Python's call stack.

    ``answer = yield inner(x)`` in a generator replaces the call ``answer = inner(x)``.
    """
    inner: Visit[Any] = visit
    outer: list[Visit[Any]] = []
    answer: Any = None
    while True:
        try:
            deeper = inner.send(answer)
        except StopIteration as stop:
            answer = stop.value
            if not outer:
                result: R = answer
                return result
            inner = outer.pop()
        else:
            outer.append(inner)
            inner, answer = deeper, None


def children_of(node: Node) -> tuple[Node, ...]:
    """The nodes directly below."""
    match node:
        case TaskNode():  # frequent kinds first: that it is not of a kind takes long to see
            return ()
        case ScopeNode():
            return (node.child,)
        case SequenceNode() | ParallelNode() | PriorityNode():
            return node.children
        case SuspendedNode() | NullNode():
            return ()
        case _:
            assert_never(node)


def with_children(node: Node, children: Sequence[Node]) -> Node:
    """The node with these children; the node itself if they are its children already."""
    match node:
        case ScopeNode():
            (child,) = children
            return node if child is node.child else replaced(node, child=child)
        case SequenceNode() | ParallelNode() | PriorityNode():
            same = all(new is old for new, old in zip(children, node.children, strict=True))
            return node if same else replaced(node, children=tuple(children))
        case TaskNode() | SuspendedNode() | NullNode():
            return node
        case _:
            assert_never(node)


def preorder(root: Node) -> Iterator[tuple[int, Node]]:
    """Every node with its depth, parents before children, left to right."""
    pending: list[tuple[int, Node]] = [(0, root)]
    while pending:
        depth, node = pending.pop()
        yield depth, node
        below = children_of(node)
        if below:
            pending.extend([(depth + 1, child) for child in reversed(below)])


def fold(root: Node, combine: Callable[[Node, tuple[R, ...]], R]) -> R:
    """Combine the tree bottom-up: ``combine`` gets each node with its children's results."""
    results: list[R] = []
    pending: list[tuple[Node, bool]] = [(root, False)]
    while pending:
        node, ready = pending.pop()
        below = children_of(node)
        if not ready and below:
            pending.append((node, True))
            pending.extend((child, False) for child in reversed(below))
            continue
        split = len(results) - len(below)
        results[split:] = [combine(node, tuple(results[split:]))]
    return results[0]


def leaves(root: Node) -> Iterator[TaskNode]:
    """The primitive tasks, left to right."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, TaskNode):
            yield node
        elif isinstance(node, ScopeNode):
            pending.append(node.child)
        elif isinstance(node, SequenceNode):
            pending.extend(reversed(node.children))
        else:
            pending.extend(reversed(children_of(node)))


def preferred_steps(root: Node) -> Iterator[TaskNode]:
    """The primitive tasks, left to right; of alternatives, those of the preferred one."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, TaskNode):
            yield node
        below = children_of(node)
        pending.extend(below[:1] if isinstance(node, PriorityNode) else reversed(below))


def copied(root: Node) -> Node:
    """An equal tree of new nodes.

    Nodes of a running plan are compared by identity, so only the null node may occur at two
    places in it: a tree that is put into a plan more than once has to be copied.
    """
    return fold(root, _copy)


def _copy(node: Node, below: tuple[Node, ...]) -> Node:
    match node:
        case ScopeNode():
            return replace(node, child=below[0])
        case SequenceNode() | ParallelNode() | PriorityNode():
            return replace(node, children=below)
        case SuspendedNode(foreseen=Foreseen(tree) as foreseen):
            return replace(node, foreseen=replace(foreseen, tree=copied(tree)))
        case TaskNode() | SuspendedNode():
            return replace(node)
        case NullNode():
            return node
        case _:
            assert_never(node)


def outline(root: Node) -> tuple[tuple[str, int], ...]:
    """Each node's text and number of children in pre-order: equal for equal trees."""
    return tuple((node_text(node), len(children_of(node))) for _, node in preorder(root))


def node_text(node: Node) -> str:
    """The node without its children as text; different for different nodes."""
    if isinstance(node, SuspendedNode):
        return f"{node}: {node.left}"
    if isinstance(node, PriorityNode):
        return f"{node} {node.kept}"
    return str(node)


def flat(root: Node) -> Node:
    """The tree as it is run: nested sequences merged, composites of one unwrapped.

    It has no scopes but those with decorators.
    """
    return one_node(fold(root, _steps))


def joined(steps: list[R], more: list[R]) -> list[R]:
    """The concatenation of both lists; one of them is changed and returned.

    The shorter is moved, so that sequences nested deep on either side are joined in linear time.
    """
    if len(more) > len(steps):
        more[:0] = steps
        return more
    steps.extend(more)
    return steps


def _steps(node: Node, below: tuple[list[Node], ...]) -> list[Node]:
    """The nodes that replace this one in a sequence."""
    match node:
        case NullNode():
            return []
        case ScopeNode(task=CompoundTask(decorator=None)):
            return below[0]
        case ScopeNode():
            return [replace(node, child=one_node(below[0]))] if below[0] else []
        case SequenceNode():
            return reduce(joined, below, [])
        case ParallelNode(policy=policy):
            # Under the other policies an empty branch ends the node at once, and has to stay.
            every = policy is ParallelPolicy.ALL
            kept = [steps for steps in below if steps or not every]
            if len(kept) == 1 or not any(kept):
                return kept[0] if kept else []
            return [ParallelNode(tuple(map(one_node, kept)), policy)]
        case PriorityNode() if len(below) == 1:
            return below[0]
        case PriorityNode(_, kept_places, reactive, dropped):
            return [PriorityNode(tuple(map(one_node, below)), kept_places, reactive, dropped)]
        case TaskNode() | SuspendedNode():
            return [node]
        case _:
            assert_never(node)


def one_node(steps: list[Node]) -> Node:
    """The node of these steps, one after the other."""
    if not steps:
        return NULL_NODE
    return steps[0] if len(steps) == 1 else SequenceNode(tuple(steps))


def record_of(root: Node) -> MethodTraversalRecord:
    """The record of the choices in a tree (semantics 2.8.1)."""
    return MethodTraversalRecord(record_entries(root))


def record_entries(
    root: Node, is_end: Callable[[Node], bool] | None = None, *, open_branches: bool = True
) -> list[int]:
    """The entries of a tree's record, up to the first node where ``is_end`` is true.

    Without ``open_branches`` they end at a suspended part inside a parallel or priority node, too.
    """
    entries: list[int] = []
    pending: list[tuple[Node | int, bool]] = [(root, False)]
    while pending:
        item, in_branch = pending.pop()
        if isinstance(item, int):
            entries.append(item)
            continue
        if is_end is not None and is_end(item):
            break
        if in_branch and not open_branches and isinstance(item, SuspendedNode):
            break
        match item:
            case ScopeNode():
                pending.extend(((item.child, in_branch), (item.method, in_branch)))
            case PriorityNode():
                pending.extend((choice, True) for choice in reversed(_choices(item)))
            case ParallelNode(children):
                pending.extend((child, True) for child in reversed(children))
            case SequenceNode(children):
                pending.extend((child, in_branch) for child in reversed(children))
            case TaskNode() | SuspendedNode() | NullNode():
                pass
            case _:
                assert_never(item)
    return entries


def _choices(node: PriorityNode) -> list[Node | int]:
    """Entries of a priority node: 0 and those of the alternative, or 1 for a dropped one."""
    places = [*node.kept, *(drop.alternative for drop in node.dropped)]
    choices: list[Node | int] = []
    kept = dict(zip(node.kept, node.children, strict=True))
    for place in range(max(places) + 1):
        choices.extend((0, kept[place]) if place in kept else (1,))
    return choices


def first_reads(root: Node) -> Iterator[frozenset[Any]]:
    """Yield the reads for the first step and the decompositions around it, outer ones first.

    All of it was read in the state that the tree was planned from. Ends at branches.
    """
    nodes = [root]
    for node in nodes:
        if isinstance(node, SequenceNode):
            nodes += node.children[:1]
        elif isinstance(node, ScopeNode):
            yield node.footprint.reads
            nodes.append(node.child)
        elif isinstance(node, TaskNode):
            yield node.footprint.reads


def footprint(root: Node) -> Footprint:
    """The footprint of a plan with this tree."""
    return fold(root, footprint_over)


def footprint_over(node: Node, below: tuple[Footprint, ...]) -> Footprint:
    """The footprint of a node, given those of its children."""
    match node:
        case TaskNode():
            return node.footprint
        case ScopeNode():
            return node.footprint.then(below[0])
        case PriorityNode():
            return Footprint.one_of(below)
        case ParallelNode():
            return side_by_side(below, node.policy)
        case SuspendedNode(foreseen=Foreseen(tree)):
            return footprint(tree)
        case SuspendedNode():
            return Footprint(node.reads, node.ensures)
        case SequenceNode() | NullNode():
            return Footprint.in_turn(below)
        case _:
            assert_never(node)
