"""A sample: something small that is done over and over, and counted in instructions, or timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bthtn import Fluent, FluentFamily, State, fluent, fluents

Use = Callable[[], object]


@dataclass(frozen=True)
class Sample:
    """``make`` gets the number of a use, prepares it, and returns what is measured."""

    name: str
    make: Callable[[int], Use]
    times: int = 10
    per: int = 1
    """What is measured is divided by this, besides ``times``."""


class World(State):
    """What plans of equal steps read."""

    at: Fluent[int] = fluent(default=0)
    seen: Fluent[bool] = fluent(default=True, volatile=True)
    flag: Fluent[bool] = fluent(default=True)
    other: Fluent[bool] = fluent(default=True)
    members: FluentFamily[int, int] = fluents(default=0)


def always(use: Use) -> Callable[[int], Use]:
    """The same use each time."""
    return lambda _: use
