"""Makes the tree of a plan from the entries that the generated functions recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, assert_never

from bthtn.domain.network import (
    BranchingNetwork,
    DeferNetwork,
    Network,
    NullNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import TaskCall
from bthtn.plan.nodes import (
    NULL_NODE,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    TaskNode,
)
from bthtn.planning.htn.fastpath.items import BranchMark, Stop
from bthtn.planning.htn.fastpath.tree_entries import (
    Before,
    PlannedMethod,
    PlannedStep,
    TreeEntry,
    in_any_state,
)
from bthtn.planning.htn.open_nodes import OpenScope, OpenSequence, OpenTask
from bthtn.planning.htn.rows import Body
from bthtn.planning.htn.tree import argument_reads
from bthtn.world.expression import Binding
from bthtn.world.footprint import Footprint


def tree_of(body: Body, binding: Binding, planned: Sequence[TreeEntry], before: Before) -> Node:
    """The plan tree of a body; ``before`` gives the projected state before an entry."""
    calls: Sequence[Any] = body.items
    nodes: list[Node] = []
    around: list[tuple[Any, ...]] = []
    opened: list[tuple[Any, ...]] = []
    cause: Suspension | None = None
    for place, one in enumerate(planned):
        if type(one) is BranchMark or type(one) is Stop:
            here = (calls, nodes, around, binding, cause)
            calls, nodes, around, binding, cause = _at_place(one, opened, here)
        else:
            part, footprint = calls[len(nodes)], one.footprint
            if part.reads:
                view = before(planned, place) if part.readings is None else in_any_state()
                reads = argument_reads(part, binding, view).reads | footprint.reads
                footprint = Footprint(reads, footprint.writes, footprint.uses)
            if type(one) is PlannedStep:
                nodes.append(_step(one, footprint, part.network, binding))
            else:
                around.append((one, footprint, part.network, binding, nodes, calls))
                nodes, calls, binding = [], one.body.items, one.args
        while around and len(nodes) == len(calls):
            method, footprint, call, binding, outside, calls = around.pop()
            child = _node(method.body, nodes)
            outside.append(_scope(method, footprint, call, binding, child))
            nodes = outside
    return _whole(body, nodes, binding, cause)


Level = tuple[
    Sequence[Any],
    list[Node],
    list[tuple[Any, ...]],
    Binding,
    Suspension | None,
]
"""The items of a body, the nodes for those that were planned, the scopes around it in the same
branch, its arguments, and why planning stops there."""


def _at_place(place: BranchMark | Stop, opened: list[tuple[Any, ...]], level: Level) -> Level:
    """The level that follows a place where a branch begins or ends, or where planning stops.

    ``opened`` has, for each open node, its part, the nodes of its branches, and the level around.
    """
    if isinstance(place, Stop):
        return _stopped(_behind(opened) if place.is_behind else level, place)
    calls, nodes, _, binding, cause = level
    if place.number == 0:
        opened.append((calls[len(nodes)], [], level))
    part, branches, _ = opened[-1]
    if place.number > 0:
        branches.append(_whole(part.branches[place.number - 1], nodes, binding, cause))
    if place.is_end and not place.stops:
        return _behind(opened)
    inside = () if place.is_end else part.branches[place.number].items
    return inside, [], [], binding, None


def _behind(opened: list[tuple[Any, ...]]) -> Level:
    """The level around the innermost open node, with the node."""
    part, branches, level = opened.pop()
    level[1].append(_branched(part.network, tuple(branches)))
    outside: Level = level
    return outside


def _stopped(level: Level, stop: Stop) -> Level:
    """The level outside of all scopes of a branch in which planning stops; they are closed."""
    calls, nodes, around, binding, _ = level
    cause = stop.cause
    if not stop.is_behind:
        nodes.append(_suspended(calls[len(nodes)].network, binding, cause))
    while around:
        method, footprint, call, binding, outside, calls = around.pop()
        child = _whole(method.body, nodes, method.args, cause)
        outside.append(_scope(method, footprint, call, binding, child))
        nodes = outside
    return calls, nodes, around, binding, cause


def _step(one: PlannedStep, footprint: Footprint, call: TaskCall, binding: Binding) -> TaskNode:
    node = OpenTask()
    node.task = one.task
    node.args = one.args
    node.footprint = footprint
    node.duration = one.duration
    node.cost = one.cost
    node.call = call
    node.binding = binding
    node.__class__ = TaskNode
    made: TaskNode = node
    return made


def _branched(network: BranchingNetwork, branches: tuple[Node, ...]) -> Node:
    """The node of a network all of whose branches were planned."""
    if isinstance(network, PriorityNetwork):
        return PriorityNode(branches, tuple(range(len(branches))), network.reactive)
    return ParallelNode(branches, network.policy)


def _scope(
    one: PlannedMethod, footprint: Footprint, call: TaskCall, binding: Binding, child: Node
) -> ScopeNode:
    node = OpenScope()
    node.task = one.task
    node.args = one.args
    node.method = one.method
    node.child = child
    node.footprint = footprint
    node.name = one.name
    node.cost = one.cost
    node.value = one.value
    node.call = call
    node.binding = binding
    node.body = one.answer
    node.__class__ = ScopeNode
    made: ScopeNode = node
    return made


def _whole(body: Body, nodes: list[Node], binding: Binding, cause: Suspension | None) -> Node:
    """The plan node for a body, made of the nodes for its items; with a cause, it stops there."""
    if cause is None:
        return _node(body, nodes)
    assert body.network is not None, "nothing stops at the end"
    return _cut_off(body.network, nodes[::-1], binding, cause)


def _node(body: Body, nodes: list[Node]) -> Node:
    """The plan node for a body, made of the nodes for its items."""
    if body.calls:
        return nodes[0] if type(body.network) is TaskCall else _in_turn(nodes)
    return NULL_NODE if type(body.network) is NullNetwork else _taken(body.network, iter(nodes))


def _in_turn(nodes: list[Node]) -> SequenceNode:
    node = OpenSequence()
    node.children = tuple(nodes)
    node.__class__ = SequenceNode
    made: SequenceNode = node
    return made


def _taken(network: Network | None, nodes: Iterator[Node]) -> Node:
    if isinstance(network, SequenceNetwork):
        return _in_turn([_taken(one, nodes) for one in network.parts])
    return NULL_NODE if isinstance(network, NullNetwork) else next(nodes)


def _cut_off(network: Network, nodes: list[Node], binding: Binding, cause: Suspension) -> Node:
    """The plan node for a network in which planning stops with the last of these nodes.

    They are taken from the end of the list; the parts behind the last one are suspended.
    """
    if not isinstance(network, SequenceNetwork):
        return NULL_NODE if isinstance(network, NullNetwork) else nodes.pop()
    made: list[Node] = []
    for number, one in enumerate(network.parts, start=1):
        made.append(_cut_off(one, nodes, binding, cause))
        if not nodes:
            rest = network.parts[number:]
            made += [SuspendedNode(rest, binding, cause)] if rest else []
            break
    return SequenceNode(tuple(made))


def _suspended(
    left: TaskCall | DeferNetwork | PauseNetwork, binding: Binding, cause: Suspension
) -> Node:
    """The plan node for the part at which planning stops."""
    match left:
        case PauseNetwork():
            return NULL_NODE
        case DeferNetwork(call):
            return SuspendedNode((call,), binding, cause)
        case TaskCall():
            return SuspendedNode((left,), binding, cause)
        case _:
            assert_never(left)
