"""PlanAhead: whether a goal would have a plan, found out while something else runs."""

from __future__ import annotations

from bthtn.behaviours.plan_goal import PlanGoal
from bthtn.errors import BthtnError
from bthtn.plan.replay import replay
from bthtn.planning.protocol import Search, SearchStatus
from bthtn.replanning.schedule import advance


class PlanAhead:
    """A look for a goal's plan on the goal's own budget, tick by tick, without running it.

    What is found is handed to the goal: ticked next, it begins with that plan.
    """

    def __init__(self, goal: PlanGoal) -> None:
        self.goal = goal
        self._begun: tuple[int, Search] | None = None

    def advance(self) -> bool | None:
        """Whether there is a plan that holds now; None while that takes more ticks.

        A domain whose functions raise has none: the goal tells when it is ticked itself.
        """
        try:
            return self._advance()
        except BthtnError:
            self._begun = None
            return False

    def forget(self) -> None:
        """Begin anew the next time."""
        self._begun = None

    def _advance(self) -> bool | None:
        if self._begun is None:
            self._begun = self.goal.seeking.begun()
        (version, search), beliefs = self._begun, self.goal.agent.beliefs
        status = advance(search, self.goal.budget, self.goal)
        if status is SearchStatus.RUNNING:
            return None
        begun, self._begun = self._begun, None
        if search.plan is None:
            return False
        holds = version == beliefs.version or replay(search.plan, beliefs.frozen()).ok
        self.goal.seeking.prepared = begun if holds else None
        return holds
