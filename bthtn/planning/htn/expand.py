"""Expansion of one part of a network: primitive tasks, nodes, deferred tasks, pauses."""

from __future__ import annotations

from typing import Any, assert_never

from bthtn.domain.effect import writes_of
from bthtn.domain.network import (
    DeferNetwork,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.number import number_of
from bthtn.domain.task_effects import grounded
from bthtn.plan.nodes import NULL_NODE, Suspension, SuspensionKind, cause_of
from bthtn.planning.exclusions import why_avoided
from bthtn.planning.htn.branches import end_branch, open_branches
from bthtn.planning.htn.decompose import undecided
from bthtn.planning.htn.log import BINDING, DEPTH, STEP, Cell, Ensured, Entry, Evaluated
from bthtn.planning.htn.reasons import because, event
from bthtn.planning.htn.rows import CallPart, NetworkPart, PrimitiveRow
from bthtn.planning.htn.search_state import SearchState
from bthtn.planning.htn.values import ReadingView
from bthtn.planning.trace import TaskPlanned
from bthtn.world.fluent import UnknownRead
from bthtn.world.truth import UNKNOWN


def expand(
    search: SearchState, part: NetworkPart, scope: Entry, behind: Cell, cell: Cell
) -> Cell | None:
    """Plan a part that is no call; ``cell`` starts with it, ``behind`` is its continuation.

    Returns the next continuation, or None when the search has to backtrack.
    """
    match part.network:
        case None:
            return end_branch(search, cell)
        case SequenceNetwork():
            return search.cell(part.bodies[0], scope, behind)
        case ParallelNetwork() | PriorityNetwork() as network:
            return open_branches(search, network, part.bodies, scope, behind)
        case DeferNetwork() as network:
            if search.settings.check_rest:
                return search.cell(part.bodies[0], scope, behind)
            return _defer(search, network, scope, behind)
        case PauseNetwork() as network:
            if search.settings.check_rest:
                search.log.append((NULL_NODE, scope, (), (), search.at))
                return behind
            cause = cause_of(network)
            search.emit_left_open((), scope, cause)
            return search.suspend(scope, cause, behind)
        case NullNetwork():
            return behind
        case other:
            assert_never(other)


def arguments(
    search: SearchState, part: CallPart, scope: Entry
) -> tuple[tuple[Any, ...] | None, frozenset[Any]]:
    """Evaluate a call's arguments; return them, None if one is unknown, and the fluents read."""
    asked = ReadingView(search.view)
    args = grounded(part.network, asked, scope[BINDING])
    return args, asked.reads


def unknown_argument(search: SearchState, part: CallPart, scope: Entry, behind: Cell) -> Cell:
    """Suspend a call whose arguments depend on something unknown."""
    asked = ReadingView(search.view)
    grounded(part.network, asked, scope[BINDING])
    return undecided(search, part, scope, behind, asked.unknown)


def primitive(
    search: SearchState,
    part: CallPart,
    row: PrimitiveRow,
    args: tuple[Any, ...],
    scope: Entry,
    behind: Cell,
) -> Cell | None:
    """Plan a primitive task; return its continuation, or None when the task is impossible."""
    search.expansions += 1
    if search.exclusions:
        avoided = why_avoided((row.task, args), search.exclusions)
        if avoided:
            search.reject(row.task, args, scope, avoided)
            return None
    step = row.tracking_step if search.compares_states else row.step
    overwritten = step(search.values, args, search.view)
    if overwritten is None:
        return _evaluated(search, part, row, args, scope, behind)
    if overwritten is False:
        if search.wants_reasons:
            why = because(row.task.precondition, step, search.view, args)
            search.reject(row.task, args, scope, why)
        return None
    steps, elapsed, cost, frame = at = search.at
    search.log.append((row, scope, args, overwritten, at))
    if search.adds_up_steps:
        elapsed, cost = _added_up(search, row, args)
    search.at = (steps + 1, elapsed, cost, frame)
    search.view.foreseeable = False
    if search.listener is not None:
        search.listener(event(TaskPlanned, (row.task, scope[DEPTH], args)))
    return behind


def _evaluated(
    search: SearchState,
    part: CallPart,
    row: PrimitiveRow,
    args: tuple[Any, ...],
    scope: Entry,
    behind: Cell,
) -> Cell | None:
    """Plan a primitive task by evaluating its expressions, when the compiled step cannot."""
    at, task, asked = search.at, row.task, ReadingView(search.view)
    possible = task.precondition.evaluate(asked, args)
    if possible is False:
        if search.wants_reasons:
            why = because(task.precondition, None, search.view, args)
            search.reject(task, args, scope, why)
        return None
    unknown = asked.unknown if possible is UNKNOWN else None
    try:
        writes = writes_of(row.effects, asked, args)
    except UnknownRead as signal:
        return undecided(search, part, scope, behind, signal.fluent)
    guard = None if at[3] is None else at[3].guard
    if possible is UNKNOWN and guard != at[0]:
        return undecided(search, part, scope, behind, unknown)
    duration = number_of(task.duration, asked, args) if row.duration is None else row.duration
    cost = number_of(task.cost, asked, args) if row.cost is None else row.cost
    overwritten = search.view.apply(writes)
    done = Evaluated(asked.readings, writes, duration, cost)
    search.log.append((row, scope, args, overwritten, at, done))
    elapsed, price = _added_up(search, row, args)
    search.at = (at[0] + 1, elapsed, price, at[3])
    search.view.foreseeable = False
    search.emit(TaskPlanned, task, scope[DEPTH], args)
    return behind


def _added_up(search: SearchState, row: PrimitiveRow, args: tuple[Any, ...]) -> tuple[float, float]:
    """Return the elapsed time and the cost after the step just planned."""
    _, elapsed, cost, _ = search.at
    if search.timed:
        elapsed += (
            row.duration if row.duration is not None else _number(search, row, args, "duration")
        )
    costs = search.costs
    if costs is not None and costs.are_of_steps:
        price = row.cost
        if price is None:
            price = costs.price(_number(search, row, args, "cost"), 0, row.task, args)
        cost += price
    return elapsed, cost


def _defer(search: SearchState, network: DeferNetwork, scope: Entry, behind: Cell) -> Cell:
    asked = ReadingView(search.view)
    cost = 0.0 if search.costs is None else search.costs.of_networks(network.call)
    try:
        ensured = writes_of(network.ensures, asked, scope[BINDING])
        cause = cause_of(network)
    except UnknownRead as signal:
        ensured = {}
        cause = Suspension(SuspensionKind.UNKNOWN, str(signal.fluent))
    if search.costs is not None:
        search.spend(cost)
    if not ensured:
        search.emit_left_open((network.call,), scope, cause)
        return search.suspend(scope, cause, behind)
    at, overwritten = search.at, search.view.apply(ensured)
    search.log.append((Ensured(cause, ensured, asked.reads), scope, (), overwritten, at))
    return behind


def _number(search: SearchState, row: PrimitiveRow, args: tuple[Any, ...], which: str) -> float:
    """Return the duration or cost of the step just planned, if it depends on arguments or state."""
    entry = search.log[-1]
    if len(entry) > STEP:
        number: float = getattr(entry[STEP], which)
        return number
    return number_of(getattr(row.task, which), ReadingView(search.view), args)
