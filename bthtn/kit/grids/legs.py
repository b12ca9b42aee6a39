"""Legs: walking, approaching and turning in a grid, for operators that are generators.

    yield from legs.approach(lambda cell: map.get(cell) == "tree")

Each order is for one tick: the walker does it before the generator is asked again, and knows by
then what came of it. A way is given up where it turns out to be closed, or when what was wanted is
not there any more; then the next one is searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Hashable, Iterator, Sequence
from typing import Final, Protocol, TypeAlias, TypeVar

from bthtn.engine.agent.operators import OperatorFailed, Running
from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.grids.cells import HEADINGS, Cell, beside, moved
from bthtn.kit.grids.patience import Patience
from bthtn.kit.grids.search import WaySearch

P = TypeVar("P", bound=Hashable)
Pose: TypeAlias = tuple[Cell, Cell]
"""A cell, and the heading of somebody who stands there."""
IsWanted: TypeAlias = Callable[[Cell], bool]

TRIES: Final = 10
"""Ticks for one step of a way: to turn, to clear it, to wait for somebody to go, and again."""
WAYS: Final = 8
"""Ways in a row that may be given up without one being shorter than the shortest before."""
CHASE: Final = 40
"""The same for what is approached: it may walk away, so that nothing comes nearer for a while."""


class Walker(Protocol):
    """**Protocol:** somebody in a grid who looks where he walks."""

    @property
    def here(self) -> Cell:
        """Where he stands."""
        ...

    @property
    def heading(self) -> Cell:
        """Where he looks: one of the ``HEADINGS``."""
        ...

    def price(self, cell: Cell) -> float:
        """What it takes to get into a cell, as a number of steps; 0 where he cannot go."""
        ...

    def is_free(self, cell: Cell) -> bool:
        """Whether he can walk in, as things are."""
        ...

    def enter(self, cell: Cell) -> None:
        """Order what brings him nearer to standing in a cell beside him: turn, clear it, walk."""
        ...

    def turn(self, heading: Cell) -> None:
        """Order him to look there, which is a step as well where the cell is free."""
        ...

    def wait(self) -> None:
        """Order nothing, or what can be done meanwhile."""
        ...


class Legs(Unpicklable):
    """Takes a walker where something is wanted; ``expansions`` is what it searches in a tick."""

    def __init__(self, walker: Walker, expansions: int) -> None:
        self._walker = walker
        self._expansions = expansions

    def go(self, is_wanted: IsWanted) -> Running:
        """Walk until he stands where it is wanted. Raises OperatorFailed."""
        walker, patience = self._walker, Patience(WAYS)
        while not is_wanted(walker.here):
            way = yield from self._found(self._ways(is_wanted, lambda _, cell: walker.price(cell)))
            _refuse(way, patience)
            yield from self.walk(way, is_wanted)

    def approach(self, is_wanted: IsWanted) -> Running:
        """Walk until he faces what is wanted, into which nobody walks. Raises OperatorFailed."""
        walker, patience = self._walker, Patience(CHASE)
        while not is_wanted(moved(walker.here, walker.heading)):
            way = yield from self._found(self._ways(is_wanted, lambda *_: 1))
            _refuse(way, patience)
            yield from self._come_up_to(way, is_wanted)

    def _come_up_to(self, way: Sequence[Cell], is_wanted: IsWanted) -> Running:
        *before, last = way
        yield from self.walk(before, lambda _: is_wanted(last))
        walker = self._walker
        is_there = walker.here == before[-1] and is_wanted(last)
        if is_there and moved(walker.here, walker.heading) != last:
            walker.turn((last[0] - walker.here[0], last[1] - walker.here[1]))
            yield

    def face(self, is_wanted: IsWanted, within: Collection[Cell] | None = None) -> Running:
        """Turn until he faces a wanted cell, without leaving ``within``. Raises OperatorFailed.

        He who could walk into the cell has to come from behind, since turning would be a step.
        """
        walker, patience = self._walker, Patience(WAYS)
        while not is_wanted(moved(walker.here, walker.heading)):
            poses = yield from self._found(self._turns(is_wanted, within))
            _refuse(poses, patience)
            for pose in poses[1:]:
                walker.turn(pose[1])
                yield
                if (walker.here, walker.heading) != pose:
                    break

    def explore(
        self, is_news: IsWanted, price: Callable[[Cell, Cell], float], until: Callable[[], bool]
    ) -> Running:
        """Walk to where there is news, and there to other news, until it is enough.

        ``price`` is that of the step from a cell to one with news, to prefer some news to others.
        Raises OperatorFailed when there is no news to be had.
        """
        while not until():
            way = yield from self._found(self._ways(is_news, price))
            _refuse(way, Patience(WAYS))
            has_walked = False
            for _ in self.walk(way, lambda cell: is_news(cell) and not until()):
                has_walked = True
                yield
            if not has_walked:  # he can neither walk in nor see it from where he stands
                raise OperatorFailed("there is no way")

    def walk(self, way: Sequence[Cell], is_wanted: IsWanted) -> Running:
        """Go a way to its end, as long as it is open and its end is wanted."""
        walker = self._walker
        for there in way[1:]:
            patience = Patience(TRIES)
            while walker.here != there:
                if not is_wanted(way[-1]) or patience.is_over(0) or not walker.price(there):
                    return
                walker.enter(there)
                yield

    def reached(self, expansions: int) -> Collection[Cell]:
        """So many of the cells that he can get to, the nearest first."""
        search = self._ways(lambda _: False, lambda *_: 1)
        search.advance(expansions)
        return search.before.keys()

    def _ways(self, is_wanted: IsWanted, last: Callable[[Cell, Cell], float]) -> WaySearch[Cell]:
        price_of = self._walker.price

        def steps(here: Cell) -> Iterator[tuple[float, Cell]]:
            for there in beside(here):
                if there in search.before:
                    continue  # half of the neighbours: nobody needs their price any more
                price = last(here, there) if is_wanted(there) else price_of(there)
                if price:
                    yield price, there

        search = WaySearch(self._walker.here, steps, is_wanted)
        return search

    def _turns(self, is_wanted: IsWanted, within: Collection[Cell] | None) -> WaySearch[Pose]:
        walker = self._walker

        def steps(pose: Pose) -> Iterator[tuple[float, Pose]]:
            for heading in HEADINGS:
                there = moved(pose[0], heading)
                if not walker.is_free(there) and there != walker.here:
                    yield 1, (pose[0], heading)
                elif within is None or there in within:
                    yield 1, (there, heading)

        start = (walker.here, walker.heading)
        return WaySearch(start, steps, lambda pose: is_wanted(moved(*pose)))

    def _found(self, search: WaySearch[P]) -> Generator[None, None, tuple[P, ...]]:
        """The way that a search finds; meanwhile he waits."""
        while not search.advance(self._expansions):
            self._walker.wait()
            yield
        return search.way


def _refuse(way: Collection[object], patience: Patience) -> None:
    if not way:
        raise OperatorFailed("there is no way")
    if patience.is_over(len(way)):
        raise OperatorFailed("it comes no nearer")
