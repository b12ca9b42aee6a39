"""One bullet, and an enemy who takes two: attack, or resupply first?

Nothing here says when to resupply. The actions say what they do, and the cheapest plan is asked
for.
"""

from __future__ import annotations

from typing import Final

from bthtn import Fluent, State, fluent, method, primitive
from bthtn.examples.domains.design import Design, Task

FULL: Final = 6


class Shooter(State):
    """The beliefs of somebody with a gun; ``needed`` is how many bullets the enemy still takes."""

    bullets: Fluent[int] = fluent(default=1)
    needed: Fluent[int] = fluent(default=2)


class Shooting(Design, state=Shooter):
    """An enemy to defeat, and two actions."""

    def win(self) -> Task:
        """Do something, again and again, until there is nothing left to do."""
        yield method(when=Shooter.needed == 0)
        yield method(self.act(), self.win())

    def act(self) -> Task:
        """Everything that can be done."""
        yield method(self.attack())
        yield method(self.resupply())

    def attack(self) -> Task:
        """敵を攻撃する: shoot until the enemy falls, or the gun is empty."""

        def shoot(shooter: Shooter) -> None:
            fired = min(shooter.bullets, shooter.needed)
            shooter.bullets -= fired
            shooter.needed -= fired

        ready = (Shooter.bullets > 0) & (Shooter.needed > 0)
        return primitive(precondition=ready, effects=shoot, duration=1)

    def resupply(self) -> Task:
        """弾を補給する: fill up with what lies around."""
        return primitive(
            precondition=Shooter.bullets < FULL, effects=Shooter.bullets.becomes(FULL), duration=1
        )


class Medic(Shooter):
    """The same, with an ally who may be hurt, and medicine for one."""

    ally_hurt: Fluent[bool] = fluent(default=True)
    has_medicine: Fluent[bool] = fluent(default=False)


class Helping(Shooting, state=Medic):
    """Two more actions, and one more thing to be done. Nothing else changes."""

    def win(self) -> Task:
        _, go_on = super().win()
        yield method(when=(Shooter.needed == 0) & ~Medic.ally_hurt)
        yield go_on

    def act(self) -> Task:
        yield from super().act()
        yield method(self.recover())
        yield method(self.get_medicine())

    def recover(self) -> Task:
        """味方を回復する: uses up the medicine."""
        return primitive(
            precondition=Medic.has_medicine & Medic.ally_hurt,
            effects=[Medic.has_medicine.becomes(False), Medic.ally_hurt.becomes(False)],
            duration=1,
        )

    def get_medicine(self) -> Task:
        """回復薬を取りに行く."""
        return primitive(
            precondition=~Medic.has_medicine, effects=Medic.has_medicine.becomes(True), duration=1
        )


ammunition = Shooting("ammunition")
helping = Helping("ammunition:helping")
