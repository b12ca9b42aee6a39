"""The warrior's tree: fight, with the club while it lasts, and then with his nails."""

from __future__ import annotations

from typing import Any

from bthtn import seconds
from bthtn.behaviours import Agent, Character, Elapsed, OperatorFailed, Operators, PlanGoal, Running
from bthtn.examples.domains.club.domain import Distance, Fighter, club

from .arena import Arena

Warrior = Agent[Fighter, Arena]
# Any, because the tasks of a Design have the types of its functions.
tasks: Any = club
operators = Operators()


def wound(arena: Arena, stamina: int) -> None:
    """Whoever has stepped back is not hit. Raises OperatorFailed."""
    if arena.distance is Distance.FAR:
        raise OperatorFailed("the hero has stepped back")
    arena.stamina -= stamina


@operators.bind(tasks.approach)
def approach(agent: Warrior) -> Running:
    if agent.body.distance is Distance.FAR:
        yield seconds(2)
    agent.body.distance = Distance.NEAR


@operators.on_resume(tasks.approach)
def approach_on(agent: Warrior, elapsed: Elapsed) -> Running:
    yield seconds(2 - elapsed.seconds)
    agent.body.distance = Distance.NEAR


@operators.bind(tasks.roar)
@operators.on_resume(tasks.roar)
def roar(agent: Warrior, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - every operator is given the agent
    yield seconds(1.5 - elapsed.seconds)


@operators.bind(tasks.club)
@operators.on_resume(tasks.club)
def strike(agent: Warrior, elapsed: Elapsed = Elapsed()) -> Running:
    yield seconds(1 - elapsed.seconds)
    wound(agent.body, 3)


@operators.bind(tasks.scratch)
@operators.on_resume(tasks.scratch)
def scratch(agent: Warrior, elapsed: Elapsed = Elapsed()) -> Running:
    yield seconds(0.5 - elapsed.seconds)
    wound(agent.body, 1)


def warrior_in(arena: Arena, running: Character | None = None) -> Character:
    """The warrior, until the hero has fallen."""
    agent = Agent("warrior", club, Fighter(), body=arena, operators=operators, clock=arena.clock)
    if running is not None:
        agent = running.agent.reload(agent)
    return Character(
        PlanGoal("fight", agent, tasks.fight()),
        agent,
        sense=lambda: arena.step(agent),
        finished=lambda: arena.is_over,
        world=arena,
    )


def character(seed: int = 0, running: Character | None = None) -> Character:  # noqa: ARG001 - nothing here is left to chance
    """The warrior against a hero who steps back once."""
    arena = Arena({3.0: Distance.FAR}, stamina=5)
    return warrior_in(arena if running is None else running.agent.body, running)
