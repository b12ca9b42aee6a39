"""A search that tells a listener what it does.

It is the same search: what was planned stands in its record, which is read before every
instruction; of failures it hears where the search notes them.
"""

from __future__ import annotations

from typing import Any

from bthtn.plan.nodes import HORIZON, Suspension
from bthtn.planning import trace
from bthtn.planning.htn.prepared import PreparedGoal
from bthtn.planning.htn.reasons import Reason, event, listed
from bthtn.planning.htn.record import ChosenMethod, EvaluatedStep
from bthtn.planning.htn.search import BACK, BranchScope, Frame, HtnSearch, Ways
from bthtn.planning.htn.table import (
    DEFERRING,
    PAUSING,
    CompoundRow,
    Instruction,
    MethodRow,
    PrimitiveRow,
)
from bthtn.planning.protocol import PlanRequest
from bthtn.planning.trace import SearchListener
from bthtn.world.expression import Binding


class ListenedSearch(HtnSearch):
    """One search for a plan, whose events a listener hears."""

    __slots__ = ("_depth", "_listener", "_told")

    listens = True

    def __init__(self, request: PlanRequest, listener: SearchListener) -> None:
        super().__init__(PreparedGoal.of(request), request.state, None, request)
        self._listener = listener
        self._told = 0
        """How much of the record the listener knows."""
        self._depth = 0
        """How deep the instruction is nested that is being planned."""

    def _run(self) -> None:
        super()._run()
        self._tell()

    def _tell(self) -> None:
        """Tell what was planned since the last time."""
        record = self.record
        while self._told < len(record):
            what, args, *_ = record[self._told]
            self._told += 1
            match what:
                case PrimitiveRow():
                    self._hear(trace.TaskPlanned, what.task, self._depth, args)
                case EvaluatedStep():
                    self._hear(trace.TaskPlanned, what.row.task, self._depth, args)
                case MethodRow():
                    entered = what.task, what.index, what.method.name, self._depth, args
                    self._hear(trace.MethodEntered, *entered)
                case ChosenMethod():
                    entered = what.row.task, what.index, what.name, self._depth, what.args
                    self._hear(trace.MethodEntered, *entered)
                case _:
                    pass

    def _hear(self, kind: type[trace.SearchEvent], *fields: Any) -> None:
        self._listener(event(kind, fields))

    def _emit(self, kind: type[trace.SearchEvent], *fields: Any) -> None:
        """Tell what happens now, after all that was planned before."""
        self._tell()
        self._hear(kind, *fields)

    def _check(
        self,
        ins: Instruction,
        k: Any,
        depth: int,
        steps: int,
        scope: BranchScope,
    ) -> Any:
        self._tell()
        self._depth = depth
        if self._is_cancelled:  # by the listener
            return BACK
        return super()._check(ins, k, depth, steps, scope)

    def _cut(self, task: Any, args: Binding, depth: int, why: str) -> None:
        super()._cut(task, args, depth, why)
        self._emit(trace.RecursionCut, task, why, depth, args)

    def _reject_task(self, task: Any, args: Binding, depth: int, why: Reason) -> None:
        super()._reject_task(task, args, depth, why)
        self._emit(trace.TaskRejected, task, self._reason, depth, args)

    def _reject_method(
        self, row: CompoundRow, args: Any, rejected: tuple[int, str, Reason], depth: int
    ) -> None:
        super()._reject_method(row, args, rejected, depth)
        of = args.args if type(args) is Ways else args
        self._emit(trace.MethodRejected, row.task, *rejected, depth, of)

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
        self._emit(trace.PlanningSuspended, (listed, networks, a), (str, why), depth)

    def _back(self, ins: Any, args: Any, depth: int, recorded: int) -> None:
        self._tell()
        self._told = recorded
        self._depth = depth
        if type(args) is not Frame and not self._is_closing:
            of = args.args if type(args) is Ways else args
            self._hear(trace.Backtracked, ins.row.task, of)

    def _dropped(self, index: int, text: str, depth: int) -> None:
        self._emit(trace.AlternativeDropped, index, text, depth)

    def _conflict(self, first: int, second: int, over: str, depth: int) -> None:
        self._emit(trace.BranchesConflict, first, second, over, depth)
