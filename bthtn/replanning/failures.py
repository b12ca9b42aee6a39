"""GoalFailures: what one goal has learned from its failures, tick by tick.

    a tick begins     others have changed some fluents since the last one
    may it begin?     not while it waits (Backoff)
    it searches       without what is avoided (FailureMemory)
    a step ends       well: its failures are forgotten; else the failure is attributed and counted
    no plan, or no    it waits, the longer the more often this happens in a row
    plan that works

What fails several times in a row is avoided: for a cool-down, or until something it has read
changes. If it fails again after that, it is avoided at once, and twice as long. A change may be
mere noise. The first one lets the thing be tried again at once; each time that it fails all the
same, the next change counts only after a longer while.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bthtn.domain.chance import SEED
from bthtn.domain.choice import Bound
from bthtn.domain.domain import FrozenDomain
from bthtn.plan.failure import Failure
from bthtn.plan.nodes import Node, ScopeNode, SuspendedNode, TaskNode
from bthtn.planning.avoided import NOTHING_AVOIDED, Avoidable, Avoided
from bthtn.replanning.backoff import Backoff, RetryPolicy, Waiting, doubled
from bthtn.replanning.progress import Progress
from bthtn.replanning.remaining import path_to
from bthtn.world.expression import Expression, StateView
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import RecordingView

MAX_REMEMBERED: Final = 256
"""Failures that are remembered; where more things fail, the oldest failure is forgotten."""


@dataclass(frozen=True, slots=True)
class AttributedFailure:
    """A failure, and the step or method that is avoided for it: the ``cause``.

    ``refused``: a condition was false, so that nothing was tried. Then it makes a difference also
    when the goal itself changes what was read; otherwise, when others do.
    """

    cause: Avoidable
    failure: Failure
    refused: bool = False

    @property
    def reads(self) -> frozenset[Fluent[Any]]:
        """The fluents of which a change may make a difference."""
        return fluents_in(self.failure.reads)


def fluents_in(reads: Iterable[Expression[Any]]) -> frozenset[Fluent[Any]]:
    """The fluents whose changes can be watched: all but the seed of the draws."""
    return frozenset(one for one in reads if isinstance(one, Fluent) and one is not SEED)


def attributed(
    progress: Progress, failure: Failure, domain: FrozenDomain, beliefs: StateView
) -> AttributedFailure | None:
    """A failure at run time, with its cause; None if no part of the plan can be avoided for it.

    A step that fails is the cause itself. Where a choice among alternatives has failed, or a
    suspended part could not be planned, the method that led there is.
    """
    path = None if failure.node is None else path_to(progress, failure.node)
    if path is None:
        return None
    if path[-1] is failure.node and isinstance(failure.node, TaskNode):
        return _of_step(failure.node, failure, beliefs)
    return _of_method(path, failure, domain)


def attributed_ahead(
    progress: Progress, failure: Failure, domain: FrozenDomain
) -> AttributedFailure | None:
    """A failure that was found ahead of its time, by checking the rest of the plan."""
    node = failure.node
    if isinstance(node, TaskNode):
        return AttributedFailure((node.task, node.args), failure, refused=True)
    path = None if node is None else path_to(progress, node)
    return None if path is None else _of_method(path, failure, domain, refused=True)


def _of_step(node: TaskNode, failure: Failure, beliefs: StateView) -> AttributedFailure:
    """What a false condition has read may change; without one, anything the step reads."""
    failure, cause = failure.at(str(node)), (node.task, node.args)
    reads = set(node.footprint.reads)
    for condition in (node.task.precondition, node.task.exec_only):
        view = RecordingView(beliefs)
        try:
            truth = condition.evaluate(view, node.args)
        except AssertionError:
            raise
        except Exception:  # noqa: BLE001, S112 - the user's code: it has been reported already
            continue
        if truth is False:
            return AttributedFailure(cause, failure.having_read(view.reads), refused=True)
        reads |= view.reads
    return AttributedFailure(cause, failure.having_read(reads))


def _of_method(
    path: list[Node], failure: Failure, domain: FrozenDomain, *, refused: bool = False
) -> AttributedFailure | None:
    """The innermost method of which the plan knows with which values it was used is the cause.

    Of a method that was drawn, and of most values of variables, the plan only has the number.
    """
    binding = path[-1].binding if isinstance(path[-1], SuspendedNode) else None
    for node in reversed(path):
        if not isinstance(node, ScopeNode):
            continue
        methods, choice = domain.methods[node.task], node.task.choice
        cause: Avoidable | None = None
        if choice is None:
            cause = (methods[node.method], node.args)
        elif isinstance(choice, Bound) and binding is not None:
            cause = (methods[0], binding)
        if cause is not None:
            return AttributedFailure(cause, failure.at(str(node)), refused)
        binding = None  # that of the innermost decomposition only
    return None


@dataclass(slots=True)
class FailureCount:
    """How often one thing has failed.

    ``count`` failures in a row, the last one at ``tick``. It is avoided before the tick
    ``until``, and has been avoided ``times`` times; after ``noise`` changes it was tried again
    and failed all the same.
    """

    latest: AttributedFailure
    count: int = 0
    tick: int = 0
    until: int = 0
    times: int = 0
    noise: int = 0
    has_changed: bool = False

    @property
    def last_tick(self) -> int:
        """The last tick in which it mattered."""
        return max(self.tick, self.until)


class FailureMemory:
    """What has failed for one goal of one agent; nothing of it is kept in a domain or a plan."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._counts: dict[Avoidable, FailureCount] = {}

    def failed(self, failure: AttributedFailure, tick: int) -> FailureCount | None:
        """Count a failure. Returns the count if the cause is avoided from now on, else None."""
        after = self._policy.avoid_after
        if after is None:
            return None
        entry = self._counts.pop(failure.cause, None) or FailureCount(failure)
        self._counts[failure.cause] = entry
        if len(self._counts) > MAX_REMEMBERED:
            del self._counts[next(iter(self._counts))]
        entry.latest, entry.tick, entry.has_changed = failure, tick, False
        entry.count += 1
        if entry.count < after:
            return None
        longest = self._policy.longest_cooldown
        entry.until = tick + 1 + doubled(self._policy.cooldown, entry.times, longest)
        entry.times += 1
        return entry

    def succeeded(self, cause: Avoidable) -> None:
        """It worked: its failures are forgotten."""
        self._counts.pop(cause, None)

    def changed(self, fluents: Iterable[Fluent[Any]], own: Iterable[Fluent[Any]] = ()) -> None:
        """Others changed these fluents, and ``own`` were changed by the goal itself."""
        others = frozenset(fluents)
        all_changed = others.union(own)
        for entry in self._counts.values():
            different = all_changed if entry.latest.refused else others
            if not entry.latest.reads.isdisjoint(different):
                entry.has_changed = True

    def avoided(self, tick: int) -> Avoided:
        """What is to be avoided in this tick, each with the reason."""
        oldest = tick - self._policy.longest_cooldown
        for cause in [one for one, entry in self._counts.items() if entry.last_tick < oldest]:
            del self._counts[cause]
        now = {
            cause: _text(entry)
            for cause, entry in self._counts.items()
            if entry.until and self._is_avoided(entry, tick)
        }
        return now or NOTHING_AVOIDED

    def next_change(self, tick: int) -> int | None:
        """The earliest tick from which something that is avoided now is not avoided any more."""
        ends = (self._end(one) for one in self._counts.values() if one.until > tick)
        return min(ends, default=None)

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def reads(self) -> frozenset[Fluent[Any]]:
        """The fluents of which changes have to be reported."""
        return frozenset().union(*(entry.latest.reads for entry in self._counts.values()))

    def _is_avoided(self, entry: FailureCount, tick: int) -> bool:
        """Whether it is avoided still; when not, one more failure is enough."""
        if tick < self._end(entry):
            return True
        entry.noise += entry.has_changed
        entry.tick, entry.until, entry.has_changed = tick, 0, False
        entry.count = (self._policy.avoid_after or 1) - 1
        return False

    def _end(self, entry: FailureCount) -> int:
        if not entry.has_changed:
            return entry.until
        longest = entry.until - entry.tick
        delay = doubled(1, entry.noise - 1, longest) if entry.noise else 0
        return min(entry.until, entry.tick + 1 + delay)


