"""The log of a search, and how it becomes a plan tree.

An entry is a tuple that begins with its kind, the scope it is in, the values of its
arguments, what it overwrote (fluent, value before, fluent, value before, …), and where the
path had come to (``Machine.at``, None where that does not matter). The rest depends on the
kind.

Nothing of a plan but the log is made while searching. Read backwards, the log gives the
state at each of its entries, since every entry tells what it overwrote: so what a condition
read, or a task wrote, is worked out when somebody looks at the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.number import number_of
from bthtn.domain.projection import grounded, projected
from bthtn.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.plan.nodes import (
    DEFERRED,
    HORIZON,
    NULL_NODE,
    PAUSED,
    Dropped,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    TaskNode,
)
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, RecordingView, Write
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN

Entry = tuple[Any, ...]
Values = dict[Fluent[Any], Any]
Call = tuple[CompoundTask[Any], tuple[Any, ...]]

_INLINED: Final = 5
"""Length of the entry of a task that generated source planned."""
ABSENT: Final = object()
"""Stands where a volatile fluent has not been written."""


class Past:
    """A view of the state as it was at one entry of the log after the other, backwards."""

    def __init__(self, domain: FrozenDomain, base: FrozenState, values: Values) -> None:
        self.domain = domain
        self._base = base
        self._values = values
        self._foreseeable = False

    def before(self, entry: Entry) -> None:
        """Go back to where the entry was planned."""
        undo(entry, self._values)
        if entry[4] is not None:
            steps, _, frame = entry[4]
            self._foreseeable = steps == 0 and (frame is None or frame.guard is None)

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent there."""
        if not fluent.volatile:
            return self._values.get(fluent, fluent.default)
        sensed = self._base.get(fluent) if self._foreseeable else UNKNOWN
        return self._values.get(fluent, sensed)


def undo(entry: Entry, values: Values) -> None:
    """Put back what the entry overwrote."""
    undone = entry[3]
    for number in range(len(undone) - 2, -1, -2):
        if undone[number + 1] is ABSENT:
            values.pop(undone[number], None)
        else:
            values[undone[number]] = undone[number + 1]


@dataclass(frozen=True, slots=True)
class Part:
    """What an entry contributes to the network it belongs to.

    ``node`` is a finished node. ``cause`` says that nothing was planned behind it. ``reads``
    are what the arguments of the next part were computed from. ``place`` is the position in
    a sequence at which the horizon was reached.
    """

    node: Node | None = None
    cause: Suspension | None = None
    reads: frozenset[Any] = frozenset()
    place: int | None = None
    dropped: Dropped | None = None
    ensured: dict[Any, Write] | None = None


class Kind:
    """What an entry of the log is; entries of this very kind are not part of the tree."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part], past: Past) -> Part | None:  # noqa: ARG002 - protocol
        """What the entry contributes, given what the entries in it do."""
        return None


CHANGE: Final = Kind()
"""Fluents were written by no task: branches were left, or merged."""


@dataclass(frozen=True, slots=True, eq=False)
class TaskKind(Kind):
    """A primitive task was planned. Entry: …, its projection if it was planned by evaluation."""

    task: PrimitiveTask[Any]

    def part(self, entry: Entry, below: list[Part], past: Past) -> Part:  # noqa: ARG002 - leaf
        """The task's node."""
        step = (
            entry[5]
            if len(entry) > _INLINED
            else projected(self.task, entry[2], RecordingView(past))
        )
        return Part(TaskNode(self.task, entry[2], step.footprint, step.duration, step.cost))


@dataclass(frozen=True, slots=True, eq=False)
class ScopeKind(Kind):
    """A compound task was decomposed by one of its methods.

    Entry: …, the network if the method's body is a plain function, depth, key of the
    recursion guard, place in the log, what was read if the condition or the body is a plain
    function: such are not called again.
    """

    task: CompoundTask[Any]
    index: int
    method: Method

    def part(self, entry: Entry, below: list[Part], past: Past) -> Part:
        """The scope with everything in it."""
        args, reads = entry[2], entry[9]
        if reads is None:
            view = RecordingView(past)
            self.method.condition.evaluate(view, args)
            reads = view.reads
        network: Network = entry[5] if entry[5] is not None else as_written(self.method)
        inside = taken(network, args, Parts(below))
        assert inside.node is not None, "a network becomes a node"
        cost = number_of(self.method.cost, past, args)
        footprint, name = Footprint(reads), self.method.name
        node = ScopeNode(self.task, args, self.index, inside.node, footprint, name, cost)
        return Part(node, inside.cause)

    def call(self, entry: Entry) -> Call:
        """What was decomposed."""
        return self.task, entry[2]


class ChosenKind(Kind):
    """A compound task that was decomposed in a way that only the state tells.

    Entry: as of a scope, with what the method's network sees in place of the arguments; then
    the task, its arguments, the number of the way, its name, and its cost.
    """

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part], past: Past) -> Part:  # noqa: ARG002 - told
        """The scope with everything in it."""
        task, args, index, name, cost = entry[10:]
        inside = taken(entry[5], entry[2], Parts(below))
        assert inside.node is not None, "a network becomes a node"
        node = ScopeNode(task, args, index, inside.node, Footprint(entry[9]), name, cost)
        return Part(node, inside.cause)

    def call(self, entry: Entry) -> Call:
        """What was decomposed."""
        return entry[10], entry[11]


CHOSEN: Final = ChosenKind()


def as_written(method: Method) -> Network:
    """The body of a method that is no plain function."""
    assert not isinstance(method.body, PlainBody), "what a function answered is in the log"
    return method.body


