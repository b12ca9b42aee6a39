"""Assembly of a plan tree from the record of a search, which is read from its end.

So the nodes of a body are made before the method that was entered for it, and every node is
complete when it is made: nodes are immutable. Nodes wait in the level of their depth until the
method around them is reached. Read this way the trail can be undone along with the record, so that
the arguments and the footprint of each step are those in the state before it, and no state is kept.

What is hard to see in a record is what left no entry. Empty networks leave none: the body says
where they are. Where planning stopped, in any of several branches, the rest of all bodies around is
missing: it becomes a suspended part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from bthtn.engine.domain.network import (
    BranchingNetwork,
    DeferNetwork,
    Network,
    ParallelNetwork,
    PauseNetwork,
    SequenceNetwork,
)
from bthtn.engine.plan.nodes import (
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
from bthtn.engine.planning.htn.projected_state import EarlierState
from bthtn.engine.planning.htn.record import (
    AHEAD,
    BRANCHES,
    JOINED,
    LEFT,
    ChosenMethod,
    Ensured,
    Entry,
    EvaluatedStep,
    Mark,
    argument_reads,
    planned_method,
    planned_step,
)
from bthtn.engine.planning.htn.table import (
    NOTHING,
    Body,
    Instruction,
    MethodRow,
    PrimitiveRow,
)
from bthtn.engine.world.expression import Binding
from bthtn.engine.world.footprint import Footprint
from bthtn.engine.world.unfrozen import quickly, unfrozen

# Nodes and footprints are filled before they are frozen: see ``unfrozen``.
_OpenTask: Final = unfrozen(TaskNode)
_OpenScope: Final = unfrozen(ScopeNode)
_OpenSequence: Final = unfrozen(SequenceNode)
_OpenFootprint: Final = unfrozen(Footprint)
_parallel_node: Final = quickly(ParallelNode)
_priority_node: Final = quickly(PriorityNode)

Level = list[Any]
"""The nodes of a body so far, the last one first. That is a Suspension where planning stops at the
part: the body says which part it is."""
Branch = tuple[Level, Suspension | None]
"""The nodes of a branch, and why planning stops behind them, if it does."""


def tree_of(record: Sequence[Entry], body: Body, binding: Binding, earlier: EarlierState) -> Node:
    """Return the plan tree of a record; ``earlier`` starts at its end and is moved to its start.

    ``levels`` are those of the goal or of the innermost branch, by depth. Planning of it ended with
    ``cause``, None if nothing is left: so did that of all bodies around, to the depth ``ended``.
    ``outside`` has these three of the branches around, ``joining`` the complete branches and
    dropped alternatives of the nodes around, inner ones last.
    """
    levels: defaultdict[int, Level] = defaultdict(list)
    cause: Suspension | None = None
    ended = 0
    outside: list[tuple[defaultdict[int, Level], Suspension | None, int]] = []
    joining: list[list[Branch | Dropped]] = []
    node: Any
    for what, args, length, call, around, depth in reversed(record):
        kind = type(what)
        if kind is PrimitiveRow or kind is EvaluatedStep:
            node = _OpenTask()
            node.task, node.args, node.footprint, node.duration, node.cost = planned_step(
                what, args, length, earlier
            )
            if call.reads:
                reads = argument_reads(call, around, length, earlier)
                node.footprint = _reading(node.footprint, reads)
            node.call, node.binding = call.network, around
            node.__class__ = TaskNode
            levels[depth].append(node)
        elif kind is MethodRow or kind is ChosenMethod:
            node = _OpenScope()
            (
                node.task,
                node.args,
                node.method,
                node.name,
                node.cost,
                node.value,
                node.body,
                node.footprint,
                inner,
                values,
            ) = planned_method(what, args, length, earlier)
            if call.reads:
                reads = argument_reads(call, around, length, earlier)
                node.footprint = _reading(node.footprint, reads)
            node.call, node.binding = call.network, around
            level = levels.pop(depth + 1, None) or []
            if inner is not what.body:
                _call_again(level, inner, values)
            stops = None
            if depth < ended:
                stops, ended = cause, depth
            if inner.is_flat and stops is None:
                node.child = _in_turn(level)
            else:
                node.child = _whole(inner, values, level, stops)
            node.__class__ = ScopeNode
            levels[depth].append(node)
        elif kind is Suspension:
            cause, ended = what, depth
            if what is not HORIZON:  # which is reached where nothing but empty networks may be left
                levels[depth].append(what)
        elif kind is Dropped:
            joining[-1].append(what)
        elif kind is not Mark:
            levels[depth].append(_left(call.network, around, what))
        elif what is AHEAD:
            pass
        elif what is JOINED:
            joining.append([])
        elif what is LEFT:
            outside.append((levels, cause, ended))
            levels, cause, ended = defaultdict(list), None, 0
        elif what is BRANCHES:
            branches = joining.pop()[::-1]
            levels[depth].append(_joined(call, around, branches))
            for branch in reversed(branches):
                if type(branch) is tuple and branch[1] is not None:
                    cause, ended = branch[1], depth
        else:
            joining[-1].append((levels[depth], cause))
            levels, cause, ended = outside.pop()
    return _whole(body, binding, levels[0], cause)


def _joined(ins: Instruction, binding: Binding, branches: Sequence[Branch | Dropped]) -> Node:
    """The node of a network all of whose branches were planned, or dropped."""
    network: BranchingNetwork = ins.network
    children: list[Node] = []
    kept: list[int] = []
    dropped: list[Dropped] = []
    for index, branch in enumerate(branches):
        if isinstance(branch, Dropped):
            dropped.append(branch)
        else:
            level, cause = branch
            children.append(_whole(ins.bodies[index], binding, level, cause))
            kept.append(index)
    if isinstance(network, ParallelNetwork):
        return _parallel_node(tuple(children), network.policy)
    return _priority_node(tuple(children), tuple(kept), network.reactive, tuple(dropped))


def _left(network: Network, binding: Binding, item: Ensured | NullNode | Suspension) -> Node:
    """The node of a part that is left to be planned on arrival, or of a pause."""
    if isinstance(network, PauseNetwork):
        return NULL_NODE
    rest = (network.call if isinstance(network, DeferNetwork) else network,)
    if isinstance(item, Ensured):
        return SuspendedNode(rest, binding, item.cause, item.writes, item.reads)
    assert isinstance(item, Suspension), "tasks are planned, or suspended"
    return SuspendedNode(rest, binding, item)


def _whole(body: Body, binding: Binding, level: Level, cause: Suspension | None) -> Node:
    """The node of a body: of all its items, or of those up to where planning stops."""
    left = level
    if cause is not None or len(level) < len(body.items):
        nodes: Level = []
        for part in body.items:
            if not level and cause is not None:
                break
            node = NULL_NODE if part.kind == NOTHING else level.pop()
            nodes.append(_left(part.network, binding, node) if type(node) is Suspension else node)
        left = nodes[::-1]
    return _taken(body.network, left, binding, cause)


def _taken(network: Network, left: Level, binding: Binding, cause: Suspension | None) -> Node:
    """The node of a network, whose nodes are taken from the end of a level."""
    if not isinstance(network, SequenceNetwork):
        node: Node = left.pop() if left else NULL_NODE
        return node
    made: list[Node] = []
    for number, part in enumerate(network.parts):
        if not left and cause is not None:
            made.append(SuspendedNode(network.parts[number:], binding, cause))
            break
        made.append(_taken(part, left, binding, cause))
    return _in_turn(made[::-1])


def _in_turn(level: Level) -> SequenceNode:
    node = _OpenSequence()
    node.children = tuple(level[::-1])
    node.__class__ = SequenceNode
    made: SequenceNode = node
    return made


def _reading(footprint: Footprint, reads: frozenset[Any]) -> Footprint:
    """The footprint of a part the arguments of whose call have read something."""
    both = _OpenFootprint()
    both.reads = footprint.reads | reads
    both.writes, both.uses = footprint.writes, footprint.uses
    both.__class__ = Footprint
    made: Footprint = both
    return made


def _call_again(level: Level, body: Body, binding: Binding) -> None:
    """Give nodes the calls of the body that a function returned: they were planned by others."""
    for node, part in zip(reversed(level), body.items, strict=False):
        if type(node) is not Suspension:
            object.__setattr__(node, "call", part.network)
            object.__setattr__(node, "binding", binding)
