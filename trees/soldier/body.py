"""The soldier's body: what he carries, and what his legs and hands can be told to do."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

from bthtn.behaviours import ManualClock

from .ground import Place, distance
from .world import World

SPRINT: Final = 12  # how many steps away cover may be
NEAR: Final = 3  # an enemy at this distance is too near
FULL: Final = 3  # rounds in a magazine
HEALING: Final = 60  # health that a medkit gives

Work = Generator[None, None, None]
"""What an order does, a tick at each ``yield``; raises Hindered when it cannot be done."""


class Hindered(Exception):  # noqa: N818 - what happened, not what is wrong with the code
    """An order cannot be carried out; the message is why."""


class Order:
    """Something that the legs or the hands were told to do.

    They carry out one order at a time: a new one replaces the old one. Whoever gave an order
    may take it back; when it is over, or was replaced, that changes nothing, so whoever
    cleans up late does no harm to his successor.
    """

    def __init__(self, name: str, work: Work) -> None:
        self.name = name
        self.end = ""
        self.reason = ""
        self._work = work

    @property
    def pending(self) -> bool:
        """Whether it is still being carried out."""
        return not self.end

    def go_on(self) -> None:
        """Carry it out for a tick, unless it is over."""
        if self.pending:
            try:
                next(self._work)
            except StopIteration:
                self.end = "done"
            except Hindered as hindered:
                self.end, self.reason = "failed", str(hindered)

    def take_back(self, end: str = "taken back") -> None:
        """Stop it, unless it is over."""
        if self.pending:
            self.end = end
            self._work.close()


class Body:
    """What the soldier's operators act with. Every method that gives an Order takes ticks."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.clock = ManualClock()
        self.rounds = 0  # on patrol a rifle is carried unloaded
        self.magazines = 4
        self.medkits = 1
        self.weapon_raised = False
        self.orders: dict[str, Order] = {}

    def step(self) -> None:
        """Let a tick pass: the legs and the hands go on with their orders."""
        if self.world.soldier.alive:
            before = self.world.soldier.at
            for order in self.orders.values():
                order.go_on()
            self.world.soldier.running = self.world.soldier.at != before

    @property
    def enemy_near(self) -> bool:
        """Whether the enemy is too near."""
        return distance(self.world.soldier.at, self.world.enemy.at) <= NEAR

    @property
    def cover(self) -> Place | None:
        """Where to take cover: here, or at the nearest place that the enemy cannot see."""
        ground, soldier, enemy = self.world.ground, self.world.soldier, self.world.enemy
        for place, steps in ground.steps_from(soldier.at).items():
            if place not in ground.covers or steps > SPRINT:
                continue
            if place == soldier.at or not ground.is_clear(place, enemy.at):
                return place
        return None

    def patrol(self) -> Order:
        """Walk the beat, for ever."""
        return self._give("legs", "patrol", self._patrolling())

    def go_to_noise(self) -> Order:
        """Go where the noise came from."""
        return self._give("legs", "go to the noise", self._going(self.world.noise))

    def look_around(self) -> Order:
        """Stand still and look."""
        return self._give("legs", "look around", _pausing(2))

    def run_to_cover(self) -> Order:
        """Run to the nearest cover; when it is destroyed on the way, that fails."""
        return self._give("legs", "run to cover", self._taking_cover())

    def duck(self) -> Order:
        """Keep the head down for a moment."""
        return self._give("legs", "duck", self._ducking())

    def back_off(self) -> Order:
        """Get away from the enemy, as far as the ground lets."""
        return self._give("legs", "back off", self._backing_off())

    def break_contact(self) -> Order:
        """Get out of the enemy's sight."""
        return self._give("legs", "break contact", self._breaking_contact())

    def reload(self) -> Order:
        """Put a new magazine in."""
        return self._give("hands", "reload", self._reloading())

    def shoot(self) -> Order:
        """Raise the weapon, aim, fire once, lower it."""
        return self._give("hands", "shoot", self._shooting())

    def use_medkit(self) -> Order:
        """Dress the wounds."""
        return self._give("hands", "use the medkit", self._healing())

    def _give(self, limb: str, name: str, work: Work) -> Order:
        if limb in self.orders:
            self.orders[limb].take_back(end="replaced")
        self.orders[limb] = Order(name, work)
        return self.orders[limb]

    # what the orders do, a tick at each yield

    def _going(self, goal: Place) -> Work:
        soldier = self.world.soldier
        while soldier.at != goal:
            before = soldier.at
            soldier.at = self.world.ground.step(before, goal)
            if soldier.at == before:
                raise Hindered("there is no way")
            yield

    def _patrolling(self) -> Work:
        while True:
            for post in self.world.beat:
                yield from self._going(post)
                yield

    def _taking_cover(self) -> Work:
        goal = self.cover
        if goal is None:
            raise Hindered("there is no cover")
        for _ in self._going(goal):
            if goal not in self.world.ground.covers:
                raise Hindered("the cover is gone")
            yield

    def _ducking(self) -> Work:
        self.world.soldier.head_down = True
        try:
            yield
        finally:
            self.world.soldier.head_down = False

    def _backing_off(self) -> Work:
        world = self.world
        steps = world.ground.steps_from(world.soldier.at)
        within = [place for place in steps if steps[place] <= NEAR]
        yield from self._going(max(within, key=lambda place: distance(place, world.enemy.at)))

    def _breaking_contact(self) -> Work:
        world = self.world
        for place in world.ground.steps_from(world.soldier.at):
            away = distance(place, world.enemy.at) > NEAR
            if away and not world.ground.is_clear(place, world.enemy.at):
                yield from self._going(place)
                return
        raise Hindered("there is nowhere to hide")

    def _reloading(self) -> Work:
        if not self.magazines:
            raise Hindered("there is no magazine left")
        yield  # a magazine that is not in yet is not used up
        self.magazines -= 1
        self.rounds = FULL

    def _shooting(self) -> Work:
        self.weapon_raised = True
        try:
            yield
            if not self.world.line_of_fire:
                raise Hindered("the line of fire is lost")
            if not self.rounds:
                raise Hindered("the magazine is empty")
            self.rounds -= 1
            self.world.fire(self.world.soldier, self.world.enemy, chance=0.8)
        finally:
            self.weapon_raised = False

    def _healing(self) -> Work:
        if not self.medkits:
            raise Hindered("there is no medkit left")
        yield from _pausing(2)
        self.medkits -= 1
        self.world.soldier.health = min(100, self.world.soldier.health + HEALING)


def _pausing(ticks: int) -> Work:
    for _ in range(ticks):
        yield
