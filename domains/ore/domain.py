"""Collecting ore: whatever is missing is fetched, and then the task looks at itself again."""

from __future__ import annotations

from enum import Enum

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


class Place(Enum):
    """Where a miner can be."""

    CAMP = "camp"
    TOOL_STORAGE = "tool storage"
    MINE = "mine"


class Thing(Enum):
    """Things that a miner can pick up."""

    TOOL = "tool"
    ORE = "ore"


class Miner(State):
    """The beliefs of a miner; ``wanted`` is how many pieces it takes to have ore.

    ``delivered`` is how many lie on the heap at the camp.
    """

    at: Fluent[Place] = fluent(default=Place.CAMP)
    has: FluentFamily[Thing, bool] = fluents(default=False, index=Thing)
    pieces: Fluent[int] = fluent(default=0)
    wanted: Fluent[int] = fluent(default=1)
    delivered: Fluent[int] = fluent(default=0)


ore = Domain("ore", Miner)


@ore.compound
def correct_ore() -> Methods:
    """Collect ore, in the spelling of the article: first what is missing, then look again."""
    yield method(pickup_tool(), correct_ore(), when=~Miner.has[Thing.TOOL])
    yield method(pickup_ore(), correct_ore(), when=~Miner.has[Thing.ORE])
    yield method()


@ore.compound
def deliver_ore() -> Methods:
    """Collect ore, and drop it on the heap at the camp."""
    yield method(correct_ore(), move_to(Place.CAMP), drop_ore())


@ore.compound
def pickup_tool() -> Methods:
    yield method(move_to(Place.TOOL_STORAGE), pickup(Thing.TOOL))


@ore.compound
def pickup_ore() -> Methods:
    yield method(move_to(Place.MINE), pickup(Thing.ORE))


@ore.primitive
def move_to(place: Place) -> Primitive:
    return primitive(effects=Miner.at.becomes(place))


@ore.primitive
def pickup(thing: Thing) -> Primitive:
    """Planned with the yield that is hoped for; the real one is counted at run time."""

    def count(miner: Miner) -> None:
        if thing is Thing.ORE:
            miner.pieces += 1
        miner.has[thing] = thing is Thing.TOOL or miner.pieces >= miner.wanted

    with_a_tool = (thing == Thing.TOOL) | Miner.has[Thing.TOOL]
    return primitive(
        precondition=with_a_tool, expected=Miner.has[thing].becomes(True), actual=count
    )


def heap_up(miner: Miner) -> None:
    """All that is in the bag is on the heap, be it as much as was wanted or not."""
    miner.delivered += miner.pieces
    miner.pieces = 0
    miner.has[Thing.ORE] = False


drop_ore = ore.primitive(
    "drop_ore",
    precondition=(Miner.at == Place.CAMP) & Miner.has[Thing.ORE],
    expected=[Miner.has[Thing.ORE].becomes(False), Miner.delivered.increases(by=Miner.wanted)],
    actual=heap_up,
)
