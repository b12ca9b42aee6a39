"""Clocks, and timers that count ticks or the seconds of a clock."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite
from typing import Any

from bthtn.checked import checked
from bthtn.engine.domain.number import TOLERANCE
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import ExecutionError, exception_text

Clock = Callable[[], float]
"""A function that returns seconds since any beginning."""


class ManualClock(Unpicklable):
    """A clock that advances when ``advance`` is called, as by the delta time of a game's loop.

    One clock serves any number of agents and decorators: ``Agent(…, clock=clock)``.
    """

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        """The seconds by which it has been advanced."""
        return self._now

    @checked
    def advance(self, seconds: float) -> None:
        """Let so many seconds pass. Raises ExecutionError for a number below zero."""
        if not seconds >= 0:
            message = f"a clock is advanced by {seconds} seconds"
            raise ExecutionError("BT202", message, hint="time does not go back")
        self._now += seconds


class TickClock:
    """The clock of an agent: another clock, read when the agent is made, and once in each tick.

    ``now`` are its seconds, which may go back: a simulation is reset, a recording played again.
    Called, it gives seconds that do not, by which all durations go.
    """

    __slots__ = ("_agent", "_lost", "_offset", "now", "source")

    def __init__(self, clock: Clock, agent: str) -> None:
        """Raises ExecutionError as ``read``."""
        self.source = clock
        self._agent = agent
        self._offset = 0.0
        self._lost = 0.0  # the seconds by which it has gone back, added up
        self.now = -inf
        """The seconds of the clock when it was read last: for code that asks at every tick."""
        self.read()

    def __call__(self) -> float:
        """Seconds that never go back, to measure by: ``now``, unless the clock ever has."""
        return self.now + self._lost

    def read(self) -> float:
        """Read the clock, and return ``now``. Raises ExecutionError if it gives no number."""
        try:
            now = float(self.source()) + self._offset
        except Exception as error:
            raise self._fault(f"raises {exception_text(error)}") from error
        if not isfinite(now):
            raise self._fault(f"went from {self.now:g} to {now:g}")
        if now < self.now:
            self._lost += self.now - now
        self.now = now
        return now

    def _fault(self, what: str) -> ExecutionError:
        hint = "give it a function that returns seconds: time.monotonic, ManualClock()"
        return ExecutionError("BT316", f"the clock of agent '{self._agent}' {what}", hint=hint)


def steady_time(agent: Any) -> float:
    """The seconds of an agent's clock to measure by. Raises ExecutionError as ``agent.time``."""
    if agent.clock is None:
        agent.time()
    clock: TickClock = agent.clock
    return clock.now + clock._lost


class Timer:
    """Counts the ticks, or with a clock the seconds, from its start on.

    Where the clock goes back, what has passed has passed, and counting goes on.
    """

    __slots__ = ("_begin", "_clock", "_given", "_latest", "_length", "_ticks")

    def __init__(self, length: float | Callable[[], float], clock: Clock | None = None) -> None:
        """A function says the length at every start."""
        self._given = length
        self._length = 0.0 if callable(length) else length
        self._clock = clock
        self._begin = self._latest = 0.0
        self._ticks = 0

    @property
    def clock(self) -> Clock | None:
        """The clock that it goes by; None if it counts ticks."""
        return self._clock

    @property
    def left(self) -> float:
        """The seconds that were left in the latest tick, 0 if it counts ticks."""
        if self._clock is None:
            return 0.0
        return self._length - TOLERANCE - (self._latest - self._begin)

    def start(self) -> None:
        """Start it, or start it anew."""
        self._length = self._given() if callable(self._given) else self._given
        self._ticks = 0
        self._begin = self._latest = 0.0 if self._clock is None else self._clock()

    def is_over(self) -> bool:
        """Whether its length has passed; called once in every tick after that of the start."""
        if self._clock is not None:
            now = self._clock()
            if now < self._latest:
                self._begin += now - self._latest
            self._latest = now
            return self.left <= 0
        self._ticks += 1
        return self._ticks >= self._length
