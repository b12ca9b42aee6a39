"""The squad's tree: everybody serves, side by side, each with a plan of his own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel

from bthtn.behaviours import Agent, Character, Operators, PlanGoal
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
from bthtn.kit import read_groups

from .battle import SOUND, WEAK, Battle

RIGHTS: Final = Path(folder.__file__).with_name("groups.csv")
NAMES = ("Al", "Bo", "Cy", "Di")


class Squad:
    """Four soldiers, what they do, and who tells them."""

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.head = read_groups(RIGHTS, Soldier)["squad"].coordinator()
        code = self._operators()
        self.soldiers = [
            Agent(name, squad, Soldier(), body=battle, operators=code) for name in NAMES
        ]
        for soldier in self.soldiers:
            self.head.join(soldier)

    def sense(self) -> None:
        """What everybody believes now: his target, whom he helps, and whether it is his turn."""
        standing = self.battle.standing
        sides = dict.fromkeys(standing, len(NAMES) // max(1, len(standing)))
        targets = self.head.assign(sides, lambda _soldier, _side: 1)
        health = self.battle.soldiers
        helpers = [one for one in self.soldiers if health[one.name] >= WEAK]
        patients = self.head.pair(
            helpers,
            need=lambda one: WEAK - health[one.name],
            distance=lambda one, other: abs(NAMES.index(one.name) - NAMES.index(other.name)),
        )
        for soldier in self.soldiers:
            soldier.believe(Soldier.target, targets.get(soldier, ""), self.head.name)
            patient = patients[soldier].name if soldier in patients else ""
            soldier.believe(Soldier.patient, patient, self.head.name)
        self.head.step()

    def _operators(self) -> Operators:
        operators = Operators()
        operators.simulate(go_to, guard)
        operators.on_plan_start(strike)(self.head.ask)
        operators.on_plan_end(strike)(self.head.release)

        @operators.bind(wait_for_turn)
        def stand_by(agent: Agent[Soldier, Battle], target: str) -> Iterator[None]:
            while not self.head.may_attack(agent, target):
                yield

        @operators.bind(strike)
        def hit(agent: Agent[Soldier, Battle], target: str) -> Iterator[None]:
            yield
            agent.body.strike(agent.name, target)

        @operators.bind(bandage)
        def dress(agent: Agent[Soldier, Battle], patient: str) -> Iterator[None]:
            yield
            yield
            agent.body.bandage(patient)

        return operators


def character(seed: int = 0) -> Character:
    """The squad, watched through the eyes of its first soldier; he hears what all of them do."""
    battle = Battle(Random(seed), dict.fromkeys(NAMES, SOUND))  # noqa: S311 - dice, not secrets
    squad_at_war = Squad(battle)
    first, *others = squad_at_war.soldiers
    goals = [PlanGoal(one.name, one, serve()) for one in squad_at_war.soldiers]
    root = Parallel("squad", ParallelPolicy.SuccessOnAll(synchronise=False), list(goals))
    watched = Character(root, first, sense=squad_at_war.sense, finished=lambda: not battle.standing)
    for one in others:
        one.listener = first.emit
    return watched
