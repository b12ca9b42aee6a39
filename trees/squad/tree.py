"""The squad's tree: everybody serves, side by side, each with a plan of his own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel

from bthtn.behaviours import Agent, Character, Elapsed, Operators, PlainData, PlanGoal, Running
from bthtn.examples.domains import squad as folder
from bthtn.examples.domains.squad.domain import (
    Soldier,
    bandage,
    go_to,
    guard,
    serve,
    squad,
    strike,
    wait_for_turn,
)
from bthtn.kit import CombatCoordinator, read_groups

from .battle import SOUND, WEAK, Battle

RIGHTS: Final = Path(folder.__file__).with_name("groups.csv")
NAMES = ("Al", "Bo", "Cy", "Di")


@dataclass(frozen=True, slots=True)
class Field:
    """What the soldiers have in common, as their body: the battle, and who tells them."""

    battle: Battle
    head: CombatCoordinator


Comrade = Agent[Soldier, Field]
operators = Operators()
operators.simulate(go_to, guard)


@operators.on_plan_start(strike)
def ask(agent: Comrade, target: str) -> None:
    agent.body.head.ask(agent, target)


@operators.on_plan_end(strike)
def release(agent: Comrade, target: str) -> None:
    agent.body.head.release(agent, target)


@operators.bind(wait_for_turn)
@operators.on_resume(wait_for_turn)
def stand_by(agent: Comrade, target: str, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - he waits on
    while not agent.body.head.may_attack(agent, target):
        yield


@operators.bind(strike)
@operators.on_resume(strike)
def hit(agent: Comrade, target: str, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - one tick
    yield
    agent.body.battle.strike(agent.name, target)


@operators.bind(bandage)
@operators.on_resume(bandage)
def dress(agent: Comrade, patient: str, elapsed: Elapsed = Elapsed()) -> Running:
    for _ in range(elapsed.ticks, 3):
        yield
    agent.body.battle.bandage(patient)


class Squad(PlainData):
    """Four soldiers in a battle, and who tells them; or those of a running character, reloaded."""

    def __init__(self, battle: Battle, running: Character | None = None) -> None:
        rights = read_groups(RIGHTS, Soldier)["squad"].coordinator()
        self.battle = battle
        self.head = rights if running is None else running.agent.body.head
        self.head.attackers, self.head.term = rights.attackers, rights.term
        field = Field(battle, self.head)
        self.soldiers = [
            Agent(name, squad, Soldier(), body=field, operators=operators) for name in NAMES
        ]
        if running is not None:
            self.soldiers = [
                running.agents[soldier.name].reload(soldier) for soldier in self.soldiers
            ]
        for soldier in self.soldiers:
            self.head.join(soldier)

    def sense(self) -> None:
        """What everybody believes now: his target, whom he helps, and whether it is his turn."""
        standing = self.battle.standing
        sides = dict.fromkeys(standing, len(NAMES) // max(1, len(standing)))
        targets = self.head.assign(sides, lambda _soldier, _side: 1)
        health = self.battle.soldiers
        helpers = [soldier for soldier in self.soldiers if health[soldier.name] >= WEAK]
        patients = self.head.pair(
            helpers,
            need=lambda soldier: WEAK - health[soldier.name],
            distance=lambda one, other: abs(NAMES.index(one.name) - NAMES.index(other.name)),
        )
        for soldier in self.soldiers:
            soldier.believe(Soldier.target, targets.get(soldier, ""), self.head.name)
            patient = patients[soldier].name if soldier in patients else ""
            soldier.believe(Soldier.patient, patient, self.head.name)
        self.head.step()


def character(seed: int = 0, running: Character | None = None) -> Character:
    """The squad, watched through the eyes of its first soldier; he hears what all of them do.

    Reloaded, it goes on in its battle, with the rights as they are.
    """
    dice = Random(seed)  # noqa: S311 - dice, not secrets
    fresh = Battle(dice, dict.fromkeys(NAMES, SOUND))
    battle = fresh if running is None else running.agent.body.battle
    squad_at_war = Squad(battle, running)
    first, *others = squad_at_war.soldiers
    goals = [PlanGoal(soldier.name, soldier, serve()) for soldier in squad_at_war.soldiers]
    root = Parallel("squad", ParallelPolicy.SuccessOnAll(synchronise=False), list(goals))
    watched = Character(
        root,
        first,
        sense=squad_at_war.sense,
        finished=lambda: not battle.standing,
        world=squad_at_war,
    )
    for soldier in others:
        soldier.listener = first.emit
    return watched
