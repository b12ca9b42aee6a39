"""The tasks of the swordsman, drawn as behaviour trees: two attacks from one template."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel, Selector, Sequence

from bthtn import Domain, Fluent, State, fluent, seconds
from bthtn.behaviours import Operators, Running
from bthtn.formats import CheckState, Command, ModifyState, Null, SubTask, task_from

STEP = 1.0
"""Metres that he walks in a tick."""


class Swordsman(State):
    """What he believes of the hero; the distance is in metres."""

    distance: Fluent[float] = fluent(default=6.0)
    guarded: Fluent[bool] = fluent(default=False)


@dataclass(slots=True)
class Attack:
    """What differs from one attack to the next: reach in metres, seconds of the animation."""

    name: str
    reach: float
    time: float


SLASH = Attack("Slash", reach=3.0, time=1.0)
BASH = Attack("Bash", reach=1.5, time=0.5)

swordsman, operators = Domain("swordsman", Swordsman), Operators()


def in_turn(name: str, *children: Behaviour) -> Sequence:
    """A drawn sequence."""
    return Sequence(name, memory=True, children=list(children))


def walk(agent: Any) -> Running:
    """MoveTo: to the hero; he never arrives, the attack begins before."""
    while True:
        agent.body.distance = max(0.0, agent.body.distance - STEP)
        yield


def define(attack: Attack) -> None:
    """The template: come into reach and strike; it makes the tasks of one attack."""
    is_near = Swordsman.distance <= attack.reach

    def can_hit(agent: Any) -> Running:
        """CanHitAttack: watches all the time, and cuts the walk off."""
        while agent.beliefs.now.distance > attack.reach:
            yield

    def strike(agent: Any) -> Running:
        yield seconds(attack.time)
        agent.body.struck(attack.name)

    def draw(name: str, tree: Behaviour) -> SubTask:
        task_from(swordsman, f"{name}_{attack.name}", tree, operators)
        return SubTask(f"{name}_{attack.name}")

    half = Swordsman.distance.becomes(attack.reach / 2)
    walking, watching = (
        draw(name, in_turn(name, ModifyState(half, kind="expected"), Command(name, operator)))
        for name, operator in (("MoveTo", walk), ("CanHitAttack", can_hit))
    )
    coming = Parallel("until it can hit", ParallelPolicy.SuccessOnOne(), [walking, watching])
    near = in_turn("Null", CheckState(is_near), Null())
    come = Selector("come", memory=True, children=[near, in_turn("Locomote", coming)])
    hit = in_turn("hit", CheckState(is_near), Command("animation", strike))
    whole = in_turn(attack.name, draw("MoveToAttack", come), draw("P_Melee", hit))
    task_from(swordsman, attack.name, whole)


for one in (SLASH, BASH):
    define(one)

attack_main = task_from(
    swordsman,
    "AttackMain",
    Selector(
        "attack",
        memory=True,
        children=[
            in_turn("break the guard", CheckState(Swordsman.guarded), SubTask("Bash")),
            in_turn("hit", SubTask("Slash")),
        ],
    ),
)
