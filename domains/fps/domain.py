"""A hunter who would rather shoot than strike, and what changes his behaviour."""

from __future__ import annotations

from dataclasses import replace

from bthtn import Fluent, State, fluent, method, primitive
from bthtn.examples.domains.design import Design, Task


class Hunter(State):
    """What somebody with a gun believes."""

    has_target: Fluent[bool] = fluent(default=True)
    has_ammo: Fluent[bool] = fluent(default=False)
    has_magazine: Fluent[bool] = fluent(default=True)
    can_see_target: Fluent[bool] = fluent(default=False)
    at_target: Fluent[bool] = fluent(default=False)


class Shooting(Design, state=Hunter):
    """Shoot if that can be prepared; else strike."""

    def kill_target(self) -> Task:
        """ターゲットを倒す: from afar, or here, or over there."""
        yield method(self.prepare_shooting(), self.shot())
        yield method(self.melee(), when=Hunter.at_target)
        yield method(self.move_to_target(), self.melee(), when=~Hunter.at_target)

    def prepare_shooting(self) -> Task:
        """射撃準備をする: do one thing that is missing, then whatever is still missing."""
        ammo, sight = Hunter.has_ammo, Hunter.can_see_target
        yield method(self.reload(), self.prepare_shooting(), when=~ammo)
        yield method(self.move_to_shooting_point(), self.prepare_shooting(), when=ammo & ~sight)
        yield method(when=ammo & sight)

    def melee(self) -> Task:
        return primitive(
            precondition=Hunter.has_target & Hunter.at_target,
            effects=[Hunter.has_target.becomes(False), Hunter.at_target.becomes(False)],
        )

    def shot(self) -> Task:
        return primitive(
            precondition=Hunter.has_target & Hunter.has_ammo & Hunter.can_see_target,
            effects=[Hunter.has_target.becomes(False), Hunter.can_see_target.becomes(False)],
        )

    def reload(self) -> Task:
        return primitive(
            precondition=~Hunter.has_ammo & Hunter.has_magazine,
            effects=[Hunter.has_ammo.becomes(True), Hunter.has_magazine.becomes(False)],
        )

    def move_to_target(self) -> Task:
        return primitive(
            precondition=~Hunter.at_target,
            effects=Hunter.at_target.becomes(True),
        )

    def move_to_shooting_point(self) -> Task:
        return primitive(
            precondition=Hunter.has_ammo & ~Hunter.can_see_target,
            effects=Hunter.can_see_target.becomes(True),
        )


class Striking(Shooting):
    """The methods in another order: strike if that is possible; else shoot."""

    def kill_target(self) -> Task:
        shoot, *strike = super().kill_target()
        yield from (*strike, shoot)


class SightFirst(Shooting):
    """The subtasks in another order: go to the shooting point, and reload there."""

    def prepare_shooting(self) -> Task:
        ammo, sight = Hunter.has_ammo, Hunter.can_see_target
        yield method(self.move_to_shooting_point(), self.prepare_shooting(), when=~sight)
        yield method(self.reload(), self.prepare_shooting(), when=sight & ~ammo)
        yield method(when=ammo & sight)


class Unloaded(SightFirst):
    """The same, for somebody who may go there with an empty gun."""

    def move_to_shooting_point(self) -> Task:
        return replace(super().move_to_shooting_point(), precondition=~Hunter.can_see_target)


fps = Shooting("fps")
striking = Striking("fps:striking")
sight_first = SightFirst("fps:sight_first")
unloaded = Unloaded("fps:unloaded")
