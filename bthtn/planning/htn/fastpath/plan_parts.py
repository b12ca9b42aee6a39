"""Makes the parts of a plan from the entries that the generated functions recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.domain.task import PrimitiveTask
from bthtn.plan.plan import SharedTree
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn.assembly import Planned
from bthtn.planning.htn.fastpath.items import BranchMark
from bthtn.planning.htn.fastpath.reachable import PlainMethod
from bthtn.planning.htn.fastpath.record_entries import Entry, entries
from bthtn.planning.htn.fastpath.shared_trees import SharedTrees
from bthtn.planning.htn.fastpath.tree_entries import TreeEntries, in_any_state
from bthtn.planning.htn.rows import Body, PlannedStep, PrimitiveRow
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.htn.values import Overwritten, ProjectedState, ReadingView, Values
from bthtn.planning.protocol import seeded
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import RecordingView, Write
from bthtn.world.state import FrozenState


@dataclass(frozen=True, slots=True, eq=False)
class PreparedGoal:
    """A goal to plan for from many states; ``body`` is the task table's body for it.

    If its plans may have branches, the values of the ``branched`` fluents at the end are kept with
    the record of a plan; else it is None. Equal plans share one of ``trees``; None if each plan
    needs nodes of its own.
    """

    domain: FrozenDomain
    goal: Network
    binding: Binding
    seed: int
    table: TaskTable
    body: Body
    entries: TreeEntries
    branched: tuple[Fluent[Any], ...] | None
    trees: SharedTrees | None


Source = tuple[Any, Any, PreparedGoal, FrozenState, Any]
"""What makes parts, what makes actions, the goal, the state at the start, and what was planned."""


def part_of(source: Source, part: str) -> Any:
    """One part, by name, of the plan for a goal."""
    _, _, question, base, found = source
    record, ends = (found, None) if question.branched is None else found
    match part:
        case "record":
            return MethodTraversalRecord(_choices(entries(record)))
        case "predicted":
            start = seeded(base, question.seed)
            return start.changed(_written(question, base, entries(record), ends))
        case "tree":
            return _tree(question, base, record)
        case _:
            return getattr(question, part)


def actions_of(source: Source) -> tuple[Entry, ...]:
    """The actions of a plan without branches."""
    made: list[Entry] = []
    for item in source[-1]:
        act = item[0].act
        if act is not None:
            act(item, made)
    return tuple(made)


def preferred_actions_of(source: Source) -> tuple[Entry, ...]:
    """The actions of a plan that may have branches; of a choice, those it prefers."""
    return tuple(_preferred(actions_of(source[-1][:1])))


def _tree(question: PreparedGoal, base: FrozenState, record: list[Any]) -> SharedTree:
    shared = question.trees
    known = None if shared is None else shared.find(record, base.values)
    if known is None:
        making, number = question.entries, question.entries.number_kept
        before = _Projection(question, base) if question.branched is None else in_any_state
        planned = making.of(entries(record), before)
        known = SharedTree(making.tree(question.body, question.binding, planned, before), {})
        # Entries that are made for the first time read more than the tree depends on.
        is_warm = making.number_kept == number
        if shared is not None and is_warm and making.is_as_assumed():
            reads = before.reads if isinstance(before, _Projection) else {}
            shared.keep(record, reads, known, len(planned))
    return known


def _written(
    question: PreparedGoal, base: FrozenState, planned: Iterable[Entry], ends: Iterable[Any] | None
) -> dict[Fluent[Any], Any]:
    """Every fluent that a plan writes, with its value at the end."""
    if ends is None:
        return _Projection(question, base).written(planned)
    steps = (entry for entry in planned if type(entry[0]) is PrimitiveTask)
    made = question.entries.of(steps, in_any_state)
    written = {f for step in made if type(step) is PlannedStep for f in step.footprint.writes}
    known = zip(question.branched or (), ends, strict=True)
    return {fluent: value for fluent, value in known if fluent in written}


def _preferred(planned: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the primitive tasks; of a choice, those of its first alternative only."""
    others = 0  # choices around, later alternatives of which are being left out
    for entry in planned:
        mark = entry[0]
        if type(mark) is PrimitiveTask:
            if not others:
                yield entry
        else:
            is_later = mark.number == 1 and not mark.is_end
            others += is_later - (mark.is_end and mark.number > 1)


def _choices(planned: Sequence[Entry]) -> Iterator[int]:
    """Yield the index of each method, and 0 for each alternative that was kept."""
    for mark, _ in planned:
        if type(mark) is PlainMethod:
            yield mark.index
        elif type(mark) is BranchMark and mark.node.is_choice and not mark.is_end:
            yield 0


class _Projection:
    """Projects the state through the primitive tasks of a plan without branches."""

    def __init__(self, question: PreparedGoal, base: FrozenState) -> None:
        self._question = question
        self._base = base
        self._place = 0
        self._view: ProjectedState | None = None
        self.reads: dict[Fluent[Any], Any] = {}
        """What was read from the start state so far."""

    def __call__(self, planned: Sequence[Planned], place: int) -> RecordingView:
        """The projected state before an entry; the projection begins anew for an earlier one."""
        if place < self._place:
            self._place, self._view = 0, None
        for step in planned[self._place : place]:
            if type(step) is PlannedStep:
                self._project(step.task, step.args, step.footprint.writes)
        self._place = place
        return ReadingView(self._start())

    def written(self, planned: Iterable[Entry]) -> dict[Fluent[Any], Any]:
        """Every fluent that the plan writes, with its final value."""
        written: dict[Fluent[Any], None] = {}
        for what, args in planned:
            if type(what) is PrimitiveTask:
                written.update(dict.fromkeys(self._project(what, args)[::2]))
        values = self._start().values
        return {fluent: values[fluent] for fluent in written}

    def _start(self) -> ProjectedState:
        """The state as far as it was projected."""
        if self._view is None:
            start = seeded(self._base, self._question.seed)
            values = Values(start.values)
            values.reads = self.reads
            self._view = ProjectedState(values)
        return self._view

    def _project(
        self, task: PrimitiveTask[...], args: Binding, writes: Mapping[Any, Write] | None = None
    ) -> Overwritten:
        """Apply a task to the state; its writes are worked out if they are not known."""
        row, view = self._question.table.row(task), self._start()
        assert isinstance(row, PrimitiveRow), "primitive tasks have such rows"
        overwritten: Overwritten | None = row.step(view.values, args, view)
        if overwritten is None:
            if writes is None:
                writes = self._question.entries.projected(task, args, ReadingView(view)).writes
            overwritten = view.apply(writes or {})
        return overwritten
