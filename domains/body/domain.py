"""Two things at once: a walk in the background, or a domain for each half of the body."""

from __future__ import annotations

from bthtn import Domain, Methods, method

from . import literal
from .beliefs import MELEE_RANGE, Troll, Walker, far, near, under_fire

upper = Domain("upper", Walker)

slam = upper.primitive("slam", precondition=Troll.enemy_range <= MELEE_RANGE, duration=2)
guard_face = upper.primitive("guard_face", duration=1)
arms_idle = upper.primitive("arms_idle", duration=1)


@upper.compound
def use_arms() -> Methods:
    """Strike what is near; on the way, under fire, hold the club before the face."""
    yield method(slam(), when=near)
    yield method(guard_face(), when=under_fire)
    yield method(arms_idle())


lower = Domain("lower", Walker)

walk = lower.primitive(
    "walk",
    effects=Walker.at_enemy.becomes(True),
    expected=Troll.enemy_range.becomes(MELEE_RANGE),
    duration=4,
)
legs_idle = lower.primitive("legs_idle", duration=1)


@lower.compound
def use_legs() -> Methods:
    """Walk to an enemy who is far. That he will be near is expected, so this comes to an end."""
    yield method(walk(), use_legs(), when=far)
    yield method(legs_idle())


body = Domain("body", Troll)

strike = body.primitive("strike", precondition=Troll.enemy_range <= MELEE_RANGE, duration=2)
set_out = body.primitive("set_out", effects=Troll.navigating.becomes(True))
guard = body.primitive("guard", duration=1)
idle = body.primitive("idle", duration=1)


@body.compound
def attack() -> Methods:
    """Set out only when not on the way already: what is behind answers to being on the way."""
    yield method(strike(), when=near)
    yield method(set_out(), when=far & ~Troll.navigating)
    yield method(guard(), when=under_fire)
    yield method(idle())


# As printed, so that they are variants as well: bthtn plan body:literal_body attack
literal_body = literal.literal_body
literal_lower = literal.literal_lower
