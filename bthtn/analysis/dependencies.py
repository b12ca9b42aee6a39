"""The order that parts of a sequence have to keep, as a graph with few edges.

Two parts keep their order when their footprints conflict (semantics 2.3.2). Comparing all
pairs would be quadratic. Instead, the accesses to each fluent are divided into groups, from left to
right: readers, or writers whose order does not matter. Parts in one group do not conflict, and
each conflicts with all parts of the next group:

    ore += 1 | ore += 1   ──►   ore > 1 | ore > 0   ──►   ore := 0

A resource is treated as a fluent to which all users write different values. Between two large
groups there is a *join* node, so that n writers and m readers need n + m edges.

The condition of a method is a *moment*: it reads fluents, takes no time, and comes before the
parts of its method. Nothing is executed at moments and joins.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Final

from bthtn.plan.nodes import Node
from bthtn.world.footprint import Footprint, Write

Place = tuple[int, int]
"""``(n, 0)`` is the n-th part, ``(n, -k)`` a join before it, so that sorting gives their order."""

FEW: Final = 16
"""Maximum number of edges that replace a join or a moment."""


@dataclass(frozen=True, slots=True)
class SequencePart:
    """One part of a sequence; a moment if it has no node.

    ``within`` is the position of the moment, the condition of the method that the part is from.
    """

    footprint: Footprint
    node: Node | None = None
    within: int | None = None


def dependencies(parts: Sequence[SequencePart]) -> Mapping[Place, Collection[Place]]:
    """The graph with an edge or a path between any two parts that have to keep their order.

    Its nodes are the places of all parts with a plan node, and of those joins and moments that
    could be replaced only by more than ``FEW`` edges. The graph is not transitively reduced.
    """
    graph = _Graph((place, 0) for place in range(len(parts)))
    for place, part in enumerate(parts):
        if part.within is not None:
            graph.connect([(part.within, 0)], [(place, 0)])
    for groups in _sorted_groups(parts):
        for earlier, later in pairwise(groups):
            graph.connect_groups(earlier, later)
    places = sorted(graph.behind)
    graph.dissolve([place for place in places if place[1] < 0 or parts[place[0]].node is None])
    return graph.behind


@dataclass(slots=True)
class _Group:
    """Parts that access one fluent, or use one resource, without conflicts among each other."""

    members: list[int]
    reads: bool
    write: Write | None

    def admits(self, *, reads: bool, write: Write | None) -> bool:
        """Whether a part with this access conflicts with no part of the group."""
        if self.write is None:
            return write is None and reads and self.reads
        return write is not None and not (reads or self.reads) and self.write.commutes_with(write)


def _sorted_groups(parts: Sequence[SequencePart]) -> list[list[list[int]]]:
    """The groups of each fluent and resource, as lists of places, without duplicates."""
    touched: dict[Any, list[_Group]] = {}
    used: dict[str, list[_Group]] = {}
    for place, part in enumerate(parts):
        footprint = part.footprint
        for fluent in footprint.reads | footprint.writes.keys():
            reads, write = fluent in footprint.reads, footprint.writes.get(fluent)
            groups = touched.setdefault(fluent, [])
            if groups and groups[-1].admits(reads=reads, write=write):
                groups[-1].members.append(place)
            else:
                groups.append(_Group([place], reads, write))
        for resource in footprint.uses:
            used.setdefault(resource, []).append(_Group([place], reads=False, write=None))
    # By where they are touched, not by name: sets of fluents come in no order.
    members_of_groups = sorted(
        [group.members for group in groups] for groups in (*touched.values(), *used.values())
    )
    return [members for members, _ in groupby(members_of_groups)]


class _Graph:
    """Places, with those directly behind and before each."""

    def __init__(self, places: Iterable[Place]) -> None:
        self.behind: dict[Place, set[Place]] = {place: set() for place in places}
        self.before: dict[Place, set[Place]] = {place: set() for place in self.behind}

    def connect(self, earlier: Iterable[Place], later: Collection[Place]) -> None:
        """Put all of the earlier places before all of the later ones."""
        for first in earlier:
            self.behind[first].update(later)
            for second in later:
                self.before[second].add(first)

    def connect_groups(self, earlier: Sequence[int], later: Sequence[int]) -> None:
        """Put all parts of a group before all of another one, with a join if that saves edges."""
        firsts, seconds = [(part, 0) for part in earlier], [(part, 0) for part in later]
        if len(earlier) * len(later) <= FEW:
            self.connect(firsts, seconds)
            return
        depth = 1
        while (later[0], -depth) in self.behind:
            depth += 1
        join = (later[0], -depth)
        self.behind[join], self.before[join] = set(), set()
        self.connect(firsts, [join])
        self.connect([join], seconds)

    def remove(self, place: Place) -> None:
        for first in self.before.pop(place):
            self.behind[first].remove(place)
        for second in self.behind.pop(place):
            self.before[second].remove(place)

    def dissolve(self, idle: Sequence[Place]) -> None:
        """Replace joins and moments by edges if few are enough."""
        for place in idle:
            if not self.before[place]:
                self.remove(place)
        for place in reversed(idle):
            if place in self.behind and not self.behind[place]:
                self.remove(place)
        for place in idle:
            if place in self.behind and len(self.before[place]) * len(self.behind[place]) <= FEW:
                self.connect(self.before[place], self.behind[place])
                self.remove(place)
