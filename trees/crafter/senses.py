"""The castaway's senses: what is believed after a step."""

from __future__ import annotations

from bthtn import Fluent, fluent
from bthtn.behaviours import Agent
from bthtn.examples.domains.crafter.beliefs import SOURCES, Castaway
from bthtn.kit.grids import beside

from .body import CREATURES, Body
from .steps import reflex

Castaways = Agent[Castaway, Body]
DUSK = 0.5
"""So dark that one sees little; most zombies come from then on."""
A_WALK = 12
"""It is shorter to a table that is so far away than to wood for another one."""


class Survivor(Castaway):
    """What a castaway believes, and what only his tree asks."""

    danger: Fluent[bool] = fluent(default=False)
    asleep: Fluent[bool] = fluent(default=False)
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
    for workshop in ("table", "furnace"):
        believe(Castaway.near[workshop], body.near(workshop, A_WALK))
    believe(Castaway.dark, body.level.darkness >= DUSK)
    believe(Castaway.sheltered, is_closed(body))
    believe(Survivor.danger, reflex(body) is not None)
    believe(Survivor.asleep, body.asleep)
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
    room, open_cells = {body.here}, [body.here]
    while open_cells and len(room) <= 4:
        for cell in beside(open_cells.pop()):
            if cell in body.creatures or cell not in body.map:
                return False
            if cell not in room and body.is_free(cell):
                room.add(cell)
                open_cells.append(cell)
    return len(room) <= 4
