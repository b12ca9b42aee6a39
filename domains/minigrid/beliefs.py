"""The beliefs of an explorer: a map in words, of which most is unknown at first.

A place is a cell, ``(3, -1)``: so many steps to the east and to the south of where he began. What
he saw there is a text: ``"floor"``, ``"wall"``, ``"red key"``, ``"locked red door"``.
"""

from __future__ import annotations

from typing import Final

from bthtn import UNKNOWN, Fluent, FluentFamily, State, fluent, fluents
from bthtn.kit.grids import Cell

MOVABLE: Final = ("key", "ball", "box")
PLAIN: Final = ("floor", "wall")
NOTHING: Final = "nothing"


class Explorer(State):
    """Where he stands, what he holds, and what he has seen so far."""

    at: Fluent[Cell] = fluent(default=(0, 0))
    front: Fluent[Cell] = fluent(default=(1, 0))
    carrying: Fluent[str] = fluent(default=NOTHING)
    cell: FluentFamily[Cell, str] = fluents(default=UNKNOWN)
    where: FluentFamily[str, Cell] = fluents(default=UNKNOWN)


# words for what is in a place


def kind(what: str) -> str:
    """The last word: ``"door"`` for ``"locked red door"``."""
    return what.rpartition(" ")[2]


def name(what: str) -> str:
    """Its name whatever is done to it: ``"red door"`` for ``"locked red door"``."""
    return " ".join(what.split()[-2:])


def names(what: object) -> tuple[str, ...]:
    """All that a thing is called, ``"red door"`` and ``"door"``. The unknown has no names."""
    return (name(what), kind(what)) if isinstance(what, str) and what not in PLAIN else ()


def is_door(what: str, how: str) -> bool:
    """Whether it is a door that is ``"open"``, ``"closed"`` or ``"locked"``."""
    return kind(what) == "door" and what.startswith(how)


def is_free(what: str) -> bool:
    """Whether one can walk in."""
    return kind(what) in ("floor", "goal") or is_door(what, "open")


def key_to(door: str) -> str:
    """The key that fits the door."""
    return name(door).replace("door", "key")


def opened(door: str) -> str:
    """The door when it is open."""
    return f"open {name(door)}"
