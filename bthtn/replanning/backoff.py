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

from bthtn.errors import Diagnostic, DomainError
from bthtn.plan.failure import Failure
from bthtn.world.fluent import Fluent


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often, and how soon, a goal tries again after failures (semantics 3.10).

    A step, or a method, is avoided after ``avoid_after`` failures in a row, None for never:
    for ``cooldown`` ticks, twice as long each time it fails again, up to ``longest_cooldown``.
    A goal that has ended without success ``wait_after`` times in a row waits ``wait`` ticks, and
    twice as long each time after that, up to ``longest_wait``; 0 for not at all. It tries again
    sooner after a change that can matter. Ticks are those of the goal.
    """

    avoid_after: int | None = 3
    cooldown: int = 32
    longest_cooldown: int = 512
    wait_after: int = 3
    wait: int = 2
    longest_wait: int = 64

    def __post_init__(self) -> None:
        """Raise DomainError for numbers that are too small."""
        for name in ("avoid_after", "cooldown", "longest_cooldown", "wait_after"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise _refused(name, value, "it has to be above zero")
        for name in ("wait", "longest_wait"):
            if getattr(self, name) < 0:
                raise _refused(name, getattr(self, name), "0 says that nothing is waited for")


def _refused(name: str, value: int, hint: str) -> DomainError:
    return DomainError(Diagnostic("BT202", f"{name} is {value}", hint=hint))


def doubled(first: int, times: int, longest: int) -> int:
    """``first * 2**times``, but at most ``longest``."""
    return longest if times >= longest.bit_length() else min(first << times, longest)


def delay_after(in_vain: int, longest: int) -> int:
    """Ticks until a change counts, after so many changes in vain: 0, 1, 2, 4 … ticks."""
    return doubled(1, in_vain - 1, longest) if in_vain else 0


DEFAULT_RETRY_POLICY: Final = RetryPolicy()

NO_BACKOFF: Final = RetryPolicy(avoid_after=None, wait=0)
"""A policy without limits: nothing is avoided, and goals try again at once, for ever."""


@dataclass(frozen=True, slots=True)
class WaitReason:
    """The reason why a goal waits: the number of ``failures`` in a row, and the last of them.

    The goal tries again in the tick ``until``, or when one of ``fluents`` has changed.
    """

    failures: int
    last: Failure
    until: int
    fluents: frozenset[Fluent[Any]] = frozenset()

    def failure(self, tick: int) -> Failure:
        """The failure of a goal that is ticked while it waits."""
        left = self.until - tick
        names = sorted(map(str, self.fluents))
        change = f", or for a change of {', '.join(names)}" if names else ""
        waits = f"waits {left} more tick{'s' if left > 1 else ''}{change}"
        return Failure(
            f"in vain {self.failures} times: {self.last}; {waits}", error=self.last.error
        )


class Backoff:
    """Counts the failed attempts of one goal. ``waiting`` is set while the goal has to wait."""

    def __init__(self, policy: RetryPolicy) -> None:
        self._policy = policy
        self.failures = 0
        self.waiting: WaitReason | None = None
        self._began = 0  # the tick in which it began to wait
        self._has_changed = False  # since then
        self._in_vain = 0  # waits in a row that a change has ended, after which it failed again

    def failed(
        self, failure: Failure, tick: int, fluents: frozenset[Fluent[Any]], latest: int | None
    ) -> WaitReason | None:
        """Count a failed attempt that has read these fluents.

        Returns the reason to wait, None if the goal may try again at once. The wait ends at the
        tick ``latest``, if that is not None.
        """
        self.failures += 1
        first, longest = self._policy.wait, self._policy.longest_wait
        before = self.failures - self._policy.wait_after
        if before < 0 or not first or not longest:
            return None
        until = tick + 1 + doubled(first, before, longest)
        if latest is not None:
            until = min(until, max(latest, tick + 1))
        self.waiting = WaitReason(self.failures, failure, until, fluents)
        self._began, self._has_changed = tick, False
        return self.waiting

    def waits(self, tick: int) -> bool:
        """Whether the goal has to wait in this tick."""
        if self.waiting is not None and tick >= self._end(self.waiting):
            self._in_vain = self._in_vain + 1 if self._has_changed else 0
            self.waiting = None
        return self.waiting is not None

    def changed(self) -> None:
        """Note a change that can matter: the wait ends, at once unless the last one was in vain."""
        self._has_changed = True

    def succeeded(self) -> None:
        """Forget the failures after a successful attempt."""
        self.failures = self._in_vain = 0
        self.waiting = None

    def _end(self, waiting: WaitReason) -> int:
        if not self._has_changed:
            return waiting.until
        return min(waiting.until, self._began + 1 + delay_after(self._in_vain, waiting.until))
