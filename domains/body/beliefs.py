"""The beliefs of the troll, and the reach of his club."""

from __future__ import annotations

from typing import Final

from bthtn import Fluent, State, fluent

MELEE_RANGE: Final = 2


class Troll(State):
    """An enemy somewhere, arrows, and whether the legs are on their way."""

    has_enemy: Fluent[bool] = fluent(default=False)
    enemy_range: Fluent[int] = fluent(default=10)
    navigating: Fluent[bool] = fluent(default=False)
    hit_by_arrow: Fluent[bool] = fluent(default=False)


class Walker(Troll):
    """And where he is, which only his legs care for."""

    at_enemy: Fluent[bool] = fluent(default=False)


near = Troll.has_enemy & (Troll.enemy_range <= MELEE_RANGE)
far = Troll.has_enemy & (Troll.enemy_range > MELEE_RANGE)
under_fire = Troll.navigating & Troll.hit_by_arrow
