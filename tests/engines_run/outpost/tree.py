"""An outpost: two guards and a drone, to whom everything is told that can be told in JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel, Selector, Sequence

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    Resource,
    State,
    fluent,
    fluents,
    method,
    primitive,
    seconds,
)
from bthtn.behaviours import Agent, Believes, Character, ManualClock, PlanGoal


class Sector(Enum):
    """Where somebody may come from; engines hear the names."""

    NORTH = 1
    EAST = 2
    SOUTH_EAST = 3


class Guard(State):
    """What a guard believes."""

    alarm: Fluent[bool] = fluent(default=False)
    enemy: Fluent[Sector | None] = fluent(default=None)
    watching: Fluent[Sector] = fluent(default=Sector.NORTH)
    distance: Fluent[float] = fluent(default=8.0)
    rounds: Fluent[int] = fluent(default=3)
    stance: Fluent[Literal["standing", "lying down"]] = fluent(default="standing")
    place: Fluent[tuple[int, int]] = fluent(default=(0, 0))
    post: Fluent[tuple[int, int]] = fluent(default=(0, 0))
    trust: FluentFamily[str, float] = fluents(default=0.5)
    seen: FluentFamily[tuple[str, Sector], bool] = fluents(default=False)
    word: Fluent[str] = fluent(default="schön “hier”")


LEGS = Resource("legs")
guard = Domain("guard", Guard)


@guard.primitive
def walk(to: tuple[int, int], pace: float) -> Primitive:
    """Go to a place."""
    return primitive(effects=Guard.place.becomes(to), duration=seconds(2), uses=LEGS)


@guard.primitive
def shoot(at: Sector, how: Literal["standing", "lying down"]) -> Primitive:
    loaded = (Guard.rounds > 0) & (Guard.stance == how)
    return primitive(precondition=loaded, effects=Guard.rounds.decreases(1), duration=seconds(0.5))


@guard.primitive
def call(whom: str, about: Sector | None) -> Primitive:
    """Tell somebody what there is, or that there is nothing."""
    return primitive(effects=Guard.seen[whom, Sector.EAST].becomes(False), duration=seconds(1))


reload = guard.primitive("reload", effects=Guard.rounds.becomes(3), duration=seconds(1))
look = guard.primitive("look", duration=seconds(3))


@guard.compound
def defend() -> Methods:
    """Shoot at whoever is near; call those who are trusted otherwise."""
    yield method(lambda state: shoot(state.enemy, state.stance), when=Guard.distance < 4)
    yield method(reload(), when=(Guard.rounds == 0) & (Guard.distance < 6))
    yield method(lambda state: call("Zoë, 2nd", state.enemy), when=Guard.trust["Zoë, 2nd"] > 0.4)
    yield method(lambda state: call("B", None), when=Guard.seen["B", Sector.EAST])
    yield method(look())


@guard.compound
def patrol() -> Methods:
    """Be at one's post, and look."""
    away = Guard.place != Guard.post
    yield method(lambda state: [walk(state.post, 1.5), look()], when=away)
    yield method(look())


class Drone(State):
    """What a drone believes."""

    charge: Fluent[float] = fluent(default=1.0)
    alarm: Fluent[bool] = fluent(default=False)


air = Domain("air", Drone)
fly = air.primitive("fly", duration=seconds(2), precondition=Drone.charge > 0.25)
charge = air.primitive("charge", effects=Drone.charge.becomes(1.0), duration=seconds(4))


@air.compound
def hover() -> Methods:
    yield method(fly(), when=Drone.alarm | (Drone.charge > 0.5))
    yield method(charge())


@dataclass
class Outpost:
    clock: ManualClock = field(default_factory=ManualClock)


def character(seed: int = 0) -> Character:
    outpost = Outpost()
    clock = outpost.clock
    ann, bob = (Agent(name, guard, Guard(), body=None, clock=clock) for name in ("Ann", "Bob"))
    drone = Agent("Drone", air, Drone(), body=None, clock=clock)
    goals = [*map(on_guard, (ann, bob)), PlanGoal("hover", drone, hover())]
    root = Parallel("outpost", ParallelPolicy.SuccessOnAll(synchronise=False), goals)
    return Character(root, ann, world=outpost)


def on_guard(agent: Agent) -> Selector:
    alarmed = Believes("alarmed", agent, Guard.alarm & ~Guard.enemy.is_in([None]))
    fight = Sequence("fight", memory=False, children=[alarmed, PlanGoal("defend", agent, defend())])
    rest = PlanGoal("patrol", agent, patrol())
    return Selector(f"{agent.name} on guard", memory=False, children=[fight, rest])
