"""WaySearch: the cheapest way from somewhere to what is wanted, with a budget."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from heapq import heappop, heappush
from math import inf
from typing import Generic, TypeVar

from bthtn.engine.world.sharing import Unpicklable

P = TypeVar("P", bound=Hashable)


class WaySearch(Unpicklable, Generic[P]):
    """Uniform-cost search: the nearest wanted place if prices are steps, the safest if dangers.

    Places are anything hashable, such as cells, or cells with a heading. ``steps`` gives the places
    to which one leads, each with a price above zero. Equal ways are decided by the order in which
    steps are given, so the same search finds the same way.

        search = WaySearch(here, steps, is_wanted)
        while not search.advance(200):      expansions in this tick
            ...                             something to do meanwhile
        search.way                          both ends included; empty if there is none
    """

    def __init__(
        self,
        start: P,
        steps: Callable[[P], Iterable[tuple[float, P]]],
        is_wanted: Callable[[P], bool] = lambda _: False,
    ) -> None:
        self._steps = steps
        self._is_wanted = is_wanted
        self._queue: list[tuple[float, int, P, P | None]] = [(0, 0, start, None)]
        self._pushed = 0
        self._found: P | None = None
        self.before: dict[P, P | None] = {}
        """The places reached so far, cheapest first, each with the one before it."""

    def advance(self, budget: int | None = None) -> bool:
        """Look at so many places at most, or at all that it takes; whether the search is over."""
        queue, before = self._queue, self.before
        until = inf if budget is None else len(before) + budget
        while queue and self._found is None and len(before) < until:
            far, _, here, last = heappop(queue)
            if here in before:
                continue
            before[here] = last
            if self._is_wanted(here):
                self._found = here
                return True
            for price, there in self._steps(here):
                if there not in before:
                    self._pushed += 1
                    heappush(queue, (far + price, self._pushed, there, here))
        return not queue or self._found is not None

    @property
    def way(self) -> tuple[P, ...]:
        """The way that was found, both ends included; empty if there is none, or none yet."""
        way: list[P] = []
        here = self._found
        while here is not None:
            way.append(here)
            here = self.before[here]
        return tuple(reversed(way))
