"""AcceleratedSearch: generated functions answer it if they can, else it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from bthtn.plan.plan import Plan
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import PlanRequest, SearchStatus, repeat
from bthtn.world.fluent import Fluent
from bthtn.world.sharing import Unpicklable
from bthtn.world.state import FrozenState

Answer = Plan | int | None
"""A plan; or the number of expansions if there is none; or None if the search must decide."""
Accelerator = Callable[[FrozenState, int], Answer]
"""A function of a start state and a limit of expansions."""
AHEAD: Final = 8
"""Times the slice that an accelerator may search ahead: it is about as many times faster."""


class AcceleratedSearch(Unpicklable):
    """A search that equals ``HtnSearch``, and asks an accelerator first.

    The answer is used up in slices, as a search would be. The search itself is made when the
    accelerator has no answer, and when something is asked that only the search can say.
    """

    _answer: Answer = None
    _asked: PlanRequest
    """Set while it is loaded from a save."""
    _expansions = 0
    _is_cancelled = False
    _plan: Plan | None = None
    _search: HtnSearch | None = None
    _status = SearchStatus.RUNNING

    def __init__(
        self,
        ask: Accelerator,
        start: FrozenState,
        most: int,
        request: Callable[[FrozenState], PlanRequest],
    ) -> None:
        """Create a search from ``start``; at most ``most`` expansions are left to ``ask``."""
        self._ask: Accelerator | None = ask
        self._start = start
        self._most = most
        self._request = request

    def __getstate__(self) -> dict[str, Any]:
        """What is saved: what was asked, and how far it came."""
        asked = self._request(self._start)
        return {"_asked": asked, "_expansions": self.expansions, "_status": self.status}

    def resume(self, _: object) -> None:
        """Search again as far as it had come when it was saved."""
        self._search = search = HtnSearch(self._asked)
        repeat(search, self._status, self._expansions)

    @property
    def status(self) -> SearchStatus:
        """The status of the search."""
        if self._is_cancelled:
            return SearchStatus.CANCELLED
        return self._status if self._search is None else self._search.status

    @property
    def plan(self) -> Plan | None:
        """The plan, once solved."""
        if self._plan is not None or self._search is None:
            return None if self._is_cancelled else self._plan
        return self._search.plan

    @property
    def expansions(self) -> int:
        """Number of primitive tasks examined and methods entered so far."""
        return self._expansions if self._search is None else self._search.expansions

    @property
    def reads(self) -> Mapping[Fluent[Any], Any]:
        """The fluents read from the start state so far, with their values, in order."""
        return self._carried_out().reads

    @property
    def written(self) -> Mapping[Fluent[Any], Any]:
        """Every fluent that the plan writes, with its predicted value."""
        return self._carried_out().written

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Search for at most this many more expansions, by default to the end; return the status.

        Raises PlanningError when a user's function raises; then the search is over.
        """
        if self._search is None and self._status is SearchStatus.RUNNING:
            if self._ask is not None:
                most = self._most if expansions is None else min(self._most, AHEAD * expansions)
                self._answer, self._ask = self._ask(self._start, most), None
            if self._answer is not None:
                self._use_up(self._answer, expansions)
                return self.status
            self._carried_out()
        if self._search is not None and not self._is_cancelled:
            self._search.advance(expansions)
        return self.status

    def cancel(self) -> None:
        """Cancel a running search and release its memory; no effect on a finished one.

        Any thread may call it.
        """
        if self.status is SearchStatus.RUNNING:
            self._is_cancelled = True
            if self._search is not None:
                self._search.cancel()

    def reject(self) -> None:
        """Discard the plan that was found, so that ``advance`` looks for the next one."""
        self._carried_out().reject()
        self._plan = None

    def _use_up(self, answer: Plan | int, expansions: int | None) -> None:
        """Count so many more expansions; with the last one, the answer is told."""
        plan = None if isinstance(answer, int) else answer
        total = answer if isinstance(answer, int) else answer.expansions
        if expansions is not None and self._expansions + expansions < total:
            self._expansions += expansions
            return
        self._expansions = total
        self._plan = plan
        self._status = SearchStatus.EXHAUSTED if plan is None else SearchStatus.SOLVED

    def _carried_out(self) -> HtnSearch:
        """The search itself, as far as this one has come."""
        if self._search is None:
            search = HtnSearch(self._request(self._start))
            repeat(search, self._status, self._expansions)
            self._search = search
        return self._search
