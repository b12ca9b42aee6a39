"""Retries: what one goal has learned from its failures, tick by tick.

a tick begins     what others have changed since is told
it may begin?     not while it waits (BackOff)
it searches       without what is avoided (FailureMemory)
a step ends       well: forgotten; otherwise remembered, with what it has read
no plan, or no    it waits, the longer the more often this happens in a row
plan that works
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bthtn.domain.chance import SEED
from bthtn.planning.avoided import Avoidable, Avoided
from bthtn.replanning.back_off import BackOff, Waiting
from bthtn.replanning.failure_memory import Failure, FailureMemory, Remembered
from bthtn.replanning.retrying import Retrying
from bthtn.world.fluent import Fluent


class Retries:
    """Owned by one goal of one agent. ``tick`` counts the ticks in which the goal was ticked."""

    def __init__(self, retrying: Retrying) -> None:
        self.tick = 0
        self._memory = FailureMemory(retrying)
        self._back_off = BackOff(retrying)
        self._reads: set[Fluent[Any]] = set()
        self._has_plan = self._had_plan = False

    def ticked(self, changed: Sequence[Fluent[Any]] = (), own: Sequence[Fluent[Any]] = ()) -> None:
        """A tick begins; of what is ``watched``, others have changed this since the last one.

        ``own`` was changed by the steps of the goal itself.
        """
        self.tick += 1
        if not changed and not own:
            return
        different, mine = frozenset(changed), frozenset(own)
        self._memory.changed(different, mine)
        if self._back_off.waiting is not None and not different.isdisjoint(self.watched):
            self._back_off.wake()

    @property
    def waiting(self) -> Waiting | None:
        """Why nothing is to be tried in this tick, None when it is."""
        return self._back_off.waiting if self._back_off.waits(self.tick) else None

    @property
    def avoided(self) -> Avoided:
        """What the plans of this tick must not use, each with the reason."""
        return self._memory.avoided(self.tick)

    @property
    def is_in_vain(self) -> bool:
        """Whether the last attempt was: then what the next one reads should be recorded."""
        return self._back_off.failures > 0

    @property
    def watched(self) -> frozenset[Fluent[Any]]:
        """The fluents whose changes matter."""
        waiting = self._back_off.waiting
        return self._memory.reads | (waiting.fluents if waiting is not None else frozenset())

    @property
    def remembers(self) -> bool:
        """Whether something has failed lately."""
        return len(self._memory) > 0

    def began(self) -> None:
        """The goal begins another attempt."""
        self._reads.clear()
        self._has_plan = False

    def found(self) -> None:
        """There is a plan. What was in vain without one is forgotten."""
        self._has_plan = True
        if not self._had_plan:
            self._back_off.succeeded()

    def failed(self, failure: Failure) -> Remembered | None:
        """A part of the plan failed. What is known of it when it is avoided from now on."""
        self._reads |= failure.reads
        return self._memory.failed(failure, self.tick)

    def worked(self, what: Avoidable) -> None:
        """A part of the plan went well."""
        self._memory.succeeded(what)

    def in_vain(
        self, reason: str, readings: Mapping[Fluent[Any], Any] | None = None
    ) -> Waiting | None:
        """The attempt is over; ``readings`` is what a search without a plan has read.

        Why nothing is to be tried now, None when it may be tried again at once.
        """
        self._had_plan = self._has_plan
        reads = self._reads | set(readings or ()) - {SEED}
        latest = self._memory.next_change(self.tick)
        return self._back_off.failed(reason, self.tick, frozenset(reads), latest)

    def succeeded(self) -> None:
        """The goal has been reached."""
        self._back_off.succeeded()
