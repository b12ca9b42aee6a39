"""Aborts of steps, which may take several ticks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from py_trees.common import Status

from bthtn.engine.agent.aborts import LET_THEM_FINISH
from bthtn.engine.agent.leases import Holder
from bthtn.engine.agent.programming_errors import is_interrupt
from bthtn.engine.behaviours.generator_operator import CoroutineOperator, GeneratorOperator
from bthtn.engine.behaviours.operator import (
    Operator,
    codes_of,
)
from bthtn.engine.behaviours.plan_run import path_text
from bthtn.engine.behaviours.status import RUNNING
from bthtn.engine.behaviours.step import StepRun
from bthtn.errors import ExecutionError

LONGEST_ABORT: Final = 1_000
"""Ticks after which an abort that is still not done is cut off."""


class OperatorAbort:
    """The abort of an operator: ``abort`` once, then ``tick`` until it is no longer RUNNING.

    An exception ends it as well, and is kept in ``error``, as is the one for which it is aborted.
    """

    def __init__(
        self, step: StepRun, operator: Operator, error: BaseException | None = None
    ) -> None:
        self.step = step
        self.has_begun = self.done = False
        self.error = error
        self._operator = operator
        self._ticks = 0

    def start(self) -> bool:
        """Call the operator's ``abort``. Returns whether the abort is done."""
        done = self._call(self._operator.abort)
        if not done:
            self.step.aborting()
        return done

    def tick(self) -> bool:
        """Tick the operator. Returns whether the abort is done."""
        if self.done:
            return True
        if not self.has_begun:  # there was an interrupt before
            return self.start()
        self._ticks += 1
        if self._ticks > LONGEST_ABORT:
            self.cut_off(f"it was not done after {LONGEST_ABORT} ticks")
            return True
        return self._call(self._operator.tick)

    def cut_off(self, why: str) -> None:
        """End the abort now, finished or not."""
        if not self.has_begun:  # there was an interrupt before
            self._call(self._operator.abort)
        if self.done:
            return
        self.done = True
        self.error = self.step.first(self.error, _unfinished(self.step, why), "abort")
        if isinstance(self._operator, GeneratorOperator | CoroutineOperator):
            self._call(self._operator.close)

    def _call(self, operation: Callable[[], Status | None]) -> bool:
        try:
            with self.step.acting():  # in one line, between whose parts no interrupt comes
                self.has_begun, self.done = True, operation() is not RUNNING
        except BaseException as error:
            if is_interrupt(error, codes_of(self._operator, operation)):
                raise
            self.has_begun = self.done = True
            if not isinstance(error, Exception):
                self.error = error
                raise
            self.error = self.step.first(self.error, error, "abort")
        return self.done


class StepAbort:
    """An abort that the agent finishes, because the tree does not tick the step again."""

    def __init__(self, abort: OperatorAbort) -> None:
        self._abort = abort

    @property
    def is_over(self) -> bool:
        return not self._abort.step.is_open

    @property
    def task(self) -> str:
        return self._abort.step.name

    @property
    def holder(self) -> Holder:
        """The step as a holder of leases, inside of its goal."""
        return self._abort.step.holder

    def start(self) -> bool:
        """Call the operator's ``abort``. Returns whether the step is over."""
        return self._then_over(self._abort.start)

    def go_on(self) -> bool:
        """Tick the operator. Returns whether the step is over."""
        return self._then_over(self._abort.tick)

    def cut_off(self, why: str) -> None:
        """End it now, finished or not."""
        try:
            self._abort.cut_off(why)
        finally:
            self._abort.step.aborted(self._abort.error)

    def _then_over(self, work: Callable[[], bool]) -> bool:
        try:
            return work()
        finally:
            if self._abort.done:
                self._abort.step.aborted(self._abort.error)


def _unfinished(step: StepRun, why: str) -> ExecutionError:
    return ExecutionError(
        "BT306",
        f"the abort of '{step.name}' was cut off: {why}",
        where=path_text(step.path),
        hint=f"let its operator clean up in fewer ticks; {LET_THEM_FINISH}",
    )
