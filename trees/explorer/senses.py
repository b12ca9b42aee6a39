"""The explorer's senses: what is believed after a step."""

from __future__ import annotations

from bthtn import UNKNOWN, Fluent, fluent
from bthtn.behaviours import Agent
from bthtn.examples.domains.minigrid.beliefs import Explorer, names
from bthtn.kit.grids import around

from .body import Body


class Walker(Explorer):
    """What an explorer believes, and what only his tree asks."""

    crowded: Fluent[bool] = fluent(default=False)


Explorers = Agent[Explorer, Body]


def sense(agent: Explorers) -> None:
    """Believe what the body knows. Its map is mirrored, so that plans can imagine it otherwise.

    All of it is believed in each step: others may write beliefs, and an agent may be a new one.
    """
    body, believe = agent.body, agent.believe
    believe(Explorer.at, body.here)
    believe(Explorer.front, body.front)
    believe(Explorer.carrying, body.carried)
    believe(Walker.crowded, not body.moving.isdisjoint((body.front, *around(body.front))))
    # Each thing under all its names; of several that share one, any will do.
    where = {thing: cell for cell, what in body.map.items() for thing in names(what)}
    gone = (thing for what in body.changed.values() for thing in names(what) if thing not in where)
    for cell, what in body.map.items():
        believe(Explorer.cell[cell], what)
    for thing in gone:
        believe(Explorer.where[thing], UNKNOWN)
    for thing, cell in where.items():
        believe(Explorer.where[thing], cell)
