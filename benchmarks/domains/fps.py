"""A shooter's choice: shoot if that can be arranged, otherwise close in; from all 32 states.

The enemy's name is an argument of the last step, so that each question can have another plan.
"""

from __future__ import annotations

from itertools import product

from benchmarks.modes import Question
from bthtn import Domain, Fluent, Methods, Primitive, State, fluent, method, primitive

FLUENTS = ("has_target", "has_ammo", "has_magazine", "sees_target", "at_target")


class Shooter(State):
    """What a shooter believes."""

    has_target: Fluent[bool] = fluent(default=False)
    has_ammo: Fluent[bool] = fluent(default=False)
    has_magazine: Fluent[bool] = fluent(default=False)
    sees_target: Fluent[bool] = fluent(default=False)
    at_target: Fluent[bool] = fluent(default=False)
    enemy: Fluent[str] = fluent(default="enemy 0")


fps = Domain("fps", Shooter)


@fps.compound
def kill_target() -> Methods:
    """Shooting is preferred."""
    yield method(prepare_shooting(), shoot(Shooter.enemy))
    yield method(melee(Shooter.enemy), when=Shooter.at_target)
    yield method(move_to_target(), melee(Shooter.enemy))


@fps.compound
def prepare_shooting() -> Methods:
    """Have a loaded gun and a line of sight; impossible without ammo and magazine."""
    yield method(reload(), prepare_shooting(), when=~Shooter.has_ammo & Shooter.has_magazine)
    yield method(
        move_to_shooting_point(),
        prepare_shooting(),
        when=Shooter.has_ammo & ~Shooter.sees_target,
    )
    yield method(when=Shooter.has_ammo & Shooter.sees_target)


@fps.primitive
def melee(enemy: str) -> Primitive:
    """With bare hands."""
    return primitive(
        precondition=Shooter.has_target & Shooter.at_target,
        effects=[Shooter.has_target.becomes(False), Shooter.at_target.becomes(False)],
    )


@fps.primitive
def shoot(enemy: str) -> Primitive:
    """Once."""
    return primitive(
        precondition=Shooter.has_target & Shooter.has_ammo & Shooter.sees_target,
        effects=[Shooter.has_target.becomes(False), Shooter.sees_target.becomes(False)],
    )


reload = fps.primitive(
    "reload",
    precondition=~Shooter.has_ammo & Shooter.has_magazine,
    effects=[Shooter.has_ammo.becomes(True), Shooter.has_magazine.becomes(False)],
)
move_to_target = fps.primitive(
    "move_to_target",
    precondition=~Shooter.at_target,
    effects=Shooter.at_target.becomes(True),
)
move_to_shooting_point = fps.primitive(
    "move_to_shooting_point",
    precondition=~Shooter.sees_target,
    effects=Shooter.sees_target.becomes(True),
)

Case = tuple[bool, ...]
CASES: tuple[Case, ...] = tuple(product((False, True), repeat=len(FLUENTS)))


def question(case: Case, number: int = 0) -> Question:
    """From one of the states."""
    values = dict(zip(FLUENTS, case, strict=True))
    return Question(fps, Shooter(enemy=f"enemy {number}", **values), kill_target())
