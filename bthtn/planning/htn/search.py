"""Total-order HTN planning: iterative depth-first decomposition, in slices of expansions.

    loop:
        take the first part off the continuation          (nothing left: solved)
        primitive:  if possible here, apply its effects and add it to the log
        compound:   put the body of its first usable method in front of the continuation
        parallel,
        priority:   plan each branch from the state at the node, then join their effects
        otherwise:  backtrack to the latest choice point

Choices are made in the order of ``tests/reference.py``. A choice point holds lengths and pointers,
never copies. The plan is a log; its tree is built on demand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bthtn.domain.network import network_text
from bthtn.plan.nodes import BUDGET, HORIZON
from bthtn.plan.plan import Plan
from bthtn.planning.htn.branches import without_alternative
from bthtn.planning.htn.decompose import compound, enter, retry, suspend_call
from bthtn.planning.htn.expand import (
    arguments,
    expand,
    primitive,
    unknown_argument,
)
from bthtn.planning.htn.guard import changes
from bthtn.planning.htn.log import BINDING, BODY, DEPTH, Cell, Frame
from bthtn.planning.htn.rows import CallPart, CompoundRow, Part, PrimitiveRow
from bthtn.planning.htn.search_state import DONE, STOPPED, SearchState
from bthtn.planning.htn.tree import Found
from bthtn.planning.partial import cut
from bthtn.planning.protocol import PlanRequest, SearchStatus, raise_for_user, repeat
from bthtn.planning.trace import SearchListener, TriedBefore
from bthtn.world.fluent import Fluent
from bthtn.world.sharing import Unpicklable


class HtnSearch(Unpicklable):
    """One search for a plan, advanced by its caller. Deterministic for equal input."""

    __slots__ = (
        *("_cell", "_expansions", "_is_advancing", "_is_cancelled"),
        *("_plan", "_request", "_state", "_status"),
    )

    _cell: Cell | None
    _expansions: int
    """Set while it is loaded from a save: how far it had come."""

    def __init__(self, request: PlanRequest, listener: SearchListener | None = None) -> None:
        state = self._state = SearchState(request, listener)
        self._request = request
        self._cell = state.cell(state.root[BODY], state.root, DONE)
        self._status = SearchStatus.RUNNING
        self._plan: Plan | None = None
        self._is_cancelled = self._is_advancing = False

    def __getstate__(self) -> dict[str, Any]:
        """The state to save: the request, and how far it came."""
        request = self._state.request
        return {"_request": request, "_expansions": self.expansions, "_status": self.status}

    def resume(self, _: object) -> None:
        """Search again as far as it had come when it was saved."""
        status, expansions = self._status, self._expansions
        HtnSearch.__init__(self, self._request)
        repeat(self, status, expansions)

    @property
    def status(self) -> SearchStatus:
        """The status of the search."""
        return SearchStatus.CANCELLED if self._is_cancelled else self._status

    @property
    def plan(self) -> Plan | None:
        """The plan, once solved; in a search for the cheapest, the cheapest so far; else None."""
        return None if self._is_cancelled else self._plan

    @property
    def expansions(self) -> int:
        """Number of primitive tasks examined and methods entered so far."""
        return self._state.expansions

    @property
    def reads(self) -> Mapping[Fluent[Any], Any]:
        """The fluents read from the start state so far, with their values, in order."""
        search = self._state
        search.guard.note_reads(search.log, search.values)
        return search.values.reads

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Search for at most this many more expansions, by default to the end; return the status.

        Raises PlanningError when a user's function raises; then the search is over.
        """
        # First the flag, then the test for cancellation; `cancel` does it the other way round, so
        # that another thread cannot cancel between the two unnoticed.
        self._is_advancing = True
        try:
            if self.status is SearchStatus.RUNNING:
                self._advance(expansions)
        except Exception as error:  # noqa: BLE001 - raised to the caller as what it is
            self._status = SearchStatus.ERROR
            raise_for_user(error)
        except BaseException:  # Ctrl-C: it cannot go on from the middle of a step
            self._status = SearchStatus.ERROR
            raise
        finally:
            self._is_advancing = False
            if self._is_cancelled:
                self._state.forget()
                self._cell = None
        return self.status

    def cancel(self) -> None:
        """Cancel a running search and release its memory; no effect on a finished one.

        Any thread may call it: a search that is being advanced in another thread stops before its
        next expansion.
        """
        if self._status is SearchStatus.RUNNING:
            self._is_cancelled = True
            if not self._is_advancing:
                self._state.forget()
                self._cell = None

    def reject(self) -> None:
        """Discard the plan that was found, so that ``advance`` looks for the next one."""
        assert self._status is SearchStatus.SOLVED, "there is no plan to reject"
        self._state.go_on()
        self._plan = None
        self._cell = None
        self._status = SearchStatus.RUNNING

    def _advance(self, expansions: int | None) -> None:
        search = self._state
        limit = search.settings.max_expansions
        search.stop = limit if expansions is None else min(limit, search.expansions + expansions)
        self._run()
        if search.expansions >= limit and self.status is SearchStatus.RUNNING:
            self._end_at_limit()

    def _run(self) -> None:
        """Plan parts of the continuation until solved, exhausted, cancelled or out of budget.

        It is one loop, since a call for each part would double the time.
        """
        search, cell = self._state, self._cell
        view, values, log, choices = search.view, search.values, search.log, search.choices
        is_checked, costs = search.is_checked, search.costs
        if search.pending is not None:
            cell = _resumed(search)
        while cell is not STOPPED and not self._is_cancelled:
            if cell is None:
                if not choices or (search.is_closing and not search.has_steps):
                    solved = self._plan is not None
                    self._status = SearchStatus.SOLVED if solved else SearchStatus.EXHAUSTED
                    break
                cell = _retaken(search)
                continue
            body, number, scope, rest, rank = cell
            part = body.parts[number]
            row = part.row
            number += 1
            behind = (body, number, scope, rest, rank) if number < body.length else rest
            if costs is not None and costs.is_too_high(cell, search.at):
                cell = None
                continue
            if is_checked:
                instead = self._instead(cell, part, behind)
                if instead is not part:
                    cell = instead
                    continue
            if row is None:
                cell = expand(search, part, scope, behind, cell)
                if cell is DONE:
                    if self._solve():
                        break
                    cell = None
                continue
            args, reads = part.args, None
            if args is None:
                if part.ground is not None:
                    args = part.ground(values, scope[2], view)
                else:
                    args, reads = arguments(search, part, scope)
                if args is None:
                    cell = unknown_argument(search, part, scope, behind)
                    continue
            is_primitive = type(row) is PrimitiveRow
            if is_primitive and search.expansions >= search.stop:
                break
            if part.reads:
                log.append((part, scope, scope[2], (), search.at, reads))
            plan: Any = primitive if is_primitive else compound
            cell = plan(search, part, row, args, scope, behind)
        self._cell = cell

    def _instead(self, cell: Cell, part: Part, behind: Cell) -> Any:
        """Return the continuation that replaces the part, or the part itself if it is planned.

        It is replaced at the horizon and at the limit; None, to backtrack, for a search state that
        has failed before.
        """
        search, (_, number, scope, _, _) = self._state, cell
        if number and search.has_horizon and search.settings.is_horizon(*search.at[:2]):
            return search.suspend(scope, HORIZON, cell)
        if isinstance(part, CallPart):
            if search.is_closing:
                return suspend_call(search, part, scope, behind, BUDGET)
            if type(part.row) is CompoundRow and _tried_before(search, cell):
                return None
        return part

    def _end_at_limit(self) -> None:
        """End the search with its best result: the cheapest plan so far, or a partial plan.

        A partial plan suspends every remaining task, which takes no expansions. If that is not
        possible, the search backtracks to the latest choice point and suspends its task. With
        ``check_rest`` there are no such partial plans.
        """
        search = self._state
        if search.settings.anytime and not search.settings.check_rest and self._plan is None:
            search.is_closing = search.is_checked = search.has_steps
            if search.is_closing:
                self._run()
        self._status = SearchStatus.LIMIT

    def _solve(self) -> bool:
        """Keep the plan of an empty continuation; whether it ends the search."""
        search = self._state
        if not search.beats_bound or (
            search.costs is not None and search.costs.is_too_high(DONE, search.at)
        ):
            return False
        if search.is_closing and not search.has_steps:
            return False
        goes_on = search.costs is not None and not search.is_closing
        found = Found(search, copied=goes_on)
        plan = Plan.found((found, found.actions))
        request, checked = search.request, search.settings.check_rest
        self._plan = cut(plan, request.state, request.settings) if checked else plan
        if search.costs is not None and goes_on:
            search.costs.cheapest = search.at[2]
            return False
        self._status = SearchStatus.SOLVED
        return True


