"""The same domains as their chapter prints them, with what is wrong in them."""

from __future__ import annotations

from bthtn import Domain, Methods, method

from .beliefs import Troll, Walker, far, near, under_fire

literal_lower = Domain("literal_lower", Walker)

walk = literal_lower.primitive("walk", effects=Walker.at_enemy.becomes(True), duration=4)
legs_idle = literal_lower.primitive("legs_idle", duration=1)


@literal_lower.compound
def use_legs() -> Methods:
    """Nothing says that walking changes the range: this leads back to itself for ever."""
    yield method(walk(), use_legs(), when=far)
    yield method(legs_idle())


literal_body = Domain("literal_body", Troll)

strike = literal_body.primitive("strike", duration=2)
set_out = literal_body.primitive("set_out", effects=Troll.navigating.becomes(True))
guard = literal_body.primitive("guard", duration=1)
idle = literal_body.primitive("idle", duration=1)


@literal_body.compound
def attack() -> Methods:
    """Being on the way does not end the condition of setting out: nobody ever guards."""
    yield method(strike(), when=near)
    yield method(set_out(), when=far)
    yield method(guard(), when=under_fire)
    yield method(idle())
