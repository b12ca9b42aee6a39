"""Budget: how many expansions a goal may use in a tick, for whatever it plans."""

from __future__ import annotations

from bthtn.planning.protocol import Search, SearchStatus
from bthtn.replanning.schedule import Planning, PlanningSchedule, advance


class Budget:
    """What is left of a tick's expansions. Whoever plans in that tick takes from it.

    With a schedule, what is left is asked of it each time, for the goal that plans.
    """

    def __init__(self, per_tick: int | PlanningSchedule | None, who: Planning) -> None:
        self.per_tick = per_tick
        self._left = per_tick
        self._who = who

    def renew(self) -> None:
        """A new tick begins."""
        self._left = self.per_tick

    def advance(self, search: Search) -> SearchStatus:
        """Let a search go on as far as it may. Raises PlanningError from a user's function."""
        before = search.expansions
        status = advance(search, self._left, self._who)
        if isinstance(self._left, int):
            self._left -= search.expansions - before
        return status
