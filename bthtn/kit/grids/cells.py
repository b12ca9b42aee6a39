"""Cells of a grid, and the ways to look: (3, -1) is to the east and to the north."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

Cell: TypeAlias = tuple[int, int]
"""How far to the east, and how far to the south."""

EAST: Final = (1, 0)
SOUTH: Final = (0, 1)
WEST: Final = (-1, 0)
NORTH: Final = (0, -1)
HEADINGS: Final = (EAST, SOUTH, WEST, NORTH)
"""In the order of turns to the right."""
_CIRCLE: Final = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))


def moved(cell: Cell, heading: Cell, ahead: int = 1, right: int = 0) -> Cell:
    """The cell so far ahead and to the right of somebody who looks that way."""
    (x, y), (dx, dy) = cell, heading
    return x + ahead * dx - right * dy, y + ahead * dy + right * dx


def beside(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """The cells to the east, south, west and north."""
    x, y = cell
    return (x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)


def around(cell: Cell) -> tuple[Cell, ...]:
    """The eight cells around one, in a circle."""
    x, y = cell
    return tuple((x + dx, y + dy) for dx, dy in _CIRCLE)


def distance(one: Cell, other: Cell) -> int:
    """How many steps it is from one cell to another if nothing is in the way."""
    return abs(one[0] - other[0]) + abs(one[1] - other[1])


def nearest(cells: Iterable[Cell], here: Cell) -> Cell | None:
    """The first of the cells that are the fewest steps away; None if there are none."""
    return min(cells, key=lambda cell: distance(cell, here), default=None)
