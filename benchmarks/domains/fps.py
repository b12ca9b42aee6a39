"""A shooter's choice: shoot if that can be arranged, otherwise close in; from all 32 states."""

from __future__ import annotations

from itertools import product

from benchmarks.modes import Question
from bthtn import Domain, Fluent, Methods, State, fluent, method

FLUENTS = ("has_target", "has_ammo", "has_magazine", "sees_target", "at_target")


class Shooter(State):
    """What a shooter believes."""

    has_target: Fluent[bool] = fluent(default=False)
    has_ammo: Fluent[bool] = fluent(default=False)
    has_magazine: Fluent[bool] = fluent(default=False)
    sees_target: Fluent[bool] = fluent(default=False)
    at_target: Fluent[bool] = fluent(default=False)


fps = Domain("fps", Shooter)


@fps.compound
def kill_target() -> Methods:
    """Shooting is preferred."""
    yield method(prepare_shooting(), shoot())
    yield method(melee(), when=Shooter.at_target)
    yield method(move_to_target(), melee())


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


melee = fps.primitive(
    "melee",
    precondition=Shooter.has_target & Shooter.at_target,
    effects=[Shooter.has_target.becomes(False), Shooter.at_target.becomes(False)],
)
shoot = fps.primitive(
    "shoot",
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


def question(case: Case) -> Question:
    """From one of the states."""
    return Question(fps, Shooter(**dict(zip(FLUENTS, case, strict=True))), kill_target())
