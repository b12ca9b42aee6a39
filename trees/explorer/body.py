"""The explorer's body: what he does in a step, where he is, what he has seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bthtn.behaviours import PlainData
from bthtn.examples.domains.minigrid.beliefs import MOVABLE, NOTHING, PLAIN, is_free, kind
from bthtn.kit.grids import HEADINGS, Cell, GridMap, moved

from .level import Action, Level

KINDS: Final = (
    *("unseen", "floor", "wall", "floor", "door", "key", "ball", "box", "goal", "lava", "agent"),
)
COLOURS: Final = ("red", "green", "blue", "purple", "yellow", "grey")
DOORS: Final = ("open", "closed", "locked")
SIZE: Final = 7


class Body(PlainData):
    """Does one thing in each step, and remembers what is seen after it."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.map: GridMap[str] = GridMap()
        self.here: Cell = (0, 0)
        self.order: Action | None = None
        self.map.see({self.here: "floor"})
        self._look()

    def save(self) -> list[Any]:
        """What was done so far, which leads to the same place and shows the same; and the order."""
        return [self.level.save(), self.order]

    def load(self, saved: list[Any]) -> None:
        """Do again what is missing of it: leaves of the tree load their body, too."""
        done, order = saved
        for action in done[self.level.steps :]:
            self.act(Action(action))
            self.step()
        self.order = None if order is None else Action(order)

    @property
    def heading(self) -> Cell:
        """Which way he looks."""
        return HEADINGS[int(self.level.observation["direction"])]

    @property
    def front(self) -> Cell:
        """The cell that he faces."""
        return moved(self.here, self.heading)

    @property
    def carried(self) -> str:
        """What he holds: MiniGrid shows it where he stands."""
        what = _word(self.level.observation["image"][SIZE // 2][SIZE - 1])
        return NOTHING if what == "floor" else what

    def is_free(self, cell: Cell) -> bool:
        """Whether one can walk in, as far as he knows."""
        return is_free(self.map.get(cell, ""))

    def act(self, action: Action) -> None:
        """Do this in the next step."""
        self.order = action

    def step(self) -> None:
        """Let the world go on, if anything is to be done: it waits for its player."""
        action, self.order = self.order, None
        if action is None:
            return
        # Nobody tells him where he is, so he counts his steps.
        if action is Action.FORWARD and self.is_free(self.front):
            self.here = self.front
        self.level.step(action)
        self._look()

    def _look(self) -> None:
        view = dict(self._view())
        # What he cannot lift moves by itself: it belongs to no map, and the tree looks after it.
        can_lift = self.level.actions > Action.PICK_UP
        self.moving = {
            cell for cell, what in view.items() if kind(what) in MOVABLE and not can_lift
        }
        self.changed = self.map.see(view | dict.fromkeys(self.moving, "floor"))

    def _view(self) -> Iterator[tuple[Cell, str]]:
        """The cells that he sees, and what is in them."""
        image = self.level.observation["image"]
        for right in range(SIZE):
            for down in range(SIZE):
                cell = moved(self.here, self.heading, SIZE - 1 - down, right - SIZE // 2)
                what = _word(image[right][down])
                if what != "unseen" and cell != self.here:
                    yield cell, what

    def _repr_png_(self) -> bytes | None:
        """How the level looks: for `bthtn watch`, and for notebooks."""
        return self.level.picture()


def _word(cell: tuple[int, int, int]) -> str:
    what, colour, state = (int(number) for number in cell)
    if KINDS[what] in ("unseen", *PLAIN):
        return KINDS[what]
    painted = f"{COLOURS[colour]} {KINDS[what]}"
    return f"{DOORS[state]} {painted}" if KINDS[what] == "door" else painted
