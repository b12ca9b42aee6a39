"""ReadNames: common reads of a generated function, each bound to a name and reused.

A value gets its name where it is first read: ``(r1 := S.get(x0, k2))``. Later lines use the
name, until an effect writes to the family that the value belongs to.
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
class ReadNames:
    """Names by the source of their value; new reads are named while ``names_more`` is set."""

    fresh: Callable[[], int]
    names: dict[str, str] = field(default_factory=dict)
    families: dict[str, str] = field(default_factory=dict)
    names_more: bool = True

    def copy(self) -> ReadNames:
        """An independent copy, for a branch of the function."""
        return ReadNames(self.fresh, self.names.copy(), self.families.copy())

    def member(self, source: str) -> str:
        """Source of a member of a family, by name if it was read before."""
        return self._named("x", source, None)

    def value(self, source: str, fluent: Fluent[Any]) -> str:
        """Source of a fluent's value in ``S``, by name if it was read before."""
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
        """Record a write to ``S``: ``source`` reads ``value`` now; drop the rest of its family."""
        for key in [key for key, family in self.families.items() if family == fluent.name]:
            del self.families[key], self.names[key]
        self.families[source] = fluent.name
        self.names[source] = value


def without_naming(source: str) -> str:
    """The source with each named expression replaced by its name."""
    parts: list[str] = []
    place = 0
    while found := _NAMED.search(source, place):
        parts += [source[place : found.start()], found[1]]
        place = _behind(source, found.end())
    return "".join([*parts, source[place:]])


def named(source: str) -> tuple[str, str] | None:
    """The name and its value if the whole source is a named expression, else None."""
    found = _NAMED.match(source)
    if found is None or _behind(source, found.end()) != len(source):
        return None
    return found[1], source[found.end() : -1]


def needed_names(function: str) -> str:
    """The source of a function without the names that it never uses."""
    for name, times in Counter(_NAME.findall(function)).items():
        start = function.find(f"({name} := ") if times == 1 else -1
        if start >= 0:
            inside = start + len(name) + 5
            end = _behind(function, inside)
            function = f"{function[:start]}{function[inside : end - 1]}{function[end:]}"
    return function


def _behind(source: str, place: int) -> int:
    """The index after the bracket that closes the one open at ``place``."""
    depth = 1
    while depth:
        one = source[place]
        depth += (one in "([") - (one in ")]")
        place += 1
    return place
