"""Duplicate pruning: moments from which everything was tried in vain (2.6.8).

A moment is what is left to do and the state. Once nothing can come of it, the search gives up at
once when it gets there again, on whatever path. What is left to do is a number: equal cells get
equal numbers. States are compared in full; their fingerprints only say where to look.

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

from bthtn.planning.htn.log import BINDING, DEPTH, Cell
from bthtn.planning.htn.rows import Body
from bthtn.planning.protocol import Settings
from bthtn.world.fluent import Fluent

State = Mapping[Fluent[Any], Any]
Key = tuple[Hashable, ...]

EVERYTHING: Final = -1


@dataclass(slots=True)
class Moment:
    """A moment on the way to where the search is now.

    ``choices`` is how many places there were to return to, ``place`` the length of the log,
    ``guarded`` the least length at which a task was entered that made the guard forbid something.
    """

    key: Key
    state: State
    choices: int
    place: int
    guarded: int


class Duplicates:
    """Owned by one search. Grows with the number of different moments."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._failed: dict[Key, list[State]] = {}
        self._open: list[Moment] = []
        self._cells: dict[int, tuple[Cell, int]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._bodies: dict[Body, int] = {}

    def meet(
        self, cell: Cell, state: State, where: tuple[Any, ...], choices: int, place: int
    ) -> bool:
        """The search gets to a moment; whether everything was tried there already.

        ``where`` is what else a plan from there depends on: fingerprint, whether sensors can be
        relied on, steps and time.
        """
        fingerprint, foreseeable, steps, elapsed = where
        settings = self._settings
        key = (
            self._number(cell),
            fingerprint,
            foreseeable,
            steps if settings.horizon is not None else None,
            elapsed if settings.horizon_time is not None else None,
        )
        if state in self._failed.get(key, ()):
            return True
        self._open.append(Moment(key, state, choices, place, place + 1))
        return False

    def guard(self, place: int) -> None:
        """The guard forbade something, because of a task entered at this length of the log."""
        if self._open:
            self._open[-1].guarded = min(self._open[-1].guarded, place)

    def fail(self, choices: int) -> None:
        """Only so many choices are left: what was met behind the last has failed."""
        while self._open and self._open[-1].choices > choices:
            moment = self._open.pop()
            if moment.guarded > moment.place:
                self._failed.setdefault(moment.key, []).append(moment.state)
            else:
                self.guard(moment.guarded)

    def _number(self, cell: Cell) -> int:
        """The number of a cell, the same for all in which equal things are left to do."""
        chain: list[Cell] = []
        number = EVERYTHING
        while True:
            known = self._cells.get(id(cell))
            if known is not None:
                number = known[1]
                break
            chain.append(cell)
            if cell[3] is None:
                break
            cell = cell[3]
        for one in reversed(chain):
            body, part, scope, _, _ = one
            where = None if scope is None else (scope[BINDING], scope[DEPTH])
            what = (self._body(body), part, where, number)
            number = self._numbers.setdefault(what, len(self._numbers))
            self._cells[id(one)] = (one, number)  # held, so that the id stays its own
        return number

    def _body(self, body: Body) -> int:
        """The number of a body, the same for equal networks."""
        known = self._bodies.get(body)
        if known is None:
            known = self._numbers.setdefault(("body", body.network), len(self._numbers))
            self._bodies[body] = known
        return known
