"""One start of a step, from its conditions to its end, and aborts of several ticks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from types import MappingProxyType
from typing import Any, Final, cast

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import (
    AgentEvent,
    AgentListener,
    LeafAborted,
    LeafAborting,
    LeafEnded,
    LeafRefused,
    LeafStarted,
)
from bthtn.engine.agent.leases import Account, Holder
from bthtn.engine.agent.operators import Elapsed, OperatorFailed
from bthtn.engine.agent.programming_errors import (
    code_failed,
    is_interrupt,
    is_programming_error,
    text_of,
)
from bthtn.engine.agent.runtime import Writer, runtime_of
from bthtn.engine.behaviours.plan_run import Path, PlanRun, path_text
from bthtn.engine.domain.effect import writes_of
from bthtn.engine.domain.task import call_text
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.replanning.arguments import fluents_changed_by
from bthtn.engine.world.beliefs import WriterName
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.unfrozen import quickly

_leaf_started, _leaf_ended = quickly(LeafStarted), quickly(LeafEnded)

COMES_TRUE: Final = MappingProxyType(
    {
        "start": ("on_start",),
        "success": ("effects", "actual"),
        "failure": ("on_failure",),
        "abort": ("on_abort",),
    }
)
"""Which lists of a task's effects are written at which moment of a step, in this order."""


