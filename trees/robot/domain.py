"""What the robot can do: fetch things, through doors and past people."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    Resource,
    State,
    fluent,
    fluents,
    method,
    one_of,
    primitive,
    seconds,
)

from .places import CHARGER, DOORS, NOTHING, Way, length, metres_home, ways


class Hindrance(Enum):
    """What a failure has told about a doorway. No sensor sees it."""

    NONE = "none"
    PERSON = "somebody stands there"
    DEAF = "somebody stands there who does not listen"
    STUCK = "the door sticks"


class Robot(State):
    """The beliefs of the robot. Doors and things are as they were when it last saw them."""

    at: Fluent[str] = fluent(default=CHARGER)
    battery: Fluent[float] = fluent(default=100)
    holds: Fluent[str] = fluent(default=NOTHING)
    lies: FluentFamily[str, str] = fluents(default=NOTHING)
    shut: FluentFamily[str, bool] = fluents(default=False)
    hindrance: FluentFamily[str, Hindrance] = fluents(default=Hindrance.NONE)
    wanted: Fluent[str] = fluent(default=NOTHING)
    wanted_in: Fluent[str] = fluent(default=NOTHING)
    overdue: Fluent[bool] = fluent(default=False)


# As arguments of tasks; type checkers expect the value there that the expression will have.
WANTED: Final[Any] = Robot.wanted
WANTED_IN: Final[Any] = Robot.wanted_in
HELD: Final[Any] = Robot.holds

PERCENT_A_METRE: Final = 1.5  # half as much again as it takes, for detours and waiting
FULL: Final = 100
WAITING: Final = 10  # seconds before a door: a quarter of the longest that anybody stands there
BODY: Final = Resource("body")
"""Every step has it, so that none begins before the robot has stopped doing another."""

flat = Domain("flat", Robot)


# what can be wanted


@flat.compound
def bring(thing: str, to: str) -> Methods:
    """Fetch a thing for somebody; charge before, where the battery is not enough for that."""
    yield method(fetch(thing), go(to), place(thing))
    yield method(charge(), fetch(thing), go(to), place(thing), when=Robot.battery < FULL)


@flat.compound
def charge() -> Methods:
    """Go home and stay there until the battery is full."""
    yield method(go(CHARGER), dock())


@flat.compound
def go(to: str) -> Methods:
    """By the way that seems fastest, as far as is known; else by another one."""
    way = one_of(lambda state: ways(state.at, to), key=seconds_of)
    yield method(when=Robot.at == to)
    yield method(follow(way))


def seconds_of(state: Robot, way: Way) -> float:
    """How long a way takes: it has to be waited where something is in the way."""
    hindered = [door for door, _ in way if state.hindrance[door] != Hindrance.NONE]
    return length(way) + WAITING * len(hindered)


# how it is done


@flat.compound
def fetch(thing: str) -> Methods:
    """Hold a thing. What else is held is put down before."""
    yield method(when=Robot.holds == thing)
    room: Any = Robot.lies[thing]
    yield method(go(room), grasp(thing), when=Robot.holds == NOTHING)
    holds_other = ~Robot.holds.is_in([NOTHING, thing])
    yield method(place(HELD), fetch(thing), when=holds_other)


@flat.compound
def follow(way: Way) -> Methods:
    """Through one door after the other."""
    yield method(lambda _: [get_through(door, room) for door, room in way])


@flat.compound
def get_through(door: str, to: str) -> Methods:
    """Drive; before that, open the door, ask who is in the way to move, or wait."""
    hindrance, is_shut = Robot.hindrance[door], Robot.shut[door]
    is_free = hindrance == Hindrance.NONE
    yield method(drive(door, to), when=is_free & ~is_shut)
    yield method(open_door(door), drive(door, to), when=is_free & is_shut)
    yield method(ask_to_move(door), get_through(door, to), when=hindrance == Hindrance.PERSON)
    yield method(wait_before(door), get_through(door, to), when=~is_free)


# steps: most of what they lead to is expected, since sensors tell what came of them


@flat.primitive
def drive(door: str, to: str) -> Primitive:
    """Through an open door; away from the charger only with enough to come back."""

    def has_enough_battery(state: Robot) -> bool:
        here, there = metres_home(state.at), metres_home(to)
        farthest = 0 if there < here else DOORS[door].metres + there
        return state.battery >= PERCENT_A_METRE * farthest

    def arrive(state: Robot) -> None:
        state.at = to
        state.battery -= PERCENT_A_METRE * DOORS[door].metres

    return primitive(
        precondition=~Robot.shut[door]
        & (Robot.hindrance[door] == Hindrance.NONE)
        & has_enough_battery,
        expected=arrive,
        uses=BODY,
    )


@flat.primitive
def open_door(door: str) -> Primitive:
    """Whether it sticks turns out when it is tried."""
    return primitive(
        precondition=Robot.hindrance[door] == Hindrance.NONE,
        expected=Robot.shut[door].becomes(False),
        uses=BODY,
    )


@flat.primitive
def ask_to_move(door: str) -> Primitive:
    """However it fails, asking again would not help."""
    return primitive(
        effects=Robot.hindrance[door].becomes(Hindrance.NONE),
        on_failure=Robot.hindrance[door].becomes(Hindrance.DEAF),
        uses=BODY,
    )


@flat.primitive
def wait_before(door: str) -> Primitive:
    """Then forget what was in the way: it may be gone."""
    return primitive(
        effects=Robot.hindrance[door].becomes(Hindrance.NONE), duration=seconds(WAITING), uses=BODY
    )


@flat.primitive
def grasp(thing: str) -> Primitive:
    """Take what lies here."""
    return primitive(
        precondition=(Robot.holds == NOTHING) & (Robot.lies[thing] == Robot.at),
        expected=Robot.holds.becomes(thing),
        uses=BODY,
    )


@flat.primitive
def place(thing: str) -> Primitive:
    """Put down what is held; where somebody waits for it, that is handing it over."""
    return primitive(
        precondition=Robot.holds == thing,
        expected=[Robot.holds.becomes(NOTHING), Robot.lies[thing].becomes(Robot.at)],
        uses=BODY,
    )


@flat.primitive
def dock() -> Primitive:
    """Stay at the charger."""
    return primitive(
        precondition=Robot.at == CHARGER, expected=Robot.battery.becomes(FULL), uses=BODY
    )
