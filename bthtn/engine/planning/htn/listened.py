"""A search that tells a listener what it does.

It is the same search, with a record that reports every entry when it is added; of failures the
listener hears where the search notes them.
"""

from __future__ import annotations

from typing import Any

from bthtn.engine.plan.nodes import HORIZON, Suspension
from bthtn.engine.planning import trace
from bthtn.engine.planning.htn.memo import PlanMemo
from bthtn.engine.planning.htn.prepared import PreparedGoal
from bthtn.engine.planning.htn.reasons import Reason, event, listed
from bthtn.engine.planning.htn.record import ChosenMethod, Entry, EvaluatedStep
from bthtn.engine.planning.htn.search import Frame, HtnSearch, Ways
from bthtn.engine.planning.htn.table import (
    DEFERRING,
    PAUSING,
    CompoundRow,
    Instruction,
    MethodRow,
    PrimitiveRow,
)
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.engine.planning.trace import SearchListener
from bthtn.engine.world.expression import Binding


class CancelledByListener(Exception):  # noqa: N818 - no error: the search ends
    """Raised behind the event at which a listener cancelled the search, to end it there."""


class HeardRecord(list[Entry]):
    """The record of a search, of which a listener hears."""

    __slots__ = ("is_cancelled", "listener")

    def __init__(self, listener: SearchListener) -> None:
        super().__init__()
        self.listener = listener
        self.is_cancelled = False

    def append(self, entry: Entry) -> None:
        """Add an entry, and report it if it is a task that was planned, or a method entered."""
        _append(self, entry)
        what, args, _, _, _, depth = entry
        kind = type(what)
        if kind is PrimitiveRow:
            self.hear(event(trace.TaskPlanned, (what.task, depth, args)))
        elif kind is MethodRow:
            if what.extended is not None:
                args = args[: len(what.task.parameters)]
            entered = what.task, what.index, what.method.name, depth, args
            self.hear(event(trace.MethodEntered, entered))
        elif kind is EvaluatedStep:
            self.hear(event(trace.TaskPlanned, (what.row.task, depth, args)))
        elif kind is ChosenMethod:
            entered = what.row.task, what.index, what.name, depth, what.args
            self.hear(event(trace.MethodEntered, entered))

    def copy(self) -> HeardRecord:
        copy = HeardRecord(self.listener)
        copy.extend(self)
        return copy

    def hear(self, told: trace.SearchEvent) -> None:
        """Report an event. Raises CancelledByListener."""
        self.listener(told)
        if self.is_cancelled:
            raise CancelledByListener


_append = list.append


class ListenedSearch(HtnSearch):
    """One search for a plan, whose events a listener hears."""

    __slots__ = ()

    listens = True

    def __init__(
        self,
        request: PlanRequest,
        listener: SearchListener,
        goal: PreparedGoal | None = None,
        memo: PlanMemo | None = None,
    ) -> None:
        super().__init__(goal or PreparedGoal.of(request), request.state, memo, request)
        self.record = HeardRecord(listener)
        if self._guard is not None:
            self._guard.move(self.values, self.trail, self.record)

    def cancel(self) -> None:
        """Cancel it, as any search; the listener hears of nothing else."""
        heard: Any = self.record
        super().cancel()
        heard.is_cancelled = self._is_cancelled

    def _recall(self, memo: PlanMemo, end: int) -> bool:  # noqa: ARG002 - every event is heard
        return False

    def _run(self) -> None:
        try:
            super()._run()
        except CancelledByListener:
            assert self._is_cancelled, "that is why it was raised"

    def _hear(self, kind: type[trace.SearchEvent], *fields: Any) -> None:
        heard: Any = self.record
        heard.hear(event(kind, fields))

    def _cut(self, task: Any, args: Binding, depth: int, why: str) -> None:
        super()._cut(task, args, depth, why)
        self._hear(trace.RecursionCut, task, why, depth, args)

    def _reject_task(self, task: Any, args: Binding, depth: int, why: Reason) -> None:
        super()._reject_task(task, args, depth, why)
        self._hear(trace.TaskRejected, task, self._reason, depth, args)

    def _reject_method(
        self, row: CompoundRow, args: Any, rejected: tuple[int, str, Reason], depth: int
    ) -> None:
        super()._reject_method(row, args, rejected, depth)
        of = args.args if type(args) is Ways else args
        self._hear(trace.MethodRejected, row.task, *rejected, depth, of)

    def _left_open(self, ins: Instruction, a: Binding, k: Any, depth: int, why: Suspension) -> None:
        if why is HORIZON:
            self._left_behind(ins, a, k, depth, why)
            return
        networks = () if ins.kind == PAUSING else (ins.network,)
        if ins.kind == DEFERRING:
            networks = (ins.network.call,)
        self._left(networks, a, depth, why)
        self._left_behind(ins.next, a, k, depth, why)

    def _left_behind(
        self, ins: Instruction | None, a: Binding, k: Any, depth: int, why: Suspension
    ) -> None:
        if ins is not None:
            self._left(ins.parts[ins.place :], a, depth, why)
        while k is not None:
            ins, a, depth, _, k = k
            assert ins is not None, "only what is left is kept"
            self._left(ins.parts[ins.place :], a, depth, why)

    def _left(self, networks: tuple[Any, ...], a: Binding, depth: int, why: Suspension) -> None:
        self._hear(trace.PlanningSuspended, (listed, networks, a), (str, why), depth)

    def _back(self, ins: Any, args: Any) -> None:
        if type(args) is not Frame and not self._is_closing:
            of = args.args if type(args) is Ways else args
            self._hear(trace.Backtracked, ins.row.task, of)

    def _dropped(self, index: int, text: str, depth: int) -> None:
        self._hear(trace.AlternativeDropped, index, text, depth)

    def _conflict(self, first: int, second: int, over: str, depth: int) -> None:
        self._hear(trace.BranchesConflict, first, second, over, depth)