def _text(entry: FailureCount) -> str:
    fluents = ", ".join(sorted(map(str, entry.latest.reads)))
    change = f", or a change of {fluents}" if fluents else ""
    why = entry.latest.failure.why
    return f"it failed at tick {entry.tick} because {why}; until tick {entry.until}{change}"


class GoalFailures:
    """Failures of one goal of one agent. ``tick`` counts the ticks in which the goal was ticked."""

    def __init__(self, policy: RetryPolicy) -> None:
        self.tick = 0
        self._memory = FailureMemory(policy)
        self._backoff = Backoff(policy)
        self._reads: set[Fluent[Any]] = set()
        self._has_plan = self._had_plan = False

    def ticked(self, changed: Sequence[Fluent[Any]] = (), own: Sequence[Fluent[Any]] = ()) -> None:
        """A tick begins; others have changed these ``watched`` fluents since the last one.

        ``own`` were changed by the steps of the goal itself.
        """
        self.tick += 1
        if not changed and not own:
            return
        different = frozenset(changed)
        self._memory.changed(different, frozenset(own))
        if self._backoff.waiting is not None and not different.isdisjoint(self.watched):
            self._backoff.wake()

    @property
    def waiting(self) -> Waiting | None:
        """Why nothing is tried in this tick, None if the goal may begin."""
        return self._backoff.waiting if self._backoff.waits(self.tick) else None

    @property
    def avoided(self) -> Avoided:
        """What the plans of this tick must not use, each with the reason."""
        return self._memory.avoided(self.tick)

    @property
    def has_failed(self) -> bool:
        """Whether the last attempt has; then what the next one reads should be recorded."""
        return self._backoff.failures > 0

    @property
    def watched(self) -> frozenset[Fluent[Any]]:
        """The fluents whose changes matter."""
        waiting = self._backoff.waiting
        return self._memory.reads | (waiting.fluents if waiting is not None else frozenset())

    @property
    def remembers(self) -> bool:
        """Whether a part of a plan has failed lately."""
        return len(self._memory) > 0

    def began(self) -> None:
        """The goal begins another attempt."""
        self._reads.clear()
        self._has_plan = False

    def found(self) -> None:
        """There is a plan. Attempts that failed for want of one are forgotten."""
        self._has_plan = True
        if not self._had_plan:
            self._backoff.succeeded()

    def part_failed(self, failure: AttributedFailure) -> FailureCount | None:
        """A part of the plan failed. Returns its count if it is avoided from now on, else None."""
        self._reads |= failure.reads
        return self._memory.failed(failure, self.tick)

    def part_succeeded(self, cause: Avoidable) -> None:
        """A part of the plan went well."""
        self._memory.succeeded(cause)

    def failed(self, failure: Failure, reads: Iterable[Fluent[Any]] = ()) -> Waiting | None:
        """The attempt is over without success; ``reads`` is what a search without a plan has read.

        Returns why nothing is tried now, None if the goal may begin again at once.
        """
        self._had_plan = self._has_plan
        depends_on = frozenset(self._reads) | fluents_in(reads)
        latest = self._memory.next_change(self.tick)
        return self._backoff.failed(failure, self.tick, depends_on, latest)

    def succeeded(self) -> None:
        """The goal has been reached."""
        self._backoff.succeeded()
