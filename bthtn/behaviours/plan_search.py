"""PlanSearch: how a goal finds its plans, from the start of a search to a working plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bthtn.agent.agent import Agent, domain_for
from bthtn.behaviours.failure_tracking import FailureTracking
from bthtn.behaviours.plan_run import Arrival, ResumeFailed
from bthtn.domain.network import NetworkLike, sequence
from bthtn.errors import BthtnError
from bthtn.plan.nodes import SuspendedNode, TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.walk import preorder
from bthtn.planning.partial import go_on
from bthtn.planning.planner import Planner
from bthtn.planning.protocol import Search, SearchStatus, Settings
from bthtn.replanning.policy import Replanning
from bthtn.replanning.restarting import RestartingSearch
from bthtn.replanning.schedule import Budget


class PlanSearch:
    """The searches of one goal: for its plan, for suspended parts, and ahead of time.

    It plans with the domain that the agent has when a search starts, and without the tasks and
    methods that ``failures`` excludes because they have failed lately. All searches share the
    goal's budget of a tick.
    """

    def __init__(
        self,
        agent: Agent[Any, Any],
        name: str,
        goal: NetworkLike,
        settings: Settings,
        budget: Budget,
        replanning: Replanning,
    ) -> None:
        """Raises DomainError for a goal of another domain."""
        self._agent = agent
        # Constructs in the goal are lowered once: suspended parts refer to the resulting tasks.
        self._goal = sequence(goal)
        self._settings = settings
        self._budget = budget
        self._domain = domain_for(agent.domains, self._goal)
        self.planner: Planner[Any] = self._new_planner()
        self.failures = FailureTracking(agent, name, self.planner, replanning.retrying)
        self._current: RestartingSearch | None = None
        self._background: RestartingSearch | None = None
        self._prepared: RestartingSearch | None = None

    def start(self) -> bool:
        """Start to search for a plan, or take the prepared one.

        Returns whether the agent has another domain than at the last search, and therefore
        ``planner`` is a new one.
        """
        domain = domain_for(self._agent.domains, self._goal)
        is_other = domain is not self._domain
        if is_other:
            self._domain, self._prepared = domain, None
            self.planner = self._new_planner()
            self.failures.plan_with(self.planner)
        self._current = self._prepared or self._started()
        self._prepared = None
        return is_other

    def restart_if_changed(self) -> None:
        """Start the search anew if a belief has changed since it started."""
        if self._current is not None:
            self._current.restart_if_changed()

    def advance(self) -> Plan | None:
        """Search within the budget; a plan that works now, None while the search goes on.

        Raises ResumeFailed when there is no plan, and PlanningError when a user's function raises.
        """
        assert self._current is not None, "a goal without a plan searches for one"
        return self._plan_of(self._current)

    def stop(self) -> None:
        """Drop the current search."""
        self._current = None

    def prepare(self) -> bool | None:
        """Search in the background; whether a plan works now, None while the search goes on.

        The next ``start`` takes over the plan that was found.
        """
        try:
            return self._prepare()
        except BthtnError:  # a user's function raised: reported once the goal itself searches
            self._background = None
            return False

    def stop_preparing(self) -> None:
        """Drop the background search; the next ``prepare`` starts a new one."""
        self._background = None

    def rest(self, arrival: Arrival) -> Callable[[], Plan | None]:
        """Start to plan a suspended part from the beliefs as they are (semantics 3.5).

        Returns a function to call at every tick, which returns None while the search goes on.
        Both raise ResumeFailed.
        """
        state, domain = self._agent.beliefs.frozen(), self.planner.domain
        node, cache = arrival.node, self._agent.cache
        planner: Planner[Any] = Planner.resuming(domain, node, self._settings, cache=cache)
        try:
            # The plan that was foreseen with the rest may contain what is excluded by now.
            excludes = bool(self.failures.avoided)
            foreseen = None if excludes else go_on(node, state, domain, self._settings)
            search = None
            if foreseen is None:
                search = self._restarting(planner, resumes=True)
        except BthtnError as error:
            raise ResumeFailed(str(error)) from error

        def planned() -> Plan | None:
            try:
                plan = foreseen if search is None else self._plan_of(search)
            except BthtnError as error:
                raise ResumeFailed(str(error)) from error
            if plan is not None and repeats_suspension(plan, node):
                unknown = f"'{node.cause.fluent}' is still unknown" if node.cause.fluent else ""
                same = f"planning stops at the same place again ({node.cause})"
                raise ResumeFailed(unknown or same)
            return plan

        return planned

    def _plan_of(self, search: Search) -> Plan | None:
        """The plan of a search, None while it goes on. Raises ResumeFailed without a plan."""
        status = self._budget.advance(search)
        if status is SearchStatus.RUNNING:
            return None
        if search.plan is None:
            limit = f"no plan within {search.expansions} expansions"
            raise ResumeFailed(limit if status is SearchStatus.LIMIT else "there is no plan")
        return search.plan

    def _started(self) -> RestartingSearch:
        return self._restarting(self.planner)

    def _restarting(self, planner: Planner[Any], *, resumes: bool = False) -> RestartingSearch:
        return RestartingSearch(
            lambda state: self.failures.search(planner, state, resumes=resumes),
            self._agent.beliefs,
            self._settings.max_expansions,
        )

    def _prepare(self) -> bool | None:
        started = self._background = self._background or self._started()
        # The goal is not ticked meanwhile, so its whole budget is there.
        self._budget.renew()
        if self._budget.advance(started) is SearchStatus.RUNNING:
            return None
        self._background = None
        self._prepared = None if started.plan is None else started
        return started.plan is not None

    def _new_planner(self) -> Planner[Any]:
        return Planner(self._domain, self._goal, self._settings, cache=self._agent.cache)


def repeats_suspension(plan: Plan, resumed: SuspendedNode) -> bool:
    """Whether the plan of a suspended part begins by suspending the same part again."""
    first = next(
        (n for _, n in preorder(plan.tree) if isinstance(n, TaskNode | SuspendedNode)), None
    )
    return (
        isinstance(first, SuspendedNode)
        and first.rest == resumed.rest
        and first.binding == resumed.binding
    )
