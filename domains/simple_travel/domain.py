"""GTPyhop's simple travel: people walk where it is near, else take a taxi if they can pay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from bthtn import (
    Condition,
    Domain,
    Expression,
    FluentFamily,
    Methods,
    Primitive,
    State,
    fluents,
    method,
    one_of,
    primitive,
)

Person = Literal["alice", "bob"]
Taxi = Literal["taxi1", "taxi2"]
TAXIS: Final[tuple[Taxi, ...]] = ("taxi1", "taxi2")
Place = Literal["home_a", "home_b", "park", "station"]


def both_ways(roads: Mapping[tuple[Place, Place], float]) -> dict[tuple[Place, Place], float]:
    """A table that says the same of a road in both directions."""
    return {**roads, **{(end, start): km for (start, end), km in roads.items()}}


class Town(State):
    """Where everybody is, how far it is, and who owes how much to a driver."""

    at: FluentFamily[Person, Place] = fluents(default="home_a")
    waits_at: FluentFamily[Taxi, Place] = fluents(default="station")
    free: FluentFamily[Taxi, bool] = fluents(default=True)
    cash: FluentFamily[Person, float] = fluents(default=20.0)
    owes: FluentFamily[Person, float] = fluents(default=0.0)
    km: FluentFamily[tuple[Place, Place], float] = fluents(default=100.0)


ROADS = both_ways(
    {
        ("home_a", "park"): 8,
        ("home_b", "park"): 2,
        ("home_a", "home_b"): 7,
        ("station", "home_a"): 1,
        ("station", "home_b"): 7,
        ("station", "park"): 9,
    }
)


def fare(km: Expression[float]) -> Expression[float]:
    """The fare of a ride."""
    return 1.5 + km * 0.5


simple_travel = Domain("simple_travel", Town)


@simple_travel.primitive
def walk(person: Person, to: Place) -> Primitive:
    return primitive(effects=Town.at[person].becomes(to), duration=Town.km[Town.at[person], to] * 4)


@simple_travel.primitive
def call_taxi(person: Person, taxi: Taxi) -> Primitive:
    here = Town.waits_at[taxi].becomes(Town.at[person])
    return primitive(precondition=Town.free[taxi], effects=[here, Town.free[taxi].becomes(False)])


@simple_travel.primitive
def ride(person: Person, taxi: Taxi, to: Place) -> Primitive:
    return primitive(
        precondition=Town.waits_at[taxi] == Town.at[person],
        effects=[
            Town.owes[person].becomes(fare(Town.km[Town.at[person], to])),
            Town.at[person].becomes(to),
            Town.waits_at[taxi].becomes(to),
        ],
    )


@simple_travel.primitive
def pay(person: Person, taxi: Taxi) -> Primitive:
    return primitive(
        precondition=Town.cash[person] >= Town.owes[person],
        effects=[
            Town.cash[person].decreases(Town.owes[person]),
            Town.owes[person].becomes(0.0),
            Town.free[taxi].becomes(True),
        ],
    )


def can_pay(person: Person, to: Place) -> Condition:
    """Whether there is money for a ride from here."""
    return Town.cash[person] >= fare(Town.km[Town.at[person], to])


@simple_travel.compound
def travel(person: Person, to: Place) -> Methods:
    taxi = one_of(TAXIS)
    yield method(when=Town.at[person] == to)
    yield method(walk(person, to), when=Town.km[Town.at[person], to] <= 2)
    yield method(
        call_taxi(person, taxi), ride(person, taxi, to), pay(person, taxi), when=can_pay(person, to)
    )
