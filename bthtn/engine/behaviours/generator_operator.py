"""Operators that are generators or coroutines: code that Python itself suspends."""

from __future__ import annotations

from collections.abc import Coroutine, Generator
from inspect import CORO_CREATED, getcoroutinestate
from types import CodeType
from types import coroutine as generator_based
from typing import TYPE_CHECKING, Any, Final
from weakref import finalize

from py_trees.common import Status

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import Clock, Timer
from bthtn.engine.agent.operators import OperatorFailed
from bthtn.engine.agent.programming_errors import first_of
from bthtn.engine.agent.runtime import Runtime, runtime_of
from bthtn.engine.behaviours.status import FAILURE, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.domain.number import Seconds
from bthtn.errors import ExecutionError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop, Task

MEANINGS: Final = (
    "yield and await are still running, return is success, and"
    " raise OperatorFailed(reason) is failure"
)
"""A hint: how the functions of operators report their status."""


class GeneratorOperator:
    """Runs a generator: ``yield`` means still running, return means success.

    A ``yield`` after GeneratorExit means that the abort takes more ticks. After ``yield
    seconds(3)`` it goes on in the first tick in which so much time of the clock has passed.
    """

    def __init__(self, generator: Generator[Any, None, Any], clock: Clock) -> None:
        self._generator = generator
        self._clock = clock
        self._timer: Timer | None = None
        self._aborting: list[Generator[Any, None, Any]] = []
        """The generators that have not cleaned up after an abort yet, the innermost last."""

    @property
    def code(self) -> CodeType | None:
        return getattr(self._generator, "gi_code", None)

    def start(self) -> None:
        """The first tick starts it."""

    def tick(self) -> Status:
        """Run to the next ``yield``, unless it waits for seconds to pass."""
        if self._timer is not None and not self._timer.is_over():
            return RUNNING
        if self._aborting:
            return self._leave(None)
        try:
            yielded = next(self._generator)
        except StopIteration as end:
            if end.value is not None:
                raise _answered("generator returns", end.value) from None
            return SUCCESS
        return self._wait(yielded)

    def waits(self) -> Wait:
        """For the seconds that it has yielded; after any other ``yield`` its code runs at once."""
        timer = self._timer
        return AT_ONCE if timer is None else Wait(timer.left, clock=timer.clock)

    def abort(self) -> Status | None:
        """Raise GeneratorExit at its ``yield``, so that ``finally`` runs.

        Python would close a generator that it runs by ``yield from``, which then must not yield
        any more; so GeneratorExit is raised in each of them, beginning with the innermost.
        """
        self._aborting = _with_those_it_runs(self._generator)
        return self._leave(GeneratorExit())

    def _leave(self, error: BaseException | None) -> Status:
        """Let the innermost generator that is left clean up, and when it has ended, the next."""
        while self._aborting:
            innermost = self._aborting[-1]
            try:
                yielded = next(innermost) if error is None else innermost.throw(error)
            except (StopIteration, GeneratorExit):
                error = GeneratorExit()
            except BaseException as raised:
                if getattr(innermost, "gi_frame", None) is not None:
                    raise  # an interrupt that came upon the line above: it has not ended
                error = raised
            else:
                return self._wait(yielded)
            self._aborting.pop()
        if error is None or isinstance(error, GeneratorExit):
            return FAILURE
        raise error

    def _wait(self, yielded: object) -> Status:
        """RUNNING; go on in the next tick, or when so many seconds have passed."""
        self._timer = None
        if isinstance(yielded, Seconds):
            self._timer = _started(yielded, self._clock)
        elif yielded is not None and yielded is not RUNNING:
            mistake = _answered("generator yields", yielded)
            try:
                self._generator.close()  # so that finally runs now, not when it is collected
            except Exception:  # noqa: BLE001 - the user's finally
                raise mistake  # noqa: B904 - what finally raised is its context
            raise mistake
        return RUNNING

    def close(self) -> None:
        """End the generator now. Raises RuntimeError if it yields once more."""
        self._generator.close()


