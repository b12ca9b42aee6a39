"""PlanSearch: how a goal finds its plans, from the start of a search to a working plan.

A search goes on over many ticks, and the world, the domain (after a reload) and the tasks to be
avoided can change under it. It is not begun anew at each change, as it might never end: its plan is
tried in the newest state instead (``RestartingSearch``). What is planned ahead in the background is
used only if the planner is still the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import bthtn.engine.planning.htn.translation.translator  # noqa: F401 - so that no tick has to
from bthtn.engine.agent.agent import Agent, domain_and_goal
from bthtn.engine.agent.programming_errors import code_failed
from bthtn.engine.behaviours.compile import refuse_too_deep
from bthtn.engine.behaviours.memory import FailureMemory
from bthtn.engine.behaviours.plan_run import Arrival, Reads, ResumeFailed
from bthtn.engine.domain.network import NetworkLike, sequence
from bthtn.engine.plan.equivalence import repeats_suspension
from bthtn.engine.plan.nodes import SuspendedNode
from bthtn.engine.plan.plan import Plan, is_empty
from bthtn.engine.planning.exclusions import Avoided
from bthtn.engine.planning.explain import avoided_steps, explained, main_reasons
from bthtn.engine.planning.partial import go_on
from bthtn.engine.planning.planner import Planner, PlannersByGoal
from bthtn.engine.planning.protocol import SEARCHING, RecordedSearch, SearchStatus, Settings
from bthtn.engine.planning.trace import SearchEvent
from bthtn.engine.replanning.improvement import Start
from bthtn.engine.replanning.policy import Replanning
from bthtn.engine.replanning.restarting import RestartingSearch
from bthtn.engine.replanning.schedule import Budget
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState
from bthtn.errors import BthtnError, DomainError

MOST_EXPLAINED: Final = 200
"""Expansions of the largest search that is repeated to say why there is no plan."""


class _Started(RestartingSearch):
    """A search of a goal, with its planner, and the exclusions of its latest start."""

    avoided: Avoided

    def __init__(
        self,
        planner: Planner[Any],
        failures: FailureMemory,
        agent: Agent[Any, Any],
        *,
        resumes: bool,
    ) -> None:
        self.planner = planner
        self._failures = failures
        self._resumes = resumes
        super().__init__(agent.beliefs, planner.settings.max_expansions)

    def search_from(self, state: FrozenState) -> RecordedSearch:
        """A new search from a state, without the tasks and methods that are avoided now."""
        self.avoided = self._failures.avoided()
        search = self.planner.search(state, avoiding=self.avoided)
        if not self._resumes:
            self._failures.searches(search)
        return search


class PlanSearch:
    """The searches of one goal: for its plan, for suspended parts, and ahead of time.

    It plans with the domain that the agent has when a search starts, and without the tasks and
    methods that ``failures`` excludes because they have failed lately. All searches share the
    goal's budget of a tick. ``planner`` is that of the latest search for a plan.
    """

    __slots__ = (
        *("_agent", "_background", "_current", "_domain", "_domains", "_explained"),
        *("_name", "_newest", "_prepared", "_unfit", "budget", "failures", "goal", "planner"),
        *("reason", "settings"),
    )

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
        self._name = name
        # Constructs in the goal are lowered once: suspended parts refer to the resulting tasks.
        self.goal = sequence(goal)
        self.settings = settings
        self.budget = budget
        self.reason = ""
        """Why a plan is searched for."""
        self._domains = agent.domains
        self._domain, fitting = domain_and_goal(self._domains, self.goal)
        self._newest = self._domain.derived(PlannersByGoal).planner(fitting, settings)
        self.planner = self._newest
        self.failures = FailureMemory(agent, name, self.planner, replanning.retrying)
        self._current: _Started | None = None
        self._background: _Started | None = None
        self._prepared: _Started | None = None
        self._unfit: DomainError | None = None
        self._explained: tuple[Any, str] = (None, "")  # the latest search, and its reason

    def newest(self) -> Planner[Any]:
        """The planner with the agent's domain of now, or the latest one that fits the goal."""
        if self._agent.domains is not self._domains:
            self._domains = self._agent.domains
            domain, goal = domain_and_goal(self._domains, self.goal)
            try:
                if domain is not self._domain:
                    self._newest = domain.derived(PlannersByGoal).planner(goal, self.settings)
                self._domain, self._unfit = domain, None
            except DomainError as error:
                self._unfit = error
        return self._newest

    def follow(self) -> bool:
        """Plan with the newest planner. Returns whether it is another one than before."""
        is_other = self.newest() is not self.planner
        if is_other:
            self.planner, self._prepared, self._background = self._newest, None, None
            self.failures.plan_with(self.planner)
        return is_other

    def start(self) -> bool:
        """Start to search for a plan, or take the prepared one.

        Returns whether ``planner`` is a new one, since the agent has another domain.
        """
        is_other = self.follow()
        self._current = self._prepared or self._started()
        self._prepared = None
        return is_other

    def restart_if_changed(self) -> None:
        """Start the search anew if a belief has changed since it started."""
        if self._current is not None:
            self._current.restart_if_changed()

    def advance(self) -> Plan | None:
        """Search within the budget; a plan that works now, None while the search goes on.

        Raises ResumeFailed when there is no plan, PlanningError when a user's function raises,
        DomainError for a goal that the agent's domain does not fit, and ExecutionError for a plan
        that is too deep for py_trees.
        """
        if self._unfit is not None:
            raise self._unfit
        assert self._current is not None, "a goal without a plan searches for one"
        plan = self.plan_of(self._current)
        if plan is not None:
            plan.derived(refuse_too_deep)
        return plan

    @property
    def found_from(self) -> Start | None:
        """Where the search has started from which the plan of the current one is the best."""
        current = self._current
        return None if current is None else Start(current.found_in, current.avoided)

    @property
    def why_adopted(self) -> str:
        """Why a plan was searched for, and whether the search for a better one was not finished."""
        current = self._current
        if current is None or current.is_finished:
            return self.reason
        limit = f"the search for a better plan stopped after {current.expansions} expansions"
        return f"{self.reason}; {limit}"

    def stop(self) -> None:
        self._current = None

    def prepare(self) -> bool | None:
        """Search in the background; whether a plan works now and has something to do.

        None while the search goes on.

        The next ``start`` takes over the plan that was found.
        """
        self.failures.tick()
        if self.failures.why_waiting():
            return False
        try:
            self.follow()
            return self._unfit is None and self._prepare()
        except BthtnError as error:  # a user's function raised
            self._agent.emit(code_failed(f"search ahead of '{self._name}'", error))
            self._background = None
            return False

    def stop_preparing(self) -> None:
        """Drop the background search; the next ``prepare`` starts a new one."""
        self._background = None

    def start_rest(self, arrival: Arrival) -> RestSearch:
        """Start to plan a suspended part from the beliefs as they are (semantics 3.5).

        Raises ResumeFailed.
        """
        state, domain = self._agent.beliefs.frozen(), self.planner.domain
        node = arrival.node
        planner: Planner[Any] = Planner.resuming(domain, node, self.settings)
        try:
            # The plan that was foreseen with the rest may contain what is excluded by now.
            excludes = bool(self.failures.avoided())
            foreseen = None if excludes else go_on(node, state, domain, self.settings)
            started = None
            if foreseen is None:
                started = self._started(planner, resumes=True)
        except BthtnError as error:
            raise self.search_failed(error) from error
        return RestSearch(self, node, foreseen, started)

    def search_failed(self, error: BthtnError) -> ResumeFailed:
        """The failure of a suspended part during whose search users' code raised."""
        self._agent.emit(code_failed(f"search of '{self._name}'", error))
        return ResumeFailed(str(error))

    def explanation(self) -> str:
        """The attempts of a search from the current beliefs, and why they fail, as lines."""
        planner = self.newest()
        try:
            trace = planner.trace(self._agent.beliefs.frozen(), self.failures.avoided())
        except BthtnError as error:
            return str(error)
        last = "there is no plan"
        if (plan := trace.plan) is not None:  # what the first open part waits for, others do, too
            parts = ", ".join(map(str, (*plan.steps, *plan.suspended[:1])))
            last = f"there is a plan: {parts or 'nothing'}"
        return f"{trace}\n{last}" if str(trace) else last

    def plan_of(self, started: _Started) -> Plan | None:
        """The plan of a search, None while it goes on. Raises ResumeFailed without a plan."""
        status = self.budget.advance(started)
        if status is SEARCHING:
            return None
        if started.plan is None:
            limit = f"no plan within {started.expansions} expansions"
            is_limit = status is SearchStatus.LIMIT
            why = limit if is_limit else self._reason_of(started)
            raise ResumeFailed(why, started.reads)
        return started.plan

    def _reason_of(self, started: _Started) -> str:
        """Why there is no plan. The search is repeated for it, once while nothing changes.

        A large one is not: of that it is only told which steps are avoided.
        """
        if started.expansions > MOST_EXPLAINED:
            return _without_plan(avoided_steps(started.avoided))
        asked = (started.planner, dict(started.reads), dict(started.avoided))
        if asked != self._explained[0]:
            events: list[SearchEvent] = []
            try:
                again = started.planner.search(started.state, events.append, started.avoided)
                is_large = again.advance(MOST_EXPLAINED) is SEARCHING
            except BthtnError as error:  # a user's function that raises now and then
                self._agent.emit(code_failed(f"search of '{self._name}'", error))
                return "there is no plan"
            reasons = () if is_large else main_reasons(explained(events))
            self._explained = (asked, _without_plan(reasons))
        return self._explained[1]

    def _started(self, planner: Planner[Any] | None = None, *, resumes: bool = False) -> _Started:
        return _Started(planner or self.planner, self.failures, self._agent, resumes=resumes)

    def _prepare(self) -> bool | None:
        started = self._background = self._background or self._started()
        # The goal is not ticked meanwhile, so its whole budget is there.
        self.budget.renew()
        if self.budget.advance(started) is SEARCHING:
            return None
        self._background = None
        plan = started.plan
        if plan is None or is_empty(plan):
            self._prepared = None
            return False
        plan.derived(refuse_too_deep)
        self._prepared = started
        return True


