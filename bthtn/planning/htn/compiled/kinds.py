"""The entries of the log, and how each becomes part of a plan tree.

An entry is a tuple that begins with its kind, the scope it is in, the values of its
arguments, and what it overwrote (fluent, value before, fluent, value before, …). The rest
depends on the kind. Nothing here is needed before somebody looks at the plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from bthtn.domain.method import Method
from bthtn.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.projection import Projection
from bthtn.domain.task import CompoundTask, PrimitiveTask
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
from bthtn.world.assignment import Reference
from bthtn.world.expression import Expression
from bthtn.world.footprint import Footprint, Write, WriteKind
from bthtn.world.state import FrozenState

Entry = tuple[Any, ...]
ABSENT: Final = object()
"""Stands where a volatile fluent has not been written."""
_NOWHERE: Final = FrozenState({})


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

    def part(self, entry: Entry, below: list[Part]) -> Part | None:  # noqa: ARG002 - for others
        """What the entry contributes, given what the entries in it do."""
        return None


CHANGE = Kind()
"""Fluents were written by no task: branches were left, or merged."""


@dataclass(frozen=True, slots=True)
class PlannedWrite:
    """One effect: its target, and its value unless that is in the log."""

    target: Reference[Any]
    kind: WriteKind
    value: Expression[Any] | None


@dataclass(frozen=True, slots=True, eq=False)
class PrimitiveKind(Kind):
    """A primitive task whose footprint follows from its arguments and a few logged values.

    Entry: …, then the values of the effects that have none here, then, if ``reads`` is None,
    what was read.
    """

    task: PrimitiveTask[Any]
    reads: tuple[Reference[Any], ...] | None
    writes: tuple[PlannedWrite, ...]

    def part(self, entry: Entry, below: list[Part]) -> Part:  # noqa: ARG002 - a leaf
        """The task's node."""
        args, logged = entry[2], iter(entry[4:])
        written = {
            ground(one.target, args): Write(
                one.kind, next(logged) if one.value is None else one.value.evaluate(_NOWHERE, args)
            )
            for one in self.writes
        }
        reads = next(logged) if self.reads is None else grounds(self.reads, args)
        duration = self.task.duration.evaluate(_NOWHERE, args)
        cost = self.task.cost.evaluate(_NOWHERE, args)
        footprint = Footprint(reads, written, self.task.uses)
        return Part(TaskNode(self.task, args, footprint, duration, cost))


class ProjectedKind(Kind):
    """A primitive task that was planned by evaluation. Entry: …, task, projection."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part]) -> Part:  # noqa: ARG002 - a leaf
        """The task's node."""
        task: PrimitiveTask[Any] = entry[4]
        step: Projection = entry[5]
        return Part(TaskNode(task, entry[2], step.footprint, step.duration, step.cost))


PROJECTED = ProjectedKind()


@dataclass(frozen=True, slots=True, eq=False)
class ScopeKind(Kind):
    """A compound task that was decomposed by one of its methods.

    Entry: kind, scope, arguments, (), what was read if ``reads`` is None, the network if the
    method's body is a plain function, depth, key of the recursion guard, place in the log.
    """

    task: CompoundTask[Any]
    index: int
    method: Method
    reads: tuple[Reference[Any], ...] | None

    def part(self, entry: Entry, below: list[Part]) -> Part:
        """The scope with everything in it."""
        args = entry[2]
        reads = entry[4] if self.reads is None else grounds(self.reads, args)
        network = self.method.body if entry[5] is None else entry[5]
        inside = taken(network, args, iter_parts(below))
        assert inside.node is not None, "a network becomes a node"
        node = ScopeNode(self.task, args, self.index, inside.node, Footprint(reads))
        return Part(node, inside.cause)


class RootKind(Kind):
    """What the log is the log of. Entry: kind, None, binding, (), (), goal."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part]) -> Part:
        """The whole tree."""
        return taken(entry[5], entry[2], iter_parts(below))


ROOT = RootKind()


class ReadsKind(Kind):
    """Arguments of the call that follows were computed. Entry: …, what was read."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part]) -> Part:  # noqa: ARG002 - a leaf
        """What was read, for the next part."""
        return Part(reads=entry[4])


READS = ReadsKind()


class SuspendedKind(Kind):
    """Planning stopped here. Entry: …, cause."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part]) -> Part:  # noqa: ARG002 - a leaf
        """The cause; what is suspended is told by the network."""
        return Part(cause=entry[4])


SUSPENDED = SuspendedKind()


class EnsuredKind(Kind):
    """A deferred task ensures something. Entry: …, writes, what they were computed from."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part]) -> Part:  # noqa: ARG002 - a leaf
        """What is ensured."""
        return Part(ensured=entry[4], reads=entry[5])


