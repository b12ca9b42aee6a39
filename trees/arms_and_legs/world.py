"""The world of the troll: an enemy at some distance, and arrows that come while he walks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bthtn.behaviours import PlainData

ARROWS: Final = (3, 4, 5)
"""The ticks in which he is hit."""


@dataclass(slots=True)
class World(PlainData):
    """A troll who walks while he is told to, and what he has done with his club."""

    distance: int = 9
    walking: bool = False
    slams: int = 0
    guards: int = 0
    orders: int = 0
    ticks: int = 0

    @property
    def hit(self) -> bool:
        """Whether an arrow hits him now."""
        return self.ticks in ARROWS

    def walk(self) -> None:
        """Begin to walk to the enemy; the way is looked for anew each time."""
        self.orders += 1
        self.walking = True

    def step(self) -> None:
        """Let a tick pass."""
        self.ticks += 1
        if self.walking:
            self.distance -= 1
            self.walking = self.distance > 2
