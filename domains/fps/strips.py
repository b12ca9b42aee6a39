"""A shooter without methods: five actions, and a goal that decides which of them are used."""

from __future__ import annotations

from bthtn import Domain, Fluent, State, fluent


class Shooter(State):
    """What a shooter believes."""

    has_target: Fluent[bool] = fluent(default=False)
    has_ammo: Fluent[bool] = fluent(default=False)
    has_magazine: Fluent[bool] = fluent(default=False)
    can_see_target: Fluent[bool] = fluent(default=False)
    at_target: Fluent[bool] = fluent(default=False)


def shooter(
    name: str = "strips", *, melee_cost: int = 1, loads_first: bool = False
) -> Domain[Shooter]:
    """The domain, with what a designer may want to change about the behaviour.

    A dear ``melee`` makes shooting worth its preparations. With ``loads_first`` nobody goes to a
    shooting point without ammunition.
    """
    domain = Domain(name, Shooter)
    domain.primitive(
        "melee",
        precondition=Shooter.has_target & Shooter.at_target,
        effects=[Shooter.has_target.becomes(False), Shooter.at_target.becomes(False)],
        cost=melee_cost,
    )
    domain.primitive(
        "shot",
        precondition=Shooter.has_target & Shooter.has_ammo & Shooter.can_see_target,
        effects=[Shooter.has_target.becomes(False), Shooter.can_see_target.becomes(False)],
    )
    domain.primitive(
        "reload",
        precondition=~Shooter.has_ammo & Shooter.has_magazine,
        effects=[Shooter.has_ammo.becomes(True), Shooter.has_magazine.becomes(False)],
    )
    domain.primitive(
        "move_to_target",
        precondition=~Shooter.at_target,
        effects=Shooter.at_target.becomes(True),
    )
    unseen = ~Shooter.can_see_target
    domain.primitive(
        "move_to_shooting_point",
        precondition=unseen & Shooter.has_ammo if loads_first else unseen,
        effects=Shooter.can_see_target.becomes(True),
    )
    return domain


strips = shooter()
dear_melee = shooter("dear_melee", melee_cost=5)
loaded_first = shooter("loaded_first", melee_cost=5, loads_first=True)
