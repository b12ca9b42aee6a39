"""Operators: how the steps of the Crafter domain are done, an action in each tick."""

from __future__ import annotations

from functools import partial
from operator import eq
from typing import Final

from bthtn.behaviours import OperatorFailed, Operators, Running
from bthtn.examples.domains.crafter import domain as steps
from bthtn.examples.domains.crafter.beliefs import MOST, SOURCES, Castaway, workshops
from bthtn.kit.grids import Cell, Patience, around, beside, distance, nearest

from .body import CREATURES, FREE, Body
from .level import Action
from .senses import Castaways
from .shelter import closed_room, easiest_room, gaps, has_well

operators = Operators()

ROCK: Final = frozenset({"stone", "path", "coal", "iron", "diamond", "table", "furnace"})
DETOUR: Final = 12
"""How many steps of a detour it is worth to look for a thing where such things are: once the view
is crossed, all of it is new."""
STALE: Final = 200
"""Where nobody has looked for so many steps, most of a day, a creature may have come by now."""
AT_HOME: Final = 6
"""So near to a bed he sleeps: well within what makes it grow."""
NEAR_HOME: Final = 25
"""From so near it is worth the way, and the way back."""


@operators.bind(steps.fetch)
def fetch(agent: Castaways, thing: str, count: int) -> Running:
    """One try in ten finds a sapling in the grass; sixty are in vain once in five hundred times."""
    body, source, patience = agent.body, SOURCES[thing], Patience(60)
    while body.has[thing] < count and body.map.cells_of(source):
        if source in FREE:
            yield from body.legs.face(
                lambda cell: body.map.get(cell) == source and body.is_free(cell)
            )
        else:
            yield from body.legs.approach(
                lambda cell: body.map.get(cell) == source and cell not in body.fences
            )
        yield from _done(agent, Action.DO)
        if patience.is_over(count - body.has[thing]):
            raise OperatorFailed(f"there is no {thing} to be had")


@operators.bind(steps.drink)
def drink(agent: Castaways) -> Running:
    """A shelter with water is not left: past an archer, the way through its wall may be shorter."""
    body = agent.body

    def is_water(cell: Cell) -> bool:
        return body.map.get(cell) == "water"

    while True:
        before, room = body.has["drink"], closed_room(body)
        if has_well(body, room):
            yield from body.legs.face(is_water, room)
        else:
            yield from body.legs.approach(is_water)
        yield from _done(agent, Action.DO)
        if body.has["drink"] in (before, MOST):
            return


@operators.bind(steps.find)
def find(agent: Castaways, kind: str) -> Running:
    body, seen = agent.body, agent.body.creatures if kind in CREATURES else agent.body.map
    is_in_rock = kind in ROCK or kind == "skeleton"

    def is_news(cell: Cell) -> bool:
        age = body.map.age(cell, body.level.steps)
        return age is None or (kind in CREATURES and age > STALE and body.map[cell] in FREE)

    yield from body.legs.explore(
        is_news,
        lambda here, _: 1 if (body.map.get(here) in ROCK) == is_in_rock else DETOUR,
        until=lambda: bool(seen.cells_of(kind)),
    )


@operators.bind(steps.put)
def put(agent: Castaways, thing: str) -> Running:
    """A furnace is of use where one can stand beside it and beside a table."""
    body = agent.body
    table = nearest(body.map.cells_of("table"), body.here) if thing == "furnace" else None
    if table:
        yield from body.legs.go(lambda cell: table in around(cell))
    yield from body.legs.face(
        lambda cell: body.is_free(cell) and (not table or distance(cell, table) < 3)
    )
    front = body.front
    yield from _done(agent, Action[f"PLACE_{thing.upper()}"])
    if body.map.get(front) != thing:
        raise OperatorFailed(f"the {thing} cannot be placed")


@operators.bind(steps.craft)
def craft(agent: Castaways, tool: str) -> Running:
    body, before = agent.body, agent.body.has[tool]
    near = (
        {cell for place in body.map.cells_of(workshop) for cell in around(place)}
        for workshop in workshops(tool)
    )
    yield from body.legs.go(set.intersection(*near).__contains__)
    yield from _done(agent, Action[f"MAKE_{tool.upper()}"])
    if body.has[tool] == before:
        raise OperatorFailed(f"no {tool} comes of it")


