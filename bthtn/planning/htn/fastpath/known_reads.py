"""KnownReads: the values that a generated function has read, and the conditions that hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Final

from bthtn.planning.htn.expressions import joined
from bthtn.world.expression import Condition, Junction
from bthtn.world.fluent import Fluent

_SKIPPING: Final = (" and ", " or ", " if ")
"""What is in a source parts of which may not be evaluated."""
_CHANGING: Final = ("S.get(", "unforeseen()", "UNKNOWN")
"""What is in a source that may have another truth later."""


class KnownReads:
    """The names of values and members, by the sources that read them; and conditions that hold.

    A condition gives them their names: ``(r0 := S.get(k1, 0)) > 2``. Variables are never assigned
    twice, so a source always reads the same, until an effect writes a fluent it may read. For the
    same reason a condition that holds, and reads nothing but variables, need not be tested again.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, Fluent[Any] | None]] = {}
        self._holding: set[str] = set()
        self._before = self._known, self._holding
        """Those that were known before the latest condition."""
        self._read: dict[str, Fluent[Any]] = {}
        """What values were read from, by the sources of those without a name."""
        self._assigned: list[tuple[str, str]] = []
        self._numbers = count()
        self._is_naming = False

    def of(self, source: str, fluent: Fluent[Any] | None) -> str:
        """The name of a value or member that is read, or a source of it.

        ``fluent`` is that of the value, or its family's prototype; None for a member itself.
        """
        key = self._plain(source)
        if key in self._known:
            return self._known[key][0]
        if not self._is_naming:
            if fluent is not None:
                self._read[key] = fluent
            return source
        name = f"{'m' if fluent is None else 'r'}{next(self._numbers)}"
        self._known[key] = name, fluent
        self._assigned.append((f"({name} := {key})", name))
        return f"({name} := {source})"

    def assign(self, name: str, source: str) -> None:
        """Note that a line has assigned the source to the name, whatever it is."""
        if source in self._read:
            self._known[source] = name, self._read[source]

    def member(self, source: str) -> str:
        """A new name for a member, which a line in front of this one assigns."""
        name = f"m{next(self._numbers)}"
        self._known[source] = self._before[0][source] = name, None
        return name

    def put(self, source: str, fluent: Fluent[Any], value: str | None) -> None:
        """Forget reads that may be overwritten; ``value`` is the name of the new value."""
        self._known = {key: known for key, known in self._known.items() if known[1] is not fluent}
        if value is not None:
            self._known[source] = value, fluent

    def condition(self, whole: Condition, truth: Callable[[Condition], str]) -> str:
        """Source of a condition, made of that of its parts; where it holds, all is known."""
        self._before = self._known.copy(), self._holding.copy()
        parts = [self._part(part, truth) for part in _parts(whole)]
        return joined([part for part in parts if not self._holds(part)], decisive=False)

    def revert(self) -> None:
        """Forget the reads of the latest condition."""
        self._known, self._holding = self._before

    def otherwise(self, source: str) -> KnownReads:
        """The knowledge where the source of the latest condition does not hold."""
        first, other = source.split(" and ", maxsplit=1)[0], self.copy()
        other._holding = self._before[1].copy()
        for key, (name, _) in self._known.items():
            if key not in self._before[0] and f"({name} := " not in first:
                del other._known[key]
        return other

    def copy(self) -> KnownReads:
        """Another one, which has the same names, and gives others."""
        other = KnownReads()
        other._known, other._numbers = self._known.copy(), self._numbers
        other._holding, other._read = self._holding.copy(), self._read.copy()
        return other

    def _plain(self, source: str) -> str:
        """The source with names in place of the reads that they name."""
        for assigned, name in self._assigned:
            source = source.replace(assigned, name)
        return source

    def _holds(self, source: str) -> bool:
        """Whether the source of a part is known to be true; from now on it is."""
        key = self._plain(source)
        if key in self._holding:
            return True
        if not any(text in key for text in _CHANGING):
            self._holding.add(key)
        return False

    def _part(self, part: Condition, truth: Callable[[Condition], str]) -> str:
        known = self._known.copy()
        self._is_naming = True
        source = truth(part)
        self._is_naming = False
        if any(word in source for word in _SKIPPING):
            self._known = known
            source = truth(part)
        return source


def _parts(condition: Condition) -> Iterator[Condition]:
    """Yield the conditions that all have to hold, in order."""
    if isinstance(condition, Junction) and not condition.decisive:
        for part in condition.parts:
            yield from _parts(part)
    else:
        yield condition
