"""The explorer's body: what he does in this step, and what he sees after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bthtn.behaviours import PlainData
from bthtn.examples.domains.minigrid.beliefs import NOTHING, PLAIN, place, xy

from .level import Action, Level

KINDS: Final = (
    *("unseen", "floor", "wall", "floor", "door", "key", "ball", "box", "goal", "lava", "agent"),
)
COLOURS: Final = ("red", "green", "blue", "purple", "yellow", "grey")
DOORS: Final = ("open", "closed", "locked")
HEADINGS: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))
SIZE: Final = 7


class Body(PlainData):
    """Does one thing in each step. ``done`` is what was done in the last one."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.done: Action | None = None
        self._order: Action | None = None

    def save(self) -> list[Any]:
        """The level, and what was done last."""
        return [self.level.save(), self.done, self._order]

    def load(self, saved: list[Any]) -> None:
        """Be in that level again."""
        level, done, order = saved
        self.level.load(level)
        self.done = None if done is None else Action(done)
        self._order = None if order is None else Action(order)

    @property
    def heading(self) -> int:
        """Which way he looks: 0 is east, 1 is south."""
        return int(self.level.observation["direction"])

    @property
    def carried(self) -> str:
        """What he holds: MiniGrid shows it where he stands."""
        what = _word(self.level.observation["image"][SIZE // 2][SIZE - 1])
        return NOTHING if what == "floor" else what

    def act(self, action: Action) -> None:
        """Do this in the next step."""
        self._order = action

    def step(self) -> None:
        """Let the world go on, if anything is to be done: it waits for its player."""
        self.done, self._order = self._order, None
        if self.done is not None:
            self.level.step(self.done)

    def _repr_png_(self) -> bytes | None:
        """How the level looks: for `bthtn watch`, and for notebooks."""
        return self.level.picture()

    def view_from(self, here: str) -> Iterator[tuple[str, str]]:
        """The places that he sees, if he stands here, and what is in them."""
        image = self.level.observation["image"]
        for right in range(SIZE):
            for down in range(SIZE):
                there = moved(here, self.heading, SIZE - 1 - down, right - SIZE // 2)
                what = _word(image[right][down])
                if what != "unseen" and there != here:
                    yield there, what


def moved(here: str, heading: int, ahead: int, right: int = 0) -> str:
    """The place so far ahead and to the right of somebody who looks that way."""
    (x, y), (dx, dy) = xy(here), HEADINGS[heading]
    return place(x + ahead * dx - right * dy, y + ahead * dy + right * dx)


def _word(cell: tuple[int, int, int]) -> str:
    what, colour, state = (int(number) for number in cell)
    if KINDS[what] in ("unseen", *PLAIN):
        return KINDS[what]
    painted = f"{COLOURS[colour]} {KINDS[what]}"
    return f"{DOORS[state]} {painted}" if KINDS[what] == "door" else painted
