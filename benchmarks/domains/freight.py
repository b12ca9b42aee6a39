"""Packages that go by truck within a city and by plane between airports, as a goal: no methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import permutations
from operator import and_
from random import Random
from typing import Any

from benchmarks.modes import Question
from bthtn import Domain, FluentFamily, Primitive, State, achieve, fluents, primitive


class Freight(State):
    """Where everything is; a package in a vehicle is at the vehicle's name."""

    at: FluentFamily[str, str] = fluents(default="nowhere")
    city: FluentFamily[str, str] = fluents(default="no city")
    """Of places and trucks."""
    is_airport: FluentFamily[str, bool] = fluents(default=False)
    road: FluentFamily[tuple[str, str], bool] = fluents(default=False)
    """From place to place."""


freight = Domain("freight", Freight)


@freight.primitive
def load(package: str, vehicle: str, place: str) -> Primitive:
    return primitive(
        precondition=(Freight.at[package] == place) & (Freight.at[vehicle] == place),
        effects=Freight.at[package].becomes(vehicle),
    )


@freight.primitive
def unload(package: str, vehicle: str, place: str) -> Primitive:
    return primitive(
        precondition=(Freight.at[package] == vehicle) & (Freight.at[vehicle] == place),
        effects=Freight.at[package].becomes(place),
    )


@freight.primitive
def drive(truck: str, place: str) -> Primitive:
    return primitive(
        precondition=Freight.city[truck] == Freight.city[place],
        effects=Freight.at[truck].becomes(place),
    )


@freight.primitive
def drive_along(truck: str, start: str, place: str) -> Primitive:
    return primitive(
        precondition=(Freight.at[truck] == start) & Freight.road[start, place],
        effects=Freight.at[truck].becomes(place),
    )


@freight.primitive
def fly(plane: str, place: str) -> Primitive:
    return primitive(
        precondition=Freight.is_airport[place], effects=Freight.at[plane].becomes(place)
    )


@dataclass(frozen=True)
class Deliveries:
    """Cities of places, a truck in each, a plane, and packages to deliver."""

    places: Mapping[str, str]
    """With the city of each."""
    airports: tuple[str, ...]
    trucks: Mapping[str, str]
    """With the city of each."""
    plane: str
    at: Mapping[str, str]
    destination: Mapping[str, str]
    """By package."""
    by_road: bool
    """Whether it is the roads that say where a truck can go, or the cities."""


def drawn(
    cities: int, places: int, packages: int, seed: int = 1, *, by_road: bool = False
) -> Deliveries:
    """So many cities with so many places each, the first of them its airport."""
    draw = Random(seed)  # noqa: S311 - to be the same everywhere is its purpose
    city_of = {f"p{c}-{n}": f"c{c}" for c in range(cities) for n in range(places)}
    spots = list(city_of)
    at = {f"truck{c}": f"p{c}-{draw.randrange(places)}" for c in range(cities)}
    trucks = {truck: f"c{number}" for number, truck in enumerate(at)}
    at["plane"] = spots[0]
    destination = {}
    for number in range(packages):
        at[f"box{number}"] = draw.choice(spots)
        destination[f"box{number}"] = draw.choice(spots)
    airports = tuple(spots[::places])
    return Deliveries(city_of, airports, trucks, "plane", at, destination, by_road)


def question(asked: Deliveries, **how: Any) -> Question:
    """The question put to bthtn, ``how`` as in ``achieve``."""
    state = Freight(
        at=asked.at,
        city={**asked.places, **asked.trucks},
        is_airport=dict.fromkeys(asked.airports, True),
        road=dict.fromkeys(_within_cities(asked), True) if asked.by_road else {},
    )
    objects = {
        "package": list(asked.destination),
        "vehicle": [*asked.trucks, asked.plane],
        "truck": list(asked.trucks),
        "plane": [asked.plane],
        "place": list(asked.places),
        "start": list(asked.places),
    }
    actions = [load, unload, drive_along if asked.by_road else drive, fly]
    goal = reduce(and_, (Freight.at[box] == to for box, to in asked.destination.items()))
    return Question(freight, state, achieve(goal, actions=actions, objects=objects, **how))


def _within_cities(asked: Deliveries) -> Iterator[tuple[str, str]]:
    for one, other in permutations(asked.places, 2):
        if asked.places[one] == asked.places[other]:
            yield one, other
