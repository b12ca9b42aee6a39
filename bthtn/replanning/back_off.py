"""BackOff: a goal that cannot be reached does not use up its budget in every tick.

no success        once: tried again as soon as somebody asks
again and again   nothing is tried for 2, 4, 8 … ticks, or until something changes that the
                  attempt had read
success           forgotten
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bthtn.replanning.retrying import Retrying, doubled
from bthtn.world.fluent import Fluent


@dataclass(frozen=True)
class Waiting:
    """Why nothing is tried: ``failures`` in a row, the last because of ``reason``.

    It goes on in the tick ``until``, or when one of ``fluents`` has changed.
    """

    failures: int
    reason: str
    until: int
    fluents: frozenset[Fluent[Any]] = frozenset()

    def text(self, tick: int) -> str:
        """What is to be said of it in this tick."""
        left = self.until - tick
        waits = f"waits {left} more tick{'s' if left > 1 else ''}{self._change}"
        return f"in vain {self.failures} times: {self.reason}; {waits}"

    @cached_property
    def _change(self) -> str:
        names = sorted(map(str, self.fluents))
        return f", or for a change of {', '.join(names)}" if names else ""


class BackOff:
    """Owned by one goal. ``waiting`` is why nothing is tried now, None when it is."""

    def __init__(self, retrying: Retrying) -> None:
        self._retrying = retrying
        self.failures = 0
        self.waiting: Waiting | None = None

    def failed(
        self, reason: str, tick: int, fluents: frozenset[Fluent[Any]], latest: int | None = None
    ) -> Waiting | None:
        """Another attempt was in vain, which had read this. Why nothing is tried now, if so.

        From the tick ``latest`` on it is worth another attempt in any case.
        """
        self.failures += 1
        first, longest = self._retrying.wait, self._retrying.longest_wait
        before = self.failures - self._retrying.wait_after
        if before < 0 or not first or not longest:
            return None
        until = tick + 1 + doubled(first, before, longest)
        if latest is not None:
            until = min(until, max(latest, tick + 1))
        self.waiting = Waiting(self.failures, reason, until, fluents)
        return self.waiting

    def waits(self, tick: int) -> bool:
        """Whether there is still nothing to be tried in this tick."""
        if self.waiting is not None and tick >= self.waiting.until:
            self.waiting = None
        return self.waiting is not None

    def wake(self) -> None:
        """Something has changed: the next attempt is made at once."""
        self.waiting = None

    def succeeded(self) -> None:
        """An attempt was not in vain."""
        self.failures = 0
        self.waiting = None
