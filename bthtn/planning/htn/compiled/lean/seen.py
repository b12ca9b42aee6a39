"""Seen: the state while somebody watches, as what was read of it and what was written."""

from __future__ import annotations

from typing import Any, Final

from bthtn.world.fluent import Fluent

ABSENT: Final = object()
"""Stands for a value that nobody has looked at."""


class Seen(dict[Fluent[Any], Any]):
    """Values as projected, of fluents that somebody has read or written.

    Others are taken from the state at the start when they are asked for. ``reads`` has these,
    in the order in which they were first asked for. ``get`` looks without asking.
    """

    __slots__ = ("reads", "start")

    start: dict[Fluent[Any], Any]
    reads: dict[Fluent[Any], Any]

    def __missing__(self, fluent: Fluent[Any]) -> Any:
        value = self[fluent] = self.reads[fluent] = self.start.get(fluent, fluent.default)
        return value

    def at_first(self, fluent: Fluent[Any]) -> Any:
        """The value at the start."""
        value = self.reads[fluent] = self.start.get(fluent, fluent.default)
        return value


class View:
    """The same for conditions that are evaluated."""

    __slots__ = ("_seen",)

    def __init__(self, seen: Seen) -> None:
        self._seen = seen

    def get(self, fluent: Any, /) -> Any:
        """The value as projected."""
        return self._seen[fluent]


def take_back(values: Seen, trail: list[tuple[Fluent[Any], Any]], place: int) -> None:
    """Put back what was overwritten since the trail was that long."""
    while len(trail) > place:
        fluent, before = trail.pop()
        if before is ABSENT:
            del values[fluent]
        else:
            values[fluent] = before
