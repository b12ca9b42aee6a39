"""The soldier of domains/combat as a port from GTPyhop writes him.

One step comes after the other, and every condition, effect and method is a function. Every step
changes something, because GTPyhop leaves a step that changes nothing out of its plans.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from benchmarks.modes import Question
from bthtn import Domain, Fluent, Methods, Primitive, State, fluent, method, primitive

FLUENTS = ("target", "cover", "in_cover", "ammo", "magazine")

Case = tuple[bool, ...]
CASES: tuple[Case, ...] = tuple(product((True, False), repeat=len(FLUENTS)))


class Soldier(State):
    """What a soldier believes."""

    target: Fluent[bool] = fluent(default=False)
    cover: Fluent[bool] = fluent(default=False)
    in_cover: Fluent[bool] = fluent(default=False)
    ammo: Fluent[bool] = fluent(default=False)
    magazine: Fluent[bool] = fluent(default=False)
    far: Fluent[bool] = fluent(default=False)
    hidden: Fluent[bool] = fluent(default=False)
    enemy: Fluent[str] = fluent(default="enemy 0")


soldier = Domain("soldier", Soldier)


@soldier.compound
def fight() -> Methods:
    """Find an enemy; else fight from cover, or keep away from him."""

    def m_search(s: Soldier) -> Any:
        return None if s.target else (search_enemy(), fight())

    def m_from_cover(s: Soldier) -> Any:
        return (take_cover(), prepare(), shoot(s.enemy)) if s.cover else None

    def m_at_distance(s: Soldier) -> Any:
        return (prepare(), keep_distance(), shoot(s.enemy))

    yield method(m_search)
    yield method(m_from_cover)
    yield method(m_at_distance)


@soldier.compound
def take_cover() -> Methods:
    """Stay there, or get there."""
    yield method(lambda s: hide() if s.in_cover else None)
    yield method(lambda s: (move_to_cover(), hide()))


@soldier.compound
def prepare() -> Methods:
    """An empty gun is reloaded."""
    yield method(lambda s: () if s.ammo else None)
    yield method(lambda s: reload())


@soldier.primitive
def search_enemy() -> Primitive:
    """Until there is one."""

    def found(s: Soldier) -> None:
        s.target = True

    return primitive(effects=found)


@soldier.primitive
def move_to_cover() -> Primitive:
    """Run for it."""

    def arrived(s: Soldier) -> None:
        s.in_cover = True

    return primitive(precondition=lambda s: s.cover, effects=arrived)


@soldier.primitive
def hide() -> Primitive:
    """Crouch behind it."""

    def crouched(s: Soldier) -> None:
        s.hidden = True

    return primitive(precondition=lambda s: s.in_cover, effects=crouched)


@soldier.primitive
def reload() -> Primitive:
    """Put the magazine in."""

    def loaded(s: Soldier) -> None:
        s.ammo = True

    return primitive(precondition=lambda s: not s.ammo and s.magazine, effects=loaded)


@soldier.primitive
def keep_distance() -> Primitive:
    """Back off."""

    def away(s: Soldier) -> None:
        s.far = True

    return primitive(effects=away)


@soldier.primitive
def shoot(enemy: str) -> Primitive:
    """At the enemy."""

    def hit(s: Soldier) -> None:
        s.target = False

    return primitive(precondition=lambda s: s.target and s.ammo, effects=hit)


def question(case: Case, number: int = 0) -> Question:
    """From one of the states."""
    values = dict(zip(FLUENTS, case, strict=True))
    return Question(soldier, Soldier(enemy=f"enemy {number}", **values), fight())
