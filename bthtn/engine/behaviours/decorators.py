"""Decorators of BehaviorTree.CPP that py_trees lacks, or has with another meaning.

| decorator             | does                                                              |
| --------------------- | ----------------------------------------------------------------- |
| `Repeat`              | runs its child again when it has succeeded                        |
| `RetryUntilSuccessful`| runs its child again when it has failed                           |
| `Timeout`             | stops its child, and fails, when it has run too long              |
| `Delay`               | waits before it begins its child                                  |
| `Cooldown`            | fails for some time after its child has succeeded                 |
| `RunOnce`             | runs its child to an end once, and never again                    |

Time is given in ``ticks``, those in which the decorator is ticked, or in ``seconds`` of a
``clock``: a function that returns seconds since any beginning, such as ``agent.time``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from py_trees.behaviour import Behaviour
from py_trees.common import OneShotPolicy, Status
from py_trees.decorators import Decorator, OneShot

from bthtn.checked import checked
from bthtn.engine.agent.clock import Clock, Timer
from bthtn.engine.behaviours.plan_behaviour import reset
from bthtn.engine.behaviours.status import FAILURE, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import ArgumentError, ExecutionError

ENDLESS: Final = -1
_MOST_INSTANT_CYCLES: Final = 1_000


class Loop(Unpicklable, Decorator):
    """Runs its child up to so many times, as long as it ends with one status."""

    _again: Status

    @checked
    def __init__(self, name: str, child: Behaviour, cycles: int | Callable[[], int]) -> None:
        """Raises ExecutionError for a number of cycles that is neither -1 nor above zero.

        A function is asked in every tick.
        """
        if not callable(cycles) and cycles < 1 and cycles != ENDLESS:
            hint = "give a number above zero, or -1 for any number of cycles"
            raise ExecutionError("BT202", f"'{name}' has {cycles} cycles", hint=hint)
        super().__init__(name, child)
        self.cycles = cycles
        self._ended = 0

    def tick(self) -> Iterator[Behaviour]:
        """Tick the child, and begin it anew as long as cycles end."""
        if self.status is not RUNNING:
            self.initialise()
            self._ended = 0
        cycles = self.cycles() if callable(self.cycles) else self.cycles
        most_instant = 1 if cycles == ENDLESS else _MOST_INSTANT_CYCLES
        instant, status = 0, self._again
        while cycles == ENDLESS or self._ended < cycles:
            is_begun = self.decorated.status is not RUNNING
            yield from self.decorated.tick()
            status = self.decorated.status
            if status is not self._again:
                break
            self._ended += 1
            instant += is_begun
            if instant == most_instant and self._ended != cycles:
                status = RUNNING
                break
        if status is not RUNNING:
            self.stop(status)
        self.status = status
        yield self

    def update(self) -> Status:
        """Never called: ``tick`` decides."""
        return self.status

    def waits(self) -> Wait:
        """For its child, as long as no cycles are counted, or asked for."""
        is_between = self.status is RUNNING and self.decorated.status is not RUNNING
        if callable(self.cycles) or (is_between and self.cycles != ENDLESS):
            return AT_ONCE
        return Wait(below=self.children)


class Repeat(Loop):
    """Runs its child until it has succeeded ``cycles`` times, and fails when the child does.

    A cycle begins in the tick in which the one before has ended; py_trees' ``Repeat`` begins it in
    the next one. With -1 cycles it repeats until the child fails, and then a cycle that begins and
    ends in one tick is the last of that tick. Otherwise 1,000 such cycles are the most in a tick.
    """

    _again = SUCCESS


class RetryUntilSuccessful(Loop):
    """Runs its child until it succeeds, and fails when it has failed ``cycles`` times.

    A try begins in the tick in which the one before has failed; py_trees' ``Retry`` begins it in
    the next one. The limits are those of `Repeat`.
    """

    _again = FAILURE


class Timed(Unpicklable, Decorator):
    @checked
    def __init__(
        self,
        name: str,
        child: Behaviour,
        *,
        ticks: int | None = None,
        seconds: float | Callable[[], float] | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Raises ExecutionError for a time that is not above zero. A function says it at the start.

        Raises ArgumentError without a time, and for seconds without a clock.
        """
        if (ticks is None) == (seconds is None):
            message = f"'{name}' takes either ticks or seconds"
            raise ArgumentError("BT126", message, hint="write ticks=… or seconds=…")
        if seconds is not None and not callable(clock):
            hint = "write clock=agent.time, or give it any function that returns seconds"
            raise ArgumentError("BT126", f"'{name}' takes seconds and has no clock", hint=hint)
        length, unit = (ticks, "ticks") if seconds is None else (seconds, "seconds")
        assert length is not None, "one of them is given"
        if not callable(length) and not length > 0:
            message = f"'{name}' is given {length} {unit}"
            raise ExecutionError("BT202", message, hint="give a number above zero")
        self._timer = Timer(length, None if seconds is None else clock)
        self.ticks, self.seconds = ticks, seconds
        super().__init__(name, child)

    def update(self) -> Status:
        """Called by py_trees after the child's tick."""
        return self.decorated.status


