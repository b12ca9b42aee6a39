"""RetryPolicy and Backoff: when a goal tries again after it has ended without success.

first failures    the goal tries again as soon as it is ticked
further failures  it tries nothing for 2, 4, 8 … ticks, or until a change that can matter
a change          ends the wait at once; if the goal fails again after it, the next change counts
                  after 1, 2, 4 … ticks, until a wait has passed without any
success           the failures are forgotten

So a goal that cannot be reached does not use up its budget in every tick, whatever changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from bthtn.checked import checked
from bthtn.domain.number import TOLERANCE, Seconds
from bthtn.errors import DomainError
from bthtn.plan.failure import Failure
from bthtn.short_repr import ShortRepr
from bthtn.world.fluent import Fluent


@checked
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RetryPolicy(ShortRepr):
    """How often, and how soon, a goal tries again after failures (semantics 3.10).

    A step, or a method, is avoided after ``avoid_after`` failures in a row, None for never:
    for ``cooldown`` ticks, twice as long each time it fails again, up to ``longest_cooldown``.
    A goal that has ended without success ``wait_after`` times in a row waits ``wait`` ticks, and
    twice as long each time after that, up to ``longest_wait``; 0 for not at all. It tries again
    sooner after a change that can matter. Ticks are those of the goal. The four times may be given
    with ``seconds(…)`` instead, those of the agent's clock.
    """

    avoid_after: int | None = 3
    cooldown: int | Seconds = 32
    longest_cooldown: int | Seconds = 512
    wait_after: int = 3
    wait: int | Seconds = 2
    longest_wait: int | Seconds = 64

    def __post_init__(self) -> None:
        """Raise DomainError for numbers that are too small, and for ticks beside seconds."""
        for name in ("avoid_after", "wait_after"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise _refused(name, value, "it has to be above zero")
        for name in ("cooldown", "longest_cooldown"):
            if not self.time(name) > 0:
                raise _refused(name, self.time(name), "it has to be above zero")
        for name in ("wait", "longest_wait"):
            if not self.time(name) >= 0:
                raise _refused(name, self.time(name), "0 says that nothing is waited for")
        times = (self.cooldown, self.longest_cooldown, self.wait, self.longest_wait)
        if len({isinstance(time, Seconds) for time in times}) > 1:
            message = "a RetryPolicy has times in ticks beside times in seconds"
            hint = (
                "write cooldown, longest_cooldown, wait and longest_wait with seconds(…), or none"
            )
            raise DomainError("BT128", message, hint=hint)

    @property
    def in_seconds(self) -> bool:
        """Whether its times are in seconds."""
        return isinstance(self.wait, Seconds)

    def time(self, name: str) -> float:
        """One of the four times, as a number of ticks or seconds. Raises DomainError for others."""
        written: int | Seconds = getattr(self, name)
        length = written.length if isinstance(written, Seconds) else written
        if not isinstance(length, int | float):
            raise DomainError("BT110", f"{name} is {length!r}", hint="give a number")
        return length

    @property
    def least(self) -> float:
        """The time behind a failure at which the next tick can be: 1 tick, or no time at all."""
        return -TOLERANCE if self.in_seconds else 1

    @property
    def unit(self) -> float:
        """The first delay of changes that were in vain: 1 tick, or as many seconds as a wait."""
        return (self.time("wait") or self.time("cooldown")) if self.in_seconds else 1


def _refused(name: str, value: float, hint: str) -> DomainError:
    return DomainError("BT202", f"{name} is {value}", hint=hint)


def doubled(first: float, times: int, longest: float) -> float:
    """``first * 2**times``, but at most ``longest``."""
    return min(first * (1 << min(times, 1_000)), longest)


def delay_after(in_vain: int, longest: float, unit: float) -> float:
    """Time until a change counts, after so many changes in vain: 0, 1, 2, 4 … times the unit."""
    return doubled(unit, in_vain - 1, longest) if in_vain else 0


DEFAULT_RETRY_POLICY: Final = RetryPolicy()

NO_BACKOFF: Final = RetryPolicy(avoid_after=None, wait=0)
"""A policy without limits: nothing is avoided, and goals try again at once, for ever."""


@dataclass(frozen=True, slots=True)
class WaitReason:
    """The reason why a goal waits: the number of ``failures`` in a row, and the last of them.

    The goal tries again in the tick ``until``, or at that second of the agent's clock, or when
    one of ``fluents`` has changed.
    """

    failures: int
    last: Failure
    until: float
    fluents: frozenset[Fluent[Any]] = frozenset()
    in_seconds: bool = False

    def failure(self, now: float) -> Failure:
        """The failure of a goal that is ticked while it waits."""
        left, unit = round(self.until - now, 3), "second" if self.in_seconds else "tick"
        names = sorted(map(str, self.fluents))
        change = f", or for a change of {', '.join(names)}" if names else ""
        waits = f"waits {left:g} more {unit}{'' if left == 1 else 's'}{change}"
        return Failure(
            f"in vain {self.failures} times: {self.last}; {waits}", error=self.last.error
        )


class Backoff:
    """Counts the failed attempts of one goal. ``waiting`` is set while the goal has to wait."""

    __slots__ = ("_began", "_has_changed", "_in_vain", "_policy", "failures", "waiting")

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self.failures = 0
        self.waiting: WaitReason | None = None
        self._began = 0.0  # when it began to wait
        self._has_changed = False  # since then
        self._in_vain = 0  # waits in a row that a change has ended, after which it failed again

    def failed(
        self, failure: Failure, now: float, fluents: frozenset[Fluent[Any]], latest: float | None
    ) -> WaitReason | None:
        """Count a failed attempt that has read these fluents.

        Returns the reason to wait, None if the goal may try again at once. The wait ends at
        ``latest``, if that is not None. Times are in the unit of the policy.
        """
        self.failures += 1
        first, longest = self._policy.time("wait"), self._policy.time("longest_wait")
        before = self.failures - self._policy.wait_after
        if before < 0 or not first or not longest:
            return None
        least = now + self._policy.least
        until = least + doubled(first, before, longest)
        if latest is not None:
            until = min(until, max(latest, least))
        in_seconds = self._policy.in_seconds
        self.waiting = WaitReason(self.failures, failure, until, fluents, in_seconds)
        self._began, self._has_changed = now, False
        return self.waiting

    def reason_to_wait(self, now: float) -> WaitReason | None:
        """Why the goal has to wait now, None if it may begin."""
        if self.waiting is not None and now >= self._end(self.waiting):
            self._in_vain = self._in_vain + 1 if self._has_changed else 0
            self.waiting = None
        return self.waiting

    def changed(self) -> None:
        """Note a change that can matter: the wait ends, at once unless the last one was in vain."""
        self._has_changed = True

    def succeeded(self) -> None:
        """Forget the failures after a successful attempt."""
        self.failures = self._in_vain = 0
        self.waiting = None

    def _end(self, waiting: WaitReason) -> float:
        if not self._has_changed:
            return waiting.until
        delay = delay_after(self._in_vain, waiting.until, self._policy.unit)
        return min(waiting.until, self._began + self._policy.least + delay)
