"""FailureMemory: what has failed for one goal, how often, and how long it is left alone.

What has failed several times in a row (``RetryPolicy.after``) is left alone for ``backoff`` ticks,
after each further failure for twice as long, up to ``longest``. A change of something that it has
read ends the back-off, but not twice within an eighth of it: so a belief that changes in every tick
does not make a goal plan in every tick. A success forgets it; so does time: what fails more than
``longest`` after its last failure or back-off has failed for the first time. During its back-off

    a step, or a method     is avoided: plans do without it
    the goal itself         waits: it fails without a search, at most until the back-off of
                            something that it had to avoid ends
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, inf
from typing import Any, Final, Literal

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import steady_time
from bthtn.engine.agent.events import GoalWaits, TaskAvoided
from bthtn.engine.agent.programming_errors import code_failed
from bthtn.engine.behaviours.plan_run import Cooldowns, PlanRefused
from bthtn.engine.domain.chance import SEED
from bthtn.engine.domain.number import TOLERANCE
from bthtn.engine.domain.task import call_text
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.planning.exclusions import NOTHING_AVOIDED, Avoidable, Avoided
from bthtn.engine.planning.planner import Planner
from bthtn.engine.planning.protocol import RecordedSearch
from bthtn.engine.planning.static_reads import StaticReads, static_reads
from bthtn.engine.replanning.attribution import AttributedFailure, attributed, attributed_ahead
from bthtn.engine.replanning.improvement import Start
from bthtn.engine.replanning.policy import RetryPolicy
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.world.diff import Change
from bthtn.engine.world.expression import Expression
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.relation import Relation

GOAL: Final = "the goal"
"""The cause of a failure of the goal itself."""

Cause = Avoidable | Literal["the goal"]

PART: Final = 8
"""Changes do not end back-offs twice within this part of the later one."""

MAX_REMEMBERED: Final = 256
"""Maximum number of causes; then the one whose last failure is longest ago is forgotten."""


@dataclass(slots=True)
class RememberedFailure:
    """One cause: it has failed ``count`` times in a row, the last time at ``since``.

    Its back-off ends at ``until``. It depends on ``reads``, and on ``searched`` as far as a search
    can tell another value from the one that it has read. When something of that has ``changed``,
    the back-off ends as the next tick begins; at ``woken``, the change ``ended_by`` has ended one
    last.
    Times are ticks of the goal, or seconds of the agent's clock.
    """

    failure: Failure
    reads: frozenset[Fluent[Any]]
    searched: Mapping[Fluent[Any], Any]
    count: int
    since: float
    woken: float
    until: float = 0
    changed: Change | None = None
    ended_by: Change | None = None

    @property
    def fluents(self) -> frozenset[Fluent[Any]]:
        return self.reads.union(_watchable(self.searched))


class FailureMemory:
    """The failures of one goal of an agent, beyond its plans. ``close`` ends it.

    ``cooldowns`` are the parts that cool down after a success; they are avoided, too.
    """

    __slots__ = (
        *("__dict__", "_agent", "_entries", "_goal", "_had_plan", "_has_plan", "_now", "_planner"),
        *("_is_timed", "_policy", "_reads", "_recorded", "_watch", "cooldowns"),
    )

    def __init__(
        self, agent: Agent[Any, Any], goal: str, planner: Planner[Any], policy: RetryPolicy
    ) -> None:
        self._agent = agent
        self._goal = goal
        self._planner = planner
        self._policy = policy
        self._entries: dict[Cause, RememberedFailure] = {}  # the one that failed last at the end
        self._is_timed = policy.in_seconds
        # An agent without a clock is refused here.
        self._now: float = steady_time(agent) if self._is_timed else 0
        self._watch = agent.beliefs.watch()
        self._reads: frozenset[Fluent[Any]] = frozenset()  # by what has failed in this attempt
        self._recorded: RecordedSearch | None = None
        self._has_plan = self._had_plan = False  # this attempt, and the one before it
        self.cooldowns = Cooldowns()

    # when the goal is tried, and without what

    def tick(self) -> None:
        """Another tick of the goal begins."""
        self._now = steady_time(self._agent) if self._is_timed else self._now + 1
        self._hear()
        for entry in self._entries.values():
            if entry.changed is not None:
                self._wake(entry, entry.changed)
        if self.cooldowns.left and self.cooldowns.tick():
            self._end_wait()

    def why_waiting(self) -> Failure | None:
        """Why the goal is not tried in this tick, None if it is."""
        entry = self._entries.get(GOAL)
        if entry is None or not self.goal_waits:
            return None
        left, unit = self._from_now(self._end_of_wait(entry)), self._policy.unit
        change = f", or for a change of {', '.join(names)}" if (names := _names(entry)) else ""
        waits = f"waits {left:g} more {unit}{'' if left == 1 else 's'}{change}"
        why = f"in vain {entry.count} times: {entry.failure}; {waits}"
        return Failure(why, error=entry.failure.error)

    @property
    def goal_waits(self) -> bool:
        """Whether the goal is not tried in this tick."""
        entry = self._entries.get(GOAL)
        return entry is not None and self._end_of_wait(entry) > self._now

    @property
    def left(self) -> float:
        """The seconds until a back-off or a cooldown ends; 0 as long as ticks are counted."""
        ends = [timer.left for timer in self.cooldowns.left.values()]
        for entry in self._entries.values():
            if entry.changed is not None:
                return 0.0
            if not self._is_timed:  # it is forgotten in some tick
                if self._now - max(entry.since, entry.until) <= self._policy.most:
                    return 0.0
            elif entry.until > self._now:
                ends.append(entry.until - self._now)
        return min(ends, default=inf)

    def avoided(self) -> Avoided:
        """The tasks and methods that plans must not use now, each with the reason."""
        if not self._entries and not self.cooldowns.left:
            return NOTHING_AVOIDED
        avoided: dict[Avoidable, str] = {
            cause: self._why_avoided(entry)
            for cause, entry in self._entries.items()
            if isinstance(cause, tuple) and entry.until > self._now
        }
        methods = self._planner.domain.methods
        for task, args in self.cooldowns.left:
            if task in methods:
                avoided[methods[task][0], args] = "it cools down"
        return avoided

    def ended_by(self, cause: Avoidable) -> Change | None:
        """The change that has ended the back-off of something, None if it was not cut short."""
        entry = self._entries.get(cause)
        return None if entry is None else entry.ended_by

    @property
    def now(self) -> Start:
        """Where the search for a new part of a plan begins."""
        return Start(self._agent.beliefs.frozen(), self.avoided())

    def _end_of_wait(self, goal: RememberedFailure) -> float:
        """When the back-off of the goal ends, or that of something that it had to avoid."""
        ends = [entry.until for entry in self._entries.values() if entry.until > goal.since]
        return min([goal.until, *ends])

    def _end_wait(self) -> None:
        if GOAL in self._entries:
            entry = self._entries[GOAL]
            entry.until = min(entry.until, self._now)

    def _why_avoided(self, entry: RememberedFailure) -> str:
        unit = self._policy.unit
        change = f", or a change of {', '.join(names)}" if (names := _names(entry)) else ""
        until = f"until {unit} {round(entry.until, 3):g}{change}"
        return f"it failed at {unit} {entry.since:g} because {entry.failure.why}; {until}"

    # what the goal does

    def plan_with(self, planner: Planner[Any]) -> None:
        """Failures are those of this planner's domain from now on."""
        self._planner = planner
        vars(self).pop("_static_reads", None)

    def begin(self) -> None:
        """The goal begins another attempt; what was drawn in the last one may be drawn again."""
        self._end_wait()
        for entry in self._entries.values():
            if not self._policy.backoff_after(entry.count):
                entry.until = min(entry.until, self._now)
        self._reads = frozenset()
        self._has_plan = False

    def searches(self, search: RecordedSearch) -> None:
        """The goal begins a search; what that reads is needed if the goal is about to wait."""
        failed = self._entries[GOAL].count if GOAL in self._entries else 0
        self._recorded = search if self._policy.backoff_after(failed + 1) else None

    def found(self) -> None:
        """A plan was found; attempts that have failed without one are forgotten."""
        self._has_plan = True
        if not self._had_plan:
            self.succeeded()

    def step_succeeded(self, node: TaskNode) -> None:
        """A step has succeeded: its failures are forgotten."""
        self._entries.pop((node.task, node.args), None)

    def succeeded(self) -> None:
        """The goal has been reached: its failures are forgotten."""
        self._entries.pop(GOAL, None)

    def failed(self, failure: Failure) -> None:
        """The goal ends without success."""
        self._had_plan = self._has_plan
        searched = {} if self._recorded is None else self._recorded.reads
        self._recorded = None
        entry = self._count(GOAL, failure, self._reads, searched)
        if entry is not None and entry.until > self._now:
            time, in_seconds = self._from_now(self._end_of_wait(entry)), self._policy.in_seconds
            about = entry.count, str(failure), time, _names(entry), in_seconds
            self._agent.emit(GoalWaits(self._goal, *about))

    def close(self) -> None:
        """Stop watching the beliefs."""
        self._watch.close()

    # what has failed

    def part_failed(self, rest: Rest, failure: Failure) -> None:
        """A step, or a part that was to be planned on arrival, has made the plan fail."""
        found = attributed(rest, failure, self._planner.domain, self._agent.beliefs)
        if found is not None and found.failure.error is not failure.error:
            self.reviewed(found.failure)  # a condition raised that was asked for the attribution
        self.remember(found)

    def will_fail(self, rest: Rest, failure: Failure) -> None:
        """The plan would not work to its end, for other reasons than a change by others."""
        self.remember(attributed_ahead(rest, failure, self._planner.domain))

    def plan_refused(self, refused: PlanRefused) -> None:
        """A plan could not start: the step whose hook refused is avoided at once."""
        task, args = refused.call
        failure = Failure(str(refused), call_text(task, args))
        self.remember(AttributedFailure((task, args), failure), at_once=True)

    def reviewed(self, failure: Failure | None) -> None:
        """Report the exception of a condition in the rest of a plan, which no other event has."""
        if failure is not None and failure.error is not None:
            self.raised(failure.error)

    def raised(self, error: BaseException) -> None:
        """Report an exception that was raised while a plan was reviewed or repaired."""
        self._agent.emit(code_failed(f"review of '{self._goal}'", error))

    def remember(self, failed: AttributedFailure | None, *, at_once: bool = False) -> None:
        """Count a failure of a step or method, ``at_once`` as many as a back-off takes."""
        # A mistake in users' code says nothing about the world: no other step would be any better.
        if failed is None or failed.failure.error is not None:
            return
        failure = failed.failure
        reads = frozenset(_watchable(failure.reads))
        self._reads |= reads
        entry = self._count(failed.cause, failure, reads, {}, at_once=at_once)
        if entry is None:
            return
        if entry.until > self._now:
            time, in_seconds = self._from_now(entry.until), self._policy.in_seconds
            about = entry.count, failure.why, time, _names(entry), in_seconds
            self._agent.emit(TaskAvoided(self._goal, failure.what, *about))
        elif failed.was_drawn:
            self._back_off(entry, self._policy.backoff_after(self._policy.after or 1))

    def _count(
        self,
        cause: Cause,
        failure: Failure,
        reads: frozenset[Fluent[Any]],
        searched: Mapping[Fluent[Any], Any],
        *,
        at_once: bool = False,
    ) -> RememberedFailure | None:
        """Count a failure; from now on the cause is left alone, if that was one too many."""
        policy = self._policy
        if policy.after is None:
            return None
        self._hear()  # what changed before it failed makes no difference to it
        last, count, woken = self._entries.pop(cause, None), 0, self._now - policy.most
        if last is not None and self._now - max(last.since, last.until) <= policy.most:
            count, woken = last.count, last.woken
        count = max(count + 1, policy.after if at_once else 0)
        self._entries[cause] = entry = RememberedFailure(
            failure, reads, searched, count, self._now, woken
        )
        if len(self._entries) > MAX_REMEMBERED:
            del self._entries[next(iter(self._entries))]
        self._back_off(entry, policy.backoff_after(count))
        return entry

    def _back_off(self, entry: RememberedFailure, length: float) -> None:
        entry.until = self._now + length - (TOLERANCE if self._policy.in_seconds else 0)
        self._watch_on()

    def _from_now(self, until: float) -> float:
        return round(until - self._now, 3)

    # what changes

    def _hear(self) -> None:
        """Note what has read something that has changed: its back-off ends when a tick begins."""
        changed = self._watch.changes
        if not changed:
            return
        self._watch.forget()
        for entry in self._entries.values():
            if entry.until > self._now and entry.changed is None:
                matters = (new for new in changed.values() if self._matters(new.fluent, entry))
                entry.changed = next(matters, None)
        self._watch_on()

    def _wake(self, entry: RememberedFailure, change: Change) -> None:
        """End a back-off because of a change, at once unless one has ended another just now."""
        part = self._policy.backoff_after(entry.count) / PART
        part = part - TOLERANCE if self._policy.in_seconds else ceil(part)
        end, entry.changed = max(entry.woken + part, self._now), None
        if end < entry.until:
            entry.until = entry.woken = end
            entry.ended_by = change

    def _matters(self, fluent: Fluent[Any], entry: RememberedFailure) -> bool:
        """Whether a change of the fluent could let what has failed end otherwise."""
        if fluent in entry.reads:
            return True
        if fluent not in entry.searched:
            return False
        told = self._static_reads
        now = self._agent.beliefs.get(fluent)
        return told is None or told.differ(fluent, entry.searched[fluent], now)

    @cached_property
    def _static_reads(self) -> StaticReads | None:
        return static_reads(self._planner.domain, self._planner.goal)

    def _watch_on(self) -> None:
        needed = (entry.fluents for entry in self._entries.values() if entry.until > self._now)
        self._watch.over(frozenset().union(*needed))


def _watchable(reads: Iterable[Expression[Any]]) -> Iterable[Fluent[Any]]:
    """The fluents that can change: all except relations, and the seed of random draws."""
    fluents = (read for read in reads if isinstance(read, Fluent) and read is not SEED)
    return (fluent for fluent in fluents if not isinstance(fluent, Relation))


def _names(entry: RememberedFailure) -> tuple[str, ...]:
    return tuple(sorted(map(str, entry.fluents)))
