"""The trunk thumper, 12.8: attacks that have an end, and what may come between."""

from __future__ import annotations

from dataclasses import replace

from bthtn import Fluent, fluent, method, primitive
from bthtn.examples.domains.design import Task

from .thumper import Armed, Following, Range, Remembering

# 12.8  the attack has an end: roar, and throw boulders where slamming is impossible


class Careful(Remembering):
    """A troll who knows when he has attacked. A timer clears that again, no task does."""

    attacked_recently: Fluent[bool] = fluent(default=False)
    can_navigate_to_enemy: Fluent[bool] = fluent(default=True)


class Recovering(Following, state=Careful):
    """Roar after a slam; without a way to the enemy, or too early, throw a boulder."""

    def attack_enemy(self) -> Task:
        slam, uproot = super().attack_enemy()
        ready = ~Careful.attacked_recently & Careful.can_navigate_to_enemy
        yield replace(
            slam, body=(*slam.body, self.recovery_roar()), when=(Armed.trunk_health > 0) & ready
        )
        yield replace(uproot, when=Armed.trunk_health == 0)
        yield method(self.pickup_boulder(), self.throw_boulder())

    def do_trunk_slam(self) -> Task:
        slam = super().do_trunk_slam()
        return replace(slam, effects=[slam.effects, Careful.attacked_recently.becomes(True)])

    def recovery_roar(self) -> Task:
        return primitive()

    def pickup_boulder(self) -> Task:
        return primitive()

    def throw_boulder(self) -> Task:
        return primitive()


# 12.8  every third slam makes a whirlwind


class Mighty(Remembering):
    """A troll who gathers power."""

    power_up: Fluent[int] = fluent(default=0)
    enemy_range: Fluent[Range] = fluent(default=Range.VIEW)


class Whirling(Following, state=Mighty):
    """Slam, recover; and a whirlwind when there is power enough. The ranges are as printed."""

    def attack_enemy(self) -> Task:
        yield method(
            self.do_whirlwind_trunk_attack(), self.do_recovery(), when=Mighty.power_up == 3
        )
        yield method(
            self.do_trunk_slam(), self.do_recovery(), when=Mighty.enemy_range > Range.MELEE
        )

    def do_trunk_slam(self) -> Task:
        return primitive(effects=Mighty.power_up.increases(1))

    def do_whirlwind_trunk_attack(self) -> Task:
        return primitive(effects=Mighty.power_up.becomes(0))

    def do_recovery(self) -> Task:
        return primitive()


class Tired(Mighty):
    """A troll who knows that he has to recover."""

    is_tired: Fluent[bool] = fluent(default=False)


class Tiring(Whirling, state=Tired):
    """A slam makes tired, so that the whirlwind cannot come before he has recovered."""

    def do_trunk_slam(self) -> Task:
        slam = super().do_trunk_slam()
        return replace(slam, effects=[slam.effects, Tired.is_tired.becomes(True)])

    def do_whirlwind_trunk_attack(self) -> Task:
        return replace(super().do_whirlwind_trunk_attack(), precondition=~Tired.is_tired)

    def do_recovery(self) -> Task:
        return primitive(effects=Tired.is_tired.becomes(False))
