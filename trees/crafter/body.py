"""The castaway's body: what he does in this step, where he is, and what he has seen so far."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

from bthtn.behaviours import PlainData
from bthtn.examples.domains.crafter.beliefs import MOST, TOOLS
from bthtn.kit.grids import (
    EAST,
    NORTH,
    SOUTH,
    WEST,
    Cell,
    GridMap,
    Search,
    Sightings,
    beside,
    distance,
    moved,
)

from .level import Action, Level

STEPS: Final = {EAST: Action.EAST, SOUTH: Action.SOUTH, WEST: Action.WEST, NORTH: Action.NORTH}
FREE: Final = frozenset({"grass", "sand", "path"})
CREATURES: Final = ("cow", "zombie", "skeleton")
FORGOTTEN: Final = 300
"""A creature that was not seen for a day is not looked for."""
LOOKS: Final = {"left": WEST, "right": EAST, "up": NORTH, "down": SOUTH}
Pose = tuple[Cell, Cell]
"""A cell, and the heading of somebody who stands there."""


class Body(PlainData):
    """Does one thing in each step, and remembers what is seen after it."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.map: GridMap[str] = GridMap()
        self.creatures: Sightings[str] = Sightings(FORGOTTEN)
        self.arrows: dict[Cell, Cell] = {}
        self.here: Cell = (0, 0)
        self.heading: Cell = SOUTH
        self.asleep = False
        self.killed = ""
        self.order: Action | None = None
        self.idle = 0
        self.sun_sinks = False
        self._look()

    def save(self) -> Any:
        """What was done so far: it leads to the same place, and shows the same."""
        return self.level.save()

    def load(self, saved: Any) -> None:
        """Live through it again."""
        for action in saved:
            self.act(Action(action))
            self.step()

    def act(self, action: Action) -> None:
        """Do this in the next step."""
        self.order = action

    def step(self) -> None:
        """Let the world go on: it waits for nobody."""
        action, self.order = self.order, None
        self.idle += action is None
        struck = self.creatures.get(self.front) if action is Action.DO else None
        heading = next((way for way, step in STEPS.items() if step is action), None)
        if heading is not None and not (self.asleep and self.has["energy"] < MOST):
            self.heading = heading
            if self.is_free(self.front):
                self.here = self.front
        front, before = self.front, self.level.darkness
        self.level.step(action if action is not None else Action.WAIT)
        if self.level.darkness != before:
            self.sun_sinks = self.level.darkness > before
        self._look()
        gone = struck and not any(self.creatures.get(c) == struck for c in (front, *beside(front)))
        self.killed = struck or "" if gone else ""

    def _look(self) -> None:
        (x, y), view = self.here, self.level.view()
        self.asleep = view[0, 0][1] == "player-sleep"
        now = self.level.steps
        seen = {(x + dx, y + dy): what for (dx, dy), what in view.items()}
        self.seen = seen.keys()
        plants = {cell: thing for cell, (_, thing) in seen.items() if thing.startswith("plant")}
        self.map.see({cell: ground for cell, (ground, _) in seen.items()} | plants, now)
        self.plants = [*self.map.cells_of("plant"), *self.map.cells_of("plant-ripe")]
        young = self.map.cells_of("plant")
        self.fences = {cell for plant in young for cell in beside(plant)}
        moving = {cell: thing for cell, (_, thing) in seen.items() if thing in CREATURES}
        self.creatures.see(moving, seen, now)
        self.archers = [cell for cell, thing in moving.items() if thing == "skeleton"]
        arrows = {cell: thing for cell, (_, thing) in seen.items() if thing.startswith("arrow")}
        self.arrows = {cell: LOOKS[thing.removeprefix("arrow-")] for cell, thing in arrows.items()}

    @property
    def has(self) -> dict[str, int]:
        """What he carries, health and needs included."""
        return self.level.inventory

    @property
    def front(self) -> Cell:
        """The cell that he faces."""
        return moved(self.here, self.heading)

    def is_free(self, cell: Cell) -> bool:
        """Whether one can walk in."""
        return self.map.get(cell) in FREE and cell not in self.creatures and cell not in self.arrows

    def can_take(self, kind: str | None) -> bool:
        """Whether something that is in the way can be taken away."""
        return kind == "tree" or (kind in TOOLS and self.has[TOOLS[kind]] > 0)

    def price(self, cell: Cell) -> int:
        """How many steps it takes to get into a cell; 0 if nobody can, or should."""
        kind = self.map.get(cell)
        if kind in FREE:
            if cell in self.creatures:
                return 4  # it will move
            return 6 if any(distance(cell, other) < 5 for other in self.archers) else 1
        if cell in self.fences:
            return 0
        if self.can_take(kind):
            return 3  # turn, take it, walk
        return 5 if kind == "water" and self.has["stone"] else 0  # and put a stone there before

    def into(self, cell: Cell) -> Action:
        """What to do to get into a cell beside him."""
        heading = (cell[0] - self.here[0], cell[1] - self.here[1])
        if self.is_free(cell) or self.heading != heading:
            return STEPS[heading]
        return Action.PLACE_STONE if self.map.get(cell) == "water" else Action.DO

    def way(
        self, is_wanted: Callable[[Cell], bool], last: Callable[[Cell, Cell], int]
    ) -> Search[Cell]:
        """A search for the way to what is wanted; ``last`` is the price of the last step."""

        def steps(here: Cell) -> Iterator[tuple[int, Cell]]:
            for there in beside(here):
                price = last(here, there) if is_wanted(there) else self.price(there)
                if price:
                    yield price, there

        return Search(self.here, steps, is_wanted)

    def facing(
        self, is_wanted: Callable[[Cell], bool], within: Collection[Cell] | None = None
    ) -> Search[Pose]:
        """A search for the way to face a cell that is wanted, perhaps without leaving some cells."""

        def steps(pose: Pose) -> Iterator[tuple[int, Pose]]:
            for heading in STEPS:
                there = moved(pose[0], heading)
                if not self.is_free(there) and there != self.here:
                    yield 1, (pose[0], heading)
                elif within is None or there in within:
                    yield 1, (there, heading)

        start = (self.here, self.heading)
        return Search(start, steps, lambda pose: is_wanted(moved(*pose)))

    def nearest(self, kind: str) -> Cell | None:
        """The next thing of the kind, as the crow flies."""
        return min(
            self.map.cells_of(kind), key=lambda cell: distance(cell, self.here), default=None
        )

    @property
    def beds(self) -> list[Cell]:
        """Where something grows that nothing can tread down."""
        return [p for p in self.plants if not any(self.map.get(c) in FREE for c in beside(p))]

    def _repr_png_(self) -> bytes:
        """What he sees: for `bthtn watch`, and for notebooks."""
        return self.level.picture()
