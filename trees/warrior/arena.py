"""The arena: a hero who comes near or steps back, and falls after so many wounds."""

from __future__ import annotations

from dataclasses import dataclass, field

from bthtn.behaviours import Agent, ManualClock, PlainData
from bthtn.examples.domains.club.domain import Distance, Fighter

SECONDS_PER_TICK = 0.5


@dataclass(slots=True)
class Arena(PlainData):
    """Where the hero stands. He moves at the beginnings of these seconds."""

    moves: dict[float, Distance]
    stamina: int
    distance: Distance = Distance.FAR
    clock: ManualClock = field(default_factory=ManualClock)

    def step(self, agent: Agent[Fighter, Arena]) -> None:
        """Let a tick pass; the agent sees how far the hero is."""
        self.clock.advance(SECONDS_PER_TICK)
        self.distance = self.moves.get(self.clock(), self.distance)
        agent.believe(Fighter.distance, self.distance)

    @property
    def is_over(self) -> bool:
        """Whether the hero has fallen."""
        return self.stamina <= 0
