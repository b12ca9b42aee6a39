"""Logistics: packages go by truck within a city, and by plane from airport to airport."""

from __future__ import annotations

from typing import Any, Final

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
    one_of,
    primitive,
)


class Logistics(State):
    """Where everything is; a package in a vehicle is at the vehicle's name.

    Cities, and which place is a city's airport, do not change. Vehicles and packages to deliver are
    listed, so that methods can choose among them.
    """

    at: FluentFamily[str, str] = fluents(default="nowhere")
    city: FluentFamily[str, str] = fluents(default="no city")
    airport: FluentFamily[str, str] = fluents(default="no airport")
    trucks: Fluent[tuple[str, ...]] = fluent(default=())
    planes: Fluent[tuple[str, ...]] = fluent(default=())
    orders: Fluent[tuple[str, ...]] = fluent(default=())
    destination: FluentFamily[str, str] = fluents(default="nowhere")


logistics = Domain("logistics", Logistics)
# As arguments of tasks; type checkers expect the value there that an expression will have.
AT: Final[Any] = Logistics.at
AIRPORT: Final[Any] = Logistics.airport
DESTINATION: Final[Any] = Logistics.destination


@logistics.primitive
def load(package: str, vehicle: str) -> Primitive:
    return primitive(
        precondition=Logistics.at[package] == Logistics.at[vehicle],
        effects=Logistics.at[package].becomes(vehicle),
    )


@logistics.primitive
def unload(package: str, vehicle: str) -> Primitive:
    return primitive(
        precondition=Logistics.at[package] == vehicle,
        effects=Logistics.at[package].becomes(Logistics.at[vehicle]),
    )


@logistics.primitive
def drive(truck: str, to: str) -> Primitive:
    """Streets end at the border of the city."""
    return primitive(
        precondition=Logistics.city[Logistics.at[truck]] == Logistics.city[to],
        effects=Logistics.at[truck].becomes(to),
        duration=1,
    )


@logistics.primitive
def fly(plane: str, airport: str) -> Primitive:
    return primitive(
        precondition=Logistics.airport[Logistics.city[airport]] == airport,
        effects=Logistics.at[plane].becomes(airport),
        duration=3,
    )


@logistics.compound
def deliver_orders() -> Methods:
    """Whatever is not where it is wanted, one after the other."""
    package = one_of(Logistics.orders)
    yield method(
        deliver(package, DESTINATION[package]),
        deliver_orders(),
        when=Logistics.at[package] != Logistics.destination[package],
    )
    yield method()


@logistics.compound
def deliver(package: str, to: str) -> Methods:
    """By truck, by plane, by truck; a leg that is not needed is empty."""
    here = Logistics.city[Logistics.at[package]]
    there = Logistics.city[to]
    yield method(by_truck(package, to), when=here == there)
    yield method(
        by_truck(package, AIRPORT[here]),
        by_plane(package, AIRPORT[there]),
        by_truck(package, to),
    )


@logistics.compound
def by_truck(package: str, to: str) -> Methods:
    truck = one_of(Logistics.trucks)
    yield method(when=Logistics.at[package] == to)
    yield method(
        move_truck(truck, AT[package]),
        load(package, truck),
        move_truck(truck, to),
        unload(package, truck),
        when=Logistics.city[Logistics.at[truck]] == Logistics.city[to],
    )


@logistics.compound
def by_plane(package: str, airport: str) -> Methods:
    """A plane that is here already is the best one."""
    plane = one_of(Logistics.planes, key=lambda state, plane: state.at[plane] != state.at[package])
    yield method(
        move_plane(plane, AT[package]),
        load(package, plane),
        move_plane(plane, airport),
        unload(package, plane),
    )


@logistics.compound
def move_truck(truck: str, to: str) -> Methods:
    yield method(when=Logistics.at[truck] == to)
    yield method(drive(truck, to))


@logistics.compound
def move_plane(plane: str, to: str) -> Methods:
    yield method(when=Logistics.at[plane] == to)
    yield method(fly(plane, to))