class Timeout(Timed):
    """Fails when its child has run for so long, and stops it.

    In the tick in which the time is over, the child is stopped and not ticked: with ``ticks=3`` it
    is ticked three times at most. py_trees' ``Timeout`` ticks it once more, and reads the system's
    clock.
    """

    def initialise(self) -> None:
        """Called by py_trees when the child is begun."""
        self._timer.start()
        self.feedback_message = ""

    def tick(self) -> Iterator[Behaviour]:
        """Tick the child, unless the time is over."""
        if self.status is RUNNING and self._timer.is_over():
            self.feedback_message = "timed out"
            self.stop(FAILURE)
            yield self
        else:
            yield from super().tick()

    def waits(self) -> Wait:
        """For its child, and the end of its time."""
        if self.status is not RUNNING:
            return Wait(below=self.children)
        return Wait(self._timer.left, self.children, self._timer.clock)


class Delay(Timed):
    """Waits, RUNNING, and then runs its child. With ``ticks=3`` that is begun in the fourth tick.

    It waits anew for each run of the child. py_trees has no such decorator.
    """

    _is_waiting = False

    def tick(self) -> Iterator[Behaviour]:
        if self.status is not RUNNING:
            self.initialise()
            reset(self.children)
            self._timer.start()
            self._is_waiting = True
        elif self._is_waiting:
            self._is_waiting = not self._timer.is_over()
        if self._is_waiting:
            self.status = RUNNING
            yield self
        else:
            yield from super().tick()

    def waits(self) -> Wait:
        """For the end of the delay, and then for its child."""
        if self.status is not RUNNING:
            return AT_ONCE
        if self._is_waiting:
            return Wait(self._timer.left, clock=self._timer.clock)
        return Wait(below=self.children)


class Cooldown(Timed):
    """Fails, without a tick of its child, until so much time has passed since that has succeeded.

    A child that failed or was interrupted may be begun again at once. With ``ticks=3`` the
    child may be begun in the third tick of the decorator after the one in which it has succeeded;
    ticks in which the tree does not reach the decorator are not counted. Neither py_trees nor
    BehaviorTree.CPP has such a decorator.
    """

    _is_cooling = False

    def tick(self) -> Iterator[Behaviour]:
        """Tick the child, unless it has to cool down."""
        if self._is_cooling:
            self._is_cooling = not self._timer.is_over()
        if self._is_cooling:
            self.feedback_message = "cools down"
            self.stop(FAILURE)
            yield self
        else:
            self.feedback_message = ""
            yield from super().tick()

    def waits(self) -> Wait:
        """For its child, or until that has cooled down."""
        if not self._is_cooling:
            return Wait(below=self.children)
        if self.status is SUCCESS:
            return AT_ONCE
        return Wait(self._timer.left, clock=self._timer.clock)

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end."""
        if new_status is SUCCESS:
            self._is_cooling = True
            self._timer.start()


class RunOnce(Unpicklable, OneShot):
    """Runs its child until it has ended once; from then on its status is ``then``.

    Without ``then`` it stays that of the child, as with py_trees' ``OneShot`` and the policy
    ``ON_COMPLETION``. SUCCESS lets a sequence go on past the node, FAILURE a selector; with INVALID
    it is skipped. A child that is interrupted has not ended.
    """

    @checked
    def __init__(self, name: str, child: Behaviour, *, then: Status | None = None) -> None:
        """Raises ArgumentError if ``then`` is not the status of an end."""
        if then is RUNNING:
            hint = "give Status.SUCCESS, Status.FAILURE, Status.INVALID, or nothing"
            message = f"'{name}' cannot be {then} after its child has ended"
            raise ArgumentError("BT126", message, hint=hint)
        super().__init__(name, child, OneShotPolicy.ON_COMPLETION)
        self.then = then

    def update(self) -> Status:
        """Called by py_trees at every tick."""
        if self.final_status is not None and self.then is not None:
            return self.then
        return super().update()

    def waits(self) -> Wait:
        """For its child, as long as that has not ended."""
        if self.final_status is None:
            return Wait(below=self.children)
        ended = self.final_status if self.then is None else self.then
        return Wait() if self.status is ended else AT_ONCE
