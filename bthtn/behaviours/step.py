"""Step: one start of a step, from its first question to its one end."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import MappingProxyType
from typing import Any, Final

from bthtn.agent.agent import Agent
from bthtn.agent.events import LeafAborted, LeafAborting, LeafEnded, LeafRefused, LeafStarted
from bthtn.agent.leases import Account, Holder
from bthtn.agent.operators import OperatorFailed
from bthtn.behaviours.run import Path, PlanRun, path_text
from bthtn.domain.effect import writes_of
from bthtn.plan.nodes import TaskNode
from bthtn.world.fluent import Fluent
from bthtn.world.trail import WorkingState

COMES_TRUE: Final = MappingProxyType(
    {
        "start": ("on_start",),
        "success": ("effects", "actual"),
        "failure": ("on_failure",),
        "abort": ("on_abort",),
    }
)
"""Which of a task's effects come true at which moment of a step, one list after the other."""


class Step:
    """One start of a step: what it writes at which moment, what it holds, what is told of it.

    Exactly one of ``refused``, ``ended`` and ``aborted`` is called, the latter two after
    ``started``. What it took is given back there.
    """

    def __init__(self, node: TaskNode, path: Path, run: PlanRun) -> None:
        self.node = node
        self.source = run.source
        self.agent: Agent[Any, Any] = run.agent
        self.number = self.agent.next_leaf()
        self.name = str(node)
        self.place = path_text(path)
        self.holder = Holder(f"{self.name} #{self.number}", run.holder)
        self._account = Account(self.holder)

    def acting(self) -> AbstractContextManager[None]:
        """What the user's code takes inside of the ``with``, this step has."""
        return self.agent.acting(self._account)

    def started(self) -> None:
        """The step may start: its ``on_start`` effects come true. Raises what they raise."""
        self.agent.emit(LeafStarted(self.number, self.name, self.place))
        self._write("start")

    def succeed(self) -> tuple[Fluent[Any], ...]:
        """Make the effects of a success come true; the fluents that were written.

        Raises what the effects raise, with nothing written.
        """
        return self._write("success")

    def refused(self, reason: str, error: Exception | None) -> None:
        """It was not started."""
        self.agent.emit(LeafRefused(self.number, self.name, reason, self.place, error))

    def ended(self, reason: str, error: BaseException | None) -> str:
        """It succeeded, or failed for this reason; the reason, with what failed on top of it."""
        if reason:
            try:
                self._write("failure")
            except Exception as raised:  # noqa: BLE001 - the user's effects: contained, reported
                reason = f"{reason}; its on_failure effects: {text_of(raised)}"
                error = error if error is not None else raised
        self.agent.settle(self._account)
        self.agent.emit(LeafEnded(self.number, self.name, not reason, reason, error, self.place))
        return reason

    def aborting(self) -> None:
        """It is being given up, and that takes more than this tick."""
        self.agent.emit(LeafAborting(self.number, self.name, self.place))

    def aborted(self, error: BaseException | None) -> None:
        """It has been given up, and its clean-up raised this error, if any."""
        try:
            self._write("abort")
        except Exception as raised:  # noqa: BLE001 - the user's effects: contained and reported
            error = error if error is not None else raised
        self.agent.settle(self._account)
        self.agent.emit(LeafAborted(self.number, self.name, error, self.place))

    def _write(self, moment: str) -> tuple[Fluent[Any], ...]:
        """Make the effects of a moment true. Computed before anything is written: all, or none."""
        lists = [getattr(self.node.task, name) for name in COMES_TRUE[moment]]
        if not any(lists):
            return ()
        state = WorkingState(self.agent.beliefs.frozen())
        for effects in lists:
            for fluent, write in writes_of(effects, state, self.node.args).items():
                assert isinstance(fluent, Fluent), "effects write fluents"
                state.apply(fluent, write)
        written = state.written_since(0)
        for fluent, value in written.items():
            fluent.check(value)
        for fluent, value in written.items():
            self.agent.beliefs.write(fluent, value, self.source)
        return tuple(written)


def text_of(error: BaseException) -> str:
    """What an exception of the user's says, and of which kind it is."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception of the user's that cannot even be printed
        text = "(its text cannot be told)"
    if isinstance(error, OperatorFailed):
        return text or "the operator failed"
    return f"{type(error).__name__}: {text}"
