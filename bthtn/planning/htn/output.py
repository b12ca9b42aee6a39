"""The plan while it is being searched for: a list that grows and is cut back.

Opening and closing a node are entries like tasks, so backtracking truncates the list and the
tree is only built when it is wanted. The open scopes are kept beside it, by what they were
entered with, to notice a task that is its own ancestor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bthtn.domain.network import ParallelNetwork, PriorityNetwork
from bthtn.domain.task import CompoundTask
from bthtn.plan.nodes import (
    Dropped,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.plan.walk import footprint_over
from bthtn.world.footprint import Footprint

ScopeKey = tuple[CompoundTask[Any], tuple[Any, ...], bool]
"""A call, and whether volatile fluents were known where it was entered."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenScope:
    """A compound task begins."""

    task: CompoundTask[Any]
    args: tuple[Any, ...]
    method: int
    footprint: Footprint
    key: ScopeKey
    fingerprint: int
    mark: int
    name: str = ""
    cost: float = 0
    value: float = 0


@dataclass(frozen=True, slots=True, eq=False)
class OpenSequence:
    """A sequence begins."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenBranches:
    """A parallel or priority node begins."""

    network: ParallelNetwork | PriorityNetwork


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """The node that ``opened`` began is complete."""

    opened: Opening


@dataclass(frozen=True, slots=True, eq=False)
class WholeBranch:
    """The entries from ``start`` on are a whole branch, which makes this node.

    Whoever needs them takes the node, so a branch is put together once, however deep it lies.
    """

    start: int
    node: Node
    footprint: Footprint


Opening = OpenScope | OpenSequence | OpenBranches
Leaf = TaskNode | SuspendedNode | NullNode
Entry = Opening | Closed | Leaf | Dropped | WholeBranch
Part = tuple[Node | Dropped, Footprint]
Combine = Callable[[Node, tuple[Footprint, ...]], Footprint]

NOTHING: Final = Footprint()


class Output:
    """The entries so far, and which scopes are open."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._open: list[Opening] = []
        self._entered: dict[ScopeKey, dict[int, list[int]]] = {}
        self._steps = 0

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, entry: Leaf | Dropped) -> None:
        """A node without children, or an alternative that is none."""
        self._entries.append(entry)
        if isinstance(entry, TaskNode):
            self._steps += 1

    def open(self, opening: Opening) -> None:
        """Begin a node: what follows belongs to it until it is closed."""
        self._entries.append(opening)
        self._do_open(opening)

    def close(self) -> None:
        """The node begun last is complete."""
        opened = self._open[-1]
        self._entries.append(Closed(opened))
        self._do_close(opened)

    def truncate(self, length: int) -> None:
        """Cut back to an earlier length."""
        while len(self._entries) > length:
            entry = self._entries.pop()
            if isinstance(entry, Closed):
                self._do_open(entry.opened)
            elif isinstance(entry, Opening):
                self._do_close(entry)
            elif isinstance(entry, TaskNode):
                self._steps -= 1

    @property
    def has_steps(self) -> bool:
        """Whether anything in it is to be done."""
        return self._steps > 0

    def entered(self, key: ScopeKey) -> Mapping[int, Sequence[int]]:
        """Save points at which open scopes with this key were entered, by fingerprint."""
        return self._entered.get(key, {})

    def end_branch(self, start: int) -> Footprint:
        """The entries from ``start`` on are a branch: what it reads, writes and uses."""
        node, footprint = self._whole(start, footprint_over)
        self._entries.append(WholeBranch(start, node, footprint))
        return footprint

    def tree(self) -> Node:
        """The one node that all entries make."""
        node, _ = self._whole(0, lambda *_: NOTHING)
        return node

    def _whole(self, start: int, combine: Combine) -> tuple[Node, Footprint]:
        """The one node that the entries from ``start`` on make, read from the end."""
        levels: list[list[Part]] = [[]]
        index = len(self._entries)
        while index > start:
            index -= 1
            entry = self._entries[index]
            if isinstance(entry, Closed):
                levels.append([])
            elif isinstance(entry, Opening):
                inside = levels.pop()[::-1]
                below = tuple(part[1] for part in inside if not isinstance(part[0], Dropped))
                node = _closed(entry, [part[0] for part in inside])
                levels[-1].append((node, combine(node, below)))
            elif isinstance(entry, WholeBranch):
                levels[-1].append((entry.node, entry.footprint))
                index = entry.start
            elif isinstance(entry, Dropped):
                levels[-1].append((entry, NOTHING))
            else:
                levels[-1].append((entry, combine(entry, ())))
        whole, footprint = levels[0][0]
        assert len(levels) == 1, "every node that was opened is closed"
        assert not isinstance(whole, Dropped), "a tree is not a dropped alternative"
        return whole, footprint

    def _do_open(self, opening: Opening) -> None:
        self._open.append(opening)
        if isinstance(opening, OpenScope):
            entered = self._entered.setdefault(opening.key, {})
            entered.setdefault(opening.fingerprint, []).append(opening.mark)

    def _do_close(self, opening: Opening) -> None:
        assert self._open.pop() is opening, "nodes are closed in reverse order"
        if isinstance(opening, OpenScope):
            entered = self._entered[opening.key]
            marks = entered[opening.fingerprint]
            marks.remove(opening.mark)
            if not marks:
                del entered[opening.fingerprint]
            if not entered:
                del self._entered[opening.key]


def _closed(opening: Opening, inside: list[Node | Dropped]) -> Node:
    nodes = tuple(entry for entry in inside if not isinstance(entry, Dropped))
    match opening:
        case OpenScope(task, args, method, footprint):
            name, cost, value = opening.name, opening.cost, opening.value
            return ScopeNode(task, args, method, nodes[0], footprint, name, cost, value)
        case OpenSequence():
            return SequenceNode(nodes)
        case OpenBranches(ParallelNetwork(_, policy)):
            return ParallelNode(nodes, policy)
        case OpenBranches(PriorityNetwork(parts, reactive)):
            dropped = tuple(entry for entry in inside if isinstance(entry, Dropped))
            gone = {one.alternative for one in dropped}
            kept = tuple(index for index in range(len(parts)) if index not in gone)
            return PriorityNode(nodes, kept, reactive, dropped)
        case _:
            raise AssertionError(f"no node begins with {opening!r}")
