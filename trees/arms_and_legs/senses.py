"""The troll's sensors; each owns what it refreshes."""

from __future__ import annotations

from typing import Any

from bthtn.behaviours import Agent, Sensors
from bthtn.examples.domains.body.beliefs import Troll

from .world import World

Body = Agent[Any, World]


def senses(*, feels_his_legs: bool) -> Sensors:
    """What he sees and feels.

    Where something walks in the background no step runs that could say when it is over: then his
    feet have to tell.
    """
    sensors = Sensors()

    @sensors.sensor(Troll.has_enemy, Troll.enemy_range)
    def eyes(agent: Body) -> dict[Any, Any]:
        return {Troll.has_enemy: True, Troll.enemy_range: agent.body.distance}

    @sensors.sensor(Troll.hit_by_arrow)
    def skin(agent: Body) -> bool:
        return agent.body.hit

    if feels_his_legs:

        @sensors.sensor(Troll.navigating)
        def feet(agent: Body) -> bool:
            return agent.body.walking

    return sensors
