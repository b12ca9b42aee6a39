"""Construction of a plan from the log of a search: its tree, actions and footprints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, assert_never

from bthtn.domain.method import PlainBody
from bthtn.domain.network import (
    BranchingNetwork,
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import PrimitiveTask, TaskCall
from bthtn.domain.task_effects import TaskEffects, grounded, projected
from bthtn.domain.turns import TurnBody
from bthtn.plan.nodes import (
    HORIZON,
    NULL_NODE,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    TaskNode,
    cause_of,
)
from bthtn.planning.htn.log import (
    BINDING,
    BODY,
    CHOSEN,
    CONTRIBUTION,
    KIND,
    NETWORK,
    NUMBERS,
    READS,
    SCOPE,
    STEP,
    TOUCHED,
    Contribution,
    Entry,
    Mark,
    Past,
    backwards,
)
from bthtn.planning.htn.open_nodes import OpenScope, OpenTask
from bthtn.planning.htn.rows import Body, CallPart, MethodRow, PrimitiveRow
from bthtn.planning.htn.values import Values
from bthtn.world.footprint import Footprint, RecordingView

Given = Contribution | Node
"""The contribution of an entry; most are just a finished node."""

NOTHING_TOUCHED: Final = Footprint()


def tree_of(log: Sequence[Entry], root: Entry, past: Past) -> Contribution:
    """Return the plan tree of a log; ``past`` starts at its end and is moved to its start."""
    inside: dict[int, list[Given]] = {}
    for entry in reversed(log):
        past.before(entry)
        given: Given | None
        if type(entry[KIND]) is PrimitiveRow:  # as most are, and nothing is inside of them
            given = _step(entry[KIND], entry, past)
        else:
            given = _given(entry, _in_order(inside.pop(id(entry), None)), past)
        if given is not None:
            inside.setdefault(id(entry[SCOPE]), []).append(given)
    below = _in_order(inside.get(id(root)))
    return _contribution(_assembled(root[BODY], root[BINDING], below))


def actions_of(
    log: Iterable[Entry],
) -> tuple[tuple[PrimitiveTask[Any], tuple[Any, ...]], ...] | None:
    """Return the primitive tasks planned in a log, with their arguments; None with alternatives."""
    actions = []
    for entry in log:
        kind = entry[KIND]
        if type(kind) is PrimitiveRow:
            actions.append((kind.task, entry[BINDING]))
        elif kind is Mark.BRANCHES and isinstance(entry[NETWORK], PriorityNetwork):
            return None
    return tuple(actions)


def footprint_of(log: Sequence[Entry], start: int, values: Values) -> Footprint:
    """Return the footprint of the branch that begins at this index of the log."""
    past, found = Past(values), list[Footprint]()
    for entry in backwards(log, start):
        past.before(entry)
        touched = _touched(entry, past)
        if touched is not NOTHING_TOUCHED:
            found.append(touched)
    return Footprint.in_turn(found[::-1])


def _in_order(backwards: list[Given] | None) -> list[Given]:
    return [] if backwards is None else backwards[::-1]


def _given(entry: Entry, below: list[Given], past: Past) -> Given | None:
    """Return the contribution of an entry to its scope, or None; ``below`` are those inside it."""
    kind = entry[KIND]
    match kind:
        case PrimitiveRow():
            return _step(kind, entry, past)
        case MethodRow():
            return _scope(kind, entry, below, past)
        case CallPart():
            return Contribution(reads=_readings(kind, entry, past).reads)
        case Mark.BRANCH:
            return _assembled(entry[BODY], entry[BINDING], below)
        case Mark.BRANCHES:
            return _branches(entry[NETWORK], [_contribution(one) for one in below])
        case Mark.LEFT | Mark.JOINED:
            return None
        case Mark.GIVEN:
            given: Contribution = entry[CONTRIBUTION]
            return given
        case _:
            assert_never(kind)


def _step(row: PrimitiveRow, entry: Entry, past: Past) -> TaskNode:
    """Return the node of a primitive task, without the call that it was planned for."""
    step, node = _projection(row, entry, past), OpenTask()
    node.task, node.args, node.footprint = row.task, entry[BINDING], step.footprint
    node.duration, node.cost = step.duration, step.cost
    node.call, node.binding = None, ()
    node.__class__ = TaskNode
    made: TaskNode = node
    return made


def _touched(entry: Entry, past: Past) -> Footprint:
    """Return the footprint of the entry itself, without the entries inside it."""
    kind = entry[KIND]
    match kind:
        case PrimitiveRow():
            return _projection(kind, entry, past).footprint
        case MethodRow():
            return _asked(kind, entry, past)
        case CallPart():
            return _readings(kind, entry, past)
        case Mark.JOINED:
            together: Footprint = entry[TOUCHED]
            return together
        case Mark.GIVEN:
            given: Contribution = entry[CONTRIBUTION]
            return Footprint(given.reads or frozenset(), given.ensured or {})
        case Mark.BRANCH | Mark.BRANCHES | Mark.LEFT:
            return NOTHING_TOUCHED
        case _:
            assert_never(kind)


def _projection(row: PrimitiveRow, entry: Entry, past: Past) -> TaskEffects:
    """Return the projected effects of a primitive task at its entry."""
    if len(entry) > STEP:
        reads, writes, duration, cost = entry[STEP]
        touched = Footprint(frozenset(reads), writes, row.task.uses)
        return TaskEffects(True, writes, touched, duration, cost)  # noqa: FBT003 - it was planned
    args, memory = entry[BINDING], row.projections
    known = None if memory is None else memory.find(args)
    if known is None:
        known = projected(row.task, args, RecordingView(past))
        if memory is not None:
            memory.keep(args, known)
    return known


def _asked(row: MethodRow, entry: Entry, past: Past) -> Footprint:
    """Return the reads of the choice of a method."""
    if entry[READS] is not None:
        return Footprint(frozenset(entry[READS]))
    args, memory = entry[BINDING], row.footprints
    known = None if memory is None else memory.find(args)
    if known is None:
        view = RecordingView(past)
        row.method.condition.evaluate(view, args)
        known = Footprint(view.reads)
        if memory is not None:
            memory.keep(args, known)
    return known


def _readings(part: CallPart, entry: Entry, past: Past) -> Footprint:
    """Return the reads of the arguments of the call after the entry."""
    if entry[CONTRIBUTION] is not None:
        return Footprint(entry[CONTRIBUTION])
    return argument_reads(part, entry[BINDING], RecordingView(past))


def argument_reads(part: CallPart, binding: tuple[Any, ...], view: RecordingView) -> Footprint:
    """Return the reads in a state of the arguments of a call."""
    memory = part.readings
    known = None if memory is None else memory.find(binding)
    if known is None:
        grounded(part.network, view, binding)
        known = Footprint(view.reads)
        if memory is not None:
            memory.keep(binding, known)
    return known


def _scope(row: MethodRow, entry: Entry, below: list[Given], past: Past) -> Given:
    """Return the scope of a compound task, with its subtree."""
    binding, chosen = entry[BINDING], entry[CHOSEN]
    args, index, name = chosen or (binding, row.index, row.method.name)
    asked = _asked(row, entry, past)
    child = _assembled(entry[BODY], binding, below)
    cost, value = entry[NUMBERS] or (row.cost or 0, row.value or 0)
    body = entry[BODY].network if type(row.method.body) in (PlainBody, TurnBody) else None
    node = OpenScope()
    node.task, node.args, node.method, node.child = row.task, args, index, _node(child)
    node.footprint, node.name, node.cost, node.value = asked, name, cost, value
    node.call, node.binding, node.body = None, (), body
    node.__class__ = ScopeNode
    cause = _contribution(child).cause
    return node if cause is None else Contribution(node, cause)


def _branches(network: BranchingNetwork, branches: list[Contribution]) -> Contribution:
    """Return the node of a parallel or priority network, with its branches."""
    nodes = tuple(one.node for one in branches if one.node is not None)
    cause = next((one.cause for one in branches if one.cause is not None), None)
    if isinstance(network, ParallelNetwork):
        return Contribution(ParallelNode(nodes, network.policy), cause)
    dropped = tuple(one.dropped for one in branches if one.dropped is not None)
    gone = {one.alternative for one in dropped}
    kept = tuple(index for index in range(len(network.parts)) if index not in gone)
    return Contribution(PriorityNode(nodes, kept, network.reactive, dropped), cause)


def _contribution(given: Given) -> Contribution:
    return given if isinstance(given, Contribution) else Contribution(given)


def _node(given: Given) -> Node:
    node = given.node if isinstance(given, Contribution) else given
    assert node is not None, "a network becomes a node"
    return node


def _assembled(body: Body, binding: tuple[Any, ...], below: Sequence[Given]) -> Given:
    """Return the contribution of a whole body."""
    network = body.network
    assert network is not None, "nothing becomes of the end"
    nodes = _called_in_turn(body, binding, below) if body.calls else []
    if body.calls and len(nodes) == body.calls:
        return SequenceNode(tuple(nodes)) if isinstance(network, SequenceNetwork) else nodes[0]
    return _taken(network, binding, _Contributions(below))


def _called_in_turn(body: Body, binding: tuple[Any, ...], below: Sequence[Given]) -> list[Node]:
    """Return the nodes of the calls in order; empty if one of them was suspended."""
    nodes: list[Node] = []
    reads: frozenset[Any] | None = None
    for one in below:
        if not isinstance(one, Contribution):
            call: Any = body.parts[len(nodes)]
            nodes.append(_called(one, call.network, binding, reads))
            reads = None
        elif one.reads is not None and one.ensured is None:
            reads = one.reads
        else:
            return []
    return nodes


class _Contributions:
    """An iterator over contributions that can peek at the next one."""

    def __init__(self, given: Sequence[Given]) -> None:
        self._given = given
        self._next = 0

    def peek(self) -> Contribution | None:
        """Return the next contribution without consuming it, or None at the end."""
        return _contribution(self._given[self._next]) if self._next < len(self._given) else None

    def take(self) -> Contribution:
        """Consume and return the next contribution."""
        self._next += 1
        return _contribution(self._given[self._next - 1])


def _taken(network: Network, binding: tuple[Any, ...], row: _Contributions) -> Contribution:
    """Return the contribution of a network, consuming those of its parts."""
    match network:
        case SequenceNetwork(parts):
            return _sequence(parts, binding, row)
        case NullNetwork():
            return Contribution(NULL_NODE)
        case PauseNetwork():
            return _paused(cause_of(network), row)
        case ParallelNetwork() | PriorityNetwork():
            return row.take()
        case DeferNetwork():
            return _deferred(network, binding, row)
        case TaskCall():
            return _call(network, binding, row)
        case _:
            assert_never(network)


def _sequence(
    parts: tuple[Network, ...], binding: tuple[Any, ...], row: _Contributions
) -> Contribution:
    nodes: list[Node] = []
    cause: Suspension | None = None
    for number, network in enumerate(parts):
        ahead = row.peek()
        if ahead is not None and ahead.part == number:
            nodes.append(SuspendedNode(parts[number:], binding, HORIZON))
            cause = HORIZON
            break
        taken = _taken(network, binding, row)
        nodes.append(_node(taken))
        cause = taken.cause
        if cause is not None:
            rest = parts[number + 1 :]
            nodes.extend([SuspendedNode(rest, binding, cause)] if rest else [])
            break
    return Contribution(SequenceNode(tuple(nodes)), cause)


def _paused(cause: Suspension, row: _Contributions) -> Contribution:
    """Return the contribution of a pause, an empty node with ``check_rest``."""
    ahead = row.peek()
    return row.take() if ahead is not None and ahead.cause is cause else Contribution(NULL_NODE)


def _call(call: TaskCall, binding: tuple[Any, ...], row: _Contributions) -> Contribution:
    taken = row.take()
    reads: frozenset[Any] | None = None
    if taken.reads is not None:
        reads, taken = taken.reads, row.take()
    if taken.node is None:
        assert taken.cause is not None, "what has no node was suspended"
        return Contribution(SuspendedNode((call,), binding, taken.cause), taken.cause)
    return Contribution(_called(taken.node, call, binding, reads), taken.cause)


def _called(
    node: Node, call: TaskCall, binding: tuple[Any, ...], reads: frozenset[Any] | None
) -> Node:
    """Return the node with the call that it was planned for, and the reads of its arguments."""
    if not call.args or not isinstance(node, TaskNode | ScopeNode):
        return node
    touched = node.footprint
    if reads:
        touched = Footprint(reads | touched.reads, touched.writes, touched.uses)
    # Not by ``replace``, which takes several times as long.
    called: Any
    if isinstance(node, TaskNode):
        called = OpenTask()
        called.duration = node.duration
    else:
        called = OpenScope()
        called.method, called.child, called.name = node.method, node.child, node.name
        called.value, called.body = node.value, node.body
    called.task, called.args, called.footprint = node.task, node.args, touched
    called.cost, called.call, called.binding = node.cost, call, binding
    called.__class__ = type(node)
    made: TaskNode | ScopeNode = called
    return made


def _deferred(network: DeferNetwork, binding: tuple[Any, ...], row: _Contributions) -> Contribution:
    ahead = row.peek()
    if ahead is None or (ahead.ensured is None and ahead.cause is None) or ahead.node is not None:
        return _call(network.call, binding, row)  # planned at once, where plans are checked
    taken, rest = row.take(), (network.call,)
    if taken.ensured is None:
        assert taken.cause is not None, "what ensures nothing is suspended"
        return Contribution(SuspendedNode(rest, binding, taken.cause), taken.cause)
    reads = taken.reads or frozenset()
    return Contribution(SuspendedNode(rest, binding, cause_of(network), taken.ensured, reads))
