"""The flat: doors, things, people in the way, and what a robot does to them."""

from __future__ import annotations

from collections.abc import Generator
from random import Random
from typing import Final

from bthtn.behaviours import PlainData

from .places import CHARGER, DOORS, NOTHING, ROOMS, THINGS

Job = Generator[object, None, str]
"""Something that takes time: yields feedback every second; returns why it failed, or nothing."""

SHUT: Final = "the door is shut"
PERSON: Final = "a person stands in the way"
STICKS: Final = "the door sticks"
SLIPPED: Final = "it slipped out of the gripper"
EMPTY: Final = "the battery is empty"

DRAIN: Final = 1.0  # percent for a metre: the battery is old, and one errand takes a third of it
IDLE: Final = 0.02  # percent a second for computer and sensors: an hour and a half with a full one
CHARGING: Final = 2.5  # percent a second: nobody wants to watch a charger for long
POLITE: Final = 5  # seconds to wait for somebody in the way: who only passes is gone by then


class Flat(PlainData):
    """How everything is. A second passes with each ``step``.

    ``mishaps`` is the chance, in each second, of each thing that happens by itself: by default
    once a minute, so that errands of a minute meet most of them, and still come to an end.
    ``clumsiness`` is the chance that something fails that the robot does.
    """

    def __init__(self, dice: Random) -> None:
        self.dice = dice
        self.mishaps = 1 / 60
        self.clumsiness = 0.1
        self.at = CHARGER
        self.before = NOTHING
        """The door that it stands at: who was turned back there is there already."""
        self.battery = dice.uniform(30, 100)
        self.gripper = NOTHING
        self.things = THINGS.copy()
        self.shut = {name: door.shuts and dice.random() < 0.5 for name, door in DOORS.items()}
        self.people: dict[str, tuple[int, bool]] = {}
        """Who stands in which doorway: he leaves in so many seconds, and is on the phone or not."""
        wanted = dice.sample(sorted(self.things), 2)
        self.orders = [
            (it, dice.choice([r for r in ROOMS if r != self.things[it]])) for it in wanted
        ]
        self.answers: list[str] = []
        self.given = (NOTHING, NOTHING)
        """What was handed over last, and where."""
        self.asked_for = 0
        """Seconds since the present order was given."""

    @property
    def order(self) -> tuple[str, str]:
        """The thing that is wanted now, and where; nothing if all orders are answered."""
        left = self.orders[len(self.answers) :]
        return left[0] if left else (NOTHING, NOTHING)

    def answer(self, text: str) -> None:
        """End the present order."""
        self.answers.append(text)
        self.asked_for = 0

    def step(self) -> None:
        """Let a second pass for everybody but the robot."""
        if self.given == self.order != (NOTHING, NOTHING):
            self.answer(f"brought the {self.given[0]} to the {self.given[1]}")
        self.asked_for += 1
        self.battery = max(0.0, self.battery - IDLE)
        for door, (leaves_in, on_the_phone) in list(self.people.items()):
            self.people[door] = leaves_in - 1, on_the_phone
            if leaves_in == 1:
                del self.people[door]
        if self.happens():
            self.fall_shut(self.dice.choice(sorted(DOORS)))
        if self.happens():
            self.step_in(self.dice.choice(sorted(DOORS)), self.dice.randrange(5, 40))
        if self.happens():
            self.slip()

    def happens(self) -> bool:
        """Whether something happens in this second that does so by itself."""
        return self.dice.random() < self.mishaps

    def goes_wrong(self) -> bool:
        """Whether something fails that is done now."""
        return self.dice.random() < self.clumsiness

    def fall_shut(self, door: str) -> None:
        """Shut a door, if nobody stands in it; an arch has none."""
        self.shut[door] = self.shut[door] or (DOORS[door].shuts and door not in self.people)

    def step_in(self, door: str, seconds: int) -> None:
        """Let somebody stand in an open doorway for a while."""
        if not self.shut[door]:
            self.people[door] = seconds, self.goes_wrong()

    def slip(self) -> None:
        """Let what the robot holds fall to the ground."""
        if self.gripper != NOTHING:
            self.things[self.gripper], self.gripper = self.at, NOTHING

    def ask_to_move(self, door: str) -> str:
        """Ask whoever stands there to move; why that was in vain, or nothing."""
        _, on_the_phone = self.people.get(door, (0, False))
        if on_the_phone:
            return "nobody listens"
        self.people.pop(door, None)
        return ""

    # what the robot's servers do, second by second

    def drive(self, door: str, to: str) -> Job:
        """To the door, a metre a second, and through it, unless it is shut or somebody stays."""
        away = 0 if self.before == door else DOORS[door].metres
        self.before = NOTHING
        for left in range(away, 0, -1):
            self.battery = max(0.0, self.battery - DRAIN)
            if not self.battery:
                return EMPTY
            yield left
        self.before = door
        for _ in range(POLITE):
            if door not in self.people:
                break
            yield 0
        if door in self.people or self.shut[door]:
            return SHUT if self.shut[door] else PERSON
        self.at, self.before = to, NOTHING
        return ""

    def open_door(self, door: str) -> Job:
        """Push a door open."""
        yield "pushing"
        if self.goes_wrong():
            return STICKS
        self.shut[door] = False
        return ""

    def grasp(self, thing: str) -> Job:
        """Take what lies in this room."""
        yield "reaching"
        yield "closing"
        if self.things[thing] != self.at:
            return "it is not here"
        if self.goes_wrong():
            return SLIPPED
        self.things[thing], self.gripper = NOTHING, thing
        return ""

    def place(self, thing: str) -> Job:
        """Put down what is held; that may be what somebody waits for."""
        yield "opening"
        if self.gripper != thing:
            return SLIPPED
        self.things[thing], self.gripper = self.at, NOTHING
        self.given = (thing, self.at)
        return ""

    def dock(self) -> Job:
        """Charge until the battery is full."""
        while self.battery + CHARGING < 100:
            self.battery += CHARGING
            yield self.battery
        self.battery = 100.0
        return ""
