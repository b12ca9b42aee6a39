"""The soldier's senses: what of the world he believes, tick by tick."""

from __future__ import annotations

from bthtn import Fluent, fluent
from bthtn.behaviours import Agent
from bthtn.examples.domains.combat.domain import Distance, Soldier

from .body import Body


class Rifleman(Soldier):
    """What a soldier believes, and what only his tree asks."""

    health: Fluent[int] = fluent(default=100)
    medkit: Fluent[bool] = fluent(default=True)
    noise: Fluent[bool] = fluent(default=False)


def sense(agent: Agent[Soldier, Body]) -> None:
    """Believe what can be perceived of the world."""
    body, world = agent.body, agent.body.world
    agent.believe(Rifleman.health, world.soldier.health)
    agent.believe(Rifleman.medkit, body.medkits > 0)
    agent.believe(Rifleman.noise, world.enemy_heard)
    agent.believe(Soldier.target, world.enemy_known)
    agent.believe(Soldier.target_alive, world.enemy.alive)
    agent.believe(Soldier.line_of_fire, world.line_of_fire)
    agent.believe(Soldier.distance, Distance.NEAR if body.enemy_near else Distance.FAR)
    agent.believe(Soldier.cover, body.cover is not None)
    agent.believe(Soldier.in_cover, world.in_cover)
    agent.believe(Soldier.ammo, body.rounds > 0)
    agent.believe(Soldier.magazine, body.magazines > 0)
