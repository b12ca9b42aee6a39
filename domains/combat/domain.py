"""The hybrid combat domain: shoot from cover, or from a distance; reload on the way."""

from __future__ import annotations

from enum import Enum

from bthtn import (
    Domain,
    Fluent,
    Methods,
    Primitive,
    Resource,
    State,
    fluent,
    method,
    parallel,
    primitive,
    priority,
    seconds,
)


class Distance(Enum):
    """How far away the enemy is."""

    NEAR = "near"
    FAR = "far"


class Soldier(State):
    """The beliefs of a soldier."""

    target: Fluent[bool] = fluent(default=False)
    target_alive: Fluent[bool] = fluent(default=True, volatile=True)
    cover: Fluent[bool] = fluent(default=False)
    in_cover: Fluent[bool] = fluent(default=False)
    ammo: Fluent[bool] = fluent(default=True)
    magazine: Fluent[bool] = fluent(default=True)
    line_of_fire: Fluent[bool] = fluent(default=True, volatile=True)
    distance: Fluent[Distance] = fluent(default=Distance.NEAR)


LEGS = Resource("legs")
ARMS = Resource("arms")

combat = Domain("combat", Soldier)


@combat.compound
def fight() -> Methods:
    """戦闘: find somebody to fight, then fight from cover, or keep away while shooting."""
    yield method(search_enemy(), when=~Soldier.target)
    yield method(fight_from_cover(), when=Soldier.cover)
    yield method(fight_at_distance())


@combat.compound
def fight_from_cover() -> Methods:
    """カバーから戦う: get ready on the way, and shoot only at what can be hit from there."""
    yield method(
        parallel(take_cover(), prepare_combat()),
        priority(no_line_of_fire(), shoot()),
        when=Soldier.cover,
    )


@combat.compound
def fight_at_distance() -> Methods:
    """距離を取って戦う: get ready, then back off and shoot at the same time."""
    yield method(prepare_combat(), parallel(keep_distance(), shoot()))


@combat.compound
def take_cover() -> Methods:
    """カバーする: stay there, or get there."""
    yield method(cover(), when=Soldier.in_cover)
    yield method(move_to_cover(), cover(), when=~Soldier.in_cover)


@combat.compound
def prepare_combat() -> Methods:
    """戦闘準備: an empty gun is reloaded."""
    yield method(wait(3), reload(), when=~Soldier.ammo)
    yield method(do_nothing())


search_enemy = combat.primitive(
    "search_enemy", expected=Soldier.target.becomes(True), duration=seconds(2)
)
move_to_cover = combat.primitive(
    "move_to_cover",
    precondition=Soldier.cover,
    effects=Soldier.in_cover.becomes(True),
    uses=LEGS,
    duration=seconds(3),
)
cover = combat.primitive("cover", precondition=Soldier.in_cover, duration=seconds(1))
reload = combat.primitive(
    "reload",
    precondition=~Soldier.ammo & Soldier.magazine,
    effects=Soldier.ammo.becomes(True),
    uses=ARMS,
    duration=seconds(1),
)
do_nothing = combat.primitive("do_nothing")
keep_distance = combat.primitive(
    "keep_distance", effects=Soldier.distance.becomes(Distance.FAR), uses=LEGS, duration=seconds(2)
)
no_line_of_fire = combat.primitive("no_line_of_fire", exec_only=~Soldier.line_of_fire)
shoot = combat.primitive(
    "shoot",
    precondition=Soldier.target & Soldier.ammo,
    exec_only=Soldier.target_alive,
    expected=Soldier.target.becomes(False),
    uses=ARMS,
    duration=seconds(1),
)


@combat.primitive
def wait(time: int) -> Primitive:
    """Let so many seconds pass."""
    return primitive(duration=seconds(time))
