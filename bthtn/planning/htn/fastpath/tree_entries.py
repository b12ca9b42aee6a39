"""The entries of plan trees, made of recorded items and kept for their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, final

from bthtn.domain.network import Network, sequence
from bthtn.domain.number import number_of
from bthtn.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.domain.task_effects import TaskEffects, projected
from bthtn.planning.htn.by_arguments import ByReadings
from bthtn.planning.htn.fastpath.items import BranchMark, Stop
from bthtn.planning.htn.fastpath.reachable import PlainMethod, Reachable
from bthtn.planning.htn.fastpath.record_entries import MOST_KEPT, entries, is_kept, key_of
from bthtn.planning.htn.rows import Body, CallPart, MethodRow
from bthtn.planning.htn.table import TaskTable
from bthtn.world.expression import Binding, Constant
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.state import FrozenState


@final
@dataclass(slots=True, eq=False)
class PlannedStep:
    """A primitive task of a plan, with its arguments and its footprint in the state before it.

    ``joined`` is the footprint with the reads of computed arguments, and the footprint of those:
    the latest ones.
    """

    task: PrimitiveTask[Any]
    args: Binding
    footprint: Footprint
    duration: float
    cost: float
    joined: tuple[Footprint, Footprint] | None = None


@final
@dataclass(slots=True, eq=False)
class PlannedMethod:
    """A method of a plan, with its task's arguments, its body, and the reads to enter it.

    ``answer`` is the network that a method returned which is a function. ``asked`` has the reads
    to compute the arguments of the calls in the body, as far as they were looked for: one footprint
    if they depend on ``args`` alone. ``joined`` is as for steps.
    """

    task: CompoundTask[Any]
    args: Binding
    method: int
    name: str
    cost: float
    value: float
    body: Body
    answer: Network | None
    footprint: Footprint
    asked: Asked = field(default_factory=dict)
    joined: tuple[Footprint, Footprint] | None = None


TreeEntry = PlannedStep | PlannedMethod | BranchMark | Stop
Asked = dict[CallPart, Footprint | ByReadings[Footprint]]
Before = Callable[[Sequence[TreeEntry], int], RecordingView]
"""The projected state before the entry of a plan with this index."""


@dataclass(frozen=True, slots=True, eq=False)
class Varying:
    """An entry that depends on the state, and the results in some states."""

    what: Any
    args: Binding
    seen: ByReadings[TreeEntry]


class TreeEntries:
    """The entries of the plans that one program finds.

    For each recorded item they are kept: a tuple of all if they
    depend on its arguments alone, else a list, in which the others vary.
    """

    def __init__(self, table: TaskTable, found: Reachable) -> None:
        self._table = table
        self.found = found
        self._kept: dict[Any, tuple[TreeEntry, ...] | list[TreeEntry | Varying]] = {}
        self.number_made = 0
        """Items whose entries were not kept when they were asked for."""

    def of(self, record: Iterable[Any], before: Before) -> list[TreeEntry]:
        """The entries of a plan in order."""
        planned: list[TreeEntry] = []
        for item in record:
            key = key_of(item)
            known = self._kept.get(key)
            if type(known) is tuple:
                planned += known
            elif known is not None:
                for one in known:
                    if isinstance(one, Varying):
                        planned.append(self._varied(one, planned, before))
                    else:
                        planned.append(one)
            else:
                self._add_first(item, key, planned, before)
        return planned

    def _add_first(self, item: Any, key: Any, planned: list[TreeEntry], before: Before) -> None:
        """Add the entries of an item, and keep them."""
        self.number_made += 1
        kept: list[TreeEntry | Varying] = []
        for what, args in entries([item]):
            view = before(planned, len(planned))
            entry = self._entry(what, args, view)
            planned.append(entry)
            kept.append(entry if self._is_fixed(what) else Varying(what, args, ByReadings()))
        if is_kept(item) and self.is_as_assumed():
            if len(self._kept) >= MOST_KEPT:
                self._kept = {}
            whole = tuple(one for one in kept if not isinstance(one, Varying))
            self._kept[key] = whole if len(whole) == len(kept) else kept

    def _varied(self, one: Varying, planned: Sequence[TreeEntry], before: Before) -> TreeEntry:
        """The result of an entry behind those planned so far."""
        view = before(planned, len(planned))
        entry = one.seen.find(view.below)
        if entry is None:
            entry = self._entry(one.what, one.args, view)
            if self.is_as_assumed():
                one.seen.keep(view.readings, entry)
        return entry

    def is_as_assumed(self) -> bool:
        """Whether functions mean the same as during the search."""
        return all(one.holds for one in self.found.assumed)

    def _entry(self, what: Any, args: Binding, view: RecordingView) -> TreeEntry:
        if type(what) is BranchMark or type(what) is Stop:
            return what
        if isinstance(what, PrimitiveTask):
            step = self.projected(what, args, view)
            return PlannedStep(what, args, step.footprint, step.duration, step.cost)
        row = self._table.row(what.task).methods[what.index]
        values, args = args, args[: len(row.task.parameters)]
        is_as_assumed = self.is_as_assumed()
        if not is_as_assumed:
            _read_as_data(self.found.methods[what.task], what, args, view)
        elif row.body is not None:
            row.method.condition.evaluate(view, args)
        if row.body is not None:
            return _method(row, args, row.body, None, view)
        answer = row.method.network(view, args) if is_as_assumed else _returned(what, values)
        assert answer is not None, "the method was entered in this state"
        body = self._table.computed(row.method, answer)
        return _method(row, args, body, body.network, view)

    def projected(
        self, task: PrimitiveTask[Any], args: Binding, view: RecordingView
    ) -> TaskEffects:
        """What a task does in a state, with functions that mean what they meant in the search."""
        if not self.is_as_assumed():
            step = self.found.steps[task]
            condition, effects = step.precondition, step.effects
            task = replace(task, precondition=condition, effects=effects, expected=())
        return projected(task, args, view)

    def _is_fixed(self, what: Any) -> bool:
        """Whether an entry with these arguments is the same wherever it is planned."""
        match what:
            case PrimitiveTask():
                return self.found.steps[what].is_fixed
            case PlainMethod():
                return what.is_fixed
            case _:
                return True  # the mark of a branch, or a stop


def _read_as_data(
    methods: Iterable[PlainMethod], entered: PlainMethod, args: Binding, view: RecordingView
) -> None:
    """Read what the functions of a method that was entered read then; ``methods`` are its task's.

    They were called for its earlier outcomes, too.
    """
    for one in methods:
        if one.index == entered.index:
            one.condition.evaluate(view, args)
        if one is entered:
            for value in one.values:
                value.evaluate(view, args)
            return


def _returned(entered: PlainMethod, args: Binding) -> Network:
    """What the function of a method returned that was entered with these values."""
    view = FrozenState({})
    return sequence(
        *(
            TaskCall(call.task, tuple(Constant(one.evaluate(view, args)) for one in call.args))
            for call in entered.calls
        )
    )


def _method(
    row: MethodRow, args: Binding, body: Body, answer: Network | None, view: RecordingView
) -> PlannedMethod:
    method = row.method
    cost, value = (number_of(one, view, args) for one in (method.cost, method.value))
    footprint = Footprint(view.reads)
    return PlannedMethod(
        row.task, args, row.index, method.name, cost, value, body, answer, footprint
    )
