"""The abort of a step, over as many ticks as its operator needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from py_trees.common import Status

from bthtn.agent.leases import Holder
from bthtn.behaviours.operator import GeneratorOperator, Operator
from bthtn.behaviours.step import Step
from bthtn.errors import Diagnostic, ExecutionError

LONGEST_ABORT: Final = 1_000
"""Ticks after which an abort that is still not done is cut off."""


class OperatorAbort:
    """An operator that is given up: ``abort`` once, then ``tick`` until it is no longer RUNNING.

    ``error`` is what the operator raised, which ends it too.
    """

    def __init__(self, step: Step, operator: Operator) -> None:
        self.step = step
        self.done = False
        self.error: BaseException | None = None
        self._operator = operator
        self._ticks = 0

    def begin(self) -> bool:
        """Ask the operator to give up; whether it has."""
        done = self._call(self._operator.abort)
        if not done:
            self.step.aborting()
        return done

    def work(self) -> bool:
        """Let the operator go on giving up; whether it has."""
        self._ticks += 1
        if self._ticks > LONGEST_ABORT:
            self.leave(f"it was not done after {LONGEST_ABORT} ticks")
            return True
        return self._call(self._operator.tick)

    def leave(self, why: str) -> None:
        """Let the operator be, whatever it has still to do."""
        self.done = True
        self.error = _unfinished(self.step, why)
        if isinstance(self._operator, GeneratorOperator):
            self._call(self._operator.close)

    def _call(self, operation: Callable[[], Status | None]) -> bool:
        self.done = True
        try:
            with self.step.acting():
                answer = operation()
        except Exception as error:  # noqa: BLE001 - the user's clean-up: contained and reported
            self.error = self.error or error
        except BaseException as error:
            self.error = error
            raise
        else:
            self.done = answer is not Status.RUNNING
        return self.done


class StepAbort:
    """The abort of a step that its tree will not tick again: the agent finishes it."""

    def __init__(self, abort: OperatorAbort) -> None:
        self._abort = abort

    @property
    def task(self) -> str:
        """The step's name."""
        return self._abort.step.name

    @property
    def holder(self) -> Holder:
        """The step, inside of the goal that it was done for."""
        return self._abort.step.holder

    @property
    def uses(self) -> frozenset[str]:
        """The resources that are occupied until it is done."""
        return self._abort.step.node.task.uses

    def begin(self) -> bool:
        """Ask the operator to give up; whether it has, and the step is over."""
        return self._then_over(self._abort.begin)

    def go_on(self) -> bool:
        """Work on it for a tick; whether it is done, and the step is over."""
        return self._then_over(self._abort.work)

    def cut_off(self, why: str) -> None:
        """End it now, whatever is left to do."""
        try:
            self._abort.leave(why)
        finally:
            self._abort.step.aborted(self._abort.error)

    def _then_over(self, work: Callable[[], bool]) -> bool:
        try:
            return work()
        finally:
            if self._abort.done:
                self._abort.step.aborted(self._abort.error)


def _unfinished(step: Step, why: str) -> ExecutionError:
    return ExecutionError(
        Diagnostic(
            "BT306",
            f"the abort of '{step.name}' was cut off: {why}",
            where=step.place,
            hint="let its operator clean up in fewer ticks, or tick the tree until nothing aborts",
        )
    )
