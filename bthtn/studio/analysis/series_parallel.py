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
from typing import TYPE_CHECKING, Any, Final

from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.nodes import NULL_NODE, Node, ParallelNode, SequenceNode
from bthtn.engine.plan.walk import Visit, unwound

if TYPE_CHECKING:
    import networkx as nx

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
        for member in reversed(range(count)):
            reached = 0
            for other in sorted(number[place] for place in graph.successors(self.places[member])):
                if not reached >> other & 1:
                    self.behind[member].append(other)
                    reached |= self.all_behind[other] | 1 << other
            self.all_behind[member] = reached
        for member, direct in enumerate(self.behind):
            for other in direct:
                self.before[other].append(member)
                self.all_before[other] |= self.all_before[member] | 1 << member

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
        self._run = sum(1 << index for index, node in enumerate(nodes) if node is not NULL_NODE)

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
        return _in_parallel(branches)

    def _components(self, members: list[int]) -> list[list[int]]:
        """The connected components, in the order of their first members that are run."""
        left, found = set(members), []
        for first in members:
            if first not in left:
                continue
            left.discard(first)
            component, pending = [], [first]
            while pending:
                member = pending.pop()
                component.append(member)
                near = left.intersection((*self._order.behind[member], *self._order.before[member]))
                left -= near
                pending += near
            found.append(sorted(component))
        return sorted(found, key=self._first_run)

    def _first_run(self, component: list[int]) -> tuple[int, int]:
        run = (member for member in component if self._run >> member & 1)
        return next(run, len(self._order)), component[0]

    def _shallow(self, members: list[int], components: list[list[int]]) -> Node:
        """A tree with parallels not nested: chains in parallel, or one level after the other."""
        chains = max(sum(self._weights[member] for member in component) for component in components)
        levels = self._levels(members)
        through = sum(max(self._weights[member] for member in level) for level in levels)
        if chains <= through and self._at_once.isdisjoint(members):
            chained = ([self._nodes[member] for member in component] for component in components)
            return _in_parallel([SequenceNode(tuple(chain)) for chain in chained])
        rows = (_in_parallel([self._nodes[member] for member in level]) for level in levels)
        return SequenceNode(tuple(rows))

    def _levels(self, members: list[int]) -> list[list[int]]:
        """The members grouped by the length of the longest chain before them."""
        level: dict[int, int] = {}
        rows: list[list[int]] = []
        for member in members:
            before = (level[other] for other in self._order.before[member] if other in level)
            level[member] = 1 + max(before, default=-1)
            if level[member] == len(rows):
                rows.append([])
            rows[level[member]].append(member)
        return rows

    def _pieces(self, members: list[int]) -> list[list[int]]:
        """A connected component, divided at all series cuts or, without one, at the best cut."""
        cuts = self._series_cuts(members)
        if cuts:
            return [members[i:j] for i, j in zip((0, *cuts), (*cuts, len(members)), strict=True)]
        first = self._best_cut(members)
        chosen = set(first)
        return [sorted(first), [member for member in members if member not in chosen]]

    def _series_cuts(self, members: list[int]) -> list[int]:
        """Places where all members before are ordered before all members after."""
        left = sum(1 << member for member in members)
        behind_all, cuts = left, []
        for cut, member in enumerate(members[:-1], start=1):
            left ^= 1 << member
            behind_all &= self._order.all_behind[member]
            if behind_all & left == left:
                cuts.append(cut)
        return cuts

    def _best_cut(self, members: list[int]) -> list[int]:
        """The members before the best cut of an order that is neither parallel nor in series."""
        head = self._longest(members, self._order.before)
        tail = self._longest(members[::-1], self._order.behind)
        orders = (
            members,
            sorted(members, key=lambda member: (head[member], member)),
            sorted(members, key=lambda member: (-tail[member], member)),
        )
        mask = sum(1 << member for member in members) & self._run
        size = len(members)
        cuts = [
            (path, added, abs(size - 2 * cut), which, cut)
            for which, line in enumerate(orders)
            for cut, path, added in self._cuts(line, head, tail, mask)
        ]
        near = [cut for cut in cuts if size <= MANY or 2 * cut[2] <= size]
        *_, which, cut = min(near or cuts)
        return orders[which][:cut]

    def _cuts(
        self, line: list[int], head: dict[int, float], tail: dict[int, float], mask: int
    ) -> Iterator[tuple[int, float, int]]:
        """Each place to cut, with the critical path and the number of orderings it would add."""
        rest = list(accumulate((tail[member] for member in reversed(line)), max))[::-1]
        done, ordered, path, total = 0, 0, 0.0, mask.bit_count()
        waiting = self._at_once & head.keys()
        for cut, member in enumerate(line[:-1], start=1):
            path = max(path, head[member])
            waiting -= {member}
            if mask >> member & 1:
                done += 1
                # Pairs across the cut that are ordered already: those with later members begin
                # to count here, those with earlier members end.
                ordered += (self._order.all_behind[member] & mask).bit_count()
                ordered -= (self._order.all_before[member] & mask).bit_count()
            if not waiting:
                yield cut, path + rest[cut], done * (total - done) - ordered

    def _longest(self, members: list[int], towards: list[list[int]]) -> dict[int, float]:
        length: dict[int, float] = {}
        for member in members:
            near = (length[other] for other in towards[member] if other in length)
            length[member] = self._weights[member] + max(near, default=0)
        return length


def _in_parallel(branches: Sequence[Node]) -> Node:
    return ParallelNode(tuple(branches), ParallelPolicy.ALL)
