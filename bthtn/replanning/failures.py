"""GoalFailures: failures of one goal, the steps and methods it avoids, when it waits.

    a tick begins     the goal receives the fluents that have changed since the last tick
    may it begin?     not while it waits (Backoff)
    it searches       without the avoided steps and methods (FailureMemory)
    a step succeeds   its failures are forgotten
    a step fails      the failure is attributed to a step or method, and counted
    no plan works     the goal waits, longer each time this happens in a row

A step or method that fails several times in a row is avoided for a cool-down, or until a fluent
changes that the failure depends on. If it fails again after that, it is avoided at once, and twice
as long. A step whose reservation fails at the start of a plan is avoided at once, for as long as a
goal would wait. Since a change may be mere noise, only the first one ends the cool-down at once:
each time that the step fails again after a change, the next change takes effect after a longer
delay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from bthtn.domain.chance import SEED
from bthtn.domain.choice import RandomOrder, TurnChoice, ValueChoice
from bthtn.domain.domain import FrozenDomain
from bthtn.plan.failure import Failure
from bthtn.plan.nodes import Node, ScopeNode, SuspendedNode, TaskNode
from bthtn.planning.exclusions import NOTHING_AVOIDED, Avoidable, Avoided
from bthtn.replanning.backoff import Backoff, RetryPolicy, WaitReason, delay_after, doubled
from bthtn.replanning.progress import Progress
from bthtn.replanning.remaining import path_to
from bthtn.world.expression import Expression, StateView
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import RecordingView

NOTHING_READ: Final[Mapping[Fluent[Any], Any]] = MappingProxyType({})

MAX_REMEMBERED: Final = 256
"""Maximum number of steps and methods whose failures are counted; then the oldest is forgotten."""


@dataclass(frozen=True, slots=True)
class AttributedFailure:
    """A failure, and the step or method that is avoided because of it: the ``cause``.

    ``refused`` means that a condition was false, so the step was not started. Then a change by
    the goal itself can end the cool-down, too; otherwise only changes by others can. What
    ``was_drawn`` is avoided after its first failure until the goal begins anew, so that something
    else is drawn. ``at_plan_start`` means that a hook did not let the plan start.
    """

    cause: Avoidable
    failure: Failure
    refused: bool = False
    was_drawn: bool = False
    at_plan_start: bool = False

    @property
    def reads(self) -> frozenset[Fluent[Any]]:
        """The fluents on which the failure depends."""
        return fluents_in(self.failure.reads)


def fluents_in(reads: Iterable[Expression[Any]]) -> frozenset[Fluent[Any]]:
    """The fluents whose changes can be watched: all except the seed of random draws."""
    return frozenset(
        fluent for fluent in reads if isinstance(fluent, Fluent) and fluent is not SEED
    )


def attributed(
    progress: Progress, failure: Failure, domain: FrozenDomain, beliefs: StateView
) -> AttributedFailure | None:
    """A failure at run time with its cause; None if there is no step or method to avoid.

    The cause of a failed step is the step itself. The cause of a failed choice among alternatives,
    or of a suspended part that could not be planned, is the innermost method that contains it.
    """
    path = None if failure.node is None else path_to(progress, failure.node)
    if path is None:
        return None
    if path[-1] is failure.node and isinstance(failure.node, TaskNode):
        was_drawn = any(map(_draws, path))
        return replace(_of_step(failure.node, failure, beliefs), was_drawn=was_drawn)
    return _of_method(path, failure, domain)


def attributed_ahead(
    progress: Progress, failure: Failure, domain: FrozenDomain
) -> AttributedFailure | None:
    """A failure that was found by checking the rest of the plan, with its cause, or None."""
    node = failure.node
    if isinstance(node, TaskNode):
        return AttributedFailure((node.task, node.args), failure, refused=True)
    path = None if node is None else path_to(progress, node)
    return None if path is None else _of_method(path, failure, domain, refused=True)


def _of_step(node: TaskNode, failure: Failure, beliefs: StateView) -> AttributedFailure:
    """The failure depends on the reads of the false condition; without one, on all of the step."""
    failure, cause = failure.at(str(node)), (node.task, node.args)
    reads = set(node.footprint.reads)
    for condition in (node.task.precondition, node.task.exec_only):
        view = RecordingView(beliefs)
        try:
            truth = condition.evaluate(view, node.args)
        except AssertionError:
            raise
        except Exception as error:  # noqa: BLE001 - the user's code: kept, to be reported
            return AttributedFailure(cause, replace(failure, error=error))
        if truth is False:
            return AttributedFailure(cause, failure.having_read(view.reads), refused=True)
        reads |= view.reads
    return AttributedFailure(cause, failure.having_read(reads))


def _of_method(
    path: list[Node], failure: Failure, domain: FrozenDomain, *, refused: bool = False
) -> AttributedFailure | None:
    """Attribute a failure to the innermost method on the path whose arguments are known.

    They are not known for methods in random order, and for most values of variables: there the
    plan has only the index of the decomposition.
    """
    binding = path[-1].binding if isinstance(path[-1], SuspendedNode) else None
    for place in range(len(path) - 1, -1, -1):
        node = path[place]
        if not isinstance(node, ScopeNode):
            continue
        methods, choice = domain.methods[node.task], node.task.choice
        cause: Avoidable | None = None
        if choice is None:
            cause = (methods[node.method], node.args)
        elif isinstance(choice, ValueChoice) and binding is not None:
            cause = (methods[0], binding)
        elif isinstance(choice, TurnChoice) and binding is not None and binding[-1].method:
            cause = (binding[-1].method, binding[-1].binding)
        if cause is not None:
            was_drawn = any(map(_draws, path[:place]))
            return AttributedFailure(cause, failure.at(str(node)), refused, was_drawn)
        binding = None  # that of the innermost decomposition only
    return None


def _draws(node: Node) -> bool:
    """Whether the node is a random choice."""
    return isinstance(node, ScopeNode) and isinstance(node.task.choice, RandomOrder)


@dataclass(slots=True)
class FailureCount:
    """The failures of one step or method.

    There were ``count`` failures in a row, the last one at ``tick``. It is avoided before
    ``until``, both in the unit of the policy, and has been avoided ``times`` times. ``noise`` is
    the number of cool-downs that were ended by a change. ``has_changed`` is set by a change since
    the last failure.
    """

    latest: AttributedFailure
    count: int = 0
    tick: float = 0
    until: float = 0
    times: int = 0
    noise: int = 0
    has_changed: bool = False

    @property
    def last_tick(self) -> float:
        """The last tick, or second, in which it failed or was avoided."""
        return max(self.tick, self.until)


class FailureMemory:
    """Failure counts of the steps and methods of one goal of one agent."""

    __slots__ = ("_counts", "_policy")

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self._counts: dict[Avoidable, FailureCount] = {}

    def failed(self, failure: AttributedFailure, tick: float) -> FailureCount | None:
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
        time, least = self._policy.time, tick + self._policy.least
        first, longest = time("cooldown"), time("longest_cooldown")
        if failure.at_plan_start:
            after, first, longest = 1, time("wait"), time("longest_wait")
        if entry.count < after or not first or not longest:
            if failure.was_drawn:
                entry.until = least + time("cooldown")
            return None
        entry.until = least + doubled(first, entry.times, longest)
        entry.times += 1
        return entry

    def began(self) -> None:
        """Allow what is avoided only so that something else was drawn."""
        for entry in self._counts.values():
            if entry.latest.was_drawn and entry.count < (self._policy.avoid_after or 1):
                entry.until = 0

    def succeeded(self, cause: Avoidable) -> None:
        """Forget the failures of a step or method that has succeeded."""
        self._counts.pop(cause, None)

    def changed(self, fluents: Iterable[Fluent[Any]], own: Iterable[Fluent[Any]] = ()) -> None:
        """Note changes of fluents by others, and of ``own`` fluents by the goal itself."""
        others = frozenset(fluents)
        all_changed = others.union(own)
        for entry in self._counts.values():
            different = all_changed if entry.latest.refused else others
            if not entry.latest.reads.isdisjoint(different):
                entry.has_changed = True

    def avoided(self, tick: float) -> Avoided:
        """The steps and methods to avoid in this tick, each with the reason."""
        if not self._counts:
            return NOTHING_AVOIDED
        oldest = tick - self._policy.time("longest_cooldown")
        for cause in [cause for cause, entry in self._counts.items() if entry.last_tick < oldest]:
            del self._counts[cause]
        now = {
            cause: _text(entry, "second" if self._policy.in_seconds else "tick")
            for cause, entry in self._counts.items()
            if entry.until and self._is_avoided(entry, tick)
        }
        return now or NOTHING_AVOIDED

    def next_change(self, tick: float) -> float | None:
        """The earliest tick, or second, at which a cool-down ends, None if nothing is avoided."""
        ends = (self._end(count) for count in self._counts.values() if count.until > tick)
        return min(ends, default=None)

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def reads(self) -> frozenset[Fluent[Any]]:
        """The fluents whose changes have to be passed to ``changed``."""
        return frozenset().union(*(entry.latest.reads for entry in self._counts.values()))

    def _is_avoided(self, entry: FailureCount, tick: float) -> bool:
        """Whether it is still avoided. If not, the next failure is enough to avoid it again."""
        if tick < self._end(entry):
            return True
        entry.noise += entry.has_changed
        entry.tick, entry.until, entry.has_changed = tick, 0, False
        entry.count = min(entry.count, (self._policy.avoid_after or 1) - 1)
        return False

    def _end(self, entry: FailureCount) -> float:
        if not entry.has_changed:
            return entry.until
        delay = delay_after(entry.noise, entry.until, self._policy.unit)
        return min(entry.until, entry.tick + self._policy.least + delay)


def _text(entry: FailureCount, unit: str) -> str:
    fluents = ", ".join(sorted(map(str, entry.latest.reads)))
    change = f", or a change of {fluents}" if fluents else ""
    why = entry.latest.failure.why
    until = round(entry.until, 3)
    return f"it failed at {unit} {entry.tick:g} because {why}; until {unit} {until:g}{change}"


DiffersNow = Callable[[Fluent[Any], Any], bool]
"""Whether a search could tell a fluent's value now from the one that it read."""


