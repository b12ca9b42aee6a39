"""A partial order as nested sequences and parallels.

    arranged(parts):
        one part                           that part
        several components                 parallel: each component, arranged
        all before a cut are ordered       sequence: the parts between such cuts, arranged
            before all after it
        neither (an "N")                   sequence: the parts before the best cut, the parts
                                           after it, each arranged

Only the last case orders parts that need not be ordered. Of the cuts through three orders (as
written, by earliest end, by latest begin) it takes the one with the shortest critical path, then
with the fewest orderings added, then nearest to the middle.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final

import networkx as nx

from bthtn.domain.network import ParallelPolicy
from bthtn.plan.nodes import NULL_NODE, Node, ParallelNode, SequenceNode
from bthtn.plan.walk import Visit, unwound

MANY: Final = 400
"""Number of parts above which only cuts near the middle are tried: the recursion stays shallow."""


class Order:
    """A partial order of the numbers from 0, in which no number comes before a lower one.

    ``behind`` and ``before`` are the direct successors and predecessors of each number: the
    transitive reduction. ``all_behind`` and ``all_before`` are all of them, as bits of an int.
    """

    def __init__(self, graph: nx.DiGraph[Any]) -> None:
        """The order of an acyclic graph, whose nodes sort in the direction of its edges."""
        self.places = sorted(graph)
        number = {place: index for index, place in enumerate(self.places)}
        count = len(self.places)
        self.behind: list[list[int]] = [[] for _ in range(count)]
        self.before: list[list[int]] = [[] for _ in range(count)]
        self.all_behind, self.all_before = [0] * count, [0] * count
        # networkx has this too, with sets: 4 seconds for a chain of 5,000, against 0.05 with bits.
        for one in reversed(range(count)):
            reached = 0
            for other in sorted(number[place] for place in graph.successors(self.places[one])):
                if not reached >> other & 1:
                    self.behind[one].append(other)
                    reached |= self.all_behind[other] | 1 << other
            self.all_behind[one] = reached
        for one, direct in enumerate(self.behind):
            for other in direct:
                self.before[other].append(one)
                self.all_before[other] |= self.all_before[one] | 1 << one

    def __len__(self) -> int:
        return len(self.places)


def arranged(
    order: Order,
    nodes: Sequence[Node],
    weights: Sequence[float],
    *,
    room: int,
    at_once: Collection[int] = (),
) -> Node:
    """The nodes as a tree that keeps their order, parallels nested at most ``room`` deep.

    The length of a path is the sum of its weights. ``at_once`` are nodes without predecessors
    that have to stay without them. Null nodes stand for joins and moments, which are not run; they
    may stay in the tree.
    """
    arrangement = _Arrangement(order, nodes, weights, at_once)
    return unwound(arrangement.tree(list(range(len(order))), room))


class _Arrangement:
    def __init__(
        self,
        order: Order,
        nodes: Sequence[Node],
        weights: Sequence[float],
        at_once: Collection[int],
    ) -> None:
        self._order = order
        self._nodes = nodes
        self._weights = weights
        self._at_once = frozenset(at_once)
        self._run = sum(1 << one for one, node in enumerate(nodes) if node is not NULL_NODE)

    def tree(self, members: list[int], room: int) -> Visit[Node]:
        """The members, sorted by number, as a tree."""
        if len(members) == 1:
            return self._nodes[members[0]]
        components = self._components(members)
        if len(components) == 1:
            pieces = []
            for piece in self._pieces(members):
                pieces.append((yield self.tree(piece, room)))  # noqa: PERF401 - no yield in those
            return SequenceNode(tuple(pieces))
        if room <= 1:
            return self._shallow(members, components)
        branches = []
        for component in components:
            branches.append((yield self.tree(component, room - 1)))  # noqa: PERF401 - no yield in those
        return _beside(branches)

    def _components(self, members: list[int]) -> list[list[int]]:
        """The connected components, in the order of their first members that are run."""
        left, found = set(members), []
        for first in members:
            if first not in left:
                continue
            left.discard(first)
            component, pending = [], [first]
            while pending:
                one = pending.pop()
                component.append(one)
                near = left.intersection((*self._order.behind[one], *self._order.before[one]))
                left -= near
                pending += near
            found.append(sorted(component))
        return sorted(found, key=self._first_run)

    def _first_run(self, component: list[int]) -> tuple[int, int]:
        run = (one for one in component if self._run >> one & 1)
        return next(run, len(self._order)), component[0]

    def _shallow(self, members: list[int], components: list[list[int]]) -> Node:
        """A tree with parallels not nested: chains in parallel, or one level after the other."""
        chains = max(sum(self._weights[one] for one in component) for component in components)
        levels = self._levels(members)
        through = sum(max(self._weights[one] for one in level) for level in levels)
        if chains <= through and self._at_once.isdisjoint(members):
            chained = ([self._nodes[one] for one in component] for component in components)
            return _beside([SequenceNode(tuple(chain)) for chain in chained])
        rows = (_beside([self._nodes[one] for one in level]) for level in levels)
        return SequenceNode(tuple(rows))

    def _levels(self, members: list[int]) -> list[list[int]]:
        """The members grouped by the length of the longest chain before them."""
        level: dict[int, int] = {}
        rows: list[list[int]] = []
        for one in members:
            before = (level[other] for other in self._order.before[one] if other in level)
            level[one] = 1 + max(before, default=-1)
            if level[one] == len(rows):
                rows.append([])
            rows[level[one]].append(one)
        return rows

    def _pieces(self, members: list[int]) -> list[list[int]]:
        """A connected component, divided at all series cuts or, without one, at the best cut."""
        cuts = self._series_cuts(members)
        if cuts:
            return [members[i:j] for i, j in zip((0, *cuts), (*cuts, len(members)), strict=True)]
        first = self._best_cut(members)
        chosen = set(first)
        return [sorted(first), [one for one in members if one not in chosen]]

    def _series_cuts(self, members: list[int]) -> list[int]:
        """Places where all members before are ordered before all members after."""
        left = sum(1 << one for one in members)
        behind_all, cuts = left, []
        for cut, one in enumerate(members[:-1], start=1):
            left ^= 1 << one
            behind_all &= self._order.all_behind[one]
            if behind_all & left == left:
                cuts.append(cut)
        return cuts

    def _best_cut(self, members: list[int]) -> list[int]:
        """The members before the best cut of an order that is neither parallel nor in series."""
        head = self._longest(members, self._order.before)
        tail = self._longest(members[::-1], self._order.behind)
        orders = (
            members,
            sorted(members, key=lambda one: (head[one], one)),
            sorted(members, key=lambda one: (-tail[one], one)),
        )
        mask = sum(1 << one for one in members) & self._run
        size = len(members)
        cuts = [
            (path, added, abs(size - 2 * cut), which, cut)
            for which, line in enumerate(orders)
            for cut, path, added in self._cuts(line, head, tail, mask)
        ]
        near = [one for one in cuts if size <= MANY or 2 * one[2] <= size]
        *_, which, cut = min(near or cuts)
        return orders[which][:cut]

    def _cuts(
        self, line: list[int], head: dict[int, float], tail: dict[int, float], mask: int
    ) -> Iterator[tuple[int, float, int]]:
        """Each place to cut, with the critical path and the number of orderings it would add."""
        rest = list(accumulate((tail[one] for one in reversed(line)), max))[::-1]
        done, ordered, path, total = 0, 0, 0.0, mask.bit_count()
        waiting = self._at_once & head.keys()
        for cut, one in enumerate(line[:-1], start=1):
            path = max(path, head[one])
            waiting -= {one}
            if mask >> one & 1:
                done += 1
                # Pairs across the cut that are ordered already: those with later members begin
                # to count here, those with earlier members end.
                ordered += (self._order.all_behind[one] & mask).bit_count()
                ordered -= (self._order.all_before[one] & mask).bit_count()
            if not waiting:
                yield cut, path + rest[cut], done * (total - done) - ordered

    def _longest(self, members: list[int], towards: list[list[int]]) -> dict[int, float]:
        length: dict[int, float] = {}
        for one in members:
            near = (length[other] for other in towards[one] if other in length)
            length[one] = self._weights[one] + max(near, default=0)
        return length


def _beside(branches: Sequence[Node]) -> Node:
    return ParallelNode(tuple(branches), ParallelPolicy.ALL)
