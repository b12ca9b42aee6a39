"""What a function has read on the way to one of its lines.

A value that is read gets a name where it is read: ``(r1 := S.get(x0, k2))``. Behind that line
the name stands for it, until something writes the family that it is of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from bthtn.world.fluent import Fluent

_NAMED: Final = re.compile(r"\(([rx]\d+) := ")
_NAME: Final = re.compile(r"[rx]\d+")


@dataclass(slots=True)
class Known:
    """Names by the source that they stand for. ``names_more`` while what is read gets a name."""

    fresh: Callable[[], int]
    names: dict[str, str] = field(default_factory=dict)
    families: dict[str, str] = field(default_factory=dict)
    names_more: bool = True

    def copy(self) -> Known:
        """What is known from here on, apart from what is known elsewhere."""
        return Known(self.fresh, self.names.copy(), self.families.copy())

    def member(self, source: str) -> str:
        """Source of a member of a family."""
        return self._named("x", source, None)

    def value(self, source: str, fluent: Fluent[Any]) -> str:
        """Source of a value that is kept in ``S``."""
        return self._named("r", source, fluent.name)

    def _named(self, letter: str, source: str, family: str | None) -> str:
        key = without_naming(source)
        name = self.names.get(key)
        if name is not None or not self.names_more:
            return name or source
        name = self.names[key] = f"{letter}{self.fresh()}"
        if family is not None:
            self.families[key] = family
        return f"({name} := {source})"

    def written(self, source: str, fluent: Fluent[Any], value: str) -> None:
        """A fluent that is kept in ``S`` has become this; ``source`` reads it."""
        for key in [key for key, family in self.families.items() if family == fluent.name]:
            del self.families[key], self.names[key]
        self.families[source] = fluent.name
        self.names[source] = value


def without_naming(source: str) -> str:
    """The source with the names in place of what is named."""
    parts: list[str] = []
    place = 0
    while found := _NAMED.search(source, place):
        parts += [source[place : found.start()], found[1]]
        place = _behind(source, found.end())
    return "".join([*parts, source[place:]])


def named(source: str) -> tuple[str, str] | None:
    """The name and what it stands for, where all of the source is the naming of something."""
    found = _NAMED.match(source)
    if found is None or _behind(source, found.end()) != len(source):
        return None
    return found[1], source[found.end() : -1]


def needed_names(function: str) -> str:
    """The function without names that are used nowhere."""
    for name, times in Counter(_NAME.findall(function)).items():
        start = function.find(f"({name} := ") if times == 1 else -1
        if start >= 0:
            inside = start + len(name) + 5
            end = _behind(function, inside)
            function = f"{function[:start]}{function[inside : end - 1]}{function[end:]}"
    return function


def _behind(source: str, place: int) -> int:
    """The place behind the bracket that closes what is open there."""
    depth = 1
    while depth:
        one = source[place]
        depth += (one in "([") - (one in ")]")
        place += 1
    return place
