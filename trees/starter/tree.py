"""A camper who hides from a wolf, and else keeps a fire burning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from py_trees.composites import Selector, Sequence

from bthtn import Expression
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    Operators,
    PlainData,
    PlanGoal,
    Running,
    Sensors,
)

from .domain import Camper, camping, gather, hide, keep_warm, light, rest, stay_alive

NIGHT = 20
"""Ticks until it gets light."""


@dataclass(slots=True)
class Camp(PlainData):
    """The world: a fire that burns for five ticks, and a wolf who stays for two."""

    wolf_comes: int
    fire: int = 0
    tick: int = 0

    @property
    def wolf(self) -> bool:
        """Whether the wolf is there."""
        return self.wolf_comes <= self.tick < self.wolf_comes + 2

    def step(self) -> None:
        """Let a tick pass."""
        self.tick += 1
        self.fire = max(0, self.fire - 1)


operators = Operators()
operators.simulate(gather)  # it has no code yet, and only takes its time
sensors = Sensors()


@operators.bind(light)
def strike_a_match(agent: Agent[Camper, Camp]) -> None:
    agent.body.fire = 5


@operators.bind(rest)
def sit_down(agent: Agent[Camper, Camp]) -> Running:
    """A step that goes on yields once in each tick."""
    while agent.body.fire > 0:
        yield


@operators.bind(hide)
def lie_still(agent: Agent[Camper, Camp]) -> Running:
    while agent.body.wolf:
        yield


@sensors.sensor(Camper.burning, Camper.wolf)
def look(agent: Agent[Camper, Camp]) -> Mapping[Expression[Any], object]:
    return {Camper.burning: agent.body.fire > 0, Camper.wolf: agent.body.wolf}


def character(seed: int = 0, running: Character | None = None) -> Character:
    """The character for ``bthtn run``; with ``--reload``, again for the world that it runs in."""
    camp = Camp(wolf_comes=2 + seed % 9) if running is None else running.agent.body
    agent = Agent("starter", camping, Camper(), body=camp, operators=operators, sensors=sensors)
    if running is not None:
        agent = running.agent.reload(agent)
    wolf = Believes(name="wolf?", agent=agent, condition=Camper.wolf)
    danger = [wolf, PlanGoal("stay alive", agent, stay_alive())]
    goals = [
        Sequence("danger", memory=False, children=danger),
        PlanGoal("keep warm", agent, keep_warm()),
    ]
    root = Selector("starter", memory=False, children=goals)
    return Character(root, agent, sense=camp.step, finished=lambda: camp.tick >= NIGHT, world=camp)
