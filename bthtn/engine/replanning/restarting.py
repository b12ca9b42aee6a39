"""RestartingSearch: a search that takes several ticks, in a world that changes meanwhile.

    a plan is found     does it work from the newest beliefs?    yes: it is the answer
    it does not         it is kept, and the search restarts from the newest beliefs
    beliefs change      does one of the plans that were kept work now?  yes: it is the answer

So what the world does meanwhile costs time, but never the goal: only the expansions of all
restarts together are limited.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final

from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.protocol import SEARCHING, SOLVED, RecordedSearch, SearchStatus
from bthtn.engine.world.beliefs import Beliefs
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState

MOST_KEPT: Final = 4
"""Plans that are kept because they may work again: a world often changes to and fro."""


class RestartingSearch(ABC):
    """A search whose plan works from the beliefs at the end of ``advance``.

    ``state`` is that of the latest start, ``found_in`` the one in which ``plan`` is the best;
    what has changed since may have made a better one possible. The restarts end, with the status
    LIMIT, once all of them together have used ``most`` expansions.
    """

    def __init__(self, beliefs: Beliefs[Any], most: int) -> None:
        self._beliefs = beliefs
        self._most = most
        self._kept: tuple[tuple[Plan, FrozenState], ...] = ()  # with the states they are best in
        self._works_at = -1  # the version of the beliefs from which ``plan`` works
        self.plan: Plan | None = None
        self.expansions = 0
        self.restart()
        self.found_in = self.state

    @abstractmethod
    def search_from(self, state: FrozenState) -> RecordedSearch:
        """A new search from a state."""

    def restart(self) -> None:
        self.status = SEARCHING
        self._version = self._beliefs.version
        self.state = self._beliefs.frozen()
        self._search = self.search_from(self.state)

    @property
    def is_finished(self) -> bool:
        """Whether the latest search has ended before its limit of expansions."""
        return self._search.status is not SearchStatus.LIMIT

    @property
    def reads(self) -> Mapping[Fluent[Any], Any]:
        """The fluents that the latest search has read, with the values."""
        return self._search.reads

    def restart_if_changed(self) -> None:
        """Search from the newest beliefs, for the best plan, if they have changed since the start.

        Unlike a restart by itself, this forgets plans that were found before.
        """
        if self._version != self._beliefs.version:
            self._kept = ()
            self.plan = None
            self.restart()

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Search for at most so many more expansions, by default to the end.

        Raises PlanningError when a user's function raises.
        """
        limit = None if expansions is None else self.expansions + expansions
        while not self._has_ended():
            left = None if limit is None else limit - self.expansions
            search = self._search
            before = search.expansions
            try:
                status = search.advance(left)
            except Exception:
                self.status = SearchStatus.ERROR
                raise
            except BaseException:  # Ctrl-C, in the middle of whatever the search was doing
                self.restart()
                raise
            finally:
                self.expansions += search.expansions - before
            if status is SEARCHING or self._ends_with(search.plan, status):
                break
        return self.status

    def _has_ended(self) -> bool:
        """Whether there is an answer for the beliefs as they are."""
        if self.plan is not None and self._works_at != self._beliefs.version:
            self._keep(self.plan, self.found_in)
            self.plan = None
            self.restart()
        if self.status is not SEARCHING:
            return True
        for kept in reversed(self._kept):
            if self._works(kept[0]):
                self._kept = tuple(search for search in self._kept if search is not kept)
                self._answer(*kept)
                return True
        return False

    def _ends_with(self, plan: Plan | None, status: SearchStatus) -> bool:
        """Take over the search's result; False after a restart, for a plan that fails now."""
        if plan is None:
            self.status = status
        elif self._version == self._beliefs.version or self._works(plan):
            self._answer(plan, self.state)
        elif self.expansions >= self._most:
            self.status = SearchStatus.LIMIT
        else:
            self._keep(plan, self.state)
            self.restart()
            return False
        return True

    def _keep(self, plan: Plan, found_in: FrozenState) -> None:
        self._kept = (*self._kept, (plan, found_in))[-MOST_KEPT:]

    def _answer(self, plan: Plan, found_in: FrozenState) -> None:
        self.plan, self.status = plan, SOLVED
        self.found_in = found_in
        self._works_at = self._beliefs.version

    def _works(self, plan: Plan) -> bool:
        return replay(plan, self._beliefs.frozen()).ok
