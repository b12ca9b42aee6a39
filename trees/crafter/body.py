"""The castaway's body: what he does in a step, where he is, what he has seen."""

from __future__ import annotations

from typing import Any, Final

from bthtn.behaviours import PlainData
from bthtn.examples.domains.crafter.beliefs import MOST, TOOLS
from bthtn.kit.grids import (
    HEADINGS,
    SOUTH,
    Cell,
    GridMap,
    Legs,
    Sightings,
    beside,
    distance,
    moved,
)

from .level import Action, Level

STEPS: Final = dict(
    zip(HEADINGS, (Action.EAST, Action.SOUTH, Action.WEST, Action.NORTH), strict=True)
)
ARROWS: Final = dict(
    zip(("arrow-right", "arrow-down", "arrow-left", "arrow-up"), HEADINGS, strict=True)
)
FREE: Final = frozenset({"grass", "sand", "path"})
CREATURES: Final = ("cow", "zombie", "skeleton")
FORGOTTEN: Final = 300
"""A creature that was not seen for a day is not looked for where it was."""
EXPANSIONS: Final = 400
"""Cells that a search looks at in a tick: what lies within fourteen steps, in two milliseconds."""
TURN: Final = 10
"""So many ticks the game waits for an action: after a failure, he plans in the next one."""


class Body(PlainData):
    """Does one thing in each step, and remembers what is seen after it."""

    def __init__(self, level: Level) -> None:
        self.level, self.legs = level, Legs(self, EXPANSIONS)
        self.map: GridMap[str] = GridMap()
        self.creatures: Sightings[str] = Sightings(FORGOTTEN)
        self.here, self.heading = (0, 0), SOUTH
        self.order: Action | None = None
        self.waited = 0
        self.killed, self.idle, self.sun_sinks = "", 0, False
        self._look()

    def save(self) -> Any:
        """What was done so far, which leads to the same place and shows the same; and the order."""
        return [self.level.save(), self.order, self.waited]

    def load(self, saved: Any) -> None:
        """Live through what is missing of it: leaves of the tree load their body, too."""
        done, order, waited = saved
        for action in done[self.level.steps :]:
            self.act(Action(action))
            self.step()
        self.order, self.waited = None if order is None else Action(order), waited

    def act(self, action: Action) -> None:
        """Do this in the next step."""
        self.order = action

    def step(self) -> None:
        """Let the game make a step, unless it still waits for an action."""
        self.waited += 1
        if self.order is None and self.waited < TURN:
            return
        action, self.order, self.waited = self.order, None, 0
        self.idle += action is None
        struck = self.creatures.get(self.front) if action is Action.DO else None
        heading = next((way for way, step in STEPS.items() if step is action), None)
        # Nobody tells him where he is, so he counts his steps. Asleep he takes none, but wakes up
        # and walks in one step when he has slept enough.
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
        (x, y), now = self.here, self.level.steps
        seen = {(x + dx, y + dy): what for (dx, dy), what in self.level.view().items()}
        things = {cell: thing for cell, (_, thing) in seen.items() if thing}
        plants = {cell: thing for cell, thing in things.items() if thing.startswith("plant")}
        self.map.see({cell: ground for cell, (ground, _) in seen.items()} | plants, now)
        moving = {cell: thing for cell, thing in things.items() if thing in CREATURES}
        self.creatures.see(moving, seen, now)
        self.archers = [cell for cell, thing in moving.items() if thing == "skeleton"]
        self.arrows = {cell: ARROWS[thing] for cell, thing in things.items() if thing in ARROWS}
        self.asleep, self.has = things[self.here] == "player-sleep", self.level.inventory
        young, ripe = self.map.cells_of("plant"), self.map.cells_of("plant-ripe")
        self.fences = {cell for plant in young for cell in beside(plant)}
        self.beds = [
            plant
            for plant in (*young, *ripe)
            if not any(self.map.get(cell) in FREE for cell in beside(plant))
        ]

    @property
    def front(self) -> Cell:
        """The cell that he faces."""
        return moved(self.here, self.heading)

    def is_free(self, cell: Cell) -> bool:
        """Whether one can walk in."""
        return self.map.get(cell) in FREE and cell not in self.creatures and cell not in self.arrows

    def price(self, cell: Cell) -> int:
        """How many steps it takes to get into a cell; 0 if nobody can, or should."""
        kind = self.map.get(cell, "")
        if kind in FREE:
            if cell in self.creatures:
                return 4  # wait until it moves, or strike it
            # In reach of arrows: a detour of five steps is shorter than the recovery from a hit.
            archers = self.archers
            return 6 if archers and any(distance(cell, each) < 5 for each in archers) else 1
        if cell in self.fences:
            return 0
        if kind == "tree" or (kind in TOOLS and self.has[TOOLS[kind]]):
            return 3  # turn, take it, walk
        return 5 if kind == "water" and self.has["stone"] else 0  # and put a stone there before

    def enter(self, cell: Cell) -> None:
        """Do what brings him nearer to standing in a cell beside him."""
        heading = (cell[0] - self.here[0], cell[1] - self.here[1])
        if self.is_free(cell) or self.heading != heading:
            self.turn(heading)
        else:
            self.act(Action.PLACE_STONE if self.map.get(cell) == "water" else Action.DO)

    def turn(self, heading: Cell) -> None:
        """Look there; where nothing is in the way, that is a step."""
        self.act(STEPS[heading])

    def wait(self) -> None:
        """Let a step go by."""
        self.act(Action.WAIT)

    def _repr_png_(self) -> bytes:
        """What he sees: for `bthtn watch`, and for notebooks."""
        return self.level.picture()
