"""KnownReads: names for what a generated function has read from the state before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Final

from bthtn.planning.htn.expressions import joined
from bthtn.world.expression import Condition, Junction
from bthtn.world.fluent import Fluent

_SKIPPING: Final = (" and ", " or ", " if ")
"""What is in a source parts of which may not be evaluated."""


class KnownReads:
    """The names of values in ``S``, by the sources that read them.

    A condition gives them their names: ``(r0 := S.get(k1, 0)) > 2``. Variables are never assigned
    twice, so a source always reads the same, until an effect writes a fluent it may read.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, Fluent[Any]]] = {}
        self._before = self._known
        """Those that were known before the latest condition."""
        self._assigned: list[tuple[str, str]] = []
        self._numbers = count()
        self._is_naming = False

    def of(self, source: str, fluent: Fluent[Any]) -> str:
        """The name of the value, or a source of it; ``fluent`` is it, or its family's prototype."""
        key = source
        for assigned, name in self._assigned:
            key = key.replace(assigned, name)
        if key in self._known:
            return self._known[key][0]
        if not self._is_naming:
            return source
        name = f"r{next(self._numbers)}"
        self._known[key] = name, fluent
        self._assigned.append((f"({name} := {key})", name))
        return f"({name} := {source})"

    def put(self, source: str, fluent: Fluent[Any], value: str | None) -> None:
        """Forget what may have been overwritten; ``value`` is the name of what is read now."""
        self._known = {key: one for key, one in self._known.items() if one[1] is not fluent}
        if value is not None:
            self._known[source] = value, fluent

    def condition(self, whole: Condition, truth: Callable[[Condition], str]) -> str:
        """Source of a condition, made of that of its parts; where it holds, all is known."""
        self._before = self._known.copy()
        return joined([self._part(one, truth) for one in _parts(whole)], decisive=False)

    def revert(self) -> None:
        """Forget what the latest condition has read."""
        self._known = self._before

    def otherwise(self, told: str) -> KnownReads:
        """What is known where the source of the latest condition does not hold."""
        first, other = told.split(" and ", maxsplit=1)[0], self.copy()
        for key, (name, _) in self._known.items():
            if key not in self._before and f"({name} := " not in first:
                del other._known[key]
        return other

    def copy(self) -> KnownReads:
        """Another one, which has the same names, and gives others."""
        other = KnownReads()
        other._known, other._numbers = self._known.copy(), self._numbers
        return other

    def _part(self, part: Condition, truth: Callable[[Condition], str]) -> str:
        known = self._known.copy()
        self._is_naming = True
        told = truth(part)
        self._is_naming = False
        if any(one in told for one in _SKIPPING):
            self._known = known
            told = truth(part)
        return told


def _parts(condition: Condition) -> Iterator[Condition]:
    """Yield the conditions that all have to hold, in order."""
    if isinstance(condition, Junction) and not condition.decisive:
        for one in condition.parts:
            yield from _parts(one)
    else:
        yield condition
