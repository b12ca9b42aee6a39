"""The trunk thumper, 12.9 and 12.10: walking in the background, and planning less."""

from __future__ import annotations

from dataclasses import replace

from bthtn import Fluent, fluent, method, primitive
from bthtn.examples.domains.design import Task

from .thumper import Place, Range, Thumper, Troll

# 12.9  walking in the background: a task that only begins something


class Walking(Troll):
    """A troll who knows that his legs are busy, and who hits him."""

    has_enemy: Fluent[bool] = fluent(default=True)
    enemy_range: Fluent[Range] = fluent(default=Range.VIEW)
    navigating: Fluent[bool] = fluent(default=False)
    hit_by_ranged_attack: Fluent[bool] = fluent(default=False)


class Background(Thumper, state=Walking):
    """As printed: whoever is on his way is sent there again, and never guards his face."""

    def be_trunk_thumper(self) -> Task:
        near = Walking.enemy_range <= Range.MELEE
        yield method(self.do_trunk_slam(), when=Walking.has_enemy & near)
        yield method(self.navigate_to_enemy(), when=Walking.has_enemy & ~near)
        yield method(
            self.guard_face_with_arm(), when=Walking.navigating & Walking.hit_by_ranged_attack
        )
        yield method(self.idle())

    def navigate_to_enemy(self) -> Task:
        """Sets off, and is done. A sensor says when he is there."""
        return primitive(effects=Walking.navigating.becomes(True))

    def guard_face_with_arm(self) -> Task:
        return primitive()

    def idle(self) -> Task:
        return primitive()


class SettingOffOnce(Background):
    """Who is on his way does not set off again, and has a hand free."""

    def be_trunk_thumper(self) -> Task:
        slam, set_off, *rest = super().be_trunk_thumper()
        yield from (slam, replace(set_off, when=set_off.when & ~Walking.navigating), *rest)


# 12.10  planning only what comes next


class Enduring(Troll):
    """A troll whose strength ends."""

    stamina: Fluent[int] = fluent(default=1)


class Paths(Thumper, state=Enduring):
    """The whole way is planned, and then the slam at its end."""

    def be_trunk_thumper(self) -> Task:
        attack, _ = super().be_trunk_thumper()
        yield attack

    def navigate_to_enemy(self) -> Task:
        yield method(self.path_a(), self.path_b())

    def path_a(self) -> Task:
        return primitive(duration=4)

    def path_b(self) -> Task:
        return primitive(effects=Troll.location.becomes(Place.ENEMY), duration=4)

    def do_trunk_slam(self) -> Task:
        return primitive(precondition=Enduring.stamina > 0, duration=1)


class Ranging(Troll):
    """A troll who knows how far it is."""

    enemy_range: Fluent[Range] = fluent(default=Range.VIEW)


class Split(Thumper, state=Ranging):
    """Two plans instead of one, told apart by the range."""

    def be_trunk_thumper(self) -> Task:
        far = Ranging.enemy_range > Range.MELEE
        yield method(self.navigate_to_enemy(), when=Troll.can_see_enemy & far)
        yield method(self.do_trunk_slam(), when=Troll.can_see_enemy)
