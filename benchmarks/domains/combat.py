"""The hybrid combat domain of domains/combat, with its parallel and priority nodes."""

from __future__ import annotations

from itertools import product

from benchmarks.modes import Question
from bthtn.examples.domains.combat.domain import Soldier, combat, fight

FLUENTS = ("target", "cover", "in_cover", "ammo")

Case = tuple[bool, ...]
CASES: tuple[Case, ...] = tuple(product((True, False), repeat=len(FLUENTS)))


def named(case: Case) -> str:
    """What holds."""
    held = [name for name, holds in zip(FLUENTS, case, strict=True) if holds]
    return " ".join(held) or "nothing"


def question(case: Case, number: int = 0) -> Question:
    """From one of the states: there are no others, so no ``number`` makes another plan."""
    return Question(combat, Soldier(**dict(zip(FLUENTS, case, strict=True))), fight())
