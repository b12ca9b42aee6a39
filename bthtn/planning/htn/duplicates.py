"""Duplicates: moments of a search from which everything was tried in vain.

A moment is what is left to do and the state. Once nothing can come of it, the search gives up at
once when it gets there again, on whatever way. What is left to do is a number: equal agendas
get equal numbers, cell by cell. States are compared in full; their fingerprints only say where
to look.

One thing is not in a moment: which tasks are open, and the states they were entered in, where
the recursion guard looks. So a failure is only remembered when the guard had no part in it, or
only because of tasks that were entered behind the moment. Without that part, other open tasks
can but forbid more - except in a priority node, where what is forbidden is dropped and what
follows may become possible. So no moment with a priority node behind it is remembered while the
guard is on.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bthtn.planning.htn.frames import Continue, Item
from bthtn.world.fluent import Fluent

State = Mapping[Fluent[Any], Any]
Key = tuple[Hashable, ...]

EVERYTHING: Final = -1


@dataclass(slots=True)
class Moment:
    """A moment on the way to where the search is now.

    ``choices`` is how many places there were to return to, ``mark`` the save point, ``guarded``
    the earliest save point at which a task was entered that made the guard forbid something.
    """

    key: Key
    state: State
    choices: int
    mark: int
    guarded: int


class Duplicates:
    """Owned by one search. Grows with the number of different moments."""

    def __init__(self) -> None:
        self._failed: dict[Key, list[State]] = {}
        self._open: list[Moment] = []
        self._agendas: dict[Hashable, int] = {}
        self._sequences: dict[Hashable, int] = {}
        self._parts: dict[int, tuple[tuple[Any, ...], int]] = {}

    def number(self, item: Item, rest: int) -> int:
        """The number of an agenda that begins with this item."""
        what: Hashable = item
        if isinstance(item, Continue):  # not the parts: the same are asked for at every step
            what = (self._sequence(item.parts), item.index, item.binding)
        return self._agendas.setdefault((what, rest), len(self._agendas))

    def meet(self, key: Key, state: State, choices: int, mark: int) -> bool:
        """The search gets to a moment; whether everything was tried there already."""
        if state in self._failed.get(key, ()):
            return True
        self._open.append(Moment(key, state, choices, mark, mark + 1))
        return False

    def guard(self, mark: int) -> None:
        """The guard forbade something, because of a task entered at this save point."""
        if self._open:
            self._open[-1].guarded = min(self._open[-1].guarded, mark)

    def fail(self, choices: int) -> None:
        """Only so many places are left to return to: what was met behind the last has failed."""
        while self._open and self._open[-1].choices >= choices:
            moment = self._open.pop()
            if moment.guarded > moment.mark:
                self._failed.setdefault(moment.key, []).append(moment.state)
            else:
                self.guard(moment.guarded)

    def _sequence(self, parts: tuple[Any, ...]) -> int:
        # Holding the parts keeps their id theirs.
        known = self._parts.get(id(parts))
        if known is None:
            number = self._sequences.setdefault(parts, len(self._sequences))
            known = self._parts[id(parts)] = (parts, number)
        return known[1]
