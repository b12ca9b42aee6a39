"""The world: a soldier, an enemy and an ally on a small piece of ground, a tick at a time.

It knows nothing of trees and plans. The soldier is moved by his body (body.py), the others by
the simple rules below. Chance comes from the dice that the caller brings: the same dice, the
same course of events.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

from bthtn.behaviours import PlainData

from .ground import Ground, Place, distance

BATTLEFIELD: Final = """
    ........................
    .1...#..........#.......
    ....c#.........c#.......
    .....#......3......#....
    .s.........#.......#....
    ..........c#......4.....
    .....#.....#............
    .2..c#.......##.........
    .............##....5....
    a.......................
"""
"""``#`` wall, ``c`` cover, ``s`` the soldier and his beat from 1 to 2, ``a`` the ally, and 3 to 5
the beat of the enemy, who comes from the east."""

SIGHT: Final = 12  # how far anybody sees, and shoots
HEARING: Final = 12  # how far footsteps carry
MEMORY: Final = 15  # for how many ticks a noise, or an enemy out of sight, is remembered
WOUND: Final = 35  # health that a hit costs
DAZE: Final = 4  # for how many ticks a hit keeps the enemy from doing anything


@dataclass(slots=True)
class Fighter(PlainData):
    """Somebody on the ground; ``aimed`` counts the ticks since he began to take aim."""

    at: Place
    health: int = 100
    aimed: int = 0
    running: bool = False
    head_down: bool = False

    @property
    def alive(self) -> bool:
        """Whether he still takes part."""
        return self.health > 0


class World(PlainData):
    """What there is, and what the soldier can perceive of it."""

    def __init__(self, dice: Random, drawing: str = BATTLEFIELD) -> None:
        self.ground = Ground(drawing)
        self.beat = [self.ground.place(mark) for mark in "12"]
        self.soldier = Fighter(self.ground.place("s"))
        self.ally = Fighter(self.ground.place("a"))
        self.enemy = Fighter((20, dice.randrange(1, 8)))
        self.noise = self.enemy.at
        self._dice = dice
        self._enemy_beat = [self.ground.place(mark) for mark in "345"]
        self._enemy_suspects: Place | None = None
        self._enemy_dazed = 0
        self._enemy_fell = False
        self._unseen = self._unheard = MEMORY

    @property
    def over(self) -> bool:
        """Whether the soldier is dead, or has seen the enemy fall."""
        return self._enemy_fell or not self.soldier.alive

    @property
    def line_of_fire(self) -> bool:
        """Whether soldier and enemy see each other."""
        return not self._enemy_fell and self._sees(self.soldier, self.enemy)

    @property
    def enemy_known(self) -> bool:
        """Whether the soldier has seen an enemy a short while ago, and has not seen him fall."""
        return not self._enemy_fell and self._unseen < MEMORY

    @property
    def enemy_heard(self) -> bool:
        """Whether the soldier has heard an enemy a short while ago, and has not seen him fall."""
        return not self._enemy_fell and self._unheard < MEMORY

    @property
    def in_cover(self) -> bool:
        """Whether the soldier is behind something."""
        return self.soldier.at in self.ground.covers

    def destroy(self, cover: Place) -> None:
        """Let a place give cover no longer."""
        self.ground.covers.discard(cover)

    def fire(self, shooter: Fighter, target: Fighter, chance: float) -> None:
        """Shoot. Cover, a head that is down, and running make the target harder to hit."""
        shooter.aimed = 0
        if shooter is self.enemy:
            self._hear_enemy()
        else:
            self._enemy_suspects = shooter.at
        covered = target is self.soldier and self.in_cover
        for harder in (covered, target.head_down, target.running):
            chance = chance / 2 if harder else chance
        if self._dice.random() < chance:
            target.health = max(0, target.health - WOUND)
            self._enemy_dazed = DAZE if target is self.enemy else self._enemy_dazed

    def step(self) -> None:
        """Let a tick pass for everybody but the soldier."""
        self._enemy_fell = not self.enemy.alive  # a tick after it happened
        self._unseen += 1
        self._unheard += 1
        if self.enemy.alive and self.soldier.alive:
            self._enemy_acts()
            self._ally_acts()
        if self.line_of_fire:
            self._unseen = 0

    def _enemy_acts(self) -> None:
        """Recover; or shoot; or creep to where the soldier was noticed; or walk the beat."""
        if self._enemy_dazed:
            self._enemy_dazed -= 1
        elif self._sees(self.enemy, self.soldier):
            self._enemy_suspects = self.soldier.at
            self.enemy.aimed += 1
            if self.enemy.aimed == 3:
                self.fire(self.enemy, self.soldier, chance=0.8)
        else:
            self.enemy.aimed = 0
            self._enemy_walks()

    def _enemy_walks(self) -> None:
        if self.enemy.at == self._enemy_suspects:
            self._enemy_suspects = None
        if self._enemy_suspects and self._unseen % 4 == 1:
            return
        if self.enemy.at == self._enemy_beat[0]:
            self._enemy_beat.append(self._enemy_beat.pop(0))
        goal = self._enemy_suspects or self._enemy_beat[0]
        self.enemy.at = self.ground.step(self.enemy.at, goal)
        if distance(self.enemy.at, self.soldier.at) <= HEARING:
            self._hear_enemy()

    def _ally_acts(self) -> None:
        """Shoot, rarely and badly; or come to where the soldier sees the enemy."""
        self.ally.aimed += 1
        if self._sees(self.ally, self.enemy):
            if self.ally.aimed >= 6:
                self.fire(self.ally, self.enemy, chance=0.15)
        elif self.enemy_known and self.ally.aimed % 2:
            self.ally.at = self.ground.step(self.ally.at, self.enemy.at)

    def _hear_enemy(self) -> None:
        self.noise = self.enemy.at
        self._unheard = 0

    def _sees(self, one: Fighter, other: Fighter) -> bool:
        near = distance(one.at, other.at) <= SIGHT
        return near and self.ground.is_clear(one.at, other.at)
