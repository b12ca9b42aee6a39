"""Getting from one place in Japan to another by plane, train or on foot, as the money lasts.

Distances and fares stand in rigid families with a member for each pair of places.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from types import MappingProxyType

from benchmarks.modes import Question
from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    State,
    fluent,
    fluents,
    method,
    primitive,
)

PLACES = ("home", "tokyo", "haneda", "fukuoka_airport", "fukuoka")
MONEY = (100, 30_000, 50_000, 50_200, 100_000)
NO_SERVICE = 10**9


def both_ways(table: Mapping[tuple[str, str], int]) -> Mapping[tuple[str, str], int]:
    """A symmetric table from one half of it."""
    return MappingProxyType({**table, **{(b, a): entry for (a, b), entry in table.items()}})


DISTANCE = both_ways(
    {
        ("home", "tokyo"): 1,
        ("home", "haneda"): 21,
        ("home", "fukuoka_airport"): 881,
        ("home", "fukuoka"): 901,
        ("tokyo", "haneda"): 20,
        ("tokyo", "fukuoka_airport"): 880,
        ("tokyo", "fukuoka"): 900,
        ("haneda", "fukuoka_airport"): 860,
        ("haneda", "fukuoka"): 880,
        ("fukuoka", "fukuoka_airport"): 20,
    }
)
TRAIN_FARE = both_ways(
    {
        ("tokyo", "haneda"): 200,
        ("tokyo", "fukuoka"): 30_000,
        ("fukuoka", "fukuoka_airport"): 200,
    }
)
AIR_FARE = both_ways({("haneda", "fukuoka_airport"): 50_000})
STATION = MappingProxyType({place: place for place in PLACES} | {"home": "tokyo"})
AIRPORT = MappingProxyType(
    dict.fromkeys(("home", "tokyo", "haneda"), "haneda")
    | dict.fromkeys(("fukuoka", "fukuoka_airport"), "fukuoka_airport")
)


class Traveller(State):
    """Where a traveller is, what is left in the purse, and what does not change."""

    who: Fluent[str] = fluent(default="traveller 0")
    at: Fluent[str] = fluent(default="home")
    money: Fluent[int] = fluent(default=0)
    distance: FluentFamily[tuple[str, str], int] = fluents(default=0)
    train_fare: FluentFamily[tuple[str, str], int] = fluents(default=NO_SERVICE)
    air_fare: FluentFamily[tuple[str, str], int] = fluents(default=NO_SERVICE)
    station: FluentFamily[str, str] = fluents(default="")
    airport: FluentFamily[str, str] = fluents(default="")


travel = Domain("travel", Traveller)


@travel.compound
def go(to: str) -> Methods:
    """Be there: by plane over long distances, by train over short ones, else on foot."""
    who, here = Traveller.who, Traveller.at
    station, airport = Traveller.station, Traveller.airport
    far, money = Traveller.distance[here, to], Traveller.money
    fly = Traveller.air_fare[airport[here], airport[to]]
    train = Traveller.train_fare[station[here], station[to]]
    yield method(when=here == to)
    yield method(
        buy_air_ticket(who, airport[here], airport[to]),
        go(airport[here]),
        ride_airplane(who, airport[to]),
        go(to),
        when=(far > 300) & (fly <= money),
    )
    yield method(
        go(station[here]),
        buy_train_ticket(who, station[here], station[to]),
        ride_train(who, station[to]),
        go(to),
        when=(far > 2) & (train <= money),
    )
    yield method(walk(who, to))


@travel.primitive
def walk(who: str, to: str) -> Primitive:
    """However far it is."""
    return primitive(effects=Traveller.at.becomes(to))


@travel.primitive
def buy_train_ticket(who: str, start: str, to: str) -> Primitive:
    """Pay for the train."""
    fare = Traveller.train_fare[start, to]
    return primitive(precondition=fare <= Traveller.money, effects=Traveller.money.decreases(fare))


@travel.primitive
def ride_train(who: str, to: str) -> Primitive:
    """From station to station."""
    return primitive(effects=Traveller.at.becomes(to))


@travel.primitive
def buy_air_ticket(who: str, start: str, to: str) -> Primitive:
    """Pay for the flight."""
    fare = Traveller.air_fare[start, to]
    return primitive(precondition=fare <= Traveller.money, effects=Traveller.money.decreases(fare))


@travel.primitive
def ride_airplane(who: str, to: str) -> Primitive:
    """From airport to airport."""
    return primitive(effects=Traveller.at.becomes(to))


Case = tuple[str, str, int]
CASES: tuple[Case, ...] = tuple(product(PLACES, PLACES, MONEY))


def question(case: Case, number: int = 0) -> Question:
    """From a place to a place, with some money."""
    start, to, money = case
    rigid = {"distance": DISTANCE, "train_fare": TRAIN_FARE, "air_fare": AIR_FARE}
    own = {"who": f"traveller {number}", "at": start, "money": money}
    state = Traveller(station=STATION, airport=AIRPORT, **own, **rigid)
    return Question(travel, state, go(to))
