"""The plan of the flat, which everybody has: rooms, doors between them, and the ways."""

from __future__ import annotations

from typing import Final, NamedTuple

NOTHING: Final = ""
CHARGER: Final = "hall"
THINGS: Final = {"cup": "kitchen", "book": "living room", "glasses": "bedroom"}
"""Where things lie when nobody has moved them."""
ROOMS: Final = ("hall", "kitchen", "living room", "bedroom")


class Door(NamedTuple):
    """Two rooms, how many metres it is from one to the other, and whether a door can shut there."""

    one: str
    other: str
    metres: int
    shuts: bool = True


# Two ways lead to the kitchen; to the bedroom there is one.
DOORS: Final = {
    "kitchen door": Door("hall", "kitchen", 4),
    "arch": Door("hall", "living room", 4, shuts=False),
    "dining door": Door("living room", "kitchen", 5),
    "bedroom door": Door("hall", "bedroom", 5),
}

Way = tuple[tuple[str, str], ...]
"""Doors, each with the room behind it."""


def ways(start: str, goal: str, but: tuple[str, ...] = ()) -> list[Way]:
    """The ways from room to room that enter none twice, the shortest first."""
    if start == goal:
        return [()]
    found = []
    for name, door in DOORS.items():
        if start in door[:2]:
            behind = door.other if start == door.one else door.one
            if behind not in but:
                found += [((name, behind), *way) for way in ways(behind, goal, (*but, start))]
    return sorted(found, key=length)


def length(way: Way) -> int:
    """The metres of a way."""
    return sum(DOORS[door].metres for door, _ in way)


def metres_home(room: str) -> int:
    """How far it is to the charger."""
    return length(ways(room, CHARGER)[0])
