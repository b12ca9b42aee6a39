"""The operators and sensors of the fencer, and the arena in which he fights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from bthtn.behaviours import Agent, Operators, Running, Sensors

operators = Operators()
sensors = Sensors()


@dataclass(slots=True)
class Arena:
    """How far away and how healthy the foe is, who jumps back now and then."""

    dice: Random
    distance: float = 8.0
    foe_health: int = 100

    def step(self) -> None:
        """Let a tick pass."""
        if self.dice.random() < 0.1:
            self.distance += 2.0


Fencer = Agent[Any, Arena]


def body(seed: int) -> Arena:
    """The arena of one run."""
    return Arena(Random(seed))  # noqa: S311 - dice, not secrets


@sensors.sensor("distance", "foe_health")
def eyes(agent: Fencer) -> Mapping[str, object]:
    """How the foe is."""
    return {"distance": agent.body.distance, "foe_health": agent.body.foe_health}


@operators.bind("walk")
def walk(agent: Fencer, reach: float) -> Running:  # noqa: ARG001 - until the attack can hit
    """Ends when its neighbour does, which sees that the attack can hit."""
    while True:
        agent.body.distance = max(0.5, agent.body.distance - 1.5)
        yield


@operators.bind("can_hit")
def can_hit(agent: Fencer, reach: float) -> Running:
    while agent.beliefs.now.distance > reach:
        yield


@operators.bind("strike")
def strike(agent: Fencer, animation: str, reach: float, damage: int) -> Running:  # noqa: ARG001 - shown by a game
    """Two ticks for every animation; a foe who has jumped back is missed."""
    yield
    if agent.body.distance <= reach:
        agent.body.foe_health -= damage


@operators.bind("roar")
def roar(agent: Fencer) -> None:
    """A game would play a sound."""


@operators.bind("wait")
def wait(agent: Fencer) -> Running:  # noqa: ARG001 - nothing is done
    yield
