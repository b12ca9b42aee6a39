"""The soldier's body: what he carries, and what his legs and hands can be told to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from bthtn.behaviours import ManualClock, PlainData

from .ground import Place, distance
from .world import World

SPRINT: Final = 12  # how many steps away cover may be
NEAR: Final = 3  # an enemy at this distance is too near
FULL: Final = 3  # rounds in a magazine
HEALING: Final = 60  # health that a medkit gives


class Hindered(Exception):  # noqa: N818 - what happened, not what is wrong with the code
    """An order cannot be carried out; the message is why."""


class Order:
    """Something that the legs or the hands were told to do.

    They carry out one order at a time: a new one replaces the old one. Whoever gave an order
    may take it back; when it is over, or was replaced, that changes nothing, so whoever
    cleans up late does no harm to his successor.

    The body's work of this ``name`` is done at every tick, until it returns True, or raises
    Hindered, and undone at the end, however that comes. ``ticks`` are the calls so far, ``goal`` is
    where the order leads.

    It holds a name and no function, so that it can be saved.
    """

    def __init__(self, name: str, body: Body) -> None:
        self.name = name
        self.end = ""
        self.reason = ""
        self.ticks = 0
        self.goal: Place | None = None
        self._body = body

    @property
    def pending(self) -> bool:
        """Whether it is still being carried out."""
        return not self.end

    def save(self) -> list[Any]:
        """The order as data."""
        goal = None if self.goal is None else list(self.goal)
        return [self.name, self.end, self.reason, self.ticks, goal]

    def go_on(self) -> None:
        """Carry it out for a tick, unless it is over."""
        if self.pending:
            try:
                if WORK[self.name](self._body, self):
                    self.take_back("done")
                self.ticks += 1
            except Hindered as hindered:
                self.reason = str(hindered)
                self.take_back("failed")

    def take_back(self, end: str = "taken back") -> None:
        """Stop it, unless it is over."""
        if self.pending:
            self.end = end
            if self.name in UNDO:
                UNDO[self.name](self._body)


class Body(PlainData):
    """What the soldier's operators act with. Every method that gives an Order takes ticks."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.clock = ManualClock()
        self.rounds = 0  # on patrol a rifle is carried unloaded
        self.magazines = 4
        self.medkits = 1
        self.weapon_raised = False
        self.orders: dict[str, Order] = {}

    def save(self) -> dict[str, Any]:
        """The body and its world, with the orders of the limbs."""
        orders = {limb: order.save() for limb, order in self.orders.items()}
        return {"body": super().save(), "orders": orders}

    def load(self, saved: dict[str, Any]) -> None:
        """Go on with the orders."""
        super().load(saved["body"])
        self.orders = {limb: self.order_from(order) for limb, order in saved["orders"].items()}

    def order_from(self, saved: list[Any]) -> Order:
        """The order that was saved; of those that limbs carry out, the very same."""
        for order in self.orders.values():
            if order.save() == saved:
                return order
        name, end, reason, ticks, goal = saved
        if name not in WORK:
            raise ValueError(f"nobody knows how to '{name}'")
        order = Order(name, self)
        order.end, order.reason, order.ticks = str(end), str(reason), int(ticks)
        order.goal = None if goal is None else (int(goal[0]), int(goal[1]))
        return order

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
        return self._give("legs", "patrol")

    def go_to_noise(self) -> Order:
        """Go where the noise came from."""
        order = self._give("legs", "go to the noise")
        order.goal = self.world.noise
        return order

    def look_around(self) -> Order:
        """Stand still and look."""
        return self._give("legs", "look around")

    def run_to_cover(self) -> Order:
        """Run to the nearest cover; when it is destroyed on the way, that fails."""
        return self._give("legs", "run to cover")

    def duck(self) -> Order:
        """Keep the head down for a moment."""
        return self._give("legs", "duck")

    def back_off(self) -> Order:
        """Get away from the enemy, as far as the ground lets."""
        return self._give("legs", "back off")

    def break_contact(self) -> Order:
        """Get out of the enemy's sight."""
        return self._give("legs", "break contact")

    def reload(self) -> Order:
        """Put a new magazine in."""
        return self._give("hands", "reload")

    def shoot(self) -> Order:
        """Raise the weapon, aim, fire once, lower it."""
        return self._give("hands", "shoot")

    def use_medkit(self) -> Order:
        """Dress the wounds."""
        return self._give("hands", "use the medkit")

    def _give(self, limb: str, name: str) -> Order:
        if limb in self.orders:
            self.orders[limb].take_back(end="replaced")
        self.orders[limb] = Order(name, self)
        return self.orders[limb]

    # what the orders do in a tick, and whether they are done

    def _go(self, order: Order) -> bool:
        assert order.goal is not None, "he knows where to go"
        soldier = self.world.soldier
        if soldier.at == order.goal:
            return True
        before, soldier.at = soldier.at, self.world.ground.step(soldier.at, order.goal)
        if soldier.at == before:
            raise Hindered("there is no way")
        return False

    def _patrol(self, order: Order) -> bool:
        beat = self.world.beat
        order.goal = order.goal or beat[0]
        if self._go(order):  # a tick of rest at each post
            order.goal = beat[(beat.index(order.goal) + 1) % len(beat)]
        return False

    def _take_cover(self, order: Order) -> bool:
        order.goal = order.goal or self.cover
        if order.goal is None:
            raise Hindered("there is no cover")
        is_there = self._go(order)
        if not is_there and order.goal not in self.world.ground.covers:
            raise Hindered("the cover is gone")
        return is_there

    def _duck(self, order: Order) -> bool:
        self.world.soldier.head_down = True
        return order.ticks == 1

    def _head_up(self) -> None:
        self.world.soldier.head_down = False

    def _back_off(self, order: Order) -> bool:
        if order.goal is None:
            world = self.world
            steps = world.ground.steps_from(world.soldier.at)
            within = [place for place in steps if steps[place] <= NEAR]
            order.goal = max(within, key=lambda place: distance(place, world.enemy.at))
        return self._go(order)

    def _break_contact(self, order: Order) -> bool:
        order.goal = order.goal or self._hidden()
        return self._go(order)

    def _hidden(self) -> Place:
        world = self.world
        for place in world.ground.steps_from(world.soldier.at):
            away = distance(place, world.enemy.at) > NEAR
            if away and not world.ground.is_clear(place, world.enemy.at):
                return place
        raise Hindered("there is nowhere to hide")

    def _reload(self, order: Order) -> bool:
        if not order.ticks:  # a magazine that is not in yet is not used up
            if not self.magazines:
                raise Hindered("there is no magazine left")
            return False
        self.magazines -= 1
        self.rounds = FULL
        return True

    def _shoot(self, order: Order) -> bool:
        self.weapon_raised = True
        if not order.ticks:
            return False
        if not self.world.line_of_fire:
            raise Hindered("the line of fire is lost")
        if not self.rounds:
            raise Hindered("the magazine is empty")
        self.rounds -= 1
        self.world.fire(self.world.soldier, self.world.enemy, chance=0.8)
        return True

    def _weapon_down(self) -> None:
        self.weapon_raised = False

    def _heal(self, order: Order) -> bool:
        if not self.medkits:
            raise Hindered("there is no medkit left")
        if not self._pause(order):
            return False
        self.medkits -= 1
        self.world.soldier.health = min(100, self.world.soldier.health + HEALING)
        return True

    def _pause(self, order: Order) -> bool:
        return order.ticks == 2


WORK: Final[Mapping[str, Callable[[Body, Order], bool]]] = {
    "patrol": Body._patrol,
    "go to the noise": Body._go,
    "look around": Body._pause,
    "run to cover": Body._take_cover,
    "duck": Body._duck,
    "back off": Body._back_off,
    "break contact": Body._break_contact,
    "reload": Body._reload,
    "shoot": Body._shoot,
    "use the medkit": Body._heal,
}
"""What is done in a tick for the order of a name."""
UNDO: Final[Mapping[str, Callable[[Body], None]]] = {
    "duck": Body._head_up,
    "shoot": Body._weapon_down,
}
