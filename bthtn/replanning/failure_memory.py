"""FailureMemory: what has failed lately, and is avoided until it may go better.

    fails            counted, with its reason and with what it has read
    fails again,
    k times in all   avoided: for a cool-down, or until something it has read changes
    tried again,
    fails            avoided at once, for twice as long
    succeeds, or
    nothing for long forgotten

A change may be mere noise. The first one lets the thing be tried again at once; each time that
this was in vain, the next change counts only after a longer while.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from bthtn.planning.avoided import NOTHING_AVOIDED, Avoidable, Avoided
from bthtn.replanning.retrying import Retrying, doubled
from bthtn.world.fluent import Fluent

MOST: Final = 256
"""Failures that are remembered; where more things fail, the oldest failure is forgotten."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Something did not work: ``text`` names it, ``reads`` is what could make a difference.

    ``refused``: a condition was false, so that nothing was tried. Then it makes a difference too
    when the goal itself changes what was read.
    """

    what: Avoidable
    text: str
    reason: str
    reads: frozenset[Fluent[Any]] = frozenset()
    refused: bool = False


@dataclass(slots=True)
class Remembered:
    """What is known of one thing that failed.

    ``count`` failures in a row, the last one at ``tick``. It is avoided before the tick
    ``until``, and has been for ``times`` times; ``in_vain`` is how often a change let it be
    tried again before.
    """

    failure: Failure
    count: int = 0
    tick: int = 0
    until: int = 0
    times: int = 0
    in_vain: int = 0
    has_changed: bool = False

    @property
    def old(self) -> int:
        """The last tick in which it mattered."""
        return max(self.tick, self.until)


class FailureMemory:
    """Owned by one goal of one agent; nothing of it is kept in a domain or a plan."""

    def __init__(self, retrying: Retrying) -> None:
        self._retrying = retrying
        self._known: dict[Avoidable, Remembered] = {}

    def failed(self, failure: Failure, tick: int) -> Remembered | None:
        """Something failed. What is known of it when it is avoided from now on, else None."""
        after = self._retrying.avoid_after
        if after is None:
            return None
        known = self._known.pop(failure.what, None) or Remembered(failure)
        self._known[failure.what] = known
        if len(self._known) > MOST:
            del self._known[next(iter(self._known))]
        known.failure, known.tick, known.has_changed = failure, tick, False
        known.count += 1
        if known.count < after:
            return None
        longest = self._retrying.longest_cooldown
        known.until = tick + 1 + doubled(self._retrying.cooldown, known.times, longest)
        known.times += 1
        return known

    def succeeded(self, what: Avoidable) -> None:
        """It worked: whatever was held against it is forgotten."""
        self._known.pop(what, None)

    def changed(self, fluents: Iterable[Fluent[Any]], own: Iterable[Fluent[Any]] = ()) -> None:
        """Others changed these fluents, and ``own`` were changed by the goal itself."""
        others = frozenset(fluents)
        anybody = others.union(own)
        for known in self._known.values():
            different = anybody if known.failure.refused else others
            if not known.failure.reads.isdisjoint(different):
                known.has_changed = True

    def avoided(self, tick: int) -> Avoided:
        """What is to be avoided in this tick, each with the reason."""
        longest = self._retrying.longest_cooldown
        for what in [one for one, known in self._known.items() if known.old < tick - longest]:
            del self._known[what]
        now = {
            what: _text(known)
            for what, known in self._known.items()
            if known.until and self._is_avoided(known, tick)
        }
        return now or NOTHING_AVOIDED

    def next_change(self, tick: int) -> int | None:
        """The earliest tick from which something that is avoided now is not avoided any more."""
        ends = (self._end(one) for one in self._known.values() if one.until > tick)
        return min(ends, default=None)

    def __len__(self) -> int:
        return len(self._known)

    @property
    def reads(self) -> frozenset[Fluent[Any]]:
        """The fluents a change of which has to be told."""
        return frozenset().union(*(known.failure.reads for known in self._known.values()))

    def _is_avoided(self, known: Remembered, tick: int) -> bool:
        """Whether it is avoided still; when not, one more failure is enough."""
        if tick < self._end(known):
            return True
        known.in_vain += known.has_changed
        known.tick, known.until, known.has_changed = tick, 0, False
        known.count = (self._retrying.avoid_after or 1) - 1
        return False

    def _end(self, known: Remembered) -> int:
        if not known.has_changed:
            return known.until
        longest = known.until - known.tick
        noise = doubled(1, known.in_vain - 1, longest) if known.in_vain else 0
        return min(known.until, known.tick + 1 + noise)


def _text(known: Remembered) -> str:
    fluents = ", ".join(sorted(map(str, known.failure.reads)))
    change = f", or a change of {fluents}" if fluents else ""
    reason = known.failure.reason
    return f"it failed at tick {known.tick} because {reason}; until tick {known.until}{change}"
