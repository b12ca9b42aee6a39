"""Attacks from one template: come near if it is far, then strike."""

from __future__ import annotations

from typing import Final

from bthtn import (
    CompoundTask,
    Domain,
    Fluent,
    Methods,
    Resource,
    State,
    fluent,
    method,
    null,
    parallel,
)


class Attacker(State):
    """The beliefs of an enemy of the player; distances are in metres."""

    distance: Fluent[float] = fluent(default=8.0)
    can_slash: Fluent[bool] = fluent(default=True)
    can_bash: Fluent[bool] = fluent(default=True)


ATTACK_RANGE_MAX: Final = 2.0
LEGS = Resource("legs")
IN_RANGE = Attacker.distance <= ATTACK_RANGE_MAX

melee = Domain("melee", Attacker)


@melee.compound
def attack_main() -> Methods:
    """The root of every attack; what an enemy can do are the methods here."""
    yield method(melee_slash(), when=Attacker.can_slash)
    yield method(melee_bash(), when=Attacker.can_bash)


@melee.compound
def move_to_attack() -> Methods:
    """Come near. Locomote is nothing for who is near already; the Null beside it is."""
    yield method(
        parallel(move_to(), can_hit_attack(), policy="any"),
        name="Locomote",
        when=~IN_RANGE,
    )
    yield method(null(), name="Null")


# ModifyState: half the range is near enough to plan on. Both of them say so, because whichever is
# done first cuts the other off, and only what both bring about is known behind them.
near_enough = Attacker.distance.becomes(ATTACK_RANGE_MAX / 2)
move_to = melee.primitive("move_to", expected=near_enough, uses=LEGS, duration=4)
can_hit_attack = melee.primitive("can_hit_attack", expected=near_enough, duration=2)


def melee_attack(name: str) -> CompoundTask[[]]:
    """The template: an attack like all others, but for its animation."""
    strike = melee.primitive(f"p_melee_{name}", precondition=IN_RANGE, duration=1)

    def attack() -> Methods:
        yield method(move_to_attack(), strike())

    attack.__name__ = f"melee_{name}"  # a task is called as its function is
    return melee.compound(attack)


melee_slash = melee_attack("slash")
melee_bash = melee_attack("bash")