_NOTHING: Final[frozenset[Fluent[Any]]] = frozenset()
"""Shared by all goals: each empty set takes 216 bytes."""


def _any_change(_fluent: Fluent[Any], _value: object) -> bool:
    return True


class GoalFailures:
    """Failures of one goal of one agent.

    ``tick`` counts the ticks in which the goal was ticked; with a policy in seconds it is the time.
    """

    __slots__ = (
        *("_backoff", "_differs", "_had_plan", "_has_plan", "_memory", "_reads", "_searched"),
        *("tick",),
    )

    def __init__(self, policy: RetryPolicy, differs: DiffersNow = _any_change) -> None:
        self.tick: float = 0
        self._memory = FailureMemory(policy)
        self._backoff = Backoff(policy)
        self._differs = differs
        # What the failures of steps depend on, and what the last search without a plan has read.
        self._reads = _NOTHING
        self._searched: Mapping[Fluent[Any], Any] = {}
        self._has_plan = self._had_plan = False

    def ticked(
        self,
        changed: Sequence[Fluent[Any]] = (),
        own: Sequence[Fluent[Any]] = (),
        time: float | None = None,
    ) -> None:
        """Begin a tick, with the ``watched`` fluents that others have changed since the last one.

        ``own`` are fluents changed by the steps of the goal itself. ``time`` is that of the agent's
        clock, for a policy in seconds.
        """
        self.tick = self.tick + 1 if time is None else time
        if not changed and not own:
            return
        self._memory.changed(changed, own)
        if any(map(self._can_matter, (*changed, *own))):
            self._backoff.changed()

    def allowed(self) -> None:
        """Note that something may be planned again that was excluded for another reason."""
        self._backoff.changed()

    def _can_matter(self, fluent: Fluent[Any]) -> bool:
        """Whether a change of the fluent could let the next attempt end otherwise."""
        if fluent in self._reads or fluent in self._memory.reads:
            return True
        return fluent in self._searched and self._differs(fluent, self._searched[fluent])

    def waiting(self) -> WaitReason | None:
        """The reason to wait in this tick, None if the goal may begin."""
        return self._backoff.reason_to_wait(self.tick)

    def avoided(self) -> Avoided:
        """The steps and methods that plans of this tick must not use, each with the reason."""
        return self._memory.avoided(self.tick)

    @property
    def has_failed(self) -> bool:
        """Whether the last attempt has failed; then the reads of the next should be recorded."""
        return self._backoff.failures > 0

    @property
    def watched(self) -> frozenset[Fluent[Any]]:
        """The fluents whose changes have to be passed to ``ticked``."""
        waiting = self._backoff.waiting
        return self._memory.reads | (waiting.fluents if waiting is not None else frozenset())

    def began(self) -> None:
        """Note that the goal begins another attempt."""
        self._memory.began()
        self._reads = _NOTHING
        self._has_plan = False

    def found(self) -> None:
        """Note that there is a plan; attempts that failed without a plan are forgotten."""
        self._has_plan = True
        if not self._had_plan:
            self._backoff.succeeded()

    def part_failed(self, failure: AttributedFailure) -> FailureCount | None:
        """Count a failure in the plan. Returns the count if its cause is avoided now, else None."""
        self._reads |= failure.reads
        return self._memory.failed(failure, self.tick)

    def part_succeeded(self, cause: Avoidable) -> None:
        """Forget the failures of a step or method that has succeeded."""
        self._memory.succeeded(cause)

    def failed(
        self, failure: Failure, reads: Mapping[Fluent[Any], Any] = NOTHING_READ
    ) -> WaitReason | None:
        """Count an attempt without success; ``reads`` are the reads of a search without a plan.

        Returns the reason to wait, None if the goal may begin again at once.
        """
        self._had_plan = self._has_plan
        self._searched = reads
        depends_on = self._reads | fluents_in(reads)
        latest = self._memory.next_change(self.tick)
        return self._backoff.failed(failure, self.tick, depends_on, latest)

    def succeeded(self) -> None:
        """Forget failed attempts, because the goal has been reached."""
        self._backoff.succeeded()
