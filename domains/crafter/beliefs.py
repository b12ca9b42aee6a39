"""The beliefs of a castaway, and the rules of the island as its manual has them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from bthtn import Fluent, FluentFamily, State, fluent, fluents

SOURCES: Final = MappingProxyType(
    {"wood": "tree", "drink": "water", "sapling": "grass"}
    | {thing: thing for thing in ("stone", "coal", "iron", "diamond")}
)
"""Where a thing is taken from."""
TOOLS: Final = MappingProxyType(
    {"stone": "wood_pickaxe", "coal": "wood_pickaxe", "iron": "stone_pickaxe"}
    | {"diamond": "iron_pickaxe"}
)
"""What it takes to take it."""
PRICES: Final = MappingProxyType(
    {"table": {"wood": 2}, "furnace": {"stone": 4}}
    | {f"wood_{tool}": {"wood": 1} for tool in ("pickaxe", "sword")}
    | {f"stone_{tool}": {"wood": 1, "stone": 1} for tool in ("pickaxe", "sword")}
    | {f"iron_{tool}": {"wood": 1, "coal": 1, "iron": 1} for tool in ("pickaxe", "sword")}
)
"""What is used up when a thing is made."""
MOST: Final = 9
"""Nobody carries more of anything, and no need is better met."""


class Castaway(State):
    """How he feels, what he has and has done, and what he remembers a place of."""

    health: Fluent[int] = fluent(default=MOST)
    food: Fluent[int] = fluent(default=MOST)
    drink: Fluent[int] = fluent(default=MOST)
    energy: Fluent[int] = fluent(default=MOST)
    dark: Fluent[bool] = fluent(default=False)
    sheltered: Fluent[bool] = fluent(default=False)
    has: FluentFamily[str, int] = fluents(default=0)
    known: FluentFamily[str, bool] = fluents(default=False)
    near: FluentFamily[str, bool] = fluents(default=False)
    done: FluentFamily[str, bool] = fluents(default=False)


def workshops(tool: str) -> tuple[str, ...]:
    """What one has to stand beside to make a tool."""
    return ("table", "furnace") if tool.startswith("iron") else ("table",)


def to_place(state: Castaway, tool: str) -> list[str]:
    """The workshops for a tool that are too far away to walk there."""
    return [workshop for workshop in workshops(tool) if not state.near[workshop]]


def materials(state: Castaway, tool: str) -> dict[str, int]:
    """What it takes to make a tool here, with the workshops that have to be placed."""
    needed: dict[str, int] = {}
    for made in (tool, *to_place(state, tool)):
        for thing, count in PRICES[made].items():
            needed[thing] = needed.get(thing, 0) + count
    return needed


def lacks_tool(state: Castaway, thing: str) -> bool:
    """Whether a tool has to be made before the thing can be taken."""
    return thing in TOOLS and not state.has[TOOLS[thing]]


def can_fetch(state: Castaway, thing: str) -> bool:
    """Whether a place of it is known, and there is a tool to take it with."""
    return state.known[SOURCES[thing]] and not lacks_tool(state, thing)


def wood_to_come(state: Castaway) -> int:
    """The wood for all tools that are still to be made, and for a table where they will be."""
    tools = [price for made, price in PRICES.items() if "_" in made and not state.has[made]]
    wood = sum(price["wood"] for price in tools) + PRICES["table"]["wood"]
    return min(wood, MOST)
