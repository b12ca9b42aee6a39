"""Budget: how many expansions a goal may use in a tick, for whatever it plans."""

from __future__ import annotations

from bthtn.planning.protocol import Search, SearchStatus


class Budget:
    """What is left of a tick's expansions. Whoever plans in that tick takes from it."""

    def __init__(self, per_tick: int | None) -> None:
        self.per_tick = per_tick
        self.left = per_tick

    def renew(self) -> None:
        """A new tick begins."""
        self.left = self.per_tick

    def advance(self, search: Search) -> SearchStatus:
        """Let a search go on as far as it may. Raises PlanningError from a user's function."""
        before = search.expansions
        status = search.advance(self.left)
        if self.left is not None:
            self.left -= search.expansions - before
        return status
