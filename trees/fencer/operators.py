"""The operators and sensors of the fencer, and the arena in which he fights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from bthtn.behaviours import Agent, Elapsed, Operators, PlainData, Running, Sensors

operators = Operators()
sensors = Sensors()


@dataclass(slots=True)
class Arena(PlainData):
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
@operators.on_resume("walk")
def walk(agent: Fencer, reach: float, elapsed: Elapsed | None = None) -> Running:  # noqa: ARG001 - until the attack can hit
    """Ends when its neighbour does, which sees that the attack can hit."""
    if elapsed is not None:  # he has made his step in this tick
        yield
    while True:
        agent.body.distance = max(0.5, agent.body.distance - 1.5)
        yield


@operators.bind("can_hit")
@operators.on_resume("can_hit")
def can_hit(agent: Fencer, reach: float, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - he looks on
    while agent.beliefs.now.distance > reach:
        yield


@operators.bind("strike")
@operators.on_resume("strike")
def strike(
    agent: Fencer,
    animation: str,  # noqa: ARG001 - shown by a game
    reach: float,
    damage: int,
    elapsed: Elapsed = Elapsed(),  # noqa: ARG001 - a tick
) -> Running:
    """Two ticks for every animation; a foe who has jumped back is missed."""
    yield
    if agent.body.distance <= reach:
        agent.body.foe_health -= damage


@operators.bind("roar")
def roar(agent: Fencer) -> None:
    """A game would play a sound."""


@operators.bind("wait")
@operators.on_resume("wait")
def wait(agent: Fencer, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - nothing is done
    yield