class CoroutineOperator:
    """Runs a coroutine: ``await`` means still running, return means success, abort cancels it.

    It is a task of the asyncio loop that is running when the step starts. Where none is, it is a
    task of a loop of the agent's own, which makes one iteration at every tick of such a step, and
    in which ``asyncio.sleep`` waits for seconds of the agent's clock, if it has one.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, Any], agent: Agent[Any, Any]) -> None:
        self._coroutine = coroutine
        self._clock = agent.clock
        self._runtime = runtime_of(agent)
        self._acting = self._runtime.acting_as_now()
        self._own_loop: AbstractEventLoop | None = None
        self._task: Task[Any] | None = None
        self._is_aborted = self._is_closed = False

    @property
    def code(self) -> CodeType | None:
        return getattr(self._coroutine, "cr_code", None)

    def start(self) -> None:
        """Make it a task; its code begins when the loop runs next."""
        from asyncio import get_running_loop  # noqa: PLC0415 - takes time to import, which few need

        try:
            loop = get_running_loop()
        except RuntimeError:
            loop = self._own_loop = _loop_of(self._runtime, self._clock)
        self._task = loop.create_task(self._awaited())

    def tick(self) -> Status:
        """Let a loop of the agent's own make an iteration, and look whether the task is done."""
        task = self._started
        if self._own_loop is not None:
            self._own_loop.call_soon(self._own_loop.stop)
            try:
                self._own_loop.run_forever()
            except BaseException:  # Ctrl-C, which asyncio keeps in the task as well
                if task.done() and not task.cancelled():
                    task.exception()  # else asyncio logs that nobody has seen it
                    self._coroutine.close()  # as it may not have been what raised
                raise
        if not task.done():
            return RUNNING
        if task.cancelled():
            if self._is_aborted:
                return FAILURE
            raise OperatorFailed("it was cancelled")
        try:
            value = task.result()
        except ExceptionGroup as several:  # of a TaskGroup
            _, others = several.split(OperatorFailed)
            raise several if others else first_of(several) from None
        if value is not None:
            raise _answered("coroutine returns", value)
        return SUCCESS

    def abort(self) -> Status | None:
        """Cancel the task, so that ``finally`` runs, and may await."""
        self._is_aborted = True
        if not self._started.cancel() and _was_interrupted(self._started):
            return None
        if getcoroutinestate(self._coroutine) == CORO_CREATED:
            self._coroutine.close()  # else Python warns that nobody has awaited it
            return None
        return RUNNING if self.tick() is RUNNING else None

    def close(self) -> None:
        """End the coroutine now. Raises RuntimeError if it awaits once more."""
        self._is_closed = True
        try:
            self._coroutine.close()
        finally:
            self._started.cancel()

    @property
    def _started(self) -> Task[Any]:
        assert self._task is not None, "an operator that is ticked has started"
        return self._task

    async def _awaited(self) -> Any:
        return await self._within_the_step()

    @generator_based
    def _within_the_step(self) -> Generator[Any, None, Any]:
        """Await the coroutine; whatever it takes and believes, it does for its step.

        A loop that runs between ticks knows of no step.
        """
        error: BaseException | None = None
        while not self._is_closed:
            try:
                with self._acting():
                    if error is None:
                        awaited = self._coroutine.send(None)
                    else:
                        awaited = self._coroutine.throw(error)
            except StopIteration as end:
                return end.value
            error = None
            try:
                yield awaited
            except BaseException as raised:  # noqa: BLE001 - it is the coroutine's
                error = raised
        return None


def _was_interrupted(task: Task[Any]) -> bool:
    """Whether an interrupt has ended a task that is done."""
    error = None if task.cancelled() else task.exception()
    return error is not None and not isinstance(error, Exception)


def _loop_of(runtime: Runtime, clock: Clock | None) -> AbstractEventLoop:
    """The agent's own loop, which is closed with the agent, or at the end of the program."""
    if runtime.event_loop is None:
        from asyncio import new_event_loop  # noqa: PLC0415 - takes time to import, which few need

        runtime.event_loop = new_event_loop()
        if clock is not None:
            runtime.event_loop.time = clock
        runtime.closing.callback(setattr, runtime, "event_loop", None)
        runtime.closing.callback(finalize(runtime, _close, runtime.event_loop))
    loop: AbstractEventLoop = runtime.event_loop
    return loop


def _close(loop: AbstractEventLoop) -> None:
    """Cancel the tasks that are left, wait for them, and close the loop.

    asyncio's Runner would start a thread in between, which Python 3.12 refuses at its exit.
    """
    from asyncio import all_tasks, gather  # noqa: PLC0415 - takes time to import, which few need

    vars(loop).pop("time", None)  # no tick comes any more that could let the agent's time pass
    tasks = all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(gather(*tasks, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _with_those_it_runs(generator: Generator[Any, None, Any]) -> list[Generator[Any, None, Any]]:
    """A generator, the one that it runs by ``yield from``, the one that this runs, and so on."""
    found: list[Generator[Any, None, Any]] = []
    inner: object = generator
    while isinstance(inner, Generator):
        found.append(inner)
        inner = getattr(inner, "gi_yieldfrom", None)
    return found


def _started(wait: Seconds, clock: Clock) -> Timer:
    if not isinstance(wait.length, int | float) or wait.length != wait.length:  # NaN
        raise _answered("generator yields", wait)
    timer = Timer(wait.length, clock)
    timer.start()
    return timer


def _answered(what: str, value: object) -> ExecutionError:
    return ExecutionError("BT304", f"the {what} {value!r}, which means nothing", hint=MEANINGS)
