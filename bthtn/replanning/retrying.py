"""Retrying: when something that failed is tried again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from bthtn.errors import Diagnostic, DomainError


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrying:
    """How often, and how soon, a goal tries again what has failed (semantics 3.10).

    A step, or a method, is avoided after ``avoid_after`` failures in a row, None for never:
    for ``cooldown`` ticks, twice as long each time it fails again, up to ``longest_cooldown``.
    A goal that has ended without success ``wait_after`` times in a row waits ``wait`` ticks, and
    twice as long each time after that, up to ``longest_wait``; 0 for not at all. What has changed
    is tried again sooner. Ticks are those in which the goal is ticked.
    """

    avoid_after: int | None = 3
    cooldown: int = 32
    longest_cooldown: int = 512
    wait_after: int = 3
    wait: int = 2
    longest_wait: int = 64

    def __post_init__(self) -> None:
        """Reject numbers that mean nothing."""
        for name in ("avoid_after", "cooldown", "longest_cooldown", "wait_after"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise _refused(name, value, "it has to be above zero")
        for name in ("wait", "longest_wait"):
            if getattr(self, name) < 0:
                raise _refused(name, getattr(self, name), "0 says that nothing is waited for")


def _refused(name: str, value: int, hint: str) -> DomainError:
    return DomainError(Diagnostic("BT202", f"{name} is {value}", hint=hint))


def doubled(first: int, times: int, longest: int) -> int:
    """``first``, doubled so many times, but not longer than ``longest``."""
    return longest if times >= longest.bit_length() else min(first << times, longest)


DEFAULT_RETRYING: Final = Retrying()

EAGER: Final = Retrying(avoid_after=None, wait=0)
"""Everything is tried again at once, for ever: the naive policy."""
