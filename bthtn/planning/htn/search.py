"""Total-order HTN planning: iterative depth-first decomposition, a little at a time.

    loop:
        take the first item off the agenda         (nothing left: solved)
        primitive:  possible here? write its effects, put it into the plan
        compound:   put its first usable method's network in front of the agenda
        parallel,
        priority:   plan each branch from the state at the node, then merge what they did
        none of it: go back to the latest choice that has an alternative

Choices are made in the order of ``reference``, and every one can be returned to: a choice
point remembers lengths and pointers, never a copy of anything.
"""

from __future__ import annotations

from dataclasses import replace

from bthtn.domain.network import DeferNetwork, network_text
from bthtn.domain.task import TaskCall, call_text
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning import trace
from bthtn.planning.htn.branches import drop_alternative, end_branch
from bthtn.planning.htn.expand import decompose, expand, go_on, leave_open
from bthtn.planning.htn.frames import (
    Agenda,
    AlternativeChoice,
    Choice,
    CloseScope,
    Continue,
    EndBranch,
    Expand,
    MethodChoice,
)
from bthtn.planning.htn.state import SearchState
from bthtn.planning.partial import cut
from bthtn.planning.protocol import PlanRequest, SearchStatus, raise_for_user
from bthtn.world.state import FrozenState


