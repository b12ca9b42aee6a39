"""A night guard: an arrest before a noise, a noise before the round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector, Sequence

from bthtn import Condition, Expression, NetworkLike
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    Completion,
    Elapsed,
    Operators,
    PlanGoal,
    Running,
    Sensors,
)
from bthtn.examples.domains.guard import domain
from bthtn.examples.domains.guard.domain import HEARD, SEEN, Guard, Room, guard

from .world import DARK, Museum

Guardian = Agent[Guard, Museum]

operators = Operators()
operators.simulate(domain.cuff, domain.look_around)
sensors = Sensors()


@operators.bind(domain.walk)
@operators.on_resume(domain.walk)
def walk(agent: Guardian, to: Room, elapsed: Elapsed = Elapsed()) -> Running:
    """Two ticks from any room to any other."""
    for _ in range(elapsed.ticks, 3):
        yield
    agent.body.guard = to


@operators.bind(domain.call)
def call(agent: Guardian) -> Completion:
    """Done when the station answers, which calls back."""
    return agent.body.call()


@operators.on_resume(domain.call)
def hold_the_line(agent: Guardian, elapsed: Elapsed) -> Completion:  # noqa: ARG001 - the museum knows
    return agent.body.hold()


@operators.bind(domain.switch_on)
def switch_on(agent: Guardian) -> None:
    agent.body.lamp = True


@operators.bind(domain.switch_off)
def switch_off(agent: Guardian) -> None:
    agent.body.lamp = False


@operators.bind(domain.change_battery)
@operators.on_resume(domain.change_battery)
def change_battery(agent: Guardian, elapsed: Elapsed = Elapsed()) -> Running:
    """Fumbling in the dark takes two ticks."""
    for _ in range(elapsed.ticks, 3):
        yield
    agent.body.battery = 30


@sensors.sensor(Guard.noise)
def ears(agent: Guardian) -> Mapping[Expression[Any], object]:
    """Nothing new is no silence: a noise is forgotten when somebody has looked."""
    heard = agent.body.noise
    return {Guard.noise: heard} if heard else {}


@sensors.sensor(Guard.intruder)
def eyes(agent: Guardian) -> Mapping[Expression[Any], object]:
    """Where the burglar is, or has run to."""
    seen = agent.body.seen
    return {Guard.intruder: seen} if seen else {}


@sensors.sensor(Guard.lit, Guard.charged)
def lamp(agent: Guardian) -> Mapping[Expression[Any], object]:
    """Whether there is light, and whether there could be."""
    return {Guard.lit: agent.body.lamp, Guard.charged: agent.body.battery > 0}


def while_true(name: str, agent: Guardian, condition: Condition, goal: NetworkLike) -> Behaviour:
    """A goal for as long as a condition holds."""
    holds = Believes(name=f"{name}?", agent=agent, condition=condition)
    return Sequence(f"while {name}", memory=False, children=[holds, PlanGoal(name, agent, goal)])


def guard_in(museum: Museum, running: Character | None = None) -> Character:
    """The guard on duty until the burglar is arrested and the light is out."""
    believed = Guard(dark=dict.fromkeys(DARK, True))
    agent = Agent("guard", guard, believed, body=museum, operators=operators, sensors=sensors)
    if running is not None:
        agent = running.agent.reload(agent)
    root = Selector(
        "guard",
        memory=False,
        children=[
            while_true("arrest", agent, SEEN, domain.arrest()),
            while_true("investigate", agent, HEARD, domain.investigate()),
            PlanGoal("patrol", agent, domain.patrol()),
        ],
    )
    over = Guard.arrested & ~Guard.lit
    return Character(
        root,
        agent,
        sense=museum.step,
        finished=lambda: over.evaluate(agent.beliefs) is True,
        world=museum,
    )


def character(seed: int = 0, running: Character | None = None) -> Character:  # noqa: ARG001 - nothing here is left to chance
    """The guard in a museum with a burglar; reloaded, in the museum where he is on duty."""
    return guard_in(Museum() if running is None else running.agent.body, running)