def _retaken(search: SearchState) -> Cell | None:
    """Backtrack to the latest choice point; return the continuation of its next alternative."""
    what, alternative = search.backtrack()
    if isinstance(what, Frame):
        return without_alternative(search, what, alternative)
    return retry(search, what, alternative)


def _resumed(search: SearchState) -> Cell:
    """Enter the pending method, or suspend its call when the search is closing."""
    pending, search.pending = search.pending, None
    if search.is_closing:
        reached = pending[0]
        if search.choices and search.choices[-1][0] is reached:
            search.choices.pop()  # its later methods would be left open in the same way
        part, _, _, scope, behind, _, _ = reached
        return suspend_call(search, part, scope, behind, BUDGET)
    return enter(search, *pending)


def _tried_before(search: SearchState, cell: Cell) -> bool:
    """Whether the same continuation has already failed in the same state (semantics 2.6.8).

    Always False inside a branch.
    """
    body, number, scope, _, _ = cell
    if search.duplicates is None or search.at[3] is not None:
        return False
    steps, elapsed, _, _ = search.at
    where = (
        search.view.fingerprint,
        search.view.foreseeable or not search.table.has_volatile,
        steps if search.settings.horizon is not None else None,
        elapsed if search.timed else None,
    )
    state = changes(search.log, search.values)
    if not search.duplicates.meet(cell, state, where, len(search.choices), len(search.log)):
        return False
    search.emit(
        TriedBefore, (network_text, body.parts[number].network, scope[BINDING]), scope[DEPTH]
    )
    return True