ENSURED = EnsuredKind()


class HorizonKind(Kind):
    """The horizon was reached inside a sequence. Entry: …, position in the sequence."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part]) -> Part:  # noqa: ARG002 - a leaf
        """The position."""
        return Part(place=entry[4], cause=HORIZON)


HORIZON_REACHED = HorizonKind()


class BranchKind(Kind):
    """A branch of a parallel or priority node. Entry: …, (), network, depth."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part]) -> Part:
        """The branch's node."""
        return taken(entry[5], entry[2], iter_parts(below))


BRANCH = BranchKind()


class DroppedKind(Kind):
    """An alternative that could not be planned. Entry: …, Dropped."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part]) -> Part:  # noqa: ARG002 - a leaf
        """The alternative and the reason."""
        return Part(dropped=entry[4])


DROPPED = DroppedKind()


class BranchesKind(Kind):
    """A parallel or priority node. Entry: …, (), network, depth."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Part]) -> Part:
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


BRANCHES = BranchesKind()


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


def iter_parts(parts: list[Part]) -> Parts:
    """The parts, to be taken one after the other."""
    return Parts(parts)


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
        case _:
            return _called(network, binding, parts)


def _sequence(inside: tuple[Network, ...], binding: tuple[Any, ...], parts: Parts) -> Part:
    nodes: list[Node] = []
    cause: Suspension | None = None
    for place, network in enumerate(inside):
        ahead = parts.peek()
        if ahead is not None and ahead.place == place:
            nodes.append(SuspendedNode(inside[place:], binding, HORIZON))
            return Part(SequenceNode(tuple(nodes)), HORIZON)
        part = taken(network, binding, parts)
        assert part.node is not None, "a network becomes a node"
        nodes.append(part.node)
        cause = part.cause
        if cause is not None:
            rest = inside[place + 1 :]
            if rest:
                nodes.append(SuspendedNode(rest, binding, cause))
            break
    return Part(SequenceNode(tuple(nodes)), cause)


def _called(network: Network, binding: tuple[Any, ...], parts: Parts) -> Part:
    part = parts.take()
    reads: frozenset[Any] = frozenset()
    if part.node is None and part.cause is None and part.ensured is None:
        reads = part.reads
        part = parts.take()
    call = network.call if isinstance(network, DeferNetwork) else network
    if part.ensured is not None:
        assert isinstance(network, DeferNetwork), "only deferred tasks ensure something"
        return Part(_deferred(network, binding, part))
    if part.node is None:
        assert part.cause is not None, "what has no node was suspended"
        return Part(SuspendedNode((call,), binding, part.cause), part.cause)
    if not reads:
        return part
    node = part.node
    assert isinstance(node, TaskNode | ScopeNode), "a call becomes a task or a scope"
    footprint = replace(node.footprint, reads=reads | node.footprint.reads)
    return Part(replace(node, footprint=footprint), part.cause)


def _deferred(network: DeferNetwork, binding: tuple[Any, ...], part: Part) -> SuspendedNode:
    return SuspendedNode((network.call,), binding, DEFERRED, part.ensured or {}, part.reads)


def ground(reference: Reference[Any], args: tuple[Any, ...]) -> Any:
    """The fluent that a reference without fluents inside names."""
    return reference.ground(_NOWHERE, args)


def grounds(references: tuple[Reference[Any], ...], args: tuple[Any, ...]) -> frozenset[Any]:
    """The fluents that the references name."""
    return frozenset(ground(reference, args) for reference in references)


def tree(log: list[Entry], root: Entry) -> Part:
    """The plan tree that a log from some place on makes, below ``root``."""
    below: dict[int, list[Part]] = {}
    for entry in reversed(log):
        inside = below.pop(id(entry), None)
        part = entry[0].part(entry, inside[::-1] if inside else [])
        if part is not None:
            below.setdefault(id(entry[1]), []).append(part)
    part = root[0].part(root, below.get(id(root), [])[::-1])
    assert isinstance(part, Part), "a root has a part"
    return part


def record(log: list[Entry]) -> Iterator[int]:
    """The method traversal record that a log makes."""
    for entry in log:
        kind = entry[0]
        if isinstance(kind, ScopeKind):
            yield kind.index
        elif kind is BRANCH and isinstance(entry[1][5], PriorityNetwork):
            yield 0
        elif kind is DROPPED:
            yield 1
