"""Improvement: is there a better plan, and is that a surprise?

    1  search from the actual state for a plan that beats the record of the running one.
       Nothing that changed was read by it? then nothing has become better or worse
    2  found something? search from the predicted state, too: what the plan's own progress
       would have led to. What is found there as well is no surprise

Both searches are sliced. What the first one has read is all that its answer depends on: until
one of these fluents changes, there is no need to ask again.
"""

from __future__ import annotations

from typing import Any, Final

from bthtn.errors import BthtnError
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.planner import Planner, search_for
from bthtn.planning.protocol import PlanRequest, Search, SearchStatus, seeded
from bthtn.replanning.budget import Budget
from bthtn.replanning.policy import Found, Interrupt
from bthtn.world.fluent import Fluent
from bthtn.world.recording import RecordingState
from bthtn.world.state import FrozenState


class Improvement:
    """One look for a better plan, a little at a time. ``found`` and the rest are there at its end.

    ``changed`` are the fluents that made somebody look. ``interrupt`` is the policy that the
    answer is for: only "surprise" needs the second search, and only it and "mtr" can be content
    with plans that are strictly better.
    """

    def __init__(
        self,
        planner: Planner[Any],
        actual: FrozenState,
        predicted: FrozenState,
        bound: MethodTraversalRecord,
        changed: frozenset[Fluent[Any]],
        interrupt: Interrupt,
    ) -> None:
        self._planner = planner
        self._predicted = predicted
        self._bound = bound
        self._changed = changed
        self._interrupt = interrupt
        self._start = RecordingState(seeded(actual, planner.settings.seed))
        self._search = self._searching(self._start)
        self._is_second = False
        self.plan: Plan | None = None
        self.is_surprising = False
        self.expansions = 0
        self.problem = ""

    def advance(self, budget: Budget) -> bool:
        """Go on; whether the answer is there. A user's function that raises finds nothing."""
        try:
            if not self._goes_on(budget):
                return False
            if self._is_second or self.plan is None or self._interrupt != "surprise":
                return True
            if not self.matters:
                return True
            self._is_second = True
            self._search = self._searching(seeded(self._predicted, self._planner.settings.seed))
            return self._goes_on(budget)
        except BthtnError as error:
            self.plan, self.problem = None, str(error)
            return True

    @property
    def found(self) -> Found:
        """How the plan that was found compares with the running one."""
        if self.plan is None:
            return Found.NOTHING
        if self.plan.record.beats(self._bound):
            return Found.BETTER
        return Found.WORSE if self._bound.beats(self.plan.record) else Found.EQUAL

    @property
    def matters(self) -> bool:
        """Whether what has changed makes a difference to what is found; only a surprise has to."""
        return self._interrupt != "surprise" or not self._changed.isdisjoint(self._start.readings)

    @property
    def reads(self) -> frozenset[Fluent[Any]]:
        """What the answer of the first search depends on."""
        return frozenset(self._start.readings)

    def _goes_on(self, budget: Budget) -> bool:
        before = self._search.expansions
        try:
            status = budget.advance(self._search)
        finally:
            self.expansions += self._search.expansions - before
        if status is SearchStatus.RUNNING:
            return False
        plan = self._search.plan if status is SearchStatus.SOLVED else None
        if not self._is_second:
            self.plan = plan
        elif self.plan is not None:
            self.is_surprising = plan is None or self.plan.record.beats(plan.record)
        return True

    def _searching(self, state: FrozenState) -> Search:
        planner = self._planner
        strictly = self._interrupt in _STRICT
        bound = self._bound if strictly else None
        start = state if strictly else state.unrecorded
        return search_for(
            PlanRequest(
                planner.domain, start, planner.goal, planner.binding, planner.settings, bound
            )
        )


_STRICT: Final[tuple[Interrupt, ...]] = ("mtr", "surprise")
