"""The battlefield of the squad: who is hurt how much. Knows nothing of plans."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from bthtn.behaviours import PlainData

SOUND = 100
BLOW = 30
WOUND = 20
WEAK = 60
"""Health below which somebody is to be helped."""


@dataclass
class Battle(PlainData):
    """Two enemies, who strike back at whoever strikes them, and the squad's health."""

    dice: Random
    soldiers: dict[str, int]
    enemies: dict[str, int] = field(default_factory=lambda: {"ogre": 400, "troll": 300})

    @property
    def standing(self) -> list[str]:
        """The enemies that still fight, the strongest first."""
        names = [name for name, health in self.enemies.items() if health > 0]
        return sorted(names, key=lambda name: -self.enemies[name])

    def strike(self, soldier: str, enemy: str) -> None:
        """A blow; sometimes it is answered."""
        self.enemies[enemy] = max(0, self.enemies[enemy] - BLOW)
        if self.enemies[enemy] and self.dice.random() < 0.6:
            self.soldiers[soldier] = max(1, self.soldiers[soldier] - WOUND)

    def bandage(self, soldier: str) -> None:
        """As good as new."""
        self.soldiers[soldier] = SOUND
