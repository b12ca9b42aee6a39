"""The castaway by a tree alone: branches, written by hand, in the place of the plans.

Every branch sees to what it promises: it succeeds when that is so, and before that it sees to what
it takes, in the same way. All of it is asked again in every tick, so nothing is remembered of
what was begun, and nothing is known of what comes later but what the author put into a condition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from py_trees.behaviour import Behaviour

from bthtn.behaviours import PlanGoal, Repeat
from bthtn.examples.domains.crafter.beliefs import MOST, PRICES, SOURCES, TOOLS, Castaway, workshops

from . import operators as steps
from .leaves import Do, If, each, first, one_by_one
from .senses import Castaways

Count = Callable[[Castaway], int]
# what can be seen to


def at_hand(agent: Castaways, kind: str, use: Behaviour) -> Behaviour:
    """Something is used where it was seen; as long as it was not seen, it is looked for."""
    known = If(agent, f"{kind} known?", lambda state: state.known[kind])
    unknown = If(agent, f"no {kind} known?", lambda state: not state.known[kind])
    find = each(f"look for {kind}", unknown, Do(agent, steps.find, kind))
    return first(f"{use.name} or look", each(use.name, known, use), find)


def have(agent: Castaways, thing: str, count: int | Count) -> Behaviour:
    """So many of a thing are carried."""
    source = SOURCES[thing]

    def is_enough(state: Castaway) -> bool:
        return state.has[thing] >= (count if isinstance(count, int) else count(state))

    enough = If(agent, f"enough {thing}?", is_enough)
    taking = at_hand(agent, source, Do(agent, steps.fetch, thing, MOST))
    if thing in TOOLS:
        taking = each(f"with a {TOOLS[thing]}", make(agent, TOOLS[thing]), taking)
    return first(f"have {thing}", enough, taking)


def make(agent: Castaways, tool: str) -> Behaviour:
    """A tool is carried: its workshops stand near, and all that it takes is there."""
    made = If(agent, f"has a {tool}?", lambda state: state.has[tool] > 0)
    needed = sorted({thing for part in (tool, *workshops(tool)) for thing in PRICES[part]})
    gather = [have(agent, thing, needed_for(tool, thing)) for thing in needed]
    place = [workshop_near(agent, workshop) for workshop in workshops(tool)]
    craft = Do(agent, steps.craft, tool)
    return first(f"make a {tool}", made, each(f"how to make a {tool}", *gather, *place, craft))


def needed_for(tool: str, thing: str) -> Count:
    """How many of a thing a tool takes, with the workshops that are not near."""

    def count(state: Castaway) -> int:
        placed = [each for each in workshops(tool) if not state.near[each]]
        return sum(PRICES[part].get(thing, 0) for part in (tool, *placed))

    return count


def workshop_near(agent: Castaways, workshop: str) -> Behaviour:
    """A workshop is near."""
    near = If(agent, f"{workshop} near?", lambda state: state.near[workshop])
    return first(f"a {workshop} near", near, Do(agent, steps.put, workshop))


def slain(agent: Castaways, creature: str) -> Behaviour:
    """A creature is hunted, and looked for before."""
    return at_hand(agent, creature, Do(agent, steps.hunt, creature, done=creature))


def quenched(agent: Castaways) -> Behaviour:
    """He drinks his fill, and looks for water before."""
    return at_hand(agent, "water", Do(agent, steps.drink, done="drink"))


def rested(agent: Castaways) -> Behaviour:
    """He sleeps where nothing can come, and has stones for the walls before."""
    sheltered = If(agent, "sheltered?", lambda state: state.sheltered)
    asleep = each("stay", sheltered, Do(agent, steps.sleep, done="sleep"))
    walls = first(
        "stones for walls",
        If(agent, "enough stones?", lambda state: state.has["stone"] >= FOR_WALLS),
        have(agent, "stone", STOCK),
    )
    home = (Do(agent, step) for step in (steps.go_home, steps.dig_in, steps.sleep))
    return first("rest", asleep, one_by_one("make a shelter", walls, *home))


FOR_WALLS, STOCK, FOR_BED = 4, 8, 5
"""Stones for a shelter at least, those that he stocks up to for it, and those around a plant."""


def furnished(agent: Castaways) -> Behaviour:
    """A furnace stands beside a table."""
    near = If(agent, "table near?", lambda state: state.near["table"])
    table = [have(agent, "wood", 2), have(agent, "stone", 4), Do(agent, steps.put, "table")]
    furnace = [have(agent, "stone", 4), Do(agent, steps.put, "furnace", done="furnace")]
    return one_by_one("furnish", first("table", near, one_by_one("set up", *table)), *furnace)


def achieved(agent: Castaways) -> Behaviour:
    """The first thing that he has never done, and that can be done."""

    def never(thing: str) -> Behaviour:
        return If(agent, f"never {thing}?", lambda state: not state.done[thing])

    def lacks(tool: str) -> Behaviour:
        return If(agent, f"no {tool}?", lambda state: not state.has[tool])

    def known(kind: str) -> Behaviour:
        return If(agent, f"{kind} known?", lambda state: state.known[kind])

    needs_coal = If(agent, "coal to come?", lambda state: state.has["coal"] < coal_for_later(state))
    no_bed = If(agent, "no bed?", lambda state: not state.known["bed"])
    sapling, bedded = have(agent, "sapling", 1), have(agent, "sapling", 1)
    stone, border = have(agent, "stone", 1), have(agent, "stone", FOR_BED)
    wood = have(agent, "wood", wood_for_later)
    harvest = Do(agent, steps.harvest, done="harvest")
    tend = (Do(agent, step) for step in (steps.go_home, steps.dig_in, steps.tend))
    bed = (no_bed, bedded, border, Do(agent, steps.plant_bed))
    return first(
        "progress",
        each("wood pickaxe", lacks("wood_pickaxe"), make(agent, "wood_pickaxe")),
        each("wood sword", lacks("wood_sword"), make(agent, "wood_sword")),
        each("harvest", never("harvest"), known("plant-ripe"), harvest),
        one_by_one("sapling", never("plant"), sapling, Do(agent, steps.plant, done="plant")),
        each("water", never("drink"), known("water"), quenched(agent)),
        each("stone pickaxe", lacks("stone_pickaxe"), wood, make(agent, "stone_pickaxe")),
        each("stone sword", lacks("stone_sword"), make(agent, "stone_sword")),
        one_by_one("stone", never("stone"), stone, Do(agent, steps.put, "stone", done="stone")),
        each("furnace", never("furnace"), furnished(agent)),
        each("coal", needs_coal, known("coal"), have(agent, "coal", coal_for_later)),
        each("iron pickaxe", lacks("iron_pickaxe"), make(agent, "iron_pickaxe")),
        one_by_one("bed", never("harvest"), *bed),
        each("iron sword", lacks("iron_sword"), make(agent, "iron_sword")),
        each("diamond", lacks("diamond"), known("diamond"), have(agent, "diamond", 1)),
        each("any diamond", lacks("diamond"), have(agent, "diamond", 1)),
        each("zombie", never("zombie"), slain(agent, "zombie")),
        each("skeleton", never("skeleton"), slain(agent, "skeleton")),
        each("any cow", never("cow"), slain(agent, "cow")),
        each("any water", never("drink"), quenched(agent)),
        one_by_one("tend", never("harvest"), *tend),
    )


def wood_for_later(state: Castaway) -> int:
    """The wood for all that is still to be made, before he leaves for where no trees are."""
    tools = [price["wood"] for made, price in PRICES.items() if "_" in made and not state.has[made]]
    return min(9, sum(tools) + (0 if state.near["table"] else PRICES["table"]["wood"]))


def coal_for_later(state: Castaway) -> int:
    """The coal for the tools of iron that are still to be made."""
    return sum(not state.has[tool] for tool in ("iron_pickaxe", "iron_sword"))


ROUTINES: Final[Mapping[str, Callable[..., Behaviour]]] = MappingProxyType(
    {"rest": rested, "quench": quenched, "slay": slain, "have": have, "live": achieved}
)


def routine(goal: PlanGoal) -> Behaviour:
    """What stands in the place of a goal; a cycle follows the other in the same tick."""
    name, given = name_and_args(goal)
    return Repeat(goal.name, ROUTINES[name](goal.agent, *given), -1)


def name_and_args(goal: PlanGoal) -> tuple[str, list[Any]]:
    """The task that is a goal of the castaway's, and its arguments: all of them are constants."""
    call: Any = goal.goal
    return call.task.name, [argument.value for argument in call.args]
