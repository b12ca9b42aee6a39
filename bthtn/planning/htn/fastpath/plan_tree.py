"""Makes the tree of a plan from the entries that the generated functions recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bthtn.domain.network import (
    BranchingNetwork,
    Network,
    NullNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import TaskCall
from bthtn.domain.task_effects import grounded
from bthtn.plan.nodes import (
    NULL_NODE,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    TaskNode,
)
from bthtn.planning.htn.by_arguments import ByReadings
from bthtn.planning.htn.fastpath.items import BranchMark
from bthtn.planning.htn.fastpath.tree_entries import (
    Asked,
    Before,
    PlannedMethod,
    PlannedStep,
    TreeEntry,
)
from bthtn.planning.htn.open_nodes import OpenScope, OpenSequence, OpenTask
from bthtn.planning.htn.rows import Body, CallPart
from bthtn.world.expression import Binding
from bthtn.world.footprint import Footprint, RecordingView


def tree_of(body: Body, binding: Binding, planned: Sequence[TreeEntry], before: Before) -> Node:
    """The plan tree of a body; ``before`` gives the projected state before an entry."""
    calls: Sequence[Any] = body.items
    nodes: list[Node] = []
    asked: Asked = {}
    around: list[tuple[Any, ...]] = []
    opened: list[tuple[Any, ...]] = []
    for place, one in enumerate(planned):
        if type(one) is BranchMark:
            calls, nodes, around = _at_mark(one, opened, calls, nodes, around)
            if not one.is_end:
                continue
        else:
            part, footprint = calls[len(nodes)], one.footprint
            if part.reads:
                reads = asked.get(part)
                if type(reads) is not Footprint:
                    reads = _readings(part, binding, asked, before(planned, place))
                footprint = _joined(one, reads)
            if type(one) is PlannedStep:
                nodes.append(_step(one, footprint, part.network, binding))
            else:
                around.append((one, footprint, part.network, binding, nodes, calls, asked))
                nodes, calls, asked, binding = [], one.body.items, one.asked, one.args
        while around and len(nodes) == len(calls):
            method, footprint, call, binding, outside, calls, asked = around.pop()
            outside.append(_scope(method, footprint, call, binding, nodes))
            nodes = outside
    return _node(body, nodes)


def _at_mark(
    mark: BranchMark,
    opened: list[tuple[Any, ...]],
    calls: Sequence[Any],
    nodes: list[Node],
    around: list[tuple[Any, ...]],
) -> tuple[Sequence[Any], list[Node], list[tuple[Any, ...]]]:
    """Go on with the next branch of a node, or behind it; return what is left to do there.

    ``opened`` has, for each open node, its part, the nodes of its branches, and what is around it.
    """
    if mark.number == 0:
        opened.append((calls[len(nodes)], [], calls, nodes, around))
    part, branches, *outside = opened[-1]
    if mark.number > 0:
        branches.append(_node(part.branches[mark.number - 1], nodes))
    if not mark.is_end:
        return part.branches[mark.number].items, [], []
    opened.pop()
    calls, nodes, around = outside
    nodes.append(_branched(part.network, tuple(branches)))
    return calls, nodes, around


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
    one: PlannedMethod, footprint: Footprint, call: TaskCall, binding: Binding, nodes: list[Node]
) -> ScopeNode:
    node = OpenScope()
    node.task = one.task
    node.args = one.args
    node.method = one.method
    node.child = _node(one.body, nodes)
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


def _readings(part: CallPart, binding: Binding, asked: Asked, view: RecordingView) -> Footprint:
    """What is read in a state to compute the arguments of a call; kept in ``asked``."""
    seen = asked.get(part)
    known = seen.find(view.below) if isinstance(seen, ByReadings) else None
    if known is None:
        grounded(part.network, view, binding)
        known = Footprint(view.reads)
        if part.readings is not None:
            asked[part] = known
        else:
            seen = seen if isinstance(seen, ByReadings) else ByReadings()
            seen.keep(view.readings, known)
            asked[part] = seen
    return known


def _joined(one: PlannedStep | PlannedMethod, reads: Footprint) -> Footprint:
    """The entry's own footprint with the reads of its computed arguments."""
    joined = one.joined
    if joined is None or joined[1] is not reads:
        own = one.footprint
        both = Footprint(reads.reads | own.reads, own.writes, own.uses)
        one.joined = joined = both, reads
    return joined[0]
