"""World: a small state with a fluent of every kind, the subject of random problems."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

from bthtn.engine.domain.effect import EffectLike
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.declarations import fluent, fluents
from bthtn.engine.world.expression import Condition
from bthtn.engine.world.fluent import Fluent, FluentFamily
from bthtn.engine.world.relation import Relation, relation
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import UNKNOWN


class Mood(Enum):
    """An ordered Enum for a fluent."""

    CALM = "calm"
    ALERT = "alert"
    ANGRY = "angry"


class World(State):
    """Fluents of type bool, int, float, Enum, str, a family, relations, the volatile ``seen``."""

    open: Fluent[bool] = fluent(default=False)
    lit: Fluent[bool] = fluent(default=True)
    armed: Fluent[bool] = fluent(default=False)
    count: Fluent[int] = fluent(default=0)
    ammo: Fluent[int] = fluent(default=1)
    fuel: Fluent[float] = fluent(default=1.0)
    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    place: Fluent[str] = fluent(default="a")
    seen: Fluent[bool] = fluent(default=False, volatile=True)
    at: FluentFamily[str, bool] = fluents(default=False)
    home: Relation[str] = relation(default=("a",))
    way: Relation[tuple[str, str]] = relation(default=(("a", "b"),))


MEMBERS: Final = ("a", "b")
"""The values of ``place``, which are also indices of ``at`` and arguments of tasks."""

PROMISES: Final[tuple[tuple[Assignment, ...], ...]] = (
    (),
    (World.lit.becomes(True),),  # noqa: FBT003 - the value is the data
    (World.count.increases(1), World.mood.becomes(Mood.ALERT)),
    (World.at[World.place].becomes(World.lit),),
)
"""Effects that deferred tasks ensure."""


VALUES: Final[tuple[tuple[Any, Any], ...]] = (
    (MEMBERS, None),
    (("b", "a"), None),
    (MEMBERS, lambda state, name: name != state.place),
    (frozenset(MEMBERS), lambda state, name: state.at[name]),
    (lambda state: ("b", "a") if state.lit else ("a",), None),
    (lambda state: () if state.armed else ("b", state.place), None),
    (World.home, None),
    (World.way[World.place, ...], lambda state, name: state.at[name]),
)
"""Values of a variable, each with the sort key or None."""

JOINED: Final[tuple[tuple[Any, ...], ...]] = (
    (World.way,),
    (World.home, MEMBERS),
    (World.way[..., "b"], World.home),
    (lambda state: ("b", state.place), World.way[World.place, ...]),
)
"""Values of two variables that are chosen at once, or of tuples to be unpacked to two."""

TIMES: Final[tuple[Any, ...]] = (
    0,
    1,
    2,
    World.count,
    World.ammo,
    World.count + 1,
    lambda state: state.ammo,
)
"""Numbers of repetitions."""

WEIGHTS: Final[tuple[Any, ...]] = (
    1,
    1,
    3,
    0.5,
    World.ammo,
    World.fuel,
    lambda state: 2 if state.lit else 0,
)
"""Weights of random choices."""


def conditions(who: str) -> tuple[Condition, ...]:
    """Conditions on this world; ``who`` is one of ``MEMBERS``, or the parameter of a task."""
    return (
        World.open,
        ~World.open,
        World.lit,
        World.armed,
        ~World.armed,
        World.count > 0,
        World.count < World.ammo,
        World.fuel >= 0.5,  # noqa: PLR2004 - half a tank
        World.mood < Mood.ANGRY,
        World.at[who],
        ~World.at[who],
        World.at[World.place],
        World.place != who,
        World.seen,
        World.home[who],
        World.way[World.place, who],
    )


def effects(who: str) -> tuple[EffectLike, ...]:
    """Effects on this world: constants, increases, computed values, a plain function."""

    def carry(state: World) -> None:
        state.armed = True
        state.at[who] = state.lit

    return (
        World.open.becomes(True),  # noqa: FBT003 - the value is the data
        World.open.becomes(UNKNOWN),
        World.lit.becomes(World.open),
        World.armed.becomes(True),  # noqa: FBT003 - a value, no switch
        World.armed.becomes(False),  # noqa: FBT003 - a value, no switch
        World.count.increases(1),
        World.count.increases(1),
        World.ammo.decreases(1),
        World.count.becomes(World.ammo + 1),
        World.fuel.decreases(0.5),
        World.mood.becomes(Mood.ANGRY),
        World.at[who].becomes(True),  # noqa: FBT003 - a value, no switch
        World.at[World.place].becomes(World.open),
        World.place.becomes(who),
        World.place.becomes(UNKNOWN),
        World.seen.becomes(True),  # noqa: FBT003 - a value, no switch
        carry,
    )
