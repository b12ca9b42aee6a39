"""Operators: how the steps of the Crafter domain are done, an action in each tick."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator
from itertools import product
from typing import Any

from bthtn.behaviours import OperatorFailed, Operators, Running
from bthtn.examples.domains.crafter import domain as steps
from bthtn.examples.domains.crafter.beliefs import MOST, SOURCES, workshops
from bthtn.kit.grids import HEADINGS, Cell, Patience, Search, around, beside, distance, moved

from .body import CREATURES, FREE, STEPS, Body
from .level import Action
from .senses import Castaways, is_closed

operators = Operators()

EXPANSIONS = 400
"""What a search may look at in a tick: one millisecond or two, all that lies within fourteen steps."""
ROCK = frozenset({"stone", "path", "coal", "iron", "diamond", "table", "furnace"})
STALE = 200
"""Where nobody has looked for so many steps, a creature may have come by now."""
DETOUR = 12
"""How many steps of a detour it is worth to look for a thing where such things are."""


@operators.bind(steps.fetch)
def fetch(agent: Castaways, thing: str) -> Running:
    body, source = agent.body, SOURCES[thing]
    before, patience = (
        body.has[thing],
        Patience(60),
    )  # of ten tries in the grass one finds a sapling
    while body.has[thing] == before:
        if source in FREE:
            yield from _face(
                agent, lambda cell: body.map.get(cell) == source and body.is_free(cell)
            )
        else:
            yield from _approach(
                agent, lambda cell: body.map.get(cell) == source and cell not in body.fences
            )
        yield from _done(agent, Action.DO)
        if patience.is_over(0):
            raise OperatorFailed(f"there is no {thing} to be had")


@operators.bind(steps.drink)
def drink(agent: Castaways) -> Running:
    body = agent.body
    while True:
        before = body.has["drink"]
        yield from _approach(agent, lambda cell: body.map.get(cell) == "water")
        yield from _done(agent, Action.DO)
        if body.has["drink"] in (before, MOST):
            return


@operators.bind(steps.find)
def find(agent: Castaways, kind: str) -> Running:
    body = agent.body
    in_rock = kind in ROCK or kind == "skeleton"

    def last(here: Cell, _: Cell) -> int:
        return 1 if (body.map.get(here) in ROCK) == in_rock else DETOUR

    def is_news(cell: Cell) -> bool:
        age = body.map.age(cell, body.level.steps)
        return age is None or (kind in CREATURES and age > STALE and body.map[cell] in FREE)

    def is_known() -> bool:
        return bool(body.creatures.cells_of(kind) if kind in CREATURES else body.map.cells_of(kind))

    while not is_known():
        way = yield from _searched(agent, body.way(is_news, last))
        if not way:
            raise OperatorFailed("there is nothing left to explore")
        yield from _walk(agent, way, lambda: not is_news(way[-1]) or is_known())


@operators.bind(steps.put)
def put(agent: Castaways, thing: str) -> Running:
    body = agent.body
    table = body.nearest("table") if thing == "furnace" else None
    if table:
        yield from _go(agent, lambda cell: table in around(cell))
    yield from _face(
        agent, lambda cell: body.is_free(cell) and (not table or distance(cell, table) < 3)
    )
    front = body.front
    yield from _done(agent, Action[f"PLACE_{thing.upper()}"])
    if body.map.get(front) != thing:
        raise OperatorFailed(f"the {thing} cannot be placed")


@operators.bind(steps.craft)
def craft(agent: Castaways, tool: str) -> Running:
    body, before = agent.body, agent.body.has[tool]
    needed = set(workshops(tool))
    yield from _go(agent, lambda cell: needed <= {body.map.get(near) for near in around(cell)})
    yield from _done(agent, Action[f"MAKE_{tool.upper()}"])
    if body.has[tool] == before:
        raise OperatorFailed(f"no {tool} comes of it")


@operators.bind(steps.hunt)
def hunt(agent: Castaways, creature: str) -> Running:
    body, patience = agent.body, Patience(100)
    while body.killed != creature:
        try:
            yield from _approach(agent, lambda cell: body.creatures.get(cell) == creature)
        except OperatorFailed:
            body.creatures.forget(creature)
            raise
        yield from _done(agent, Action.DO)
        if patience.is_over(0):
            raise OperatorFailed(f"the {creature} gets away")


@operators.bind(steps.plant)
def plant(agent: Castaways) -> Running:
    body = agent.body
    yield from _face(agent, lambda cell: body.map.get(cell) == "grass" and body.is_free(cell))
    yield from _done(agent, Action.PLACE_PLANT)
    if body.map.get(body.front) != "plant":
        raise OperatorFailed("it does not grow here")


@operators.bind(steps.plant_bed)
def plant_bed(agent: Castaways) -> Running:
    """With stones all round: what grows there must not be trodden down."""
    body = agent.body
    bed = _bed(body)
    if bed is None:
        raise OperatorFailed("there is no place for a bed")
    *sides, last = [cell for cell in beside(bed) if body.map[cell] in FREE]
    for side in sides:
        yield from _face(agent, lambda cell, side=side: cell == side)
        yield from _done(agent, Action.PLACE_STONE)
    yield from _face(agent, lambda cell: cell == bed)
    yield from _done(agent, Action.PLACE_PLANT)
    yield from _face(agent, lambda cell: cell == last)
    yield from _done(agent, Action.PLACE_STONE)
    if bed not in body.beds:
        raise OperatorFailed("the bed is not closed")


def _bed(body: Body) -> Cell | None:
    """The place for a bed near by that takes the fewest steps and stones."""
    search = body.way(lambda _: False, lambda *_: 1)
    search.advance(150)
    prices = {
        cell: number / 4 + 5 * sum(body.map.get(near) in FREE for near in beside(cell))
        for number, cell in enumerate(search.before)
        if body.map.get(cell) == "grass"
        and any(body.map.get(near) in FREE for near in beside(cell))
        and all(body.map.get(near, "lava") != "lava" for near in beside(cell))
    }
    return min(prices, key=lambda cell: prices[cell], default=None)


@operators.bind(steps.harvest)
def harvest(agent: Castaways) -> Running:
    body = agent.body
    yield from _approach(agent, lambda cell: body.map.get(cell) == "plant-ripe")
    food = body.has["food"]
    yield from _done(agent, Action.DO)
    if body.has["food"] <= food < MOST:
        raise OperatorFailed("it is not ripe")


@operators.bind(steps.go_home)
def go_home(agent: Castaways) -> Running:
    """What is planted grows only while he is near."""
    body = agent.body
    home = min(body.beds, key=lambda bed: distance(bed, body.here), default=None)
    if home and 6 < distance(home, body.here) < 25:
        yield from _go(agent, lambda cell: distance(cell, home) <= 6)


@operators.bind(steps.tend)
def tend(agent: Castaways) -> Running:
    """Stay where he can see it."""
    body = agent.body
    while body.beds and not body.map.cells_of("plant-ripe") and is_closed(body):
        yield from _done(agent, Action.WAIT)


@operators.bind(steps.dig_in)
def dig_in(agent: Castaways) -> Running:
    body = agent.body
    room = _room(body)
    if not room:
        raise OperatorFailed("there is no room to be made")
    yield from _go(agent, lambda cell: cell in room)
    patience = Patience(40)
    while not is_closed(body):
        for cell in room:
            if not body.is_free(cell) and cell != body.here:
                yield from _go(agent, lambda there, cell=cell: there == cell)
        gaps = _gaps(body, room)
        if gaps:
            yield from _face(agent, lambda cell: cell in gaps, room)
            is_taken = body.front in body.creatures
            yield from _done(agent, Action.DO if is_taken else Action.PLACE_STONE)
        else:
            yield from _done(agent, Action.WAIT)
        if patience.is_over(len(_gaps(body, room))):
            raise OperatorFailed("it cannot be closed")


@operators.bind(steps.sleep)
def sleep(agent: Castaways) -> Running:
    body = agent.body
    while is_closed(body) or body.asleep:
        is_tired, was_asleep = body.has["energy"] < MOST, body.asleep
        yield from _done(agent, Action.SLEEP if is_tired else Action.WAIT)
        if was_asleep and not body.asleep and not is_tired:
            agent.believe(steps.Castaway.done["sleep"], True)
        if not body.asleep and not is_tired and not agent.beliefs.get(steps.Castaway.dark):
            return
    raise OperatorFailed("something has come in")


def _gaps(body: Body, room: Collection[Cell]) -> list[Cell]:
    """The cells around a room through which something can come in."""
    outside = {cell for inner in room for cell in beside(inner) if cell not in room}
    return [c for c in outside if body.map.get(c) in FREE]


def _room(body: Body) -> tuple[Cell, ...]:
    """The room near by that is closed with the least work."""
    search = body.way(lambda _: False, lambda *_: 1)
    search.advance(250)
    best, least = (), 1_000.0
    for cell in search.before:
        for shape in SHAPES:
            room = tuple((cell[0] + x, cell[1] + y) for x, y in shape)
            work = _work(body, room)
            if work is not None and work + distance(cell, body.here) < least:
                best, least = room, work + distance(cell, body.here)
    return best


WELL = 15
"""How much work it is worth to have water to drink in the shelter."""
SHAPES = (((0, 0), (1, 0)), ((0, 0), (0, 1)), ((0, 0), (1, 0), (0, 1), (1, 1)))


def _work(body: Body, room: tuple[Cell, ...]) -> int | None:
    """How many actions it takes to close a room from inside; None if it is not possible."""
    if any(not body.price(cell) or body.map.get(cell) == "water" for cell in room):
        return None
    digging = sum(body.map.get(cell) not in FREE for cell in room)
    stones = body.has["stone"] + sum(body.map.get(cell) in ("stone",) for cell in room)
    gaps = 0
    for cell, heading in product(room, HEADINGS):
        there = moved(cell, heading)
        if there in room:
            continue
        kind = body.map.get(there, "grass")
        if kind == "lava":
            return None
        if kind in FREE:
            gaps += 1
            if moved(cell, heading, -1) not in room:
                return None
    well = any(body.map.get(near) == "water" for cell in room for near in beside(cell))
    return None if gaps > stones else 2 * digging + 3 * gaps - WELL * well


# ways: all that walks, walks here


def _done(agent: Castaways, action: Action) -> Running:
    """Do something, and see in the next tick what came of it."""
    agent.body.act(action)
    yield


def _searched(agent: Castaways, search: Search[Any]) -> Generator[None, None, tuple[Any, ...]]:
    """The way that a search finds; meanwhile he waits."""
    while not search.advance(EXPANSIONS):
        yield from _done(agent, Action.WAIT)
    return search.way


def _walk(agent: Castaways, way: tuple[Cell, ...], is_over: Callable[[], bool]) -> Running:
    """Go a way to its end, and take away what is in it."""
    body = agent.body
    for there in way[1:]:
        patience = Patience(10)
        while body.here != there:
            if is_over() or patience.is_over(0) or not body.price(there):
                return
            yield from _done(agent, body.into(there))


def _go(agent: Castaways, is_wanted: Callable[[Cell], bool]) -> Running:
    """Walk until he stands where it is wanted."""
    body, patience = agent.body, Patience(8)
    while not is_wanted(body.here):
        way = yield from _searched(agent, body.way(is_wanted, lambda _, cell: body.price(cell)))
        if not way or patience.is_over(len(way)):
            raise OperatorFailed("there is no way")
        yield from _walk(agent, way, lambda: not is_wanted(way[-1]))


def _approach(agent: Castaways, is_wanted: Callable[[Cell], bool]) -> Running:
    """Walk until he faces what is wanted, which is nothing to walk in."""
    body, patience = agent.body, Patience(40)
    while not is_wanted(body.front):
        way = yield from _searched(agent, body.way(is_wanted, lambda *_: 1))
        if not way or patience.is_over(len(way)):
            raise OperatorFailed("there is no way")
        yield from _walk(agent, way[:-1], lambda: not is_wanted(way[-1]))
        if body.here == way[-2] and is_wanted(way[-1]) and body.front != way[-1]:
            yield from _done(agent, STEPS[way[-1][0] - body.here[0], way[-1][1] - body.here[1]])


def _face(
    agent: Castaways, is_wanted: Callable[[Cell], bool], within: Collection[Cell] | None = None
) -> Running:
    """Turn until he faces what is wanted; where one could walk in, one has to come from behind."""
    body, patience = agent.body, Patience(8)
    while not is_wanted(body.front):
        way = yield from _searched(agent, body.facing(is_wanted, within))
        if not way or patience.is_over(len(way)):
            raise OperatorFailed("he cannot turn there")
        for cell, heading in way[1:]:
            yield from _done(agent, STEPS[heading])
            if (body.here, body.heading) != (cell, heading):
                break