class HtnSearch:
    """One search for a plan, advanced by its caller. The same input gives the same steps."""

    def __init__(self, request: PlanRequest, listener: trace.SearchListener | None = None) -> None:
        self._request = request
        self._state = SearchState(request, listener)
        self._stuck = False
        self._status = SearchStatus.RUNNING
        self._plan: Plan | None = None
        self._is_cancelled = self._is_advancing = False

    @property
    def status(self) -> SearchStatus:
        """Where the search stands."""
        return SearchStatus.CANCELLED if self._is_cancelled else self._status

    @property
    def plan(self) -> Plan | None:
        """The plan, once solved; where the cheapest is asked for, the cheapest so far."""
        return None if self._is_cancelled else self._plan

    @property
    def expansions(self) -> int:
        """Primitive tasks examined and methods entered so far."""
        return self._state.expansions

    def advance(self, expansions: int | None = None) -> SearchStatus:
        """Go on for at most so many expansions, to the end without a number.

        Raises PlanningError when a user's function raises; then the search is over.
        """
        limit = self._request.settings.max_expansions
        stop = limit if expansions is None else min(limit, self.expansions + expansions)
        # In this order: `cancel` looks the other way round, so that one of the two notices.
        self._is_advancing = True
        try:
            running = SearchStatus.RUNNING
            while (
                not self._is_cancelled
                and self._status is running
                and (self.expansions < stop or self._next_is_free())
            ):
                self._work()
            if self.status is SearchStatus.RUNNING and self.expansions >= limit:
                self._end_at_limit()
        except Exception as error:  # noqa: BLE001 - raised to the caller as what it is
            self._status = SearchStatus.ERROR
            raise_for_user(error)
        finally:
            self._is_advancing = False
            if self._is_cancelled:
                self._forget()
        return self.status

    def cancel(self) -> None:
        """Give the search up: it is over, and lets go of everything it holds.

        Does nothing to a search that is over. Any thread may call it: a search that is being
        advanced in another one stops before its next expansion.
        """
        if self._status is SearchStatus.RUNNING:
            self._is_cancelled = True
            if not self._is_advancing:
                self._forget()

    def reject(self) -> None:
        """Give up the plan that was found and make ready to look for the next one."""
        assert self._status is SearchStatus.SOLVED, "there is no plan to reject"
        self._plan = None
        self._stuck = True
        self._state.duplicates = None  # what has failed so far has failed because of a rejection
        self._status = SearchStatus.RUNNING

    def _forget(self) -> None:
        expansions = self._state.expansions
        self._state = SearchState(replace(self._request, state=FrozenState({})), None)
        self._state.expansions = expansions
        self._plan = None

    def _end_at_limit(self) -> None:
        """Answer with what there is: the cheapest plan so far, or the beginning of a plan.

        With a beginning, everything else is left open, which takes no expansions. Where that is
        not possible, the search goes back to the latest choice and leaves its task open. With
        ``check_rest`` nothing may be left open that was not planned.
        """
        search, settings = self._state, self._request.settings
        search.is_closing = settings.anytime and not settings.check_rest and self._plan is None
        while (
            search.is_closing and search.output.has_steps and self._status is SearchStatus.RUNNING
        ):
            self._work()
        self._status = SearchStatus.LIMIT

    def _next_is_free(self) -> bool:
        """Whether the next piece of work is no expansion, so that it needs no budget."""
        match self._state.agenda:
            case Agenda(Expand(TaskCall() | DeferNetwork())):
                return False
            case _:
                return not self._stuck

    def _work(self) -> None:
        """One piece of work: at most one expansion."""
        if self._stuck:
            self._backtrack()
        elif self._state.agenda is None:
            self._solve()
        else:
            self._stuck = not self._step(self._state.agenda) or self._state.is_too_dear

    def _step(self, agenda: Agenda) -> bool:
        """Do the first thing on the agenda; False when it cannot be done."""
        search = self._state
        search.agenda = agenda.rest
        match agenda.item:
            case Expand(network, binding):
                if search.duplicates is not None and search.is_known_to_fail(agenda, network):
                    return self._tried_before(agenda.item)
                return expand(search, network, binding)
            case Continue():
                return go_on(search, agenda.item)
            case EndBranch(retained):
                return end_branch(search, retained)
            case CloseScope():
                search.output.close()
                search.path = search.path.outside()
                return True

    def _tried_before(self, item: Expand) -> bool:
        if self._state.is_watched:
            what = network_text(item.network, item.binding)
            self._state.tell(trace.TriedBefore(what, self._state.path.depth))
        return False

    def _backtrack(self) -> None:
        """Return to the latest choice, and take its alternative if it has one."""
        if self._state.duplicates is not None:
            self._state.duplicates.fail(len(self._state.choices))
        if not self._state.choices:
            self._status = SearchStatus.SOLVED if self._plan is not None else SearchStatus.EXHAUSTED
            return
        choice = self._state.choices.pop()
        self._state.restore(choice)
        self._stuck = not self._retake(choice) or self._state.is_too_dear

    def _retake(self, choice: Choice) -> bool:
        match choice:
            case MethodChoice(compound=compound) if self._state.is_closing:
                return leave_open(self._state, compound.call, compound.binding)
            case AlternativeChoice() if self._state.is_closing:
                return False  # it was not tried to the end
            case MethodChoice(compound=compound, method=method):
                if self._state.is_watched:
                    to = call_text(compound.task, compound.args)
                    self._state.tell(trace.Backtracked(to))
                return decompose(self._state, compound, method)
            case AlternativeChoice(frame=frame, planned=False) if frame is not None:
                return drop_alternative(self._state, frame)
            case _:
                return False

    def _solve(self) -> None:
        request, search = self._request, self._state
        if not search.beats_bound or self._is_no_cheaper():
            self._stuck = True
            return
        plan = Plan(
            request.domain,
            request.goal,
            request.binding,
            search.output.tree(),
            MethodTraversalRecord(search.record),
            search.projected.freeze(),
            search.expansions,
        )
        checked = request.settings.check_rest
        self._plan = cut(plan, request.state, request.settings) if checked else plan
        if search.costs is not None and not search.is_closing:
            search.cheaper_than = search.path.cost
            self._stuck = True
        else:
            self._status = SearchStatus.SOLVED

    def _is_no_cheaper(self) -> bool:
        limit = self._state.cheaper_than
        return limit is not None and self._state.path.cost >= limit
