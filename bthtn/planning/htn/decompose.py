"""Decomposition of compound tasks: enter the first usable method, keep the later ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from bthtn.domain.condition import why_so
from bthtn.domain.decompositions import Decompositions
from bthtn.domain.method import PlainBody
from bthtn.domain.number import number_of
from bthtn.plan.nodes import BUDGET, Suspension, SuspensionKind
from bthtn.planning.exclusions import why_avoided
from bthtn.planning.htn import reasons
from bthtn.planning.htn.costs import Costs
from bthtn.planning.htn.log import (
    BINDING,
    CHOSEN,
    DEPTH,
    KIND,
    NUMBERS,
    PLACE,
    READS,
    SCOPE,
    Cell,
    Chosen,
    Entry,
)
from bthtn.planning.htn.reasons import because, event
from bthtn.planning.htn.rows import Body, CallPart, CompoundRow, MethodRow
from bthtn.planning.htn.search_state import STOPPED, SearchState
from bthtn.planning.htn.values import ReadingView
from bthtn.planning.trace import (
    GOES_ROUND,
    Backtracked,
    MethodEntered,
    MethodRejected,
    RecursionCut,
)
from bthtn.world.expression import Binding, Expression
from bthtn.world.fluent import UnknownRead
from bthtn.world.truth import UNKNOWN

Call = tuple[
    CallPart, CompoundRow, Binding, Entry, Cell, "Decompositions | None", "frozenset[Any] | None"
]
"""A compound task reached by the search: part, row, arguments, scope, continuation; and for a task
with a choice of its own, its decompositions and the fluents they were computed from, else None
twice. A plain tuple, since one is made for every call."""


def compound(
    search: SearchState,
    part: CallPart,
    row: CompoundRow,
    args: tuple[Any, ...],
    scope: Entry,
    behind: Cell,
) -> Cell | None:
    """Decompose a call, unless it recurses in an unchanged state or is nested too deep."""
    if not row.is_compiled:
        row.compile()
    if row.is_recursive and search.settings.strict_recursion:
        ancestor = search.guard.ancestor(row.task, args, scope, search.log, search.view)
        if ancestor is not None:
            if search.duplicates is not None:
                search.duplicates.guard(ancestor[PLACE])
            _cut(search, row, args, scope, GOES_ROUND)
            return None
    if scope[DEPTH] >= search.settings.max_depth:
        most = search.settings.max_depth
        _cut(search, row, args, scope, f"nested deeper than {most}")
        return None
    if row.has_choice:
        return _choose(search, part, row, args, scope, behind)
    return decompose(search, (part, row, args, scope, behind, None, None), 0)


def decompose(search: SearchState, call: Call, start: int) -> Cell | None:
    """Enter the first usable method from ``start`` on; None when there is none.

    One compiled function finds that method, unless a method has to be evaluated or is excluded, or
    a bound excludes one inside a branch, where a later method may be undecided.
    """
    _, row, args, _, _, _, _ = call
    first, frame = row.first, search.at[3]
    if first is None or search.excludes_methods or (search.ahead is None and frame is not None):
        return _decompose(search, call, start)
    index = first(search.values, args, search.view, start)
    if index is UNKNOWN:
        return _decompose(search, call, start)
    methods = row.methods
    wants_reasons = search.listener is not None or (frame is not None and frame.guard is not None)
    if wants_reasons and index != start:
        _emit_unusable(search, call, methods[start:index])
    if index is None:
        return None
    method, later = methods[index], index + 1
    if search.ahead is None and not search.may_beat(index):
        _emit_rejected(search, call, index, method, (reasons.cut_by_bound, search.bound))
        return None
    if wants_reasons:  # they need those that are cut
        if later < len(methods):
            search.keep(call, later)
    elif not method.excludes_later and (search.ahead is not None or search.may_beat(later)):
        search.keep(call, later)
    return enter(search, call, index, method, args, method.body, None)


def _emit_unusable(search: SearchState, call: Call, methods: Sequence[MethodRow]) -> None:
    """Record and emit why each of these compiled methods is not usable."""
    _, row, args, scope, _, _, _ = call
    listener, asked, depth = search.listener, ReadingView(search.view), scope[DEPTH]
    why = search.reason
    for method in methods:
        asked.readings = {}
        method.holds(asked, args, asked)
        why = (why_so, method.method.condition, args, False, asked.readings)
        if listener is not None:
            fields = (row.task, method.index, method.method.name, why, depth, args)
            listener(event(MethodRejected, fields))
    search.reason = (reasons.failed, row.task, args, why)


def _choose(
    search: SearchState,
    part: CallPart,
    row: CompoundRow,
    args: tuple[Any, ...],
    scope: Entry,
    behind: Cell,
) -> Cell | None:
    """Decompose a call whose decompositions depend on the state."""
    asked = ReadingView(search.view)
    try:
        decompositions = search.request.domain.decompositions(row.task, args, asked)
    except UnknownRead as signal:
        return undecided(search, part, scope, behind, signal.fluent)
    if not decompositions and search.wants_reasons:
        search.reject(row.task, args, scope, reasons.no_values(row.task, asked.readings))
    return decompose(search, (part, row, args, scope, behind, decompositions, asked.reads), 0)


def _decompose(search: SearchState, call: Call, start: int) -> Cell | None:
    """Decompose method by method, evaluating conditions that cannot be compiled."""
    part, row, binding, scope, behind, decompositions, _ = call
    methods = row.methods
    count = len(methods) if decompositions is None else len(decompositions)
    for index in range(start, count):
        if decompositions is None:
            method = methods[index]
        else:
            method, binding = row.of(decompositions.method(index)), decompositions.binding(index)
        if search.exclusions and _is_excluded(search, call, index, method, binding):
            continue
        try:
            body, reads = _usable(search, call, method, binding)
        except UnknownRead as signal:
            return undecided(search, part, scope, behind, signal.fluent)
        if body is None:
            if search.wants_reasons:
                _reject(search, call, index, method, binding)
            continue
        if search.bound is not None and not search.may_beat(index):
            _emit_rejected(search, call, index, method, (reasons.cut_by_bound, search.bound))
            if search.at[3] is None:
                return None
            # Inside a branch a later method may be undecided: that leaves a shorter record.
            continue
        if index + 1 < count and _may_come_back(search, method, index + 1, decompositions):
            search.keep(call, index + 1)
        return enter(search, call, index, method, binding, body, reads)
    return None


def enter(  # noqa: PLR0913, PLR0917 - what was worked out about the method, put off or not
    search: SearchState,
    call: Call,
    index: int,
    method: MethodRow,
    binding: Binding,
    body: Body | None,
    reads: Collection[Any] | None,
) -> Cell:
    """Enter a method, or return ``STOPPED`` and keep it pending when the budget is used up."""
    if search.expansions >= search.stop:
        search.pending = (call, index, method, binding, body, reads)
        return STOPPED
    assert body is not None, "a usable method has a body"
    search.expansions += 1
    if search.bound is None:
        search.record.append(index)
    else:
        search.append(index)
    _, row, args, above, behind, decompositions, _ = call
    at, log, depth = search.at, search.log, above[DEPTH] + 1
    place, mark, rank = len(log), search.view.fingerprint, 0.0
    chosen = None if decompositions is None else Chosen(args, index, decompositions.name(index))
    scope: Entry = (method, above, binding, (), at, body, depth, place, mark, reads, None, chosen)
    if method.has_numbers:
        scope = _with_numbers(search, scope)
    log.append(scope)
    if search.costs is not None:
        _add_up(search, search.costs, call, scope)
        rank = search.costs.left(behind)
    if search.listener is not None:
        name = method.method.name if chosen is None else chosen.name
        search.listener(event(MethodEntered, (row.task, index, name, above[DEPTH], args)))
    return (body, 0, scope, behind, rank) if body.parts else behind


def _add_up(search: SearchState, costs: Costs, call: Call, scope: Entry) -> None:
    """Add the number of the method that was entered."""
    method = scope[KIND]
    price = method.cost if costs.are_of_steps else method.value
    if price is None:
        cost, value = scope[NUMBERS]
        price = costs.price(cost, value, call[1].task, call[2])
    if price:
        search.spend(price)


def undecided(
    search: SearchState,
    part: CallPart,
    scope: Entry,
    behind: Cell,
    fluent: Expression[Any] | str | None,
) -> Cell:
    """Suspend a call that cannot be planned before a fluent is known."""
    cause = Suspension(SuspensionKind.UNKNOWN, str(fluent))
    return suspend_call(search, part, scope, behind, cause)


def suspend_call(
    search: SearchState, part: CallPart, scope: Entry, behind: Cell, cause: Suspension
) -> Cell:
    """Suspend a call together with its continuation."""
    log = search.log
    if part.reads and log and log[-1][KIND] is part and log[-1][SCOPE] is scope:
        log.pop()  # its arguments are computed anew on arrival, so nothing relies on them
    if search.costs is not None:
        search.spend(search.costs.of_networks(part.network))
    search.emit_left_open((part.network,), scope, cause)
    return search.suspend(scope, cause, behind)


def retry(search: SearchState, call: Call, start: int) -> Cell | None:
    """Resume a call at method ``start`` after backtracking to it."""
    part, row, args, scope, behind, _, _ = call
    if search.is_closing:
        return suspend_call(search, part, scope, behind, BUDGET)
    if search.listener is not None:
        search.listener(event(Backtracked, (row.task, args)))
    return decompose(search, call, start)


def _may_come_back(
    search: SearchState, method: MethodRow, later: int, decompositions: Decompositions | None
) -> bool:
    """Whether the call needs a choice point for its later methods."""
    if search.at[3] is not None or search.listener is not None:  # they need those that are cut
        return True
    return (not method.excludes_later or decompositions is not None) and search.may_beat(later)


def _usable(
    search: SearchState, call: Call, method: MethodRow, binding: Binding
) -> tuple[Body | None, Collection[Any] | None]:
    """Return the body of a method, None when it is not usable, and the fluents read to decide.

    The reads are None for a compiled condition; the plan tree derives them when it is built.
    Raises UnknownRead when the decision depends on an unknown fluent.
    """
    decompositions, own_reads = call[5], call[6]
    if method.is_evaluated or decompositions is not None:
        asked = ReadingView(search.view)
        network = method.method.network(asked, binding)
        if network is None:
            return None, None
        reads: Collection[Any] = (*asked.readings, *own_reads) if own_reads else asked.readings
        return method.body or search.table.computed(method.method, network), reads
    if method.holds is None:
        return method.body, None
    holds = method.holds(search.values, binding, search.view)
    if holds is UNKNOWN:
        asked = ReadingView(search.view)
        method.method.condition.evaluate(asked, binding)
        raise UnknownRead(asked.unknown)
    return (method.body if holds else None), None


def _with_numbers(search: SearchState, scope: Entry) -> Entry:
    """Return the entry with the computed cost and value of its method.

    The fluents they read count as read by the choice of the method.
    """
    method, binding, reads = scope[KIND], scope[BINDING], scope[READS]
    asked = ReadingView(search.view)
    if reads is None:
        method.method.condition.evaluate(asked, binding)
    cost, value = (
        number_of(number, asked, binding) for number in (method.method.cost, method.method.value)
    )
    reads = (*asked.readings, *(reads or ()))
    return (*scope[:READS], reads, (cost, value), scope[CHOSEN])


def _is_excluded(
    search: SearchState, call: Call, index: int, method: MethodRow, binding: Binding
) -> bool:
    decompositions = call[5]
    key = (method.method, binding) if decompositions is None else decompositions.avoidable(index)
    why = why_avoided(key, search.exclusions)
    if why:
        _emit_rejected(search, call, index, method, why)
    return bool(why)


def _reject(
    search: SearchState, call: Call, index: int, method: MethodRow, binding: Binding
) -> None:
    """Record and emit the reason why a method is not usable."""
    condition, body = method.method.condition, method.method.body
    if method.is_turn:  # whose turn it is, is no reason
        return
    if isinstance(body, PlainBody) and condition.evaluate(search.view, binding) is True:
        reason: reasons.Reason = body.why_not(search.view, binding)
    else:
        reason = because(condition, method.holds, search.view, binding)
    _emit_rejected(search, call, index, method, reason)


def _emit_rejected(
    search: SearchState, call: Call, index: int, method: MethodRow, reason: reasons.Reason
) -> None:
    _, row, args, scope, _, decompositions, _ = call
    search.reason = (reasons.failed, row.task, args, reason)
    name = method.method.name if decompositions is None else decompositions.name(index)
    search.emit(MethodRejected, row.task, index, name, reason, scope[DEPTH], args)


def _cut(
    search: SearchState, row: CompoundRow, args: tuple[Any, ...], scope: Entry, reason: str
) -> None:
    """Fail a call that is nested too deep or recurses in an unchanged state."""
    search.reason = (reasons.failed, row.task, args, reason)
    search.emit(RecursionCut, row.task, reason, scope[DEPTH], args)
