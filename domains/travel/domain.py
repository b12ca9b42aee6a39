"""A journey: by air when it is far and affordable, else by train, else on foot."""

from __future__ import annotations

from typing import Final

from bthtn import Domain, Fluent, Methods, Primitive, State, fluent, method, primitive

KILOMETRES: Final = {
    ("home", "tokyo"): 1,
    ("home", "haneda_airport"): 21,
    ("home", "fukuoka_airport"): 881,
    ("home", "fukuoka"): 901,
    ("tokyo", "haneda_airport"): 20,
    ("tokyo", "fukuoka_airport"): 880,
    ("tokyo", "fukuoka"): 900,
    ("haneda_airport", "fukuoka_airport"): 860,
    ("haneda_airport", "fukuoka"): 880,
    ("fukuoka", "fukuoka_airport"): 20,
}
TRAIN_FARES: Final = {
    ("tokyo", "haneda_airport"): 200,
    ("tokyo", "fukuoka"): 30_000,
    ("fukuoka", "fukuoka_airport"): 200,
}
AIR_FARES: Final = {("haneda_airport", "fukuoka_airport"): 50_000}
WEST: Final = ("fukuoka", "fukuoka_airport")


class Traveller(State):
    """Where somebody is, and how many yen there are left."""

    at: Fluent[str] = fluent(default="home")
    money: Fluent[int] = fluent(default=100_000)


def bought(fares: dict[tuple[str, str], int], start: str, end: str) -> Primitive:
    """Buying a ticket: possible with enough money, which is then spent."""

    def pay(me: Traveller) -> None:
        me.money -= int(between(fares, start, end))

    return primitive(precondition=lambda me: me.money >= between(fares, start, end), effects=pay)


def between(table: dict[tuple[str, str], int], start: str, end: str) -> float:
    """What a table says of two places, in either direction; infinite where it says nothing."""
    return table.get((start, end), table.get((end, start), float("inf")))


def station(place: str) -> str:
    """The station of a place: home has none of its own."""
    return "tokyo" if place == "home" else place


def airport(place: str) -> str:
    """The nearest airport."""
    return "fukuoka_airport" if place in WEST else "haneda_airport"


travel = Domain("travel", Traveller)


@travel.compound
def move(to: str) -> Methods:
    """AからBに行く: every leg of a journey is a journey."""
    yield method(when=Traveller.at == to, name="there")
    yield method(
        lambda me: (
            buy_air_ticket(airport(me.at), airport(to)),
            move(airport(me.at)),
            ride_airplane(airport(to)),
            move(to),
        ),
        when=lambda me: (
            between(KILOMETRES, me.at, to) > 300
            and me.money >= between(AIR_FARES, airport(me.at), airport(to))
        ),
        name="plane",
    )
    yield method(
        lambda me: (
            move(station(me.at)),
            buy_train_ticket(station(me.at), station(to)),
            ride_train(station(to)),
            move(to),
        ),
        when=lambda me: (
            between(KILOMETRES, me.at, to) > 2
            and me.money >= between(TRAIN_FARES, station(me.at), station(to))
        ),
        name="train",
    )
    yield method(walk(to), name="walk")


@travel.primitive
def walk(to: str) -> Primitive:
    return primitive(effects=Traveller.at.becomes(to))


@travel.primitive
def buy_train_ticket(start: str, end: str) -> Primitive:
    return bought(TRAIN_FARES, start, end)


@travel.primitive
def ride_train(to: str) -> Primitive:
    return primitive(effects=Traveller.at.becomes(to))


@travel.primitive
def buy_air_ticket(start: str, end: str) -> Primitive:
    return bought(AIR_FARES, start, end)


@travel.primitive
def ride_airplane(to: str) -> Primitive:
    return primitive(effects=Traveller.at.becomes(to))
