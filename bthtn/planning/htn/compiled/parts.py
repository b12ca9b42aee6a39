"""Parts: what entries of the log contribute, and how networks are put together of it.

Most of them contribute a finished node and nothing else, and are that node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bthtn.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import TaskCall
from bthtn.plan.nodes import (
    DEFERRED,
    HORIZON,
    NULL_NODE,
    PAUSED,
    Dropped,
    Node,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    TaskNode,
)
from bthtn.world.footprint import Footprint, Write


@dataclass(frozen=True, slots=True)
class Part:
    """What an entry contributes to the network it belongs to, where that is not just a node.

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

    @property
    def only_reads(self) -> bool:
        """Whether it tells what the arguments of the next part are computed from."""
        others = (self.node, self.cause, self.place, self.dropped, self.ensured)
        return all(one is None for one in others)


Given = Part | Node
"""What an entry contributes."""


def calls_alone(network: Network) -> int:
    """Of how many calls the network consists, 0 where there is anything else in it."""
    if isinstance(network, TaskCall):
        return 1
    if isinstance(network, SequenceNetwork):
        return len(network.parts) if all(isinstance(one, TaskCall) for one in network.parts) else 0
    return 0


def put_together(
    network: Network, binding: tuple[Any, ...], below: Sequence[Given], calls: int = 0
) -> tuple[Node, Suspension | None]:
    """What the network became, and why nothing was planned behind it, if so.

    ``calls`` is what ``calls_alone`` tells of it, if that is known.
    """
    nodes = _planned(below) if calls else []
    if calls and len(nodes) == calls:
        is_sequence = isinstance(network, SequenceNetwork)
        return SequenceNode(tuple(nodes)) if is_sequence else nodes[0], None
    part = _taken(network, binding, Parts(below))
    assert part.node is not None, "a network becomes a node"
    return part.node, part.cause


def _planned(below: Sequence[Given]) -> list[Node]:
    """The nodes of calls; some of them where not all were planned to their end."""
    nodes: list[Node] = []
    reads: frozenset[Any] = frozenset()
    for one in below:
        if isinstance(one, Part):
            if not one.only_reads:
                return []
            reads = one.reads
        else:
            nodes.append(_reading(one, reads) if reads else one)
            reads = frozenset()
    return nodes


class Parts:
    """The parts of one network in order, with a look at the next one."""

    def __init__(self, parts: Sequence[Given]) -> None:
        self._parts = parts
        self._next = 0

    def peek(self) -> Part | None:
        """The next part, left where it is."""
        return part_of(self._parts[self._next]) if self._next < len(self._parts) else None

    def take(self) -> Part:
        """The next part."""
        self._next += 1
        return part_of(self._parts[self._next - 1])


def part_of(given: Given) -> Part:
    """What an entry contributes, a node as well."""
    return given if isinstance(given, Part) else Part(given)


def _taken(network: Network, binding: tuple[Any, ...], parts: Parts) -> Part:
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
        part = _taken(network, binding, parts)
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
    if part.only_reads:
        reads = part.reads
        part = parts.take()
    if part.node is None:
        assert part.cause is not None, "what has no node was suspended"
        return Part(SuspendedNode((call,), binding, part.cause), part.cause)
    if not reads:
        return part
    return Part(_reading(part.node, reads), part.cause)


def _reading(node: Node, reads: frozenset[Any]) -> Node:
    """The node, whose arguments were computed from these."""
    assert isinstance(node, TaskNode | ScopeNode), "a call becomes a task or a scope"
    own = node.footprint
    footprint = Footprint(reads | own.reads, own.writes, own.uses)
    if isinstance(node, TaskNode):
        return TaskNode(node.task, node.args, footprint, node.duration, node.cost)
    by = (node.task, node.args, node.method, node.child, footprint, node.name, node.cost)
    return ScopeNode(*by, node.value)


def _deferred(network: DeferNetwork, binding: tuple[Any, ...], part: Part) -> Part:
    rest = (network.call,)
    if part.ensured is None:
        assert part.cause is not None, "what ensures nothing is suspended"
        return Part(SuspendedNode(rest, binding, part.cause), part.cause)
    return Part(SuspendedNode(rest, binding, DEFERRED, part.ensured, part.reads))
