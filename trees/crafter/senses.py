"""The castaway's senses: what is believed after a step."""

from __future__ import annotations

from bthtn import Fluent, fluent
from bthtn.behaviours import Agent
from bthtn.examples.domains.crafter.beliefs import SOURCES, Castaway
from bthtn.kit.grids import beside, distance

from .body import CREATURES, FREE, Body
from .steps import reflex

Castaways = Agent[Castaway, Body]
DUSK, DAWN = 0.5, 0.2
"""So dark that one sees little; most zombies come from then on."""
A_WALK = 12
"""It is shorter to a table that is so far away than to wood for another one."""


class Survivor(Castaway):
    """What a castaway believes, and what only his tree asks."""

    danger: Fluent[bool] = fluent(default=False)
    cow_at_hand: Fluent[bool] = fluent(default=False)
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
    believe(Castaway.dark, body.level.darkness >= night and is_exposed(body))
    believe(Castaway.sheltered, is_closed(body))
    believe(Survivor.danger, not body.asleep and reflex(body) is not None)
    believe(Survivor.evening, body.sun_sinks and body.level.darkness > 0)
    if body.killed:
        believe(Castaway.done[body.killed], True)


NEEDS = {
    "health": Castaway.health,
    "food": Castaway.food,
    "drink": Castaway.drink,
    "energy": Castaway.energy,
}


def is_closed(body: Body) -> bool:
    """Whether nothing can walk up to him: he stands in a room of four cells at most."""
    room, to_look_at = {body.here}, [body.here]
    while to_look_at and len(room) <= 4:
        for cell in beside(to_look_at.pop()):
            if cell not in body.map:
                return False
            if cell not in room and body.map[cell] in FREE:
                room.add(cell)
                to_look_at.append(cell)
    return len(room) <= 4 and not any(cell in body.creatures for cell in room)


def is_exposed(body: Body) -> bool:
    """Whether zombies are about: they come from the grass, and see eight cells far."""
    return sum(body.map[cell] == "grass" for cell in body.seen) > 5
