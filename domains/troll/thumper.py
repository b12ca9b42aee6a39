"""The trunk thumper, 12.2 to 12.7: he patrols, attacks, uproots trunks, follows enemies."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from bthtn import Fluent, State, fluent, method, primitive
from bthtn.examples.domains.design import Design, Task


class Place(Enum):
    """Where a troll goes."""

    BRIDGE = "the next bridge"
    ENEMY = "where the enemy is"
    LAST_ENEMY = "where the enemy was seen last"
    TRUNK = "the trunk that was found"


class Range(Enum):
    """How far away the enemy is, in the order of distance."""

    MELEE = "an arm's length"
    VIEW = "in sight"
    OUT = "too far"


# 12.2  the first sketch: tasks have conditions and effects, compound tasks have methods


class Stroller(State):
    """The beliefs of the troll of the sketch."""

    location: Fluent[Place] = fluent(default=Place.BRIDGE)
    has_enemy: Fluent[bool] = fluent(default=True)
    has_tree_trunk: Fluent[bool] = fluent(default=True)
    is_tired: Fluent[bool] = fluent(default=False)
    bored: Fluent[int] = fluent(default=0)


class Sketch(Design, state=Stroller):
    """Two ways to walk and two ways to attack."""

    def sprint_to_enemy(self) -> Task:
        return primitive(
            precondition=Stroller.has_enemy,
            effects=[Stroller.location.becomes(Place.ENEMY), Stroller.is_tired.becomes(True)],
        )

    def walk_to_next_bridge(self) -> Task:
        return primitive(
            effects=[Stroller.location.becomes(Place.BRIDGE), Stroller.bored.increases(1)]
        )

    def attack_enemy(self) -> Task:
        """With the trunk if there is one, else with a boulder."""
        yield method(
            self.navigate_to(Place.ENEMY), self.do_trunk_slam(), when=Stroller.has_tree_trunk
        )
        yield method(
            self.lift_boulder_from_ground(),
            self.throw_boulder_at(Place.ENEMY),
            when=~Stroller.has_tree_trunk,
        )

    def navigate_to(self, place: Place) -> Task:
        return primitive(effects=Stroller.location.becomes(place))

    def do_trunk_slam(self) -> Task:
        return primitive()

    def lift_boulder_from_ground(self) -> Task:
        return primitive()

    def throw_boulder_at(self, place: Place) -> Task:  # noqa: ARG002 - the operator aims there
        return primitive()


# 12.3  the troll: attack whom he sees, else look after his bridges


class Troll(State):
    """The beliefs of every troll."""

    location: Fluent[Place] = fluent(default=Place.BRIDGE)
    can_see_enemy: Fluent[bool] = fluent(default=False)


class Thumper(Design, state=Troll):
    """Slam the trunk on enemies, else check bridges."""

    def be_trunk_thumper(self) -> Task:
        yield method(self.navigate_to_enemy(), self.do_trunk_slam(), when=Troll.can_see_enemy)
        yield method(self.choose_bridge_to_check(), self.navigate_to_bridge(), self.check_bridge())

    def navigate_to_enemy(self) -> Task:
        return primitive(effects=Troll.location.becomes(Place.ENEMY))

    def do_trunk_slam(self) -> Task:
        return primitive()

    def choose_bridge_to_check(self) -> Task:
        return primitive()

    def navigate_to_bridge(self) -> Task:
        return primitive(effects=Troll.location.becomes(Place.BRIDGE))

    def check_bridge(self) -> Task:
        return primitive()


# 12.4  a primitive task becomes a compound one, and nobody who calls it notices


class Angry(Troll):
    """A troll who may be enraged."""

    enraged: Fluent[bool] = fluent(default=False)


class TwoSlams(Thumper, state=Angry):
    """There are two ways to slam."""

    def do_trunk_slam(self) -> Task:
        yield method(self.trunk_slam_a(), when=Angry.enraged)
        yield method(self.trunk_slam_b())

    def trunk_slam_a(self) -> Task:
        return primitive()

    def trunk_slam_b(self) -> Task:
        return primitive()


# 12.6  trunks break: a task that calls itself


class Armed(Troll):
    """A troll who knows what his trunk will stand."""

    trunk_health: Fluent[int] = fluent(default=3)


class Uprooting(Thumper, state=Armed):
    """Without a trunk, uproot one, and then attack."""

    def be_trunk_thumper(self) -> Task:
        _, patrol = super().be_trunk_thumper()
        yield method(self.attack_enemy(), when=Troll.can_see_enemy)
        yield patrol

    def attack_enemy(self) -> Task:
        yield method(self.navigate_to_enemy(), self.do_trunk_slam(), when=Armed.trunk_health > 0)
        yield method(
            self.find_trunk(), self.navigate_to_trunk(), self.uproot_trunk(), self.attack_enemy()
        )

    def do_trunk_slam(self) -> Task:
        return primitive(effects=Armed.trunk_health.decreases(1))

    def find_trunk(self) -> Task:
        return primitive()

    def navigate_to_trunk(self) -> Task:
        return primitive(effects=Troll.location.becomes(Place.TRUNK))

    def uproot_trunk(self) -> Task:
        return primitive(effects=Armed.trunk_health.becomes(3))


class Forgetful(Uprooting):
    """The mistake that the chapter warns of: uprooting does not say what it is good for."""

    def uproot_trunk(self) -> Task:
        return primitive()


# 12.7  the enemy hides: an effect that is hoped for


class Remembering(Armed):
    """A troll who remembers enemies for a while."""

    has_seen_enemy_recently: Fluent[bool] = fluent(default=False)


class Following(Uprooting, state=Remembering):
    """Go where the enemy was seen last, and roar when he is seen again."""

    def be_trunk_thumper(self) -> Task:
        attack, patrol = super().be_trunk_thumper()
        yield attack
        yield method(
            self.nav_to_last_enemy_loc(),
            self.regain_los_roar(),
            when=Remembering.has_seen_enemy_recently,
        )
        yield patrol

    def nav_to_last_enemy_loc(self) -> Task:
        """Whether he will be seen from there nobody knows, but that is what it is done for."""
        return primitive(
            effects=Troll.location.becomes(Place.LAST_ENEMY),
            expected=Troll.can_see_enemy.becomes(True),
        )

    def regain_los_roar(self) -> Task:
        return primitive(precondition=Troll.can_see_enemy)


class Hopeless(Following):
    """The same without the hope: no plan to follow anybody."""

    def nav_to_last_enemy_loc(self) -> Task:
        return replace(super().nav_to_last_enemy_loc(), expected=())
