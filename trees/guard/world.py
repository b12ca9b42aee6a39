"""The museum at night: rooms without light, a burglar with a plan of his own, and a radio."""

from __future__ import annotations

from dataclasses import dataclass

from bthtn.behaviours import Completion, PlainData
from bthtn.examples.domains.guard.domain import Room

DARK = frozenset({Room.STORE, Room.OFFICE})
ANSWER = 3
"""Ticks until the station answers a call."""
NEVER = -1
"""The tick of an answer that does not come."""


@dataclass(slots=True)
class Museum(PlainData):
    """Where everybody is. The burglar breaks in, and runs when he is about to be cuffed.

    ``battery`` is for how many ticks the first battery of the flashlight lasts, ``unanswered`` how
    many calls the station does not answer.
    """

    breaks_in: int = 3
    flees: int = 7
    battery: int = 6
    unanswered: int = 0
    tick: int = 0
    guard: Room = Room.GATE
    burglar: Room | None = None
    noise: Room | None = None
    seen: Room | None = None
    lamp: bool = False
    answers: int = NEVER
    """The tick in which the station answers."""
    line: Completion | None = None
    """The call, while somebody waits for the answer."""

    def step(self) -> None:
        """Let a tick pass."""
        self.tick += 1
        self.noise = None
        if self.tick == self.breaks_in:
            self.burglar = self.noise = Room.STORE
        if self.lamp:
            self.battery -= 1
            self.lamp = self.battery > 0
        watched = self.is_seen
        if self.tick == self.flees and self.burglar:
            self.burglar = Room.OFFICE
        self.seen = self.burglar if watched or self.is_seen else None
        if self.line is not None and self.tick == self.answers:
            self.line.succeed()

    @property
    def is_seen(self) -> bool:
        """Whether the guard is with the burglar, and has light."""
        return self.burglar is self.guard and (self.lamp or self.guard not in DARK)

    def call(self) -> Completion:
        """Call the station; whoever hangs up gets no answer."""
        self.answers = NEVER if self.unanswered else self.tick + ANSWER
        self.unanswered = max(0, self.unanswered - 1)
        return self.hold()

    def hold(self) -> Completion:
        """Hold the line, until the station answers."""
        self.line = Completion(on_abort=self.hang_up)
        return self.line

    def hang_up(self) -> None:
        """Wait no longer."""
        self.line = None
