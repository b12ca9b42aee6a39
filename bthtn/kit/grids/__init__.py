"""Grids: what somebody knows of a world of square cells, and how he gets about in it.

A ``GridMap`` remembers what was seen where, and which cells border on what was never seen;
``Sightings`` remember what moves, until it is not there any more. A ``WaySearch`` finds the
cheapest way, a part of it in each tick, and ``Legs`` walk it, until ``Patience`` is over. What the
cells mean, and what may be walked on, is the caller's business.
"""

from .cells import (
    EAST,
    HEADINGS,
    NORTH,
    SOUTH,
    WEST,
    Cell,
    around,
    beside,
    distance,
    moved,
    nearest,
)
from .grid_map import GridMap
from .legs import Legs, Walker
from .patience import Patience
from .search import WaySearch
from .sightings import Sightings

__all__ = [
    "EAST",
    "HEADINGS",
    "NORTH",
    "SOUTH",
    "WEST",
    "Cell",
    "GridMap",
    "Legs",
    "Patience",
    "Sightings",
    "Walker",
    "WaySearch",
    "around",
    "beside",
    "distance",
    "moved",
    "nearest",
]
