"""Routines as they are written without a planner, and the leaf that asks one.

The leaves that act are goals of a single task, so all of them act with the same tasks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector, Sequence

from bthtn import Condition, Settings
from bthtn.behaviours import Agent, Believes, PlainData, PlanGoal
from bthtn.examples.domains.ammunition.domain import FULL, Medic, Shooter, helping


@dataclass(slots=True)
class Game(PlainData):
    """The rounds that he has begun."""

    begun: list[str] = field(default_factory=list)


Gunner = Agent[Any, Game]


def rule(agent: Gunner, condition: Condition, action: Behaviour) -> Behaviour:
    """もし…なら: do something if something holds."""
    asked = Believes(str(condition), agent, condition)
    return Sequence(f"if {asked.name}", memory=False, children=[asked, action])


def routine_1(agent: Gunner) -> Behaviour:
    """Resupply with an empty gun; attack whoever is there."""
    rules = [
        rule(agent, Shooter.bullets == 0, PlanGoal("resupply", agent, helping.resupply())),
        rule(agent, Shooter.needed > 0, PlanGoal("attack", agent, helping.attack())),
    ]
    return Selector("routine 1", memory=False, children=rules)


def routine_2(agent: Gunner) -> Behaviour:
    """Resupply without enough bullets to kill, unless the gun is full; attack whoever is there."""
    too_few = (Shooter.bullets < Shooter.needed) & (Shooter.bullets < FULL)
    rules = [
        rule(agent, too_few, PlanGoal("resupply", agent, helping.resupply())),
        rule(agent, Shooter.needed > 0, PlanGoal("attack", agent, helping.attack())),
    ]
    return Selector("routine 2", memory=False, children=rules)


def routine_with_ally(agent: Gunner) -> Behaviour:
    """The second routine, and what it takes to help an ally: two more rules, in the right place."""
    rules = [
        rule(
            agent,
            Medic.ally_hurt & Medic.has_medicine,
            PlanGoal("recover", agent, helping.recover()),
        ),
        rule(agent, Medic.ally_hurt, PlanGoal("get medicine", agent, helping.get_medicine())),
        routine_2(agent),
    ]
    return Selector("routine with an ally", memory=False, children=rules)


def planner(agent: Gunner) -> Behaviour:
    """The cheapest plan; there are no rules."""
    return PlanGoal("planner", agent, helping.win(), settings=Settings(cheapest=True))
