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

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Final

from bthtn.engine.plan.nodes import Node
from bthtn.engine.world.footprint import Footprint, Write

if TYPE_CHECKING:
    import networkx as nx

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


def dependencies(parts: Sequence[SequencePart]) -> nx.DiGraph[Place]:
    """The graph with an edge or a path between any two parts that have to keep their order.

    Its nodes are the places of all parts with a plan node, and of those joins and moments that
    could be replaced only by more than ``FEW`` edges. The graph is not transitively reduced.
    """
    from bthtn.studio.analysis.graph import empty_graph  # noqa: PLC0415 - brings networkx

    graph = empty_graph()
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


def _connect(graph: nx.DiGraph[Place], earlier: Sequence[int], later: Sequence[int]) -> None:
    if len(earlier) * len(later) <= FEW:
        graph.add_edges_from(((first, 0), (second, 0)) for first in earlier for second in later)
        return
    depth = 1
    while (later[0], -depth) in graph:
        depth += 1
    join = (later[0], -depth)
    graph.add_edges_from(((first, 0), join) for first in earlier)
    graph.add_edges_from((join, (other, 0)) for other in later)


def _dissolve(graph: nx.DiGraph[Place], idle: Iterable[Place]) -> None:
    """Replace joins and moments by edges if few are enough."""
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
            graph.add_edges_from((first, second) for first in before for second in behind)
            graph.remove_node(place)


def _in(graph: nx.DiGraph[Place], places: Iterable[Place]) -> Iterator[Place]:
    return (place for place in places if place in graph)
