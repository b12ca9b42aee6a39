"""The record of a search: an entry for each planned part, cut back on backtracking.

An entry is a tuple of six: what was planned, the parameters' values in it, the length of the trail
before, the instruction with the values of the parameters around it, and the depth of decomposition.

| what                          | planned                               | values                   |
| ----------------------------- | ------------------------------------- | ------------------------ |
| `PrimitiveRow`                | a primitive task                      | its arguments            |
| `EvaluatedStep`               | the same, by evaluation               | its arguments            |
| `MethodRow`                   | a compound task, by this method       | its arguments            |
| `ChosenMethod`                | the same, decided by evaluation       | those of the method      |
| `BRANCHES`                    | a parallel or priority node           |                          |
| `BRANCH`, `ALTERNATIVE`       | nothing: a branch of it begins        |                          |
| `LEFT`                        | nothing: a branch is complete         |                          |
| `JOINED`                      | nothing: the branches are joined      |                          |
| `Dropped`                     | nothing: an alternative has no plan   |                          |
| `Ensured`                     | what a deferred task ensures          |                          |
| `NullNode`                    | a pause, with ``check_rest``          |                          |
| `AHEAD`                       | nothing: with it, a task is deferred  |                          |
| `Suspension`                  | nothing: planning stops here          |                          |

In the place of the values around, `LEFT` has where its branch begins in the record, and `JOINED`
where its node begins, with the footprint of that.

The actions, the method traversal record and the tree of a plan are three readings of it. A search
builds nothing else: since every write is in the trail, the state before each entry is restored
from it, and with that the footprints of its parts.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bthtn.engine.domain.goal import Action
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import Network, PriorityNetwork, sequence
from bthtn.engine.domain.task import TaskCall
from bthtn.engine.domain.task_effects import grounded, projected
from bthtn.engine.domain.turns import TurnBody
from bthtn.engine.plan.nodes import Dropped, Suspension
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.htn.projected_state import EarlierState, Trail, Values, first_overwritten
from bthtn.engine.planning.htn.table import (
    Body,
    Instruction,
    MethodRow,
    PlannedMethod,
    PlannedStep,
    PrimitiveRow,
)
from bthtn.engine.world.expression import Binding, Constant
from bthtn.engine.world.footprint import Footprint, RecordingView, Write

if TYPE_CHECKING:
    from bthtn.engine.planning.htn.translation.path_results import PathResult

Entry = tuple[Any, Any, int, Any, Any, int]

NOTHING_TOUCHED: Final = Footprint()
WHAT: Final = itemgetter(0)
"""Takes from an entry what was planned."""


class Mark(Enum):
    """What is in the record where no task is planned."""

    BRANCHES = "branches"
    BRANCH = "branch"
    ALTERNATIVE = "alternative"
    LEFT = "left"
    JOINED = "joined"
    AHEAD = "ahead"


# Looking a member of an enum up takes as long as making an entry.
BRANCHES: Final = Mark.BRANCHES
BRANCH: Final = Mark.BRANCH
ALTERNATIVE: Final = Mark.ALTERNATIVE
LEFT: Final = Mark.LEFT
JOINED: Final = Mark.JOINED
AHEAD: Final = Mark.AHEAD


class EvaluatedStep(NamedTuple):
    """A primitive task that was planned by evaluating its expressions."""

    row: PrimitiveRow
    reads: Collection[Any]
    writes: Mapping[Any, Write]
    duration: float
    cost: float


class ChosenMethod(NamedTuple):
    """A method that was chosen by evaluation, with the fluents that were read to choose it.

    ``index`` and ``args`` are those of the decomposition and the task; ``name`` is the method's.
    """

    row: MethodRow
    args: Binding
    index: int  # type: ignore[assignment]  # the method of a tuple is called by nobody
    name: str
    body: Body
    reads: Collection[Any]
    cost: float
    value: float
    answer: Network | None = None
    """What the function returned, if the body is that of all such results."""

    @property
    def first(self) -> Instruction | None:
        """The first instruction of the body."""
        return self.body.first

    @property
    def comes_back(self) -> bool:
        """Whether a search comes back to the later methods."""
        return self.row.comes_back


class Ensured(NamedTuple):
    """The writes that a deferred task ensures, and the fluents they were computed from.

    ``cause`` is that of the task's suspension.
    """

    cause: Suspension
    writes: Mapping[Any, Write]
    reads: frozenset[Any]


_PLAIN_DATA: Final = frozenset({PrimitiveRow, MethodRow})
_PLAIN: Final = frozenset({PrimitiveRow, MethodRow, ChosenMethod})


def choices_in(record: Sequence[Entry]) -> MethodTraversalRecord:
    """The method traversal record: the index of every choice, in order."""
    choices: list[int] = []
    for what in map(WHAT, record):
        kind = type(what)
        if kind is PrimitiveRow:
            continue
        if kind is MethodRow or kind is ChosenMethod:
            choices.append(what.index)
        elif what is ALTERNATIVE:
            choices.append(0)
        elif kind is Dropped:
            choices.append(1)
    return MethodTraversalRecord(choices)


def is_plain(record: Sequence[Entry]) -> bool:
    """Whether it has only tasks, one after the other, that were planned without evaluation."""
    return _PLAIN_DATA.issuperset(map(type, map(WHAT, record)))


def actions_in(record: Sequence[Entry]) -> tuple[Action, ...] | None:
    """The primitive tasks with their arguments; None if there are alternatives."""
    kinds = set(map(type, map(WHAT, record)))
    if kinds <= _PLAIN:
        return tuple(
            [(entry[0].task, entry[1]) for entry in record if type(entry[0]) is PrimitiveRow]
        )
    actions: list[Action] = []
    for what, args, _, instruction, _, _ in record:
        kind = type(what)
        if kind is PrimitiveRow:
            actions.append((what.task, args))
        elif kind is EvaluatedStep:
            actions.append((what.row.task, args))
        elif what is BRANCHES and isinstance(instruction.network, PriorityNetwork):
            return None
    return tuple(actions)


def has_steps(record: Sequence[Entry]) -> bool:
    """Whether there is a primitive task in it."""
    return any(type(what) in (PrimitiveRow, EvaluatedStep) for what, *_ in record)


def planned_step(what: Any, args: Binding, length: int, earlier: EarlierState) -> PlannedStep:
    """The primitive task of an entry, with its projected effects."""
    if type(what) is EvaluatedStep:
        task = what.row.task
        touched = Footprint(frozenset(what.reads), what.writes, task.uses)
        return PlannedStep(task, args, touched, what.duration, what.cost)
    known = None if what.planned is None else what.planned.find(args)
    if known is None:
        earlier.at(length)
        task, translation = what.task, what.translation
        if translation is not None and not translation.holds:
            task = translation.data
        step = projected(task, args, RecordingView(earlier))
        known = PlannedStep(what.task, args, step.footprint, step.duration, step.cost)
        if what.planned is not None:
            what.planned.keep(args, known)
    return known


def planned_method(
    what: Any, binding: Binding, length: int, earlier: EarlierState
) -> PlannedMethod:
    """The method of an entry, with the reads of its choice."""
    if type(what) is ChosenMethod:
        row, body = what.row, what.body
        if what.answer is not None:
            assert row.body_of is not None, "a function answered"
            body, binding = row.body_of(what.answer), what.args
        answer = body.network if type(row.method.body) in (PlainBody, TurnBody) else None
        return PlannedMethod(
            row.task,
            what.args,
            what.index,
            what.name,
            what.cost,
            what.value,
            answer,
            Footprint(frozenset(what.reads)),
            body,
            binding,
        )
    known = None if what.planned is None else what.planned.find(binding)
    if known is None:
        earlier.at(length)
        view = RecordingView(earlier)
        args = binding[: len(what.task.parameters)]
        body, answer, translation = what.body, None, what.translation
        if translation is not None and not translation.holds:
            answer = _as_data(translation.data[: what.result + 1], view, binding)
        elif what.body_of is not None:
            answer = what.method.network(view, args)
        else:
            what.method.condition.evaluate(view, args)
        if what.body_of is None:
            answer = None
        else:
            assert answer is not None, "the method was entered in this state"
            body = what.body_of(answer)
        known = PlannedMethod(
            what.task,
            args,
            what.index,
            what.method.name,
            what.cost,
            what.value,
            answer,
            Footprint(view.reads),
            body,
            args,
        )
        if what.planned is not None:
            what.planned.keep(binding, known)
    return known


def _as_data(results: Sequence[PathResult], view: RecordingView, binding: Binding) -> Network:
    """What a function returned that means something else by now; reads what it read.

    It was the last one of these results.
    """
    for result in results:
        result.condition.evaluate(view, binding)
    last = results[-1]
    for value in last.values:
        value.evaluate(view, binding)
    return sequence(
        *(
            TaskCall(call.task, tuple(Constant(arg.evaluate(view, binding)) for arg in call.args))
            for call in last.calls
        )
    )


def argument_reads(
    call: Instruction, binding: Binding, length: int, earlier: EarlierState
) -> frozenset[Any]:
    """The fluents that were read for the arguments of a call."""
    known = None if call.readings is None else call.readings.find(binding)
    if known is None:
        earlier.at(length)
        view = RecordingView(earlier)
        grounded(call.network, view, binding)
        known = view.reads
        if call.readings is not None:
            call.readings.keep(binding, known)
    return known


def footprints_of(
    record: Sequence[Entry], start: int, values: Values, trail: Trail
) -> list[Footprint]:
    """The footprints of the parts from this index of the record to its end, in turn.

    Of a completed node it is the one in the entry that joins it; what is inside is left out.
    """
    earlier, found = EarlierState(values, trail), list[Footprint]()
    place = len(record) - 1
    while place >= start:
        entry = record[place]
        what, args, length, instruction, around, _ = entry
        place -= 1
        kind = type(what)
        if kind is Mark:
            if what is JOINED:
                begin, touched = around
                place = begin - 1
                found.append(touched)
            continue
        if kind is PrimitiveRow or kind is EvaluatedStep:
            found.append(planned_step(what, args, length, earlier).footprint)
        elif kind is MethodRow or kind is ChosenMethod:
            found.append(planned_method(what, args, length, earlier).footprint)
        elif kind is Ensured:
            found.append(Footprint(what.reads, what.writes))
        else:  # nothing is planned there
            continue
        if instruction.reads:
            found.append(Footprint(argument_reads(instruction, around, length, earlier)))
    found.reverse()
    return found


def overwritten_since(
    record: Sequence[Entry], start: int, trail: Trail, length: int
) -> dict[Any, Any]:
    """Every fluent written since there, with its value before; ``length`` is that of the trail.

    What was written inside completed nodes was undone at the end of their branches.
    """
    first: dict[Any, Any] = {}
    place, end = len(record), len(trail)
    while place > start:
        place -= 1
        entry = record[place]
        if entry[0] is JOINED:
            first.update(first_overwritten(trail, entry[2], end))
            place = entry[4][0]
            end = record[place][2]
    first.update(first_overwritten(trail, length, end))
    return first
