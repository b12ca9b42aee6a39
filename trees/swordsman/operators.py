"""The operators and the sensor of the swordsman, and the hero whom he attacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bthtn import seconds
from bthtn.behaviours import Agent, Elapsed, ManualClock, Operators, PlainData, Running, Sensors

STEP = 1.0
"""Metres that he walks in a tick."""
SECONDS_PER_TICK = 0.5

operators = Operators()
sensors = Sensors()


@dataclass(slots=True)
class Hero(PlainData):
    """Who is attacked. He guards himself from the first hit on, until a bash breaks the guard."""

    stamina: int = 3
    distance: float = 6.0
    guarded: bool = False
    hits: list[str] = field(default_factory=list)
    clock: ManualClock = field(default_factory=ManualClock)

    def step(self) -> None:
        """Let a tick pass."""
        self.clock.advance(SECONDS_PER_TICK)

    def struck(self, attack: str) -> None:
        """Be hit; what meets the guard does nothing, and a bash throws him back."""
        self.hits.append(attack)
        self.stamina -= not self.guarded
        self.guarded = not self.guarded
        if attack == "Bash":
            self.distance += 3


Swordsman = Agent[Any, Hero]


def body(seed: int) -> Hero:  # noqa: ARG001 - nothing here is left to chance
    """A hero of some stamina."""
    return Hero()


@sensors.sensor("distance", "guarded", "stamina")
def eyes(agent: Swordsman) -> Mapping[str, object]:
    """How the hero is."""
    hero = agent.body
    return {"distance": hero.distance, "guarded": hero.guarded, "stamina": hero.stamina}


@operators.bind("MoveTo")
@operators.on_resume("MoveTo")
def walk(agent: Swordsman, reach: float, elapsed: Elapsed | None = None) -> Running:  # noqa: ARG001 - until the attack can hit
    """To the hero; he never arrives, the attack begins before."""
    if elapsed is not None:  # he has made his step in this tick
        yield
    while True:
        agent.body.distance = max(0.0, agent.body.distance - STEP)
        yield


@operators.bind("CanHitAttack")
@operators.on_resume("CanHitAttack")
def watch(agent: Swordsman, reach: float, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - he watches on
    """Watches all the time, and cuts the walk off."""
    while agent.beliefs.now.distance > reach:
        yield


@operators.bind("P_Melee")
@operators.on_resume("P_Melee")
def strike(
    agent: Swordsman,
    animation: str,
    reach: float,  # noqa: ARG001 - planned with
    time: float,
    elapsed: Elapsed = Elapsed(),
) -> Running:
    yield seconds(time - elapsed.seconds)
    agent.body.struck(animation)
