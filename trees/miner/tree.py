"""The miner's tree: deliver ore, again and again, until the heap is high enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bthtn.behaviours import Agent, Character, Elapsed, Operators, PlainData, PlanGoal, Running
from bthtn.examples.domains.ore import domain
from bthtn.examples.domains.ore.domain import Miner, Place, Thing, ore

HEAP: Final = 4
"""Pieces that are to lie at the camp."""


@dataclass(slots=True)
class Way(PlainData):
    """Where the miner goes; his tool falls out of his bag once, in this tick."""

    falls: int = 6
    tick: int = 0

    def step(self, agent: Digger) -> None:
        """Let a tick pass; he notices at once that his bag is lighter."""
        self.tick += 1
        if self.tick == self.falls:
            agent.believe(Miner.has[Thing.TOOL], value=False)


Digger = Agent[Miner, Way]
operators = Operators()


@operators.bind(domain.move_to)
@operators.on_resume(domain.move_to)
def move_to(agent: Digger, place: Place, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - all ways are equally long
    for _ in range(elapsed.ticks, 3):
        yield


@operators.bind(domain.pickup)
@operators.on_resume(domain.pickup)
def pickup(agent: Digger, thing: Thing, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - the effects are the domain's
    yield


@operators.bind(domain.drop_ore)
def drop_ore(agent: Digger) -> None:
    """How much that is, the domain counts."""


def miner_on(way: Way, running: Character | None = None) -> Character:
    """The miner, who carries two pieces at a time."""
    agent = Agent("miner", ore, Miner(wanted=2), body=way, operators=operators)
    if running is not None:
        agent = running.agent.reload(agent)
    root = PlanGoal("deliver", agent, domain.deliver_ore())
    return Character(
        root,
        agent,
        sense=lambda: way.step(agent),
        finished=lambda: agent.beliefs.now.delivered >= HEAP,
        world=way,
    )


def character(seed: int = 0, running: Character | None = None) -> Character:  # noqa: ARG001 - nothing here is left to chance
    """The miner on a way on which he loses his tool."""
    return miner_on(Way() if running is None else running.agent.body, running)
