"""The trunk thumper: a troll that slams with a tree trunk, which lasts for three slams.

``be_trunk_thumper`` is one decision, ``keep_fighting(rounds)`` a fight of so many slams.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from benchmarks.modes import Question
from bthtn import Domain, Fluent, Methods, Primitive, State, fluent, method, primitive

SLAMS_OF_A_TRUNK = 3


class Troll(State):
    """What a troll believes."""

    sees_enemy: Fluent[bool] = fluent(default=False)
    saw_enemy_recently: Fluent[bool] = fluent(default=False)
    trunk_health: Fluent[int] = fluent(default=0)
    trunk_found: Fluent[bool] = fluent(default=False)
    location: Fluent[str] = fluent(default="cave")
    next_bridge: Fluent[str] = fluent(default="")
    walks: Fluent[int] = fluent(default=0)
    bridges_checked: Fluent[int] = fluent(default=0)
    roared: Fluent[bool] = fluent(default=False)
    enemy: Fluent[str] = fluent(default="enemy 0")
    bridge: Fluent[str] = fluent(default="bridge 0")


troll = Domain("troll", Troll)


@troll.compound
def be_trunk_thumper() -> Methods:
    """Fight whom it sees, look for whom it saw, else patrol."""
    yield method(attack_enemy(), when=Troll.sees_enemy)
    yield method(
        nav_to_last_enemy_loc(Troll.enemy), regain_los_roar(), when=Troll.saw_enemy_recently
    )
    yield method(choose_bridge_to_check(Troll.bridge), navigate_to_bridge(), check_bridge())


@troll.compound
def attack_enemy() -> Methods:
    """Slam; a broken trunk is replaced first."""
    yield method(navigate_to_enemy(), do_trunk_slam(Troll.enemy), when=Troll.trunk_health > 0)
    yield method(find_trunk(), navigate_to_trunk(), uproot_trunk(), attack_enemy())


@troll.compound
def keep_fighting(rounds: int) -> Methods:
    """One attack after the other."""
    yield method(when=rounds == 0)
    yield method(attack_enemy(), keep_fighting(rounds - 1))


# Every step changes something, also when the troll is there already: one of the peers leaves out
# of its plans what changes nothing.
navigate_to_enemy = troll.primitive(
    "navigate_to_enemy",
    effects=[Troll.location.becomes("enemy"), Troll.walks.increases(1)],
)
find_trunk = troll.primitive("find_trunk", effects=Troll.trunk_found.becomes(True))
navigate_to_trunk = troll.primitive(
    "navigate_to_trunk",
    precondition=Troll.trunk_found,
    effects=[Troll.location.becomes("trunk"), Troll.walks.increases(1)],
)
uproot_trunk = troll.primitive(
    "uproot_trunk",
    precondition=Troll.location == "trunk",
    effects=[Troll.trunk_health.becomes(SLAMS_OF_A_TRUNK), Troll.trunk_found.becomes(False)],
)
regain_los_roar = troll.primitive(
    "regain_los_roar", precondition=Troll.sees_enemy, effects=Troll.roared.becomes(True)
)
navigate_to_bridge = troll.primitive(
    "navigate_to_bridge", effects=Troll.location.becomes(Troll.next_bridge)
)
check_bridge = troll.primitive("check_bridge", effects=Troll.bridges_checked.increases(1))


@troll.primitive
def do_trunk_slam(enemy: str) -> Primitive:
    """A trunk lasts for three."""
    return primitive(precondition=Troll.trunk_health > 0, effects=Troll.trunk_health.decreases(1))


@troll.primitive
def nav_to_last_enemy_loc(enemy: str) -> Primitive:
    """Where it was seen."""
    return primitive(
        effects=Troll.location.becomes("last seen"), expected=Troll.sees_enemy.becomes(True)
    )


@troll.primitive
def choose_bridge_to_check(bridge: str) -> Primitive:
    """There is one."""
    return primitive(effects=Troll.next_bridge.becomes(bridge))


Case = tuple[bool, bool, int]
CASES: tuple[Case, ...] = tuple(product((False, True), (False, True), (0, SLAMS_OF_A_TRUNK)))


def question(case: Case, number: int = 0) -> Question:
    """One decision: whether it sees an enemy, or saw one recently, and how the trunk is."""
    sees, saw, health = case
    names = {"enemy": f"enemy {number}", "bridge": f"bridge {number}"}
    state = Troll(sees_enemy=sees, saw_enemy_recently=saw, trunk_health=health, **names)
    return Question(troll, state, be_trunk_thumper())


def fight_question(rounds: int, number: int = 0) -> Question:
    """A fight with so many slams, beginning with a fresh trunk."""
    asked = question((True, False, SLAMS_OF_A_TRUNK), number)
    return replace(asked, goal=keep_fighting(rounds))
