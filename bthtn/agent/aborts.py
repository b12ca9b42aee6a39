"""Aborts: what an agent has given up and is not rid of yet.

py_trees interrupts a tree at once and does not tick it again. So a step whose operator needs more
ticks to be given up leaves its abort here, where it is worked on at the beginning of later ticks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

from bthtn.agent.leases import Holder


class Abort(Protocol):
    """**Protocol:** the abort of a step, begun and not done."""

    @property
    def task(self) -> str:
        """The step's name."""
        ...

    @property
    def holder(self) -> Holder:
        """The step, inside of the goal that it was done for."""
        ...

    @property
    def uses(self) -> frozenset[str]:
        """The resources that are occupied until it is done."""
        ...

    def go_on(self) -> bool:
        """Work on it for a tick; whether it is done. What the operator raises is contained."""
        ...

    def cut_off(self, why: str) -> None:
        """End it now, whatever is left to do."""
        ...


class Aborts:
    """The unfinished aborts of one agent, in the order they were begun."""

    def __init__(self) -> None:
        self._unfinished: list[Abort] = []
        self._came: dict[int, object] = {}
        self._waiting: list[tuple[Holder, Callable[[], None]]] = []

    def __len__(self) -> int:
        return len(self._unfinished)

    def add(self, abort: Abort) -> None:
        """Work on this abort from the next tick on, until it is done."""
        self._unfinished.append(abort)

    def in_the_way(self, goal: Holder | None, uses: Collection[str] = ()) -> Abort | None:
        """The first abort that a step of this goal, with these resources, has to wait for.

        A goal goes on when all that it gave up is done, and what goals inside of its steps gave
        up; another goal of the agent waits for what occupies the same.
        """
        for abort in self._unfinished:
            if abort.holder.is_within(goal) or not abort.uses.isdisjoint(uses):
                return abort
        return None

    def within(self, goal: Holder | None) -> tuple[Abort, ...]:
        """All that this goal has given up, and goals inside of its steps, the oldest first."""
        return tuple(one for one in self._unfinished if one.holder.is_within(goal))

    def afterwards(self, goal: Holder, call: Callable[[], None]) -> None:
        """Call it when all that this goal has given up is done; now, when that is nothing."""
        self._waiting.append((goal, call))
        self._call_back()

    def go_on(self, by: object) -> None:
        """Called at the beginning of a tick by everybody who acts for the agent.

        Nobody tells an agent that a tick begins. Whoever comes is ticked once in a tick: so a
        new tick has begun when somebody comes a second time, and then every abort is worked on.
        """
        if id(by) in self._came:
            self._came.clear()
        first = not self._came
        self._came[id(by)] = by
        if first and (self._unfinished or self._waiting):
            for abort in tuple(self._unfinished):
                self._work_on(abort)
            self._call_back()

    def cut_off(self, goal: Holder, why: str) -> None:
        """End what this goal has given up: there will be no more ticks."""
        while left := self.within(goal):  # what is cut off may leave something itself
            self._unfinished.remove(left[0])
            left[0].cut_off(why)
        self._call_back()

    def _call_back(self) -> None:
        for one in tuple(self._waiting):
            if self.in_the_way(one[0]) is None:
                self._waiting.remove(one)
                one[1]()

    def _work_on(self, abort: Abort) -> None:
        if abort not in self._unfinished:
            return
        done = True
        try:
            done = abort.go_on()
        finally:
            if done and abort in self._unfinished:
                self._unfinished.remove(abort)
