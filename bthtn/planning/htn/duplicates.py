"""Duplicate pruning: search states that failed once are not searched again (2.6.8).

A search state is a continuation and a world state. Once it has failed, the search backtracks at
once when it reaches it again, on any path. Continuations are numbered, equal ones equally. World
states are compared in full; their fingerprints are only hash keys.

A search state leaves out one thing: the open tasks and the states they were entered in, which the
recursion guard checks. So a failure is stored only if the guard took no part in it, or only by
tasks entered after the search state. Without that part, other open tasks can only forbid more -
except in a priority node, where a forbidden alternative is dropped and its successors may become
possible. So no search state followed by a priority node is stored while the guard is on.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bthtn.planning.htn.log import BINDING, DEPTH, Cell
from bthtn.planning.htn.rows import Body
from bthtn.world.fluent import Fluent

State = Mapping[Fluent[Any], Any]
Key = tuple[Hashable, ...]

EVERYTHING: Final = -1


@dataclass(slots=True)
class VisitedState:
    """A search state on the current path.

    ``choices`` is the number of choice points and ``place`` the length of the log when it was
    reached; ``guarded`` the least log length of a task because of which the guard cut a call since.
    """

    key: Key
    state: State
    choices: int
    place: int
    guarded: int


class Duplicates:
    """The failed search states of one search. Grows with the number of distinct ones."""

    def __init__(self) -> None:
        self._failed: dict[Key, list[State]] = {}
        self._open: list[VisitedState] = []
        self._cells: dict[int, tuple[Cell, int]] = {}
        self._numbers: dict[Hashable, int] = {}
        self._bodies: dict[Body, int] = {}

    def meet(
        self, cell: Cell, state: State, where: tuple[Any, ...], choices: int, place: int
    ) -> bool:
        """Visit a search state; return True if it has already failed.

        ``where`` is what else has to be equal in equal search states.
        """
        key = (self._number(cell), *where)
        if state in self._failed.get(key, ()):
            return True
        self._open.append(VisitedState(key, state, choices, place, place + 1))
        return False

    def guard(self, place: int) -> None:
        """Note that the guard cut a call because of a task entered at this length of the log."""
        if self._open:
            self._open[-1].guarded = min(self._open[-1].guarded, place)

    def fail(self, choices: int) -> None:
        """Backtrack to ``choices`` choice points; mark the states visited since as failed."""
        while self._open and self._open[-1].choices > choices:
            moment = self._open.pop()
            if moment.guarded > moment.place:
                self._failed.setdefault(moment.key, []).append(moment.state)
            else:
                self.guard(moment.guarded)

    def _number(self, cell: Cell) -> int:
        """Return the number of a continuation; equal continuations have the same."""
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
        for link in reversed(chain):
            body, part, scope, _, _ = link
            where = None if scope is None else (scope[BINDING], scope[DEPTH])
            what = (self._body(body), part, where, number)
            number = self._numbers.setdefault(what, len(self._numbers))
            self._cells[id(link)] = (link, number)  # held, so that the id stays its own
        return number

    def _body(self, body: Body) -> int:
        """Return the number of a body; bodies of equal networks have the same."""
        known = self._bodies.get(body)
        if known is None:
            known = self._numbers.setdefault(("body", body.network), len(self._numbers))
            self._bodies[body] = known
        return known