def _without_plan(reasons: tuple[str, ...]) -> str:
    return f"there is no plan: {'; '.join(reasons)}" if reasons else "there is no plan"


class RestSearch:
    """A search for the plan of a suspended part; ``foreseen`` is the plan if it was made before."""

    def __init__(
        self,
        search: PlanSearch,
        node: SuspendedNode,
        foreseen: Plan | None,
        started: _Started | None,
    ) -> None:
        self._search = search
        self._node = node
        self._foreseen = foreseen
        self._started = started

    def advance(self) -> tuple[Plan, Reads | None] | None:
        """The plan and the fluents that the search has read, None while the search goes on.

        Raises ResumeFailed.
        """
        started, cause = self._started, self._node.cause
        try:
            plan = self._foreseen if started is None else self._search.plan_of(started)
        except BthtnError as error:
            raise self._search.search_failed(error) from error
        if plan is None:
            return None
        if repeats_suspension(plan, self._node):
            unknown = f"'{cause.fluent}' is still unknown" if cause.fluent else ""
            why = unknown or f"planning stops at the same place again ({cause})"
            raise ResumeFailed(why, () if started is None else started.reads)
        return plan, None if started is None else _ReadsOf(started)


class _ReadsOf(Mapping[Fluent[Any], Any]):
    """The reads of a finished search, which are found when they are first looked at: few are."""

    def __init__(self, search: RestartingSearch) -> None:
        self._search = search

    @cached_property
    def _reads(self) -> Reads:
        return self._search.reads

    def __getitem__(self, fluent: Fluent[Any]) -> Any:
        return self._reads[fluent]

    def __iter__(self) -> Iterator[Fluent[Any]]:
        return iter(self._reads)

    def __len__(self) -> int:
        return len(self._reads)