class StepRun:
    """One start of a step: the effects that it writes, its leases and its events.

    Exactly one of ``refused``, ``ended`` and ``aborted`` is called, the latter two after
    ``started``; they return the step's leases. After an interrupt (Ctrl-C, MemoryError), which may
    come at any line, ``ended`` and ``aborted`` are called again and do what is left to be done.
    """

    __slots__ = (
        *("_account", "_began", "_end", "_holder", "_news", "_run", "_runtime", "_written"),
        *("is_open", "node", "number", "path", "plan_id", "ticks"),
    )

    def __init__(self, node: TaskNode, path: Path, run: PlanRun) -> None:
        self.node = node
        self.path = path
        self.plan_id = run.plan_id
        self._run = run
        self._runtime = runtime = runtime_of(run.agent)
        self.number = runtime.next_step()
        self.ticks = 0
        """How many times the operator was ticked."""
        self._began = _time_of(run.agent)
        self._holder: Holder | None = None
        self._account: Account | None = None
        self._news: WriterName | None = None
        self.is_open = False
        """Whether its start was told, and its end was not."""
        self._end: tuple[str, BaseException | None] | None = None
        """The reason and the error of a failure that was not told yet."""
        self._written: tuple[str, tuple[Fluent[Any], ...]] | None = None
        """The latest moment whose effects were written, and the fluents."""

    @property
    def agent(self) -> Agent[Any, Any]:
        return self._run.agent

    @property
    def _source(self) -> str:
        return self._run.writes_as or self._run.goal

    @property
    def name(self) -> str:
        return str(self.node)

    @property
    def holder(self) -> Holder:
        """The step as a holder of leases, made when it is first to hold something."""
        if self._holder is None:
            run = self._run
            self._holder = Holder(self.node, run.holder, run.goal, self.plan_id, self.number)
        return self._holder

    def elapsed(self, abort_ticks: int | None = None) -> Elapsed:
        """How long it has been at work."""
        return Elapsed(self.ticks, _time_of(self.agent) - self._began, abort_ticks)

    def acting(self) -> AbstractContextManager[None]:
        """Within the ``with``, the user's code takes leases, and believes, for this step."""
        return self._acting(self._writer)

    def started(self) -> None:
        """Report the start, and write the ``on_start`` effects, whose exceptions propagate."""
        task = self.node.task
        if task.uses:
            self._runtime.occupy(self.holder, task.uses)
        self._tell(_leaf_started, opens=True)
        if task.on_start:
            self._write("start")

    def succeed(self) -> tuple[Fluent[Any], ...]:
        """Write the effects of a success. Returns the fluents written.

        Exceptions of the effects propagate, with nothing written.
        """
        return self._write("success")

    def drop(self) -> None:
        """Forget a start that was not told, because of an interrupt."""
        self._settle()

    def refused(self, reason: str, error: Exception | None) -> None:
        self._emit(LeafRefused, reason=reason, error=error)

    def ended(self, reason: str, error: BaseException | None) -> str:
        """Report a success, or a failure for a reason.

        Returns the reason, extended if the ``on_failure`` effects raised.
        """
        if not self.is_open:
            return reason
        if reason:
            self._end = reason, error = self._end or self._failed(reason, error)
        self._settle()
        self._tell(_leaf_ended, opens=False, succeeded=not reason, reason=reason, error=error)
        self._end = self._written = None
        return reason

    def _failed(self, reason: str, error: BaseException | None) -> tuple[str, BaseException | None]:
        """Write the ``on_failure`` effects. Returns the reason and the error to report."""
        try:
            self._write("failure")
        except Exception as raised:  # noqa: BLE001 - the user's effects: contained and reported
            reason = f"{reason}; its on_failure effects: {text_of(raised)}"
            error = self.first(error, raised, "on_failure")
        return reason, error

    def condition_raised(self, error: Exception) -> None:
        """Report the exception of a condition; it counts as the same if the step fails by it."""
        self.agent.emit(code_failed(f"step '{self.node.task.name}'", error))

    def aborting(self) -> None:
        """Report an abort that takes more ticks."""
        self._emit(LeafAborting)

    def aborted(self, error: BaseException | None) -> None:
        """Report the end of an abort; ``error`` is the operator's exception."""
        if not self.is_open:
            return
        try:
            self._write("abort")
        except Exception as raised:  # noqa: BLE001 - the user's effects: contained and reported
            error = self.first(error, raised, "on_abort")
        self._settle()
        self._tell(LeafAborted, opens=False, error=error)
        self._written = None

    def _tell(self, kind: Callable[..., AgentEvent], *, opens: bool, **about: Any) -> None:
        """Emit the event of the start, or of the end; from then on the step is open, or not."""
        if not self._runtime.is_heard and about.get("error") is None:
            self.is_open = opens
            return
        event, emit = self._event(kind, **about), cast("AgentListener", self.agent.emit)
        try:  # in one line, between whose parts no interrupt comes
            _, self.is_open = emit(event), opens
        except BaseException as error:
            if not is_interrupt(error, (self.agent.listener,)):
                self.is_open = opens  # the listener has heard it
            raise

    def _emit(self, kind: Callable[..., AgentEvent], **about: Any) -> None:
        self._runtime.tell(partial(self._event, kind), **about)

    def _event(self, kind: Callable[..., AgentEvent], **about: Any) -> AgentEvent:
        run, task = self._run, call_text(self.node.task, self.node.args)
        at, plan = path_text(self.path), self.plan_id
        return kind(self.number, task, path=at, goal=run.goal, plan_id=plan, **about)

    def _acting(self, writer: Writer | None = None) -> AbstractContextManager[None]:
        """The step's account, which is made when something is to be done in its name."""
        if self._account is None:
            self._account = Account(self.holder)
        return self._runtime.acting(self._account, writer)

    def _settle(self) -> None:
        if self._account is not None:
            self._runtime.settle(self._account)
        if self._holder is not None:
            self._runtime.vacate(self._holder)

    def first(self, error: BaseException | None, raised: Exception, code: str) -> BaseException:
        """The programming error that the event of the end has; a second one has its own event."""
        if error is None or not is_programming_error(error):
            return raised
        self.agent.emit(code_failed(f"{code} of '{self.node.task.name}'", raised))
        return error

    def _writer(self, fluent: Fluent[Any]) -> str:
        """The source of a belief of the operator: the plan's for fluents that the step writes."""
        if fluent in fluents_changed_by(self.node):
            return self._source
        if self._news is None:
            self._news = WriterName(self.name)
        return self._news

    def _write(self, moment: str) -> tuple[Fluent[Any], ...]:
        """Write the effects of a moment, once, all or none. Returns the fluents written.

        Values are computed before any is written. Raises OperatorFailed where one is unknown.
        """
        if self._written is not None and self._written[0] == moment:
            return self._written[1]
        task = self.node.task
        run, state = self._run, None
        for name in COMES_TRUE[moment]:
            effects = getattr(task, name)
            if not effects:
                continue
            if state is None:
                state = WorkingState(run.agent.beliefs.frozen())
            try:
                writes = writes_of(effects, state, self.node.args)
            except UnknownRead as signal:
                reason = f"its effects depend on '{signal.fluent}', which is unknown"
                raise OperatorFailed(reason) from signal
            for fluent, write in writes.items():
                assert isinstance(fluent, Fluent), "effects write fluents"
                state.apply(fluent, write)
        if state is None:
            return ()
        written = state.written_since(0)
        for fluent, value in written.items():
            fluent.check(value)
        try:
            with self._acting() if self._runtime.is_heard else nullcontext():
                self._put(written)
            self._written = moment, tuple(written)
        except BaseException:  # an interrupt, after which all are written, too
            self._put(written)
            self._written = moment, tuple(written)
            raise
        return self._written[1]

    def _put(self, written: Mapping[Fluent[Any], Any]) -> None:
        write, source = self.agent.beliefs.write, self._source
        for fluent, value in written.items():
            write(fluent, value, source)


def _time_of(agent: Agent[Any, Any]) -> float:
    return 0.0 if agent.clock is None else agent.clock()
