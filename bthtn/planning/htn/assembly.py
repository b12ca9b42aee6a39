"""Assembly of a plan tree from the planned parts, in order: the same for all searches.

A search leaves an item for each part that it planned; all else follows from the bodies of the goal
and of the methods that were entered. Empty networks leave no item.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from bthtn.domain.network import (
    BranchingNetwork,
    DeferNetwork,
    Network,
    ParallelNetwork,
    PauseNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import TaskCall
from bthtn.plan.nodes import (
    HORIZON,
    NULL_NODE,
    Dropped,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    TaskNode,
)
from bthtn.planning.htn.record import ALTERNATIVE, BRANCH, BRANCHES, JOINED, LEFT, Ensured, Mark
from bthtn.planning.htn.table import COMPOUND, NOTHING, Body, PlannedMethod, PlannedStep
from bthtn.world.expression import Binding
from bthtn.world.footprint import Footprint
from bthtn.world.unfrozen import quickly, unfrozen

# Nodes are filled before they are frozen: see ``unfrozen``.
_OpenTask: Final = unfrozen(TaskNode)
_OpenScope: Final = unfrozen(ScopeNode)
_OpenSequence: Final = unfrozen(SequenceNode)
_parallel_node: Final = quickly(ParallelNode)
_priority_node: Final = quickly(PriorityNode)

Planned = PlannedStep | PlannedMethod | Mark | Dropped | Ensured | NullNode | Suspension
"""A primitive task, or a method that was entered; where branches begin and end; an alternative
without a plan; a deferred task behind which planning goes on, and a pause at which it does not
stop; or why it stops at the part that comes next."""
Asked = Mapping[int, frozenset[Any]]
"""The fluents that were read for the arguments of calls, by the places of their items."""


class _Level:
    """A body with the nodes of its items so far.

    It is that of a method, whose open node is the last one in the level ``outside``; or that of a
    goal or branch. ``cause`` is why planning stops behind the nodes.
    """

    __slots__ = ("binding", "body", "cause", "nodes", "outside")

    body: Body
    binding: Binding
    nodes: list[Node]
    outside: _Level | None
    cause: Suspension | None


def _level(body: Body, binding: Binding, outside: _Level | None = None) -> _Level:
    level = _Level()  # without ``__init__``, which would take as long as a node
    level.body = body
    level.binding = binding
    level.nodes = []
    level.outside = outside
    level.cause = None
    return level


Opened = list[tuple[_Level, Any, list[_Level], list[Dropped]]]
"""The parallel and priority nodes around, inner ones last: each with its level and part, its
complete branches, and its alternatives without a plan so far."""


def tree_of(body: Body, binding: Binding, planned: Iterable[Planned], asked: Asked) -> Node:
    """The plan tree of the body of a goal, or of a branch."""
    level = _level(body, binding)
    opened: Opened = []
    entry: Any
    for place, entry in enumerate(planned):
        kind = type(entry)
        if kind is not PlannedStep and kind is not PlannedMethod:
            level = _behind(entry, level, opened)
            continue
        items, nodes = level.body.items, level.nodes
        part: Any = items[len(nodes)] if len(nodes) < len(items) else None
        if part is None or part.kind > COMPOUND:
            level, part = _next(level)
            if part.kind > COMPOUND:  # a deferred call, planned at once to check the rest
                part = part.bodies[0].first
        footprint = entry.footprint
        if part.reads:
            reads = asked[place] | footprint.reads
            footprint = Footprint(reads, footprint.writes, footprint.uses)
        if kind is PlannedStep:
            level.nodes.append(_step(entry, footprint, part.network, level.binding))
        else:
            level.nodes.append(_scope(entry, footprint, part.network, level.binding))
            level = _level(entry.body, entry.binding, level)
    level, _ = _next(level)
    return _whole(level)


def _next(level: _Level) -> tuple[_Level, Any]:
    """The item that comes next, with its level; None at the end of a goal or branch.

    The nodes of methods that are complete get their children. Where planning stops, nothing comes
    next in all levels around.
    """
    while True:
        nodes, items = level.nodes, level.body.items
        while len(nodes) < len(items) and level.cause is None:
            part = items[len(nodes)]
            if part.kind != NOTHING:
                return level, part
            nodes.append(NULL_NODE)
        outside = level.outside
        if outside is None:
            return level, None
        scope: Any = outside.nodes[-1]
        scope.child = _whole(level)
        scope.__class__ = ScopeNode
        outside.cause = level.cause
        level = outside


def _behind(item: Planned, level: _Level, opened: Opened) -> _Level:
    """The level behind an item that is no task."""
    if item is BRANCH or item is ALTERNATIVE:
        around, part, branches, dropped = opened[-1]
        return _level(part.bodies[len(branches) + len(dropped)], around.binding)
    if item is LEFT:
        around, _, branches, _ = opened[-1]
        level, _ = _next(level)
        branches.append(level)
        return around
    if item is JOINED:
        _, part, branches, dropped = opened.pop()
        level.nodes.append(_joined(part.network, branches, dropped))
        level.cause = next((branch.cause for branch in branches if branch.cause is not None), None)
        return level
    if type(item) is Dropped:
        opened[-1][-1].append(item)
        return level
    if item is not HORIZON:  # which is reached where nothing but empty networks may be left
        level, part = _next(level)
        if item is BRANCHES:
            opened.append((level, part, [], []))
            return level
        level.nodes.append(_left(part.network, level.binding, item))
    if type(item) is Suspension:
        level.cause = item
    return level


def _joined(network: BranchingNetwork, planned: list[_Level], dropped: list[Dropped]) -> Node:
    """The node of a network all of whose branches were planned, or dropped."""
    branches = tuple(map(_whole, planned))
    if isinstance(network, ParallelNetwork):
        return _parallel_node(branches, network.policy)
    gone = {drop.alternative for drop in dropped}
    kept = tuple(index for index in range(len(network.parts)) if index not in gone)
    return _priority_node(branches, kept, network.reactive, tuple(dropped))


def _left(network: Network, binding: Binding, item: Planned) -> Node:
    """The node of a part that is left to be planned on arrival, or of a pause."""
    if isinstance(network, PauseNetwork):
        return NULL_NODE
    rest = (network.call if isinstance(network, DeferNetwork) else network,)
    if isinstance(item, Ensured):
        return SuspendedNode(rest, binding, item.cause, item.writes, item.reads)
    assert isinstance(item, Suspension), "tasks are planned, or suspended"
    return SuspendedNode(rest, binding, item)


def _whole(level: _Level) -> Node:
    """The node of a body: of all its items, or of those up to where planning stops."""
    network, nodes = level.body.network, level.nodes
    if not isinstance(network, SequenceNetwork):
        return nodes[0] if nodes else NULL_NODE
    if level.body.is_flat and 0 < len(nodes) == len(level.body.items):
        return _in_turn(nodes)
    return _taken(network, nodes[::-1], level)


def _taken(network: Network, left: list[Node], level: _Level) -> Node:
    """The node of a network, whose nodes are taken from the end of a list."""
    if not isinstance(network, SequenceNetwork):
        return left.pop()
    made: list[Node] = []
    for number, part in enumerate(network.parts):
        if level.cause is not None and not left:
            made.append(SuspendedNode(network.parts[number:], level.binding, level.cause))
            break
        made.append(_taken(part, left, level))
    return _in_turn(made)


def _in_turn(nodes: list[Node]) -> SequenceNode:
    node = _OpenSequence()
    node.children = tuple(nodes)
    node.__class__ = SequenceNode
    made: SequenceNode = node
    return made


def _step(planned: PlannedStep, footprint: Footprint, call: TaskCall, binding: Binding) -> TaskNode:
    node = _OpenTask()
    node.task = planned.task
    node.args = planned.args
    node.footprint = footprint
    node.duration = planned.duration
    node.cost = planned.cost
    node.call = call
    node.binding = binding
    node.__class__ = TaskNode
    made: TaskNode = node
    return made


def _scope(planned: PlannedMethod, footprint: Footprint, call: TaskCall, binding: Binding) -> Any:
    """The node of a method, open until its child is known."""
    node = _OpenScope()
    node.task = planned.task
    node.args = planned.args
    node.method = planned.method
    node.footprint = footprint
    node.name = planned.name
    node.cost = planned.cost
    node.value = planned.value
    node.call = call
    node.binding = binding
    node.body = planned.answer
    return node
