"""A night guard: he calls for help, finds his way in the dark, and arrests an intruder."""

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
    parallel,
    primitive,
    retry,
    timeout,
    with_cleanup,
)


class Room(Enum):
    """The rooms of the museum, in the order of a round."""

    HALL = "hall"
    STORE = "store"
    OFFICE = "office"
    GATE = "gate"


class Guard(State):
    """The beliefs of the guard; ``intruder`` and ``noise`` are rooms, None where there is none."""

    at: Fluent[Room] = fluent(default=Room.GATE)
    noise: Fluent[Room | None] = fluent(default=None)
    intruder: Fluent[Room | None] = fluent(default=None)
    dark: FluentFamily[Room, bool] = fluents(default=False)
    lit: Fluent[bool] = fluent(default=False)
    charged: Fluent[bool] = fluent(default=True)
    spares: Fluent[int] = fluent(default=1)
    radio_works: Fluent[bool] = fluent(default=True)
    called: Fluent[bool] = fluent(default=False)
    arrested: Fluent[bool] = fluent(default=False)


HEARD = ~Guard.noise.is_in([None])
SEEN = ~Guard.intruder.is_in([None]) & ~Guard.arrested
# As arguments of tasks; type checkers expect the value there that the expression will have.
NOISE: Final[Any] = Guard.noise
INTRUDER: Final[Any] = Guard.intruder
HANDS = Resource("hands")

guard = Domain("guard", Guard)

switch_on = guard.primitive(
    "switch_on", precondition=Guard.charged & ~Guard.lit, effects=Guard.lit.becomes(True)
)
switch_off = guard.primitive("switch_off", effects=Guard.lit.becomes(False))
change_battery = guard.primitive(
    "change_battery",
    precondition=Guard.spares > 0,
    effects=[Guard.spares.decreases(1), Guard.charged.becomes(True)],
    uses=HANDS,
    duration=2,
)
call = guard.primitive(
    "call", precondition=Guard.radio_works, effects=Guard.called.becomes(True), duration=2
)
look_around = guard.primitive("look_around", effects=Guard.noise.becomes(None), duration=1)


@guard.primitive
def walk(to: Room) -> Primitive:
    """A dark room takes light, all the way."""
    light = ~Guard.dark[to] | Guard.lit
    return primitive(precondition=light, effects=Guard.at.becomes(to), duration=2, uses=HANDS)


@guard.primitive
def cuff(where: Room) -> Primitive:
    here = (Guard.at == where) & (Guard.intruder == where)
    over = [Guard.arrested.becomes(True), Guard.noise.becomes(None)]
    return primitive(precondition=here, effects=over, duration=2, uses=HANDS)


@guard.compound
def arrest() -> Methods:
    """Help is called on the way, three times if nobody answers; without a radio he goes alone."""
    called = retry(3, timeout(4, call()))
    caught = with_cleanup(go(INTRUDER), cuff(INTRUDER), finally_=put_out())
    yield method(parallel(called, caught), when=SEEN & Guard.radio_works & ~Guard.called)
    yield method(caught, when=SEEN)


@guard.compound
def investigate() -> Methods:
    """Nobody knows who is there before the look, so nothing is planned behind it."""
    yield method(go(NOISE), look_around(), when=HEARD)


@guard.compound
def patrol() -> Methods:
    """A round through all rooms, with light only where it is dark."""
    yield method(*((go(room), look_around(), put_out()) for room in Room))


@guard.compound
def go(to: Room) -> Methods:
    yield method(when=Guard.at == to)
    yield method(see(to), walk(to))


@guard.compound
def see(to: Room) -> Methods:
    """Light where it is dark, with a new battery if there must be one."""
    yield method(when=~Guard.dark[to] | Guard.lit)
    yield method(switch_on())
    yield method(change_battery(), switch_on())


@guard.compound
def put_out() -> Methods:
    yield method(switch_off(), when=Guard.lit)
    yield method()
