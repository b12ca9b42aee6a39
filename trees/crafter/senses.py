"""The castaway's senses: what is believed after a step."""

from __future__ import annotations

from typing import Final

from bthtn import Fluent, fluent
from bthtn.behaviours import Agent
from bthtn.examples.domains.crafter.beliefs import SOURCES, Castaway
from bthtn.kit.grids import distance, nearest

from .body import CREATURES, Body
from .shelter import closed_room, has_well
from .steps import reflex

Castaways = Agent[Castaway, Body]

DUSK: Final = 0.5
"""So dark that one sees little; from then on more than one zombie comes at a time."""
DAWN: Final = 0.3
"""By then they are fewer again; who waits for broad daylight starves behind his walls."""
DAY: Final = 300
AFTERNOON: Final = 100
"""So many steps into the day, some forty before dusk, it is time to see to the needs."""
A_WALK: Final = 12
"""It is shorter to a table that is so far away than to wood for another one."""
AT_HAND: Final = 8
"""A cow so near, that is in view or was just now, is eaten before he is hungry."""
NEEDS: Final = {
    "health": Castaway.health,
    "food": Castaway.food,
    "drink": Castaway.drink,
    "energy": Castaway.energy,
}


class Survivor(Castaway):
    """What a castaway believes, and what only his tree asks."""

    danger: Fluent[bool] = fluent(default=False)
    cow_at_hand: Fluent[bool] = fluent(default=False)
    well: Fluent[bool] = fluent(default=False)
    evening: Fluent[bool] = fluent(default=False)


def sense(agent: Castaways) -> None:
    """Believe what can be told from the picture. What was seen once is remembered."""
    body, believe = agent.body, agent.believe
    for thing, count in body.has.items():
        believe(NEEDS[thing] if thing in NEEDS else Castaway.has[thing], count)
    for kind in (*dict.fromkeys(SOURCES.values()), "plant-ripe"):
        believe(Castaway.known[kind], bool(body.map.cells_of(kind)))
    for creature in CREATURES:
        believe(Castaway.known[creature], bool(body.creatures.cells_of(creature)))
    believe(Castaway.known["bed"], bool(body.beds))
    if body.killed:
        believe(Castaway.done[body.killed], True)

    cow = nearest(body.creatures.cells_of("cow"), body.here)
    believe(Survivor.cow_at_hand, cow is not None and distance(cow, body.here) <= AT_HAND)
    table, furnace = (nearest(body.map.cells_of(w), body.here) for w in ("table", "furnace"))
    is_near = table is not None and distance(table, body.here) <= A_WALK
    believe(Castaway.near["table"], is_near)
    both = table is not None and furnace is not None and distance(furnace, table) <= 2
    believe(Castaway.near["furnace"], is_near and both)

    room, night = closed_room(body), DUSK if body.sun_sinks else DAWN
    believe(Castaway.sheltered, bool(room))
    believe(Castaway.dark, body.level.darkness > night and not is_deep(body))
    believe(Survivor.well, has_well(body, room) and not body.asleep)
    believe(Survivor.danger, not body.asleep and reflex(body) is not None)
    believe(Survivor.evening, body.sun_sinks and body.level.steps % DAY > AFTERNOON)


def is_deep(body: Body) -> bool:
    """Whether he is in the rock at night: zombies come from the grass, and there is none near."""
    x, y = body.here
    near = ((x + dx, y + dy) for dx in range(-2, 3) for dy in range(-2, 3))
    return all(body.map.get(cell, "grass") not in ("grass", "sand") for cell in near)
