"""AcceleratedSearch: generated functions answer it if they can, else it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from bthtn.plan.plan import Plan
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SEARCHING, SOLVED, PlanRequest, SearchStatus, repeat
from bthtn.world.fluent import Fluent
from bthtn.world.sharing import Unpicklable
from bthtn.world.state import FrozenState

Answer = Plan | int | None
"""A plan; or the number of expansions if there is none; or None if the search must decide."""
Kept = list[Any]
"""Where a search in slices is, after as many expansions as its first item says."""


Accelerator = Callable[..., Answer]
"""A function of a start state and a limit of expansions, which has the answer if it needs no more.

With a list it keeps there how far it came, and goes on from there; the list is empty if it cannot.
Before its end, what it answers is as much as it knows by then.
"""

AHEAD: Final = 8
"""Times the slices so far that an accelerator may search ahead: it is about as much faster."""


class AcceleratedSearch(Unpicklable):
    """A search that equals ``HtnSearch``, and asks an accelerator first.

    The answer is used up in slices, as a search would be. The search itself is made when the
    accelerator has no answer, and when something is asked that only the search can say: with
    ``minimizes`` that is the cheapest plan so far, too.
    """

    __slots__ = (
        *("_ahead", "_answer", "_ask", "_asked", "_is_cancelled", "_kept", "_most", "_plan"),
        *("_request", "_search", "_minimizes", "_start", "_status", "expansions"),
    )
    _asked: PlanRequest
    """Set while it is loaded from a save."""

    def __init__(
        self,
        ask: Accelerator,
        start: FrozenState,
        most: int,
        request: Callable[[FrozenState], PlanRequest],
        minimizes: bool,  # noqa: FBT001 - every plan is found by one of these, and names take time
    ) -> None:
        """Create a search from ``start``; at most ``most`` expansions are left to ``ask``."""
        self._ask = ask
        self._start = start
        self._most = most
        self._request = request
        self._kept: Kept = []
        self._minimizes = minimizes
        self._ahead = 0
        self._answer: Answer = None
        self.expansions = 0
        """Number of primitive tasks examined and methods entered so far."""
        self._is_cancelled = False
        self._plan: Plan | None = None
        self._search: HtnSearch | None = None
        self._status = SEARCHING

    def __getstate__(self) -> dict[str, Any]:
        """The state to save: the request, and how far it came."""
        asked = self._request(self._start)
        return {"_asked": asked, "expansions": self.expansions, "_status": self.status}

    def resume(self, _: object) -> None:
        """Search again as far as it had come when it was saved."""
        asked, status, expansions = self._asked, self._status, self.expansions
        start, never = asked.state, lambda *_: None
        AcceleratedSearch.__init__(self, never, start, 0, lambda _: asked, minimizes=False)
        self._search = search = HtnSearch(asked)
        repeat(search, status, expansions)
        self.expansions = search.expansions

    @property
    def status(self) -> SearchStatus:
        """The status of the search."""
        if self._is_cancelled:
            return SearchStatus.CANCELLED
        return self._status if self._search is None else self._search.status

    @property
    def plan(self) -> Plan | None:
        """The plan, once solved."""
        if self._is_cancelled or self._plan is not None:
            return None if self._is_cancelled else self._plan
        if self._search is None and self._minimizes and self._status is SEARCHING:
            self._carried_out()
        return None if self._search is None else self._search.plan

    @property
    def reads(self) -> Mapping[Fluent[Any], Any]:
        """The fluents read from the start state so far, with their values, in order."""
        return self._carried_out().reads

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Search for at most this many more expansions, by default to the end; return the status.

        Raises PlanningError when a user's function raises; then the search is over.
        """
        if self._search is None and self._status is SEARCHING and not self._is_cancelled:
            self._look_ahead(expansions)
        if self._is_cancelled:
            return SearchStatus.CANCELLED
        if self._search is None:
            return self._status
        try:
            return self._search.advance(expansions)
        finally:
            self.expansions = self._search.expansions

    def cancel(self) -> None:
        """Cancel a running search and release its memory; no effect on a finished one.

        Any thread may call it.
        """
        if self.status is SEARCHING:
            self._is_cancelled = True
            self._kept = []
            if self._search is not None:
                self._search.cancel()

    def reject(self) -> None:
        """Discard the plan that was found, so that ``advance`` looks for the next one."""
        self._carried_out().reject()
        self._plan = None

    def _look_ahead(self, expansions: int | None) -> None:
        """Let the accelerator go on, and count so many more expansions; or let the search go on.

        With the last expansion, the answer becomes known.
        """
        kept = self._kept  # which another thread may drop
        if self._answer is None and not self._has_gone_on(expansions, kept):
            self._carried_out()
            return
        answer: Any = self._answer
        is_plan = type(answer) is Plan
        total = answer.expansions if is_plan else answer
        if self._minimizes:  # the search goes on behind its best plan
            total = min(kept[0], self._most)
        if expansions is not None:
            counted = self.expansions + expansions
            if answer is None or counted < total:
                self.expansions = counted
                return
        self.expansions = total
        if is_plan:
            self._plan, self._status = answer, SOLVED
        else:
            self._status = SearchStatus.EXHAUSTED
        if kept:
            self._kept = []
            if kept[0] > self._most:
                self._status = SearchStatus.LIMIT

    def _has_gone_on(self, expansions: int | None, kept: Kept) -> bool:
        """Let the accelerator go on; whether it could. By then it may have the answer."""
        limit = self._most
        if expansions is not None:  # without any, too, it may be over
            self._ahead += AHEAD * (expansions if expansions > 0 else 1)
            limit = min(self._ahead, limit)
        answer = self._answer = self._ask(self._start, limit, kept)
        if not kept:
            return answer is not None
        is_last = limit == self._most
        if kept[0] > limit:  # it has not come to the end
            if not is_last:
                self._answer = None
            elif answer is None:
                self._answer = limit
            return not is_last or self._ends_at_limit
        return answer is not None or not is_last

    @property
    def _ends_at_limit(self) -> bool:
        """Whether all is over behind the last expansion that the accelerator may make.

        Not where the last call may be nested too deep, which takes no expansion to find out.
        """
        settings = self._request(self._start).settings
        return (
            self._most == settings.max_expansions < settings.max_depth - 1 and not settings.anytime
        )

    def _carried_out(self) -> HtnSearch:
        """The search itself, as far as this one has come."""
        if self._search is None:
            search = HtnSearch(self._request(self._start))
            repeat(search, self._status, self.expansions)
            self._search = search
        return self._search
