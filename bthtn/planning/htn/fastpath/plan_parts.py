"""Makes the parts of a plan from the entries that the generated functions recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import (
    Network,
)
from bthtn.domain.task import PrimitiveTask
from bthtn.domain.task_effects import TaskEffects, projected
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn.fastpath.items import BranchMark
from bthtn.planning.htn.fastpath.plan_tree import Entry, effects_of, tree_of
from bthtn.planning.htn.fastpath.reachable import PlainMethod
from bthtn.planning.htn.rows import (
    Body,
    MethodRow,
    PrimitiveRow,
)
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.htn.values import ABSENT, ProjectedState, ReadingView, Values
from bthtn.planning.protocol import seeded
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class PreparedGoal:
    """A goal to plan for from many states; ``body`` is the task table's body for it."""

    domain: FrozenDomain
    goal: Network
    binding: Binding
    seed: int
    table: TaskTable
    body: Body


def part_of(question: PreparedGoal, base: FrozenState, record: list[Any], part: str) -> Any:
    """One part, by name, of the plan for a goal from the state ``base``."""
    match part:
        case "record":
            return MethodTraversalRecord(_choices(entries(record)))
        case "actions":
            return tuple([one for one in entries(record) if type(one[0]) is PrimitiveTask])
        case "written":
            return _Projection(question, base, entries(record)).written()
        case "predicted":
            start = seeded(base, question.seed)
            return start.changed(_Projection(question, base, entries(record)).written())
        case "tree":
            planned = entries(record)
            steps = _Projection(question, base, planned)
            work_out = (steps.before, steps.effects, steps.called)
            return tree_of(question.body, question.binding, planned, *work_out)
        case _:
            return getattr(question, part)


def branched_part_of(
    fluents: Sequence[Fluent[Any]],
    question: PreparedGoal,
    base: FrozenState,
    planned: tuple[list[Any], Sequence[Any]],
    part: str,
) -> Any:
    """One part of a plan that may have branches.

    ``planned`` is its record, and the values of the fluents at its end.
    """
    record, values = planned
    match part:
        case "tree":
            made = entries(record)
            return tree_of(question.body, question.binding, made, fixed_effects, effects_of)
        case "actions":
            return tuple(_preferred(entries(record)))
        case "written":
            written = _written(entries(record))
            ends = zip(fluents, values, strict=True)
            return {fluent: value for fluent, value in ends if fluent in written}
        case "predicted":
            ends = branched_part_of(fluents, question, base, planned, "written")
            return seeded(base, question.seed).changed(ends)
        case _:
            return part_of(question, base, record, part)


def _preferred(planned: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the primitive tasks, of each choice those of its first alternative."""
    others = 0  # choices around, later alternatives of which are being left out
    for one in planned:
        mark = one[0]
        if type(mark) is BranchMark and mark.node.is_choice:
            is_later = mark.number == 1 and not mark.is_end
            others += is_later - (mark.is_end and mark.number > 1)
        elif type(mark) is PrimitiveTask and not others:
            yield one


def _written(planned: Iterable[Entry]) -> set[Fluent[Any]]:
    """The fluents that the primitive tasks write."""
    return {
        fluent
        for task, args in planned
        if isinstance(task, PrimitiveTask)
        for fluent in projected(task, args, fixed_effects(0)).writes or ()
    }


def entries(record: list[Any]) -> list[Entry]:
    """The entries of a plan, made by calling the recorded functions."""
    made: list[Entry] = []
    for one in record:
        made += one[0](*one[1:]) if type(one) is tuple else one()
    return made


def _choices(planned: Sequence[Entry]) -> Iterator[int]:
    """Yield the index of each method, and 0 for each alternative that was kept."""
    for one, _ in planned:
        if type(one) is PlainMethod:
            yield one.index
        elif type(one) is BranchMark and one.node.is_choice and not one.is_end:
            yield 0


class _Unmarked(ProjectedState):
    """A projected state without a fingerprint: it is compared with no other."""

    __slots__ = ()

    def put(self, fluent: Fluent[Any], value: Any) -> Any:
        """Set a value; return the previous one."""
        before = self.values.get(fluent, ABSENT)
        self.values[fluent] = value
        return before


class _Projection:
    """Projects the state through the primitive tasks of a plan without branches."""

    def __init__(self, question: PreparedGoal, base: FrozenState, entries: Sequence[Entry]) -> None:
        self._table = question.table
        self._entries = entries
        self._place = 0
        self._values = Values(seeded(base, question.seed).values)
        self._view = _Unmarked(self._values)
        self._written: dict[Fluent[Any], None] = {}
        self._next: TaskEffects | None = None  # of the entry at the place, if it was asked for

    def before(self, place: int) -> RecordingView:
        """The projected state before the entry with this index; indices must not decrease."""
        for what, args in self._entries[self._place : place]:
            if isinstance(what, PrimitiveTask):
                row = self._table.row(what)
                assert isinstance(row, PrimitiveRow), "primitive tasks have such rows"
                overwritten = row.step and row.step(self._values, args, self._view)
                if not overwritten:
                    step = self._next or projected(what, args, ReadingView(self._view))
                    overwritten = self._view.apply(step.writes or {})
                self._next = None
                self._written.update(dict.fromkeys(overwritten[::2]))
        self._place = max(self._place, place)
        return ReadingView(self._view)

    def effects(self, row: PrimitiveRow, args: Binding, view: RecordingView) -> TaskEffects:
        """The outcome of the primitive task whose entry ``before`` was just asked about."""
        self._next = effects_of(row, args, view)
        return self._next

    def called(self, row: MethodRow, args: Binding, view: RecordingView) -> tuple[Body, Footprint]:
        """The body that a method which is a function returns, and what it reads for that.

        The function is called again: it depends on nothing but the state and its arguments.
        """
        network = row.method.network(view, args)
        assert network is not None, "the method was entered in this state"
        return self._table.computed(row.method, network), Footprint(view.reads)

    def written(self) -> dict[Fluent[Any], Any]:
        """Every fluent that the plan writes, with its final value."""
        self.before(len(self._entries))
        return {fluent: self._values[fluent] for fluent in self._written}


class _NothingKnown:
    """A view of a state in which nothing is known."""

    def get(self, _: Any, /) -> Any:
        return UNKNOWN


def fixed_effects(_place: int) -> RecordingView:
    """A state to evaluate tasks in whose reads and effects depend on their arguments alone."""
    return RecordingView(_NothingKnown())
