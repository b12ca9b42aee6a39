"""Aborts: steps of an agent that were aborted, and whose operators are not done with that.

py_trees interrupts a tree at once and does not tick it again. So a step whose operator needs
several ticks to abort leaves its abort here, where it is ticked at the beginning of later ticks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from bthtn.engine.agent.leases import Holder

T = TypeVar("T")

LET_THEM_FINISH: Final = (
    "before the tree is shut down, stop its root, and call agent.sense()"
    " once a tick until len(agent.aborts) is 0"
)
"""A hint: how aborts and cleanups are done before there are no more ticks."""


class Abort(Protocol):
    """**Protocol:** an abort that takes several ticks."""

    @property
    def task(self) -> str: ...

    @property
    def holder(self) -> Holder:
        """The step as a holder of leases, inside of its goal."""
        ...

    @property
    def is_over(self) -> bool:
        """Whether it is done, or was ended."""
        ...

    def go_on(self) -> bool:
        """Continue it for a tick, and contain exceptions. Returns whether it is done."""
        ...

    def cut_off(self, why: str) -> None:
        """End it now, finished or not."""
        ...


class Aborts:
    """The unfinished aborts of one agent, in the order in which they were added."""

    __slots__ = ("_callers", "_unfinished", "_waiting")

    def __init__(self) -> None:
        self._unfinished: tuple[Abort, ...] = ()
        self._callers: tuple[object, ...] = ()
        self._waiting: tuple[tuple[Holder, Callable[[], None]], ...] = ()

    def __len__(self) -> int:
        return len(self._unfinished)

    def add(self, abort: Abort) -> int:
        """Tick this abort from the next tick on, until it is done. Returns how many there are."""
        self._unfinished += (abort,)
        return len(self._unfinished)

    def has(self, step: Holder) -> bool:
        return any(abort.holder is step for abort in self._unfinished)

    def first(self, goal: Holder | None) -> Abort | None:
        """The oldest abort of this goal or of a goal inside of its steps, None without any."""
        if not self._unfinished:
            return None
        return next((abort for abort in self._unfinished if abort.holder.is_within(goal)), None)

    def within(self, goal: Holder | None) -> tuple[Abort, ...]:
        """The aborts of this goal and of goals inside of its steps, the oldest first."""
        return tuple(abort for abort in self._unfinished if abort.holder.is_within(goal))

    def afterwards(self, goal: Holder, call: Callable[[], None]) -> bool:
        """Call a function once the goal has no unfinished aborts; at once if it has none now.

        Returns whether it was called.
        """
        self._waiting += ((goal, call),)
        self._call_back()
        return all(waiting[1] is not call for waiting in self._waiting)

    def begin_tick(self) -> None:
        """Tick every abort. Goals do not, however often they are ticked before the next call."""
        self._callers = (self,)
        self._tick_all()

    def go_on(self, by: object) -> None:
        """Tick every abort once per tick. Goals call it when ticked.

        ``by`` is the caller, which must be the same object at every tick.
        """
        # An agent that is not sensed does not know when a tick begins. Each caller is ticked once
        # per tick, so a new tick has begun when one calls for the second time.
        if by in self._callers:
            if by is not self and self in self._callers:
                return  # the agent is sensed: its tick is not over
            self._callers = ()
        first = not self._callers
        self._callers += (by,)
        if first:
            self._tick_all()

    def cut_off(self, goal: Holder, why: str) -> None:
        """End the aborts of this goal now, because there will be no more ticks."""
        while left := self.within(goal):  # one that is cut off may add another
            self._unfinished = _without(left[0], self._unfinished)
            left[0].cut_off(why)
        self._call_back()

    def _call_back(self) -> None:
        for waiting in self._waiting:
            if self.first(waiting[0]) is None:
                put: Callable[..., object] = setattr
                call: Callable[[], object] = waiting[1]
                # In one line, between whose parts no interrupt comes.
                _ = put(self, "_waiting", _without(waiting, self._waiting)), call()

    def _tick_all(self) -> None:
        if self._unfinished or self._waiting:
            for abort in self._unfinished:
                self._tick(abort)
            self._call_back()

    def _tick(self, abort: Abort) -> None:
        if abort not in self._unfinished:
            return
        done = False
        try:
            done = abort.go_on()
        finally:  # after an interrupt it goes on in the next tick, if it is not over
            if done or abort.is_over:
                self._unfinished = _without(abort, self._unfinished)


def _without(item: T, items: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(other for other in items if other is not item)