class NetworkKind(Kind):
    """A network begins: the goal, or a branch. Entry: …, the network, depth, None, place."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part], past: Past) -> Part:  # noqa: ARG002 - inner
        """What the network became."""
        return taken(entry[5], entry[2], Parts(below))


ROOT: Final = NetworkKind()
BRANCH: Final = NetworkKind()


class BranchesKind(Kind):
    """A parallel or priority node. Entry: …, the network, depth, None, place."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part], past: Past) -> Part:  # noqa: ARG002 - inner
        """The node with its branches."""
        network: ParallelNetwork | PriorityNetwork = entry[5]
        nodes = tuple(part.node for part in below if part.node is not None)
        cause = next((part.cause for part in below if part.cause is not None), None)
        if isinstance(network, ParallelNetwork):
            return Part(ParallelNode(nodes, network.policy), cause)
        dropped = tuple(part.dropped for part in below if part.dropped is not None)
        gone = {one.alternative for one in dropped}
        kept = tuple(index for index in range(len(network.parts)) if index not in gone)
        return Part(PriorityNode(nodes, kept, network.reactive, dropped), cause)


BRANCHES: Final = BranchesKind()


class ComputedKind(Kind):
    """Arguments of the call that follows are computed. Entry: …, the call."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part], past: Past) -> Part:  # noqa: ARG002 - leaf
        """What they are computed from, for the next part."""
        call: TaskCall = entry[5]
        view = RecordingView(past)
        grounded(call, view, entry[2])
        return Part(reads=view.reads)


COMPUTED: Final = ComputedKind()


class ToldKind(Kind):
    """A suspension, a promise, a dropped alternative. Entry: …, the part itself."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part], past: Past) -> Part:  # noqa: ARG002 - leaf
        """The part."""
        part: Part = entry[5]
        return part


TOLD: Final = ToldKind()


class Parts:
    """The parts of one network in order, with a look at the next one."""

    def __init__(self, parts: list[Part]) -> None:
        self._parts = parts
        self._next = 0

    def peek(self) -> Part | None:
        """The next part, left where it is."""
        return self._parts[self._next] if self._next < len(self._parts) else None

    def take(self) -> Part:
        """The next part."""
        self._next += 1
        return self._parts[self._next - 1]


def taken(network: Network, binding: tuple[Any, ...], parts: Parts) -> Part:
    """What the network became."""
    match network:
        case SequenceNetwork(inside):
            return _sequence(inside, binding, parts)
        case NullNetwork():
            return Part(NULL_NODE)
        case PauseNetwork():
            return Part(NULL_NODE, PAUSED)
        case ParallelNetwork() | PriorityNetwork():
            return parts.take()
        case DeferNetwork():
            return _deferred(network, binding, parts.take())
        case TaskCall():
            return _called(network, binding, parts)


def _sequence(inside: tuple[Network, ...], binding: tuple[Any, ...], parts: Parts) -> Part:
    nodes: list[Node] = []
    cause: Suspension | None = None
    for place, network in enumerate(inside):
        ahead = parts.peek()
        if ahead is not None and ahead.place == place:
            nodes.append(SuspendedNode(inside[place:], binding, HORIZON))
            cause = HORIZON
            break
        part = taken(network, binding, parts)
        assert part.node is not None, "a network becomes a node"
        nodes.append(part.node)
        cause = part.cause
        if cause is not None:
            rest = inside[place + 1 :]
            nodes.extend([SuspendedNode(rest, binding, cause)] if rest else [])
            break
    return Part(SequenceNode(tuple(nodes)), cause)


def _called(call: TaskCall, binding: tuple[Any, ...], parts: Parts) -> Part:
    part = parts.take()
    reads: frozenset[Any] = frozenset()
    if part.node is None and part.cause is None:
        reads = part.reads
        part = parts.take()
    if part.node is None:
        assert part.cause is not None, "what has no node was suspended"
        return Part(SuspendedNode((call,), binding, part.cause), part.cause)
    if not reads:
        return part
    node = part.node
    assert isinstance(node, TaskNode | ScopeNode), "a call becomes a task or a scope"
    footprint = replace(node.footprint, reads=reads | node.footprint.reads)
    return Part(replace(node, footprint=footprint), part.cause)


def _deferred(network: DeferNetwork, binding: tuple[Any, ...], part: Part) -> Part:
    rest = (network.call,)
    if part.ensured is None:
        assert part.cause is not None, "what ensures nothing is suspended"
        return Part(SuspendedNode(rest, binding, part.cause), part.cause)
    return Part(SuspendedNode(rest, binding, DEFERRED, part.ensured, part.reads))


def tree(log: Iterable[Entry], root: Entry, past: Past) -> Part:
    """What the entries below ``root`` make; ``log`` is given backwards, from its end on."""
    below: dict[int, list[Part]] = {}
    for entry in log:
        past.before(entry)
        inside = below.pop(id(entry), [])
        inside.reverse()
        part = entry[0].part(entry, inside, past)
        if part is not None:
            below.setdefault(id(entry[1]), []).append(part)
    inside = below.get(id(root), [])
    inside.reverse()
    part = root[0].part(root, inside, past)
    assert isinstance(part, Part), "a root has a part"
    return part


def record(log: Iterable[Entry]) -> Iterator[int]:
    """The method traversal record that a log makes."""
    for entry in log:
        kind = entry[0]
        if isinstance(kind, ScopeKind):
            yield kind.index
        elif kind is CHOSEN:
            yield entry[12]
        elif kind is BRANCH and isinstance(entry[1][5], PriorityNetwork):
            yield 0
        elif kind is TOLD and entry[5].dropped is not None:
            yield 1
