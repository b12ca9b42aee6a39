"""FailureTracking: reports a goal's failures and successes to ``replanning.failures``."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from bthtn.agent.agent import Agent
from bthtn.agent.clock import steady_time
from bthtn.agent.events import GoalWaits, TaskAvoided
from bthtn.agent.programming_errors import code_failed
from bthtn.behaviours.plan_run import Cooldowns, PlanRefused
from bthtn.domain.task import call_text
from bthtn.plan.failure import Failure
from bthtn.plan.nodes import TaskNode
from bthtn.planning.exclusions import Avoidable, Avoided
from bthtn.planning.planner import Planner
from bthtn.planning.protocol import RecordedSearch
from bthtn.planning.static_reads import StaticReads, static_reads
from bthtn.replanning.backoff import RetryPolicy
from bthtn.replanning.failures import (
    NOTHING_READ,
    AttributedFailure,
    GoalFailures,
    attributed,
    attributed_ahead,
)
from bthtn.replanning.progress import Progress
from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState


class FailureTracking:
    """Keeps the failures of one goal, beyond its plans, and watches the beliefs for it.

    ``close`` ends it.
    """

    __slots__ = (
        *("__dict__", "_agent", "_failures", "_goal", "_planner", "_policy", "_recorded"),
        *("_timed_by", "_watch", "cooldowns"),
    )

    def __init__(
        self, agent: Agent[Any, Any], goal: str, planner: Planner[Any], policy: RetryPolicy
    ) -> None:
        self._agent = agent
        self._goal = goal
        self._planner = planner
        self._policy = policy
        self._failures = GoalFailures(policy, self._differs_now)
        self._timed_by = agent if policy.in_seconds else None
        self._time()  # an agent without a clock is refused here
        self._watch = agent.beliefs.watch()
        self._recorded: RecordedSearch | None = None
        self.cooldowns = Cooldowns()

    def tick(self) -> None:
        """Another tick of the goal begins."""
        if self.cooldowns.left and self.cooldowns.tick():
            self._failures.allowed()
        changes = self._watch.changes
        if not changes:
            self._failures.ticked((), (), self._time())
            return
        own = [change.fluent for change in changes.values() if change.source is self._goal]
        others = [change.fluent for change in changes.values() if change.source is not self._goal]
        self._failures.ticked(others, own, self._time())
        self._watch.forget()

    def _time(self) -> float | None:
        return None if self._timed_by is None else steady_time(self._timed_by)

    def _from_now(self, until: float) -> float:
        """How long it is from the end of this tick, in the unit of the policy."""
        return round(until - self._failures.tick - self._policy.least, 3)

    def plan_with(self, planner: Planner[Any]) -> None:
        """Failures are those of this planner's domain from now on."""
        self._planner = planner
        vars(self).pop("_static_reads", None)

    def obstacle(self) -> Failure | None:
        """Why the goal is not tried in this tick, None if it is."""
        waiting = self._failures.waiting()
        return None if waiting is None else waiting.failure(self._failures.tick)

    def search(
        self, planner: Planner[Any], state: FrozenState, avoided: Avoided, *, resumes: bool = False
    ) -> RecordedSearch:
        """A search without the avoided tasks; its reads are recorded after a failure."""
        if self._failures.has_failed or resumes:
            self._recorded = planner.search(state, avoiding=avoided)
            return self._recorded
        self._recorded = None
        return planner.search(state, avoiding=avoided)

    def avoided(self) -> Avoided:
        """The tasks and methods that plans must not use now."""
        if not self.cooldowns.left:
            return self._failures.avoided()
        methods = self._planner.domain.methods
        cooling: dict[Avoidable, str] = {
            (methods[task][0], args): "it cools down"
            for task, args in self.cooldowns.left
            if task in methods
        }
        return {**self._failures.avoided(), **cooling}

    @property
    def situation(self) -> tuple[FrozenState, Avoided]:
        """The state from which a part of a plan is repaired, and its exclusions."""
        return self._agent.beliefs.frozen(), self.avoided()

    def begin(self) -> None:
        """The goal begins another attempt."""
        self._failures.began()

    def found(self) -> None:
        """A plan was found."""
        self._failures.found()

    def step_succeeded(self, node: TaskNode) -> None:
        """A step has succeeded."""
        self._failures.part_succeeded((node.task, node.args))

    def part_failed(self, progress: Progress, failure: Failure) -> None:
        """A step, or a part that was to be planned on arrival, has made the plan fail."""
        if self._recorded is not None and not isinstance(failure.node, TaskNode):
            failure = failure.having_read(self._recorded.reads)
        found = attributed(progress, failure, self._planner.domain, self._agent.beliefs)
        if found is not None and found.failure.error is not failure.error:
            self.reviewed(found.failure)  # a condition raised that was asked for the attribution
        self._remember(found)

    def will_fail(self, progress: Progress, failure: Failure) -> None:
        """The plan would not work to its end, for other reasons than a change by others."""
        self._remember(attributed_ahead(progress, failure, self._planner.domain))

    def plan_refused(self, refused: PlanRefused) -> None:
        """A plan could not start; the step whose hook refused is avoided."""
        task, args = refused.call
        failure = Failure(str(refused), call_text(task, args))
        self._remember(AttributedFailure((task, args), failure, at_plan_start=True))

    def reviewed(self, failure: Failure | None) -> None:
        """Report the exception of a condition in the rest of a plan, which no other event has."""
        if failure is not None and failure.error is not None:
            self.raised(failure.error)

    def raised(self, error: BaseException) -> None:
        """Report an exception that was raised while a plan was reviewed or repaired."""
        self._agent.emit(code_failed(f"review of '{self._goal}'", error))

    def failed(self, failure: Failure) -> None:
        """The goal ends without success."""
        reads = NOTHING_READ if self._recorded is None else self._recorded.reads
        waiting = self._failures.failed(failure, reads)
        self._recorded = None
        self._update_watch()
        if waiting is not None:
            names, time = _names(waiting.fluents), self._from_now(waiting.until)
            failures, unit = waiting.failures, self._policy.in_seconds
            self._agent.emit(GoalWaits(self._goal, failures, str(failure), time, names, unit))

    def succeeded(self) -> None:
        """The goal has been reached."""
        self._failures.succeeded()
        self._update_watch()

    def close(self) -> None:
        """Stop watching the beliefs."""
        self._watch.close()

    def _remember(self, failure: AttributedFailure | None) -> None:
        # A mistake in users' code says nothing about the world: no other step would be any better.
        if failure is None or failure.failure.error is not None:
            return
        entry = self._failures.part_failed(failure)
        self._update_watch()
        if entry is not None:
            names, time = _names(failure.reads), self._from_now(entry.until)
            subject, why = failure.failure.what, failure.failure.why
            count, unit = entry.count, self._policy.in_seconds
            self._agent.emit(TaskAvoided(self._goal, subject, count, why, time, names, unit))

    @cached_property
    def _static_reads(self) -> StaticReads | None:
        return static_reads(self._planner.domain, self._planner.goal)

    def _differs_now(self, fluent: Fluent[Any], before: object) -> bool:
        """Whether a search could distinguish a fluent's value now from the one before."""
        reads = self._static_reads
        return reads is None or reads.differ(fluent, before, self._agent.beliefs.get(fluent))

    def _update_watch(self) -> None:
        self._watch.over(self._failures.watched)


def _names(fluents: frozenset[Fluent[Any]]) -> tuple[str, ...]:
    return tuple(sorted(map(str, fluents)))
