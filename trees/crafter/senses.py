"""The castaway's senses: what is believed after a step."""

from __future__ import annotations

from bthtn import Fluent, fluent
from bthtn.behaviours import Agent
from bthtn.examples.domains.crafter.beliefs import SOURCES, Castaway
from bthtn.kit.grids import Cell, beside, distance

from .body import CREATURES, FREE, Body
from .steps import reflex

Castaways = Agent[Castaway, Body]
DUSK, DAWN = 0.5, 0.3
"""So dark that one sees little; most zombies come from then on."""
DAY, AFTERNOON = 300, 100
A_WALK = 12
"""It is shorter to a table that is so far away than to wood for another one."""


class Survivor(Castaway):
    """What a castaway believes, and what only his tree asks."""

    danger: Fluent[bool] = fluent(default=False)
    cow_at_hand: Fluent[bool] = fluent(default=False)
    well: Fluent[bool] = fluent(default=False)
    evening: Fluent[bool] = fluent(default=False)


def sense(agent: Castaways) -> None:
    """Believe what can be told from the picture. What was seen once is remembered."""
    body, believe = agent.body, agent.believe
    for need, variable in NEEDS.items():
        believe(variable, body.has[need])
    for thing, count in body.has.items():
        if thing not in NEEDS:
            believe(Castaway.has[thing], count)
    for kind in dict.fromkeys(SOURCES.values()):
        believe(Castaway.known[kind], bool(body.map.cells_of(kind)))
    for creature in CREATURES:
        believe(Castaway.known[creature], bool(body.creatures.cells_of(creature)))
    believe(Castaway.known["plant-ripe"], bool(body.map.cells_of("plant-ripe")))
    believe(Castaway.known["bed"], bool(body.beds))
    cow = body.creatures.nearest("cow", body.here)
    believe(Survivor.cow_at_hand, cow is not None and distance(cow, body.here) <= 8)
    table, furnace = body.nearest("table"), body.nearest("furnace")
    is_near = table is not None and distance(table, body.here) <= A_WALK
    believe(Castaway.near["table"], is_near)
    believe(Castaway.near["furnace"], bool(is_near and furnace and distance(furnace, table) <= 2))
    night = DAWN if not body.sun_sinks else DUSK
    believe(Castaway.dark, body.level.darkness > night and not is_deep(body, body.here))
    room = closed_room(body)
    well = any(body.map[near] == "water" for cell in room for near in beside(cell))
    believe(Castaway.sheltered, bool(room))
    believe(Survivor.well, well and not body.asleep)
    believe(Survivor.danger, not body.asleep and reflex(body) is not None)
    believe(Survivor.evening, body.sun_sinks and body.level.steps % DAY > AFTERNOON)
    if body.killed:
        believe(Castaway.done[body.killed], True)


NEEDS = {
    "health": Castaway.health,
    "food": Castaway.food,
    "drink": Castaway.drink,
    "energy": Castaway.energy,
}


def is_closed(body: Body) -> bool:
    """Whether nothing can walk up to him."""
    return bool(closed_room(body))


def closed_room(body: Body) -> set[Cell]:
    """The room of four cells at most in which he stands, if nothing can walk into it."""
    room, to_look_at = {body.here}, [body.here]
    while to_look_at and len(room) <= 4:
        for cell in beside(to_look_at.pop()):
            if cell not in body.map:
                return set()
            if cell not in room and body.map[cell] in FREE:
                room.add(cell)
                to_look_at.append(cell)
    is_safe = len(room) <= 4 and not any(cell in body.creatures for cell in room)
    return room if is_safe else set()


def is_deep(body: Body, cell: Cell) -> bool:
    """Whether there is no grass near a cell, from which zombies come."""
    x, y = cell
    near = [(x + dx, y + dy) for dx in range(-2, 3) for dy in range(-2, 3)]
    return all(body.map.get(there, "grass") not in ("grass", "sand") for there in near)
