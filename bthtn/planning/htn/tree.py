"""The plan in the log of a search: its tree, actions and footprints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, assert_never

from bthtn.domain.goal import Action
from bthtn.domain.method import PlainBody
from bthtn.domain.network import PriorityNetwork
from bthtn.domain.task_effects import grounded, projected
from bthtn.domain.turns import TurnBody
from bthtn.plan.nodes import Dropped, Node, NullNode, Suspension
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn import assembly
from bthtn.planning.htn.assembly import Planned
from bthtn.planning.htn.log import (
    ASKED,
    BINDING,
    BODY,
    CHOSEN,
    KIND,
    NETWORK,
    NUMBERS,
    OVERWRITTEN,
    READS,
    STEP,
    TOUCHED,
    EarlierState,
    Ensured,
    Entry,
    Mark,
    backwards,
)
from bthtn.planning.htn.rows import CallPart, MethodRow, PlannedMethod, PlannedStep, PrimitiveRow
from bthtn.planning.htn.search_state import SearchState
from bthtn.planning.htn.values import Values
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, RecordingView

NOTHING_TOUCHED: Final = Footprint()


class Found:
    """Builds the parts of a plan on demand; it is ``copied`` from a search that goes on."""

    __slots__ = ("_expansions", "_log", "_record", "_request", "_root", "_values")

    def __init__(self, search: SearchState, *, copied: bool) -> None:
        self._request = search.request
        self._root = search.root
        self._log = search.log.copy() if copied else search.log
        self._values = search.values.copied() if copied else search.values
        self._record = MethodTraversalRecord(search.record)
        self._expansions = search.expansions

    def __call__(self, _source: object, part: str) -> Any:
        """Build and return the named part of the plan."""
        match part:
            case "tree":
                return tree_of(self._log, self._root, EarlierState(self._values))
            case "record":
                return self._record
            case "predicted":
                return self._request.state.changed(self.written())
            case "expansions":
                return self._expansions
            case _:
                return getattr(self._request, part)

    def actions(self, _source: object) -> tuple[Action, ...] | None:
        """Return the primitive tasks, with their arguments; None with alternatives."""
        actions: list[Action] = []
        for entry in self._log:
            kind = entry[KIND]
            if type(kind) is PrimitiveRow:
                actions.append((kind.task, entry[BINDING]))
            elif kind is Mark.BRANCHES and isinstance(entry[NETWORK], PriorityNetwork):
                return None
        return tuple(actions)

    def written(self) -> dict[Fluent[Any], Any]:
        """Return every fluent that the plan writes, with its value at the end."""
        values = self._values
        return {
            overwritten[place]: values[overwritten[place]]
            for overwritten in (entry[OVERWRITTEN] for entry in self._log)
            for place in range(0, len(overwritten), 2)
            if overwritten[place] in values
        }


def tree_of(log: Sequence[Entry], root: Entry, earlier: EarlierState) -> Node:
    """Return the plan tree of a log; ``earlier`` starts at its end and is moved to its start."""
    planned: list[Planned] = []
    asked: dict[int, frozenset[Any]] = {}
    for entry in reversed(log):
        earlier.before(entry)
        kind = entry[KIND]
        match kind:
            case PrimitiveRow():
                planned.append(_step(kind, entry, earlier))
            case MethodRow():
                planned.append(_method(kind, entry, earlier))
            case CallPart():
                asked[len(planned)] = _asked(kind, entry, earlier)
            case Mark() | Suspension() | Dropped() | Ensured() | NullNode():
                planned.append(kind)
            case _:
                assert_never(kind)
    planned.reverse()
    return assembly.tree_of(
        root[BODY], root[BINDING], planned, lambda place, *_: asked[len(planned) - place]
    )


def footprint_of(log: Sequence[Entry], start: int, values: Values) -> Footprint:
    """Return the footprint of the branch that begins at this index of the log."""
    earlier, found = EarlierState(values), list[Footprint]()
    for entry in backwards(log, start):
        earlier.before(entry)
        touched = _touched(entry, earlier)
        if touched is not NOTHING_TOUCHED:
            found.append(touched)
    return Footprint.in_turn(found[::-1])


def _touched(entry: Entry, earlier: EarlierState) -> Footprint:
    """Return the footprint of the entry itself, without the entries inside it."""
    kind = entry[KIND]
    match kind:
        case PrimitiveRow():
            return _step(kind, entry, earlier).footprint
        case MethodRow():
            return _method(kind, entry, earlier).footprint
        case CallPart():
            return Footprint(_asked(kind, entry, earlier))
        case Mark.JOINED:
            together: Footprint = entry[TOUCHED]
            return together
        case Ensured():
            return Footprint(kind.reads, kind.writes)
        case Mark() | Suspension() | Dropped() | NullNode():
            return NOTHING_TOUCHED
        case _:
            assert_never(kind)


def _step(row: PrimitiveRow, entry: Entry, earlier: EarlierState) -> PlannedStep:
    """Return the primitive task of an entry, with its projected effects."""
    args, memory = entry[BINDING], row.planned
    if len(entry) > STEP:
        reads, writes, duration, cost = entry[STEP]
        touched = Footprint(frozenset(reads), writes, row.task.uses)
        return PlannedStep(row.task, args, touched, duration, cost)
    known = None if memory is None else memory.find(args)
    if known is None:
        step = projected(row.task, args, RecordingView(earlier))
        known = PlannedStep(row.task, args, step.footprint, step.duration, step.cost)
        if memory is not None:
            memory.keep(args, known)
    return known


def _method(row: MethodRow, entry: Entry, earlier: EarlierState) -> PlannedMethod:
    """Return the method of an entry, with the reads of its choice."""
    inside, reads, memory = entry[BINDING], entry[READS], row.planned
    if reads is None:
        known = None if memory is None else memory.find(inside)
        if known is not None:
            return known
        view = RecordingView(earlier)
        row.method.condition.evaluate(view, inside)
        reads = view.readings
    args, index, name = entry[CHOSEN] or (inside, row.index, row.method.name)
    cost, value = entry[NUMBERS] or (row.cost or 0, row.value or 0)
    body = entry[BODY]
    answer = body.network if type(row.method.body) in (PlainBody, TurnBody) else None
    what = row.task, args, inside, index, name, cost, value, body, answer
    made = PlannedMethod(*what, Footprint(frozenset(reads)))
    if entry[READS] is None and memory is not None:
        memory.keep(inside, made)
    return made


def _asked(part: CallPart, entry: Entry, earlier: EarlierState) -> frozenset[Any]:
    """Return the reads of the arguments of the call after the entry."""
    known: frozenset[Any] | None = entry[ASKED]
    return argument_reads(part, entry[BINDING], RecordingView(earlier)) if known is None else known


def argument_reads(part: CallPart, binding: tuple[Any, ...], view: RecordingView) -> frozenset[Any]:
    """Return the reads in a state of the arguments of a call."""
    memory = part.readings
    known = None if memory is None else memory.find(binding)
    if known is None:
        grounded(part.network, view, binding)
        known = view.reads
        if memory is not None:
            memory.keep(binding, known)
    return known
