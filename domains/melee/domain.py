"""Attacks from one template: come near if it is far, then strike."""

from __future__ import annotations

from bthtn import Domain, Fluent, Methods, Resource, State, fluent, method, null, parallel
from bthtn.domain.task import CompoundTask


class Attacker(State):
    """What an enemy of the player believes; distances are in metres."""

    distance: Fluent[float] = fluent(default=8.0)
    attack_range_max: Fluent[float] = fluent(default=2.0)
    can_slash: Fluent[bool] = fluent(default=True)
    can_bash: Fluent[bool] = fluent(default=True)


LEGS = Resource("legs")
IN_RANGE = Attacker.distance <= Attacker.attack_range_max

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
        near_enough(),
        name="Locomote",
        when=~IN_RANGE,
    )
    yield method(null(), name="Null")


# ModifyState: how far away he will be is a step of its own, because under "any" nobody knows which
# of the branches will be cut off. It stands behind them: a hope counts while its step is ahead, and
# a plan is looked at while it walks. Half the range is near enough to plan on.
near_enough = melee.primitive(
    "near_enough",
    expected=Attacker.distance.becomes(Attacker.attack_range_max * 0.5),
)
move_to = melee.primitive("move_to", uses=LEGS, duration=4)
can_hit_attack = melee.primitive("can_hit_attack", duration=2)


def melee_attack(name: str) -> CompoundTask[[]]:
    """The template: an attack like all others, but for its animation."""
    strike = melee.primitive(f"p_melee_{name}", precondition=IN_RANGE, duration=1)

    def attack() -> Methods:
        yield method(move_to_attack(), strike())

    attack.__name__ = f"melee_{name}"  # a task is called as its function is
    return melee.compound(attack)


melee_slash = melee_attack("slash")
melee_bash = melee_attack("bash")
