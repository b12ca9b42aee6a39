"""The archer's tree: the warrior's goal in the same arena, with another domain."""

from __future__ import annotations

from typing import Any

from bthtn import seconds
from bthtn.behaviours import Agent, Character, Elapsed, Operators, PlanGoal, Running
from bthtn.examples.domains.club.domain import Distance, Fighter, archer
from bthtn.examples.trees.warrior.arena import Arena

Archer = Agent[Fighter, Arena]
# Any, because the tasks of a Design have the types of its functions.
tasks: Any = archer
operators = Operators()


@operators.bind(tasks.move_away)
@operators.on_resume(tasks.move_away)
def move_away(agent: Archer, elapsed: Elapsed = Elapsed()) -> Running:
    yield seconds(2 - elapsed.seconds)
    agent.body.distance = Distance.FAR


@operators.bind(tasks.shoot_bow)
@operators.on_resume(tasks.shoot_bow)
def shoot_bow(agent: Archer, elapsed: Elapsed = Elapsed()) -> Running:
    """The bow is drawn for a while; whoever is interrupted has not shot."""
    yield seconds(1.5 - elapsed.seconds)
    agent.body.stamina -= 1


def archer_in(arena: Arena, running: Character | None = None) -> Character:
    """The archer, until the hero has fallen."""
    agent = Agent("archer", archer, Fighter(), body=arena, operators=operators, clock=arena.clock)
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
    """The archer against a hero who comes near twice."""
    arena = Arena({3.0: Distance.NEAR, 9.0: Distance.NEAR}, stamina=4)
    return archer_in(arena if running is None else running.agent.body, running)
