"""The nodes of a soldier's plan, written by hand with py_trees alone: what acting costs anyway.

They are those that the plan from the first state of ``domains.combat`` is compiled to, one for one,
with the same conditions, durations and effects, and no planner, beliefs, events or interruptions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence


@dataclass
class Soldier:
    """What a soldier knows, and the time."""

    now: float = 0.0
    target: bool = True
    target_alive: bool = True
    in_cover: bool = True
    ammo: bool = True
    line_of_fire: bool = True


def _nothing(_: Soldier) -> None:
    """Changes nothing."""


class Step(Behaviour):
    """Takes so many seconds, has an effect at its end, and fails without its condition."""

    def __init__(
        self,
        name: str,
        soldier: Soldier,
        condition: Callable[[Soldier], bool] = lambda _: True,
        seconds: float = 0,
        effect: Callable[[Soldier], None] = _nothing,
    ) -> None:
        super().__init__(name)
        self.soldier = soldier
        self.condition = condition
        self.seconds = seconds
        self.effect = effect
        self.end = 0.0

    def initialise(self) -> None:
        self.end = self.soldier.now + self.seconds

    def update(self) -> Status:
        if not self.condition(self.soldier):
            return Status.FAILURE
        if self.soldier.now < self.end:
            return Status.RUNNING
        self.effect(self.soldier)
        return Status.SUCCESS


def fight(soldier: Soldier) -> Behaviour:
    """The whole tree."""
    cover = Step("cover", soldier, lambda s: s.in_cover, seconds=1)
    ready = Step("do_nothing", soldier)
    hidden = Step("no_line_of_fire", soldier, lambda s: not s.line_of_fire)
    shoot = Step("shoot", soldier, _can_shoot, 1, _shot)
    parts = [_sequence("take_cover", cover), _sequence("prepare_combat", ready)]
    both = Parallel("parallel", ParallelPolicy.SuccessOnAll(), parts)
    priority = Selector("priority", memory=False, children=[hidden, shoot])
    return _sequence("fight", _sequence("fight_from_cover", both, priority))


def _sequence(name: str, *children: Behaviour) -> Sequence:
    return Sequence(name, memory=True, children=[*children])


def _can_shoot(soldier: Soldier) -> bool:
    return soldier.target and soldier.ammo and soldier.target_alive


def _shot(soldier: Soldier) -> None:
    soldier.target = False
