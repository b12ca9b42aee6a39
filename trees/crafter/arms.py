"""The arms of the experiment in Crafter: the castaway, and what is left of him without a part."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Final

from py_trees.behaviour import Behaviour

from bthtn.behaviours import Character

from . import tree
from .level import Level
from .scripted import routine
from .senses import Castaways
from .tree import castaway

TREES: Final[MappingProxyType[str, Callable[[Castaways], Behaviour]]] = MappingProxyType(
    {
        "hybrid": castaway,
        "scripted": partial(castaway, goal=routine),
    }
)


def placed_in(world: Level, arm: str) -> Character:
    """The castaway of an arm in a game."""
    return tree.placed_in(world, TREES[arm])
