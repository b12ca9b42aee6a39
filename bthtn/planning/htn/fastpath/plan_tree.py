"""Makes the tree of a plan from the entries that the generated functions recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from bthtn.domain.network import (
    Network,
    NullNetwork,
    ParallelNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import TaskCall
from bthtn.domain.task_effects import TaskEffects, grounded, projected
from bthtn.plan.nodes import (
    NULL_NODE,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    TaskNode,
)
from bthtn.planning.htn.by_arguments import ByArguments
from bthtn.planning.htn.fastpath.items import BranchMark
from bthtn.planning.htn.rows import Body, CallPart, MethodRow, PrimitiveRow
from bthtn.world.expression import Binding
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.unfrozen import unfrozen

_OpenTask: Final = unfrozen(TaskNode)
_OpenScope: Final = unfrozen(ScopeNode)
_OpenSequence: Final = unfrozen(SequenceNode)
_OpenFootprint: Final = unfrozen(Footprint)

Entry = tuple[Any, tuple[Any, ...]]
"""A PlainMethod or a primitive task, with the values of its parameters; or a BranchMark."""


Called = Callable[[MethodRow, Binding, RecordingView], tuple[Body, Footprint]]
"""The body that a method which is a function returns in a state, and what it reads for that."""

Effects = Callable[[PrimitiveRow, Binding, RecordingView], TaskEffects]
"""The outcome of a primitive task in a state."""


def tree_of(
    body: Body,
    binding: Binding,
    planned: Sequence[Entry],
    before: Callable[[int], RecordingView],
    effects: Effects,
    called: Called | None = None,
) -> Node:
    """The plan tree of a body.

    ``before`` gives the projected state before an entry, ``effects`` the outcome of a step there,
    ``called`` the body that a method which is a function returns; without it, all methods are data.
    """
    calls: Sequence[Any] = body.items
    nodes: list[Node] = []
    around: list[tuple[Any, ...]] = []
    opened: list[tuple[Any, ...]] = []
    for place, (what, args) in enumerate(planned):
        if type(what) is BranchMark:
            calls, nodes, around = _at_mark(what, opened, calls, nodes, around)
            if not what.is_end:
                continue
        else:
            part = calls[len(nodes)]
            row, reads = part.row, None
            if part.reads:
                reads = _remembered(part.readings, binding, _readings, part, before, place)
            if row.is_primitive:
                step = _remembered(row.projections, args, effects, row, before, place)
                nodes.append(_step(part.network, row, args, step, reads, binding))
            else:
                method = row.methods[what.index]
                there, asked = _entered(method, args, before, called, place)
                if reads is not None:
                    asked = _with(reads, asked)
                around.append((method, there, args, asked, part.network, calls, nodes, binding))
                calls, nodes, binding = there.items, [], args
        while around and len(nodes) == len(calls):
            method, inside, own, asked, call, calls, outside, binding = around.pop()
            outside.append(_scope(method, inside, (own, asked, call, binding), nodes))
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
    nodes.append(_joined(part.network, tuple(branches)))
    return calls, nodes, around


def _step(
    call: TaskCall,
    row: PrimitiveRow,
    args: tuple[Any, ...],
    step: TaskEffects,
    reads: Footprint | None,
    binding: Binding,
) -> TaskNode:
    touched = step.footprint if reads is None else _with(reads, step.footprint)
    node = _OpenTask()
    node.task, node.args, node.footprint = row.task, args, touched
    node.duration, node.cost = step.duration, step.cost
    node.call, node.binding = call, binding
    node.__class__ = TaskNode
    made: TaskNode = node
    return made


def _joined(network: ParallelNetwork | PriorityNetwork, branches: tuple[Node, ...]) -> Node:
    """The node of a network all of whose branches were planned."""
    if isinstance(network, PriorityNetwork):
        return PriorityNode(branches, tuple(range(len(branches))), network.reactive)
    return ParallelNode(branches, network.policy)


def _entered(
    row: MethodRow,
    args: tuple[Any, ...],
    before: Callable[[int], RecordingView],
    called: Called | None,
    place: int,
) -> tuple[Body, Footprint]:
    """The body of a method at its entry, and what was read for that."""
    if row.body is None:
        assert called is not None, "the method is data"
        return called(row, args, before(place))
    return row.body, _remembered(row.footprints, args, _asked, row, before, place)


def _scope(
    row: MethodRow,
    body: Body,
    entered: tuple[Binding, Footprint, TaskCall, Binding],
    nodes: list[Node],
) -> Node:
    args, asked, call, binding = entered
    cost, value = row.cost, row.value
    assert cost is not None, "costs of methods are plain data"
    assert value is not None, "so are their values"
    node = _OpenScope()
    node.task, node.args, node.method, node.child = row.task, args, row.index, _node(body, nodes)
    node.footprint, node.name, node.cost, node.value = asked, row.method.name, cost, value
    node.call, node.binding = call, binding
    node.body = body.network if row.body is None else None
    node.__class__ = ScopeNode
    made: ScopeNode = node
    return made


def _node(body: Body, nodes: list[Node]) -> Node:
    """The plan node for a body, made of the nodes for its items."""
    if len(body.items) == body.length > 0:
        return _in_turn(nodes) if isinstance(body.network, SequenceNetwork) else nodes[0]
    return _taken(body.network, iter(nodes))


def _in_turn(nodes: list[Node]) -> SequenceNode:
    node = _OpenSequence()
    node.children = tuple(nodes)
    node.__class__ = SequenceNode
    made: SequenceNode = node
    return made


def _taken(network: Network | None, nodes: Iterator[Node]) -> Node:
    if isinstance(network, SequenceNetwork):
        return _in_turn([_taken(one, nodes) for one in network.parts])
    return NULL_NODE if isinstance(network, NullNetwork) else next(nodes)


def _remembered(
    memory: ByArguments[Any] | None,
    args: tuple[Any, ...],
    work_out: Callable[..., Any],
    row: Any,
    before: Callable[[int], RecordingView],
    place: int,
) -> Any:
    """The stored footprint or effects of a row; computed at this entry if there are none."""
    known = None if memory is None else memory.find(args)
    if known is None:
        known = work_out(row, args, before(place))
        if memory is not None:
            memory.keep(args, known)
    return known


def effects_of(row: PrimitiveRow, args: Binding, view: RecordingView) -> TaskEffects:
    """The outcome of a primitive task in a state."""
    return projected(row.task, args, view)


def _asked(row: MethodRow, args: tuple[Any, ...], view: RecordingView) -> Footprint:
    row.method.condition.evaluate(view, args)
    return Footprint(view.reads)


def _readings(part: CallPart, args: tuple[Any, ...], view: RecordingView) -> Footprint:
    grounded(part.network, view, args)
    return Footprint(view.reads)


def _with(reads: Footprint, own: Footprint) -> Footprint:
    """The node's own footprint plus the reads of its computed arguments."""
    both = _OpenFootprint()
    both.reads, both.writes, both.uses = reads.reads | own.reads, own.writes, own.uses
    both.__class__ = Footprint
    made: Footprint = both
    return made
