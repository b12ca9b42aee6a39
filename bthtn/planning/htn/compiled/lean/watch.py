"""Watch: the search for choices, for those who hear what it does and know what it reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from bthtn.plan.plan import Plan, new, put_source
from bthtn.planning.htn.compiled.cells import Asked
from bthtn.planning.htn.compiled.lean.seen import Seen
from bthtn.planning.protocol import Searched, SearchStatus, raise_for_user
from bthtn.planning.trace import SearchEvent, SearchListener
from bthtn.world.state import FrozenState

AT_ONCE: Final = 100
"""Expansions between which nothing is told: so many events are kept at most, or a few more."""

Others = Callable[[FrozenState, SearchListener], Searched]
"""Who answers what these functions cannot, and tells all of it."""


class Watch:
    """Searches with functions that note events and reads.

    The functions give up where something was not foreseen, and the first ones where they meet
    a member for the first time. Then the search is made again; what was told is not told twice.
    """

    def __init__(
        self,
        asked: Asked,
        starts: tuple[Any, ...],
        most: int,
        part_of: Callable[..., Any],
        others: Others,
    ) -> None:
        self._asked = asked
        self._starts = starts
        self._most = most
        self._part_of = part_of
        self._others = others

    def search(self, state: FrozenState, listener: SearchListener) -> Searched:
        """What is found from this state. The listener is told a little later than it happens.

        Raises PlanningError when the listener raises, and what the others raise.
        """
        heard = Heard(listener)
        for start in () if state.has_unknown else self._starts:
            try:
                found = self._attempt(start, state, heard)
            except KeyError:
                continue
            except Deaf:
                raise_for_user(heard.error)
            except Exception:  # noqa: BLE001 - those who search again tell what it means
                break
            if found is None:
                break
            return found
        return self._others(state, heard.again())

    def _attempt(self, cell: Any, state: FrozenState, heard: Heard) -> Searched | None:
        """What is found from a cell on; None where the others have to say whether it is over."""
        heard.place = 0
        values, left = Seen(), self._most
        values.start, values.reads = state.values, {}
        record: list[int] = []
        events: list[SearchEvent] = []
        noted: tuple[Any, ...] = values, [None], record, [], [], events
        while cell:
            n = granted = min(AT_ONCE, left)
            while cell and n > 0:
                cell, n = cell[0](*noted, cell, n)
            left -= granted - n
            if left < 0 or (left == 0 and cell != ()):
                return None
            heard.tell(events)
            events.clear()
        expansions = self._most - left
        if cell is None:
            return Searched(SearchStatus.EXHAUSTED, None, expansions, values.reads)
        plan = new(Plan)
        put_source(plan, (self._part_of, self._asked, state, record, expansions))
        return Searched(SearchStatus.SOLVED, plan, expansions, values.reads)


class Deaf(Exception):  # noqa: N818 - a signal: what the listener has raised is its ``error``
    """The listener has raised something."""


class Heard:
    """A listener to whom several searches tell the same: each event is heard once.

    ``place`` is how far the present search has come, ``told`` how far any of them has.
    """

    __slots__ = ("_listener", "error", "place", "told")

    error: Exception

    def __init__(self, listener: SearchListener) -> None:
        self._listener = listener
        self.place = self.told = 0

    def tell(self, events: list[SearchEvent]) -> None:
        """Tell of what was not told before. Raises Deaf when the listener raises."""
        listener, known = self._listener, self.told - self.place
        self.place += len(events)
        if known > 0:
            del events[:known]
        self.told += len(events)
        try:
            for event in events:
                listener(event)
        except Exception as error:
            self.error = error
            raise Deaf from error

    def again(self) -> SearchListener:
        """The listener for a search that begins anew."""
        self.place = 0
        return self._hear if self.told else self._listener

    def _hear(self, event: SearchEvent) -> None:
        self.place += 1
        if self.place > self.told:
            self._listener(event)
