"""Shelters: rooms of a few cells that nothing can walk into."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from bthtn.kit.grids import HEADINGS, Cell, beside, distance, moved

from .body import FREE, Body

SHAPES: Final = (((0, 0), (1, 0)), ((0, 0), (0, 1)), ((0, 0), (1, 0), (0, 1), (1, 1)))
"""The smallest rooms whose walls can be built from inside: a stone is put where one looks, and to
turn one has to walk, so a cell is closed by who comes to it from the cell opposite."""
WELL: Final = 15
"""How much work it is worth to have water in reach: to go for it in the morning takes longer."""
NEARBY: Final = 250
"""Of so many cells the best place for a room is chosen; more cannot be looked at in a tick."""


def closed_room(body: Body) -> Collection[Cell]:
    """The room of four cells at most in which he stands; empty if something can walk into it."""
    room, to_look_at = {body.here: None}, [body.here]
    while to_look_at and len(room) <= 4:
        for cell in beside(to_look_at.pop()):
            if cell not in body.map:
                return ()
            if cell not in room and body.map[cell] in FREE:
                room[cell] = None
                to_look_at.append(cell)
    is_safe = len(room) <= 4 and not any(cell in body.creatures for cell in room)
    return room.keys() if is_safe else ()


def has_well(body: Body, room: Collection[Cell]) -> bool:
    """Whether one can drink without leaving a room."""
    return any(body.map.get(near) == "water" for cell in room for near in beside(cell))


def gaps(body: Body, room: Collection[Cell]) -> Collection[Cell]:
    """The cells around a room through which something can come in."""
    outside = (cell for inner in room for cell in beside(inner) if cell not in room)
    return [cell for cell in outside if body.map.get(cell) in FREE]


def easiest_room(body: Body) -> Collection[Cell]:
    """The room near by that is reached and closed with the least work; empty if there is none."""
    best: Collection[Cell] = ()
    least = 1_000
    wells = {cell for water in body.map.cells_of("water") for cell in beside(water)}
    for cell in body.legs.reached(NEARBY):
        far = distance(cell, body.here)
        for shape in SHAPES if far - WELL < least else ():
            room = tuple((cell[0] + x, cell[1] + y) for x, y in shape)
            trip = far if wells.isdisjoint(room) else far - WELL
            work = _work(body, room) if trip < least else None
            if work is not None and work + trip < least:
                best, least = room, work + trip
    return best


def _work(body: Body, room: Collection[Cell]) -> int | None:
    """How many actions it takes to close a room from inside; None if that cannot be done."""
    kinds = [body.map.get(cell) for cell in room]
    if "water" in kinds:
        return None
    to_dig = [kind for kind in kinds if kind not in FREE]
    open_sides, stones = 0, body.has["stone"] + to_dig.count("stone")
    for cell in room:
        for heading, there in zip(HEADINGS, beside(cell), strict=True):
            if there in room:
                continue
            kind = body.map.get(there, "grass")
            if kind == "lava" or (kind in FREE and moved(cell, heading, -1) not in room):
                return None
            open_sides += kind in FREE
            if open_sides > stones:
                return None
    return 2 * len(to_dig) + 3 * open_sides if all(map(body.price, room)) else None
