"""Which parts of a sequence have to keep their order: a graph with few edges.

Two parts keep their order when their footprints conflict (semantics 2.3.2). Comparing all
pairs would be quadratic. Instead, what happens to one fluent is cut into groups, from left to
right: readers, or writers whose order cannot matter. Inside a group nothing conflicts, and
all of a group conflicts with all of the next one:

    ore += 1 | ore += 1   ──►   ore > 1 | ore > 0   ──►   ore := 0

A resource is a fluent that everybody writes differently. Where two groups are large, a *join*
stands between them, so that n writers and m readers need n + m edges.

The condition of a method is a *moment*: it reads, takes no time, and what was decided by it
comes behind it. Moments and joins are the nodes of the graph that nothing runs at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any, Final

import networkx as nx

from bthtn.plan.nodes import Node
from bthtn.world.footprint import Footprint, Write

Place = tuple[int, int]
"""``(n, 0)`` is the n-th part, ``(n, -k)`` a join before it: sorted, they are in order."""

FEW: Final = 16
"""Edges that may stand instead of a join or a moment."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a sequence; a moment when it has no node.

    ``within`` is the position of the moment at which the part was decided on.
    """

    footprint: Footprint
    node: Node | None = None
    within: int | None = None


def dependencies(parts: Sequence[Part]) -> nx.DiGraph[Place]:
    """What comes before what: an edge, or a path, for each two parts that keep their order.

    Its nodes are the places of all parts with a node, and of those joins and moments for which
    edges between these would be too many. There are more edges than the order needs.
    """
    graph: nx.DiGraph[Place] = nx.DiGraph()
    graph.add_nodes_from((place, 0) for place in range(len(parts)))
    for place, part in enumerate(parts):
        if part.within is not None:
            graph.add_edge((part.within, 0), (place, 0))
    for groups in _sorted_groups(parts):
        for earlier, later in pairwise(groups):
            _connect(graph, earlier, later)
    idle = [place for place in sorted(graph) if place[1] < 0 or parts[place[0]].node is None]
    _dissolve(graph, idle)
    return graph


@dataclass(slots=True)
class _Group:
    """Parts that touch one fluent, or use one resource, and do not disturb each other there."""

    members: list[int]
    reads: bool
    write: Write | None

    def admits(self, reads: bool, write: Write | None) -> bool:  # noqa: FBT001 - as the fields
        """Whether whoever does this disturbs nobody in the group."""
        if self.write is None:
            return write is None and reads and self.reads
        return write is not None and not (reads or self.reads) and self.write.commutes_with(write)


def _sorted_groups(parts: Sequence[Part]) -> list[list[list[int]]]:
    """For each fluent and resource its groups; those with the same groups count as one."""
    touched: dict[Any, list[_Group]] = {}
    used: dict[str, list[_Group]] = {}
    for place, part in enumerate(parts):
        footprint = part.footprint
        for fluent in footprint.reads | footprint.writes.keys():
            reads, write = fluent in footprint.reads, footprint.writes.get(fluent)
            groups = touched.setdefault(fluent, [])
            if groups and groups[-1].admits(reads, write):
                groups[-1].members.append(place)
            else:
                groups.append(_Group([place], reads, write))
        for resource in footprint.uses:
            used.setdefault(resource, []).append(_Group([place], reads=False, write=None))
    # By where they are touched, not by name: sets of fluents come in no order.
    several = sorted(
        [group.members for group in groups] for groups in (*touched.values(), *used.values())
    )
    return [one for one, _ in groupby(several)]


def _connect(graph: nx.DiGraph[Place], earlier: Sequence[int], later: Sequence[int]) -> None:
    if len(earlier) * len(later) <= FEW:
        graph.add_edges_from(((one, 0), (other, 0)) for one in earlier for other in later)
        return
    depth = 1
    while (later[0], -depth) in graph:
        depth += 1
    join = (later[0], -depth)
    graph.add_edges_from(((one, 0), join) for one in earlier)
    graph.add_edges_from((join, (other, 0)) for other in later)


def _dissolve(graph: nx.DiGraph[Place], idle: Iterable[Place]) -> None:
    """Replace what only passes on an order by edges, where few are enough."""
    idle = list(idle)
    for place in idle:
        if not graph.in_degree(place):
            graph.remove_node(place)
    for place in _in(graph, reversed(idle)):
        if not graph.out_degree(place):
            graph.remove_node(place)
    for place in _in(graph, idle):
        if graph.in_degree(place) * graph.out_degree(place) <= FEW:
            before, behind = list(graph.predecessors(place)), list(graph.successors(place))
            graph.add_edges_from((one, other) for one in before for other in behind)
            graph.remove_node(place)


def _in(graph: nx.DiGraph[Place], places: Iterable[Place]) -> Iterator[Place]:
    return (place for place in places if place in graph)
