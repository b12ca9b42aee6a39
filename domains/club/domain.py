"""A warrior who approaches and strikes with a club that breaks; and an archer."""

from __future__ import annotations

from enum import Enum

from bthtn import Fluent, State, fluent, method, primitive
from bthtn.examples.domains.design import Design, Task


class Distance(Enum):
    """How far away the enemy is."""

    NEAR = "near"
    FAR = "far"


class Fighter(State):
    """The beliefs of an enemy of the player."""

    has_club: Fluent[bool] = fluent(default=True)
    distance: Fluent[Distance] = fluent(default=Distance.FAR)


class Warrior(Design, state=Fighter):
    """Somebody who has to come near."""

    def fight(self) -> Task:
        """戦う: come near, then attack."""
        yield method(self.approach(), self.attack())

    def attack(self) -> Task:
        """攻撃する: roar and swing the club; without one, scratch."""
        yield method(self.roar(), self.club(), when=Fighter.has_club)
        yield method(self.scratch())

    def approach(self) -> Task:
        """近づく."""
        return primitive(effects=Fighter.distance.becomes(Distance.NEAR))

    def roar(self) -> Task:
        """吠える."""
        return primitive()

    def club(self) -> Task:
        """こんぼうで叩く, and it breaks."""
        return primitive(
            precondition=Fighter.has_club & (Fighter.distance == Distance.NEAR),
            effects=Fighter.has_club.becomes(False),
        )

    def scratch(self) -> Task:
        """ひっかく."""
        return primitive(precondition=Fighter.distance == Distance.NEAR)


class Persistent(Warrior):
    """One who attacks twice: with a club first, and then with what is left."""

    def fight(self) -> Task:
        yield method(self.approach(), self.attack(), self.attack())


class Archer(Design, state=Fighter):
    """The same goal with other tasks: the domain is what makes an enemy behave as it does."""

    def fight(self) -> Task:
        """戦う: get away from whoever is near, and shoot."""
        yield method(self.move_away(), self.shoot_bow(), when=Fighter.distance == Distance.NEAR)
        yield method(self.shoot_bow())

    def move_away(self) -> Task:
        return primitive(effects=Fighter.distance.becomes(Distance.FAR))

    def shoot_bow(self) -> Task:
        return primitive(precondition=Fighter.distance == Distance.FAR)


club = Warrior("club")
persistent = Persistent("club:persistent")
archer = Archer("club:archer")