@operators.bind(steps.hunt)
def hunt(agent: Castaways, creature: str) -> Running:
    """A hundred strokes are many more than any creature takes that can be caught."""
    body, patience = agent.body, Patience(100)
    while True:
        try:
            yield from body.legs.approach(lambda cell: body.creatures.get(cell) == creature)
        except OperatorFailed:
            body.creatures.forget(creature)  # and look for another one
            raise
        yield from _done(agent, Action.DO)
        if body.killed == creature:
            return
        if patience.is_over(0):
            raise OperatorFailed(f"the {creature} gets away")


@operators.bind(steps.plant)
def plant(agent: Castaways) -> Running:
    body = agent.body
    yield from body.legs.face(lambda cell: body.map.get(cell) == "grass" and body.is_free(cell))
    yield from _done(agent, Action.PLACE_PLANT)
    if body.map.get(body.front) != "plant":
        raise OperatorFailed("it does not grow here")


@operators.bind(steps.plant_bed)
def plant_bed(agent: Castaways) -> Running:
    """With stones all round, the last one put from outside: nothing can tread it down."""
    body = agent.body
    bed = _place_for_a_bed(body)
    if bed is None:
        raise OperatorFailed("there is no place for a bed")
    *sides, last = [cell for cell in beside(bed) if body.map[cell] in FREE]
    stones = [(side, Action.PLACE_STONE) for side in sides]
    for place, action in (*stones, (bed, Action.PLACE_PLANT), (last, Action.PLACE_STONE)):
        yield from body.legs.face(partial(eq, place))
        yield from _done(agent, action)
    if bed not in body.beds:
        raise OperatorFailed("the bed is not closed")


def _place_for_a_bed(body: Body) -> Cell | None:
    """The place near by that takes the fewest actions: five for each stone, and the way there."""
    near = body.legs.reached(150)
    sides = {cell: [body.map.get(side, "lava") for side in beside(cell)] for cell in near}
    prices = {
        cell: number / 4 + 5 * sum(kind in FREE for kind in kinds)
        for number, (cell, kinds) in enumerate(sides.items())
        if body.map.get(cell) == "grass" and "lava" not in kinds and not FREE.isdisjoint(kinds)
    }
    return min(prices, key=lambda cell: prices[cell], default=None)


@operators.bind(steps.harvest)
def harvest(agent: Castaways) -> Running:
    body = agent.body
    yield from body.legs.approach(lambda cell: body.map.get(cell) == "plant-ripe")
    food = body.has["food"]
    yield from _done(agent, Action.DO)
    if body.has["food"] <= food < MOST:
        raise OperatorFailed("it is not ripe")


@operators.bind(steps.go_home)
def go_home(agent: Castaways) -> Running:
    """What is planted grows only while he is near."""
    body = agent.body
    home = nearest(body.beds, body.here)
    if home and AT_HOME < distance(home, body.here) < NEAR_HOME:
        yield from body.legs.go(lambda cell: distance(cell, home) <= AT_HOME)


@operators.bind(steps.tend)
def tend(agent: Castaways) -> Running:
    body = agent.body
    while True:
        yield from _done(agent, Action.WAIT)
        if not body.beds or body.map.cells_of("plant-ripe") or not closed_room(body):
            return


@operators.bind(steps.dig_in)
def dig_in(agent: Castaways) -> Running:
    """Forty tries without a gap less: as long as it takes to build a room anew."""
    body, patience = agent.body, Patience(40)
    room = easiest_room(body)
    if not room:
        raise OperatorFailed("there is no room to be made")
    yield from body.legs.go(lambda cell: cell in room)
    while not closed_room(body):
        for cell in room:
            if not body.is_free(cell) and cell != body.here:
                yield from body.legs.go(partial(eq, cell))
        action, to_close = Action.WAIT, gaps(body, room)
        if to_close:
            yield from body.legs.face(to_close.__contains__, room)
            action = Action.DO if body.front in body.creatures else Action.PLACE_STONE
        yield from _done(agent, action)
        if patience.is_over(len(gaps(body, room))):
            raise OperatorFailed("it cannot be closed")


@operators.bind(steps.sleep)
def sleep(agent: Castaways) -> Running:
    """He wakes when he is not tired any more, and stays while it is dark."""
    body = agent.body
    while closed_room(body) or body.asleep:
        is_tired, was_asleep = body.has["energy"] < MOST, body.asleep
        yield from _done(agent, Action.SLEEP if is_tired else Action.WAIT)
        if was_asleep and not body.asleep and not is_tired:
            agent.believe(Castaway.done["sleep"], True)
        if not body.asleep and not is_tired and not agent.beliefs.get(Castaway.dark):
            return
    raise OperatorFailed("something has come in")


def _done(agent: Castaways, action: Action) -> Running:
    """Do something, and see in the next tick what came of it."""
    agent.body.act(action)
    yield
