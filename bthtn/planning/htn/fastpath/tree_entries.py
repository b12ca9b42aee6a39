"""The entries of plan trees, made of recorded ones and kept for their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from bthtn.domain.network import Network, sequence
from bthtn.domain.number import number_of
from bthtn.domain.task import PrimitiveTask, TaskCall
from bthtn.domain.task_effects import TaskEffects, projected
from bthtn.plan.nodes import Node, Suspension
from bthtn.planning.htn.assembly import Planned, tree_of
from bthtn.planning.htn.by_arguments import are_interchangeable
from bthtn.planning.htn.fastpath.items import BranchMark
from bthtn.planning.htn.fastpath.reachable import PlainMethod, Reachable
from bthtn.planning.htn.fastpath.record_entries import Entry
from bthtn.planning.htn.rows import (
    Body,
    CallPart,
    CompoundRow,
    PlannedMethod,
    PlannedStep,
)
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.htn.tree import argument_reads
from bthtn.world.expression import Binding, Constant
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN

MOST_KEPT: Final = 10_000
"""Number of entries that are kept; when there are more, all are dropped."""

Before = Callable[[Sequence[Planned], int], RecordingView]
"""The projected state before the item of a plan with this index."""


class TreeEntries:
    """Makes the entries of the trees of one program's plans.

    Those that depend on their arguments alone are kept.
    """

    def __init__(self, table: TaskTable, found: Reachable) -> None:
        self._table = table
        self.found = found
        self._kept: dict[Any, Planned] = {}
        self.number_kept = 0
        """Entries that were kept so far; grows while plans lead to new ones."""

    def tree(
        self, body: Body, binding: Binding, planned: Sequence[Planned], before: Before
    ) -> Node:
        """The tree of a plan; ``before`` gives the projected state before each of its entries."""

        def asked(place: int, part: CallPart, inside: Binding) -> frozenset[Any]:
            view = before(planned, place) if part.readings is None else in_any_state()
            return argument_reads(part, inside, view)

        return tree_of(body, binding, planned, asked)

    def of(self, recorded: Iterable[Entry], before: Before) -> list[Planned]:
        """The items of a plan, in order."""
        planned: list[Planned] = []
        for what, args in recorded:
            key = (what, args, *map(type, args)) if args else what
            known = self._kept.get(key)
            if known is None:
                if type(what) is BranchMark or type(what) is Suspension:
                    planned += what.marks if type(what) is BranchMark else (what,)
                    continue
                known = self._entry(what, args, before(planned, len(planned)))
                if self._is_fixed(what) and are_interchangeable(args) and self.is_as_assumed():
                    self._keep(key, known)
            planned.append(known)
        return planned

    def _keep(self, key: Any, entry: PlannedStep | PlannedMethod) -> None:
        if len(self._kept) >= MOST_KEPT:
            self._kept = {}
        self._kept[key] = entry
        self.number_kept += 1

    def is_as_assumed(self) -> bool:
        """Whether functions mean the same as during the search."""
        return all(assumption.holds for assumption in self.found.assumed)

    def _entry(
        self, what: PrimitiveTask[...] | PlainMethod, args: Binding, view: RecordingView
    ) -> PlannedStep | PlannedMethod:
        if isinstance(what, PlainMethod):
            return self._method(what, args, view)
        step = self.projected(what, args, view)
        return PlannedStep(what, args, step.footprint, step.duration, step.cost)

    def _method(self, what: PlainMethod, values: Binding, view: RecordingView) -> PlannedMethod:
        called = self._table.row(what.task)
        assert isinstance(called, CompoundRow), "methods are those of such rows"
        called.compile()
        row, args = called.methods[what.index], values[: len(what.task.parameters)]
        method, body, answer, is_as_assumed = row.method, row.body, None, self.is_as_assumed()
        if not is_as_assumed:
            _read_as_data(self.found.methods[what.task], what, args, view)
        elif body is not None:
            method.condition.evaluate(view, args)
        if body is None:
            network = method.network(view, args) if is_as_assumed else _returned(what, values)
            assert network is not None, "the method was entered in this state"
            body = self._table.computed(method, network)
            answer = body.network
        cost, value = (number_of(number, view, args) for number in (method.cost, method.value))
        made = what.task, args, args, what.index, method.name, cost, value, body, answer
        return PlannedMethod(*made, Footprint(view.reads))

    def projected(
        self, task: PrimitiveTask[...], args: Binding, view: RecordingView
    ) -> TaskEffects:
        """The effects of a task in a state, with functions that mean the same as in the search."""
        return projected(task if self.is_as_assumed() else self.found.steps[task], args, view)

    def _is_fixed(self, what: PrimitiveTask[...] | PlainMethod) -> bool:
        """Whether an entry with these arguments is the same everywhere."""
        return what.is_fixed if isinstance(what, PlainMethod) else what in self.found.fixed


def _read_as_data(
    methods: Iterable[PlainMethod], entered: PlainMethod, args: Binding, view: RecordingView
) -> None:
    """Read what the functions of a method that was entered read then; ``methods`` are its task's.

    They were called for its earlier outcomes, too.
    """
    for method in methods:
        if method.index == entered.index:
            method.condition.evaluate(view, args)
        if method is entered:
            for value in method.values:
                value.evaluate(view, args)
            return


def _returned(entered: PlainMethod, args: Binding) -> Network:
    """The result of the function of a method that was entered with these values."""
    view = FrozenState({})
    return sequence(
        *(
            TaskCall(call.task, tuple(Constant(arg.evaluate(view, args)) for arg in call.args))
            for call in entered.calls
        )
    )


class _NothingKnown:
    """A view of a state in which nothing is known."""

    def get(self, _: Any, /) -> Any:
        return UNKNOWN


def in_any_state(*_place: object) -> RecordingView:
    """A state to evaluate tasks in whose reads and effects depend on their arguments alone."""
    return RecordingView(_NothingKnown())
