"""SearchState: the mutable state of one search, with backtracking.

Backtracking restores lengths (log, record, choices) and pointers (continuation, position).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from bthtn.domain.method import Method
from bthtn.domain.network import NULL, Network
from bthtn.domain.task import Task
from bthtn.plan.nodes import Suspension
from bthtn.planning.htn.costs import Costs
from bthtn.planning.htn.duplicates import Duplicates
from bthtn.planning.htn.guard import RecursionGuard
from bthtn.planning.htn.log import (
    BINDING,
    BRANCH,
    DEPTH,
    KIND,
    Cell,
    Entry,
    Position,
    is_foreseeable,
)
from bthtn.planning.htn.reasons import Reason, event, failed, listed
from bthtn.planning.htn.rows import Body, NetworkPart, PrimitiveRow
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.htn.values import ProjectedState, Values
from bthtn.planning.protocol import PlanRequest
from bthtn.planning.trace import (
    PlanningSuspended,
    SearchEvent,
    SearchListener,
    TaskRejected,
)
from bthtn.world.expression import Binding
from bthtn.world.state import FrozenState

START: Final[Position] = (0, 0.0, 0.0, None)
END: Final = Body(None, (NetworkPart(None),), 0)
DONE: Final[Cell] = (END, 0, None, None, 0.0)
"""The empty continuation, after the goal."""
STOPPED: Final[Cell] = ()
"""Returned when the budget is used up; ``pending`` is the method to enter next."""


class SearchState:
    """The mutable state of one search, private to it.

    ``at`` is the position on the current path, ``cause`` why planning stopped on it, or None.
    ``ahead`` is the index at which the record becomes smaller than the bound, after which every
    choice is allowed, and -1 without a bound; None while the record is a prefix of the bound. While
    ``is_closing``, every task reached is suspended. ``adds_up_steps`` is True if each step
    is priced or timed; ``is_checked`` if each part may have to be left out: for a horizon, or since
    it has failed before. ``reason`` is why the latest failure happened; backtracking keeps it.
    """

    # The default of a class would be found by a slower look.
    __slots__ = (
        *("adds_up_steps", "ahead", "at", "bound", "cause", "choices", "compares_states"),
        *("costs", "duplicates", "excludes_methods", "exclusions", "expansions", "guard"),
        *("has_horizon", "is_checked", "is_closing", "listener", "log", "pending", "reason"),
        *("record", "request", "root", "settings", "stop", "table", "timed", "values", "view"),
    )

    ahead: int | None
    cause: Suspension | None
    pending: Any
    reason: Reason

    def __init__(self, request: PlanRequest, listener: SearchListener | None) -> None:
        domain, settings = request.domain, request.settings
        self.request, self.settings, self.listener = request, settings, listener
        self.bound = request.bound
        self.ahead = -1 if self.bound is None else None
        self.cause = self.pending = None
        self.is_closing, self.reason = False, ""
        self.exclusions = request.avoiding
        self.table = domain.derived(TaskTable)
        self.values = Values(request.state.values)
        self.view = ProjectedState(self.values)
        self.log: list[Entry] = []
        self.record: list[int] = []
        self.choices: list[tuple[Any, Any, int, int, Position, int]] = []
        self.at = START
        self.expansions = self.stop = 0
        self.timed = settings.horizon_time is not None
        self.has_horizon = not settings.check_rest and (settings.horizon is not None or self.timed)
        # First the goal: which tasks are recursive is known of those that it reaches.
        goal = self.table.goal(request.goal)
        self.root: Entry = (BRANCH, None, request.binding, (), START, goal, 0, None)
        self.guard = RecursionGuard(has_volatile=self.table.has_volatile)
        sums = settings.cheapest or self.table.has_values
        self.costs = Costs(domain, cheapest=settings.cheapest) if sums else None
        self.excludes_methods = bool(self.exclusions) and any(
            isinstance(method, Method) for method, _ in self.exclusions
        )
        prunes = domain.prunes_duplicates and self.costs is None and self.bound is None
        self.duplicates = Duplicates() if prunes else None
        guarded = settings.strict_recursion and bool(self.table.recursive)
        self.compares_states = guarded or self.duplicates is not None
        has_costs = self.costs is not None and self.costs.are_of_steps
        self.adds_up_steps = self.timed or has_costs
        self.is_checked = self.has_horizon or prunes

    # what is left to do

    def cell(self, body: Body, scope: Entry, behind: Cell) -> Cell:
        """Return the continuation with a body put in front of it."""
        rank = 0.0 if self.costs is None else self.costs.left(behind)
        return (body, 0, scope, behind, rank) if body.parts else behind

    def suspend(self, scope: Entry, cause: Suspension, behind: Cell) -> Cell:
        """Suspend planning on this path; the rest is planned when execution reaches it."""
        self.log.append((cause, scope, (), (), self.at))
        return self.leave(cause, behind)

    def leave(self, cause: Suspension, behind: Cell) -> Cell:
        """Stop planning on this path; return the continuation at the end of its branch."""
        self.cause = cause
        if self.costs is not None:
            self.spend(self.costs.left(behind))
        if self.listener is not None:
            cell = behind
            while cell[3] is not None:
                body, part, scope, cell, _ = cell
                self.emit_left_open(body.rest[part:], scope, cause)
        frame = self.at[3]
        return DONE if frame is None else frame.end

    def spend(self, cost: float) -> None:
        """Add to the cost of the path."""
        steps, elapsed, before, frame = self.at
        self.at = (steps, elapsed, before + cost, frame)

    # going back

    def keep(self, what: Any, alternative: Any) -> None:
        """Push a choice point: a call and the index of its next method, or a frame.

        The second value of a frame is a list that is non-empty once its alternative has a plan.
        """
        place, recorded, mark = len(self.log), len(self.record), self.view.fingerprint
        self.choices.append((what, alternative, place, recorded, self.at, mark))

    def backtrack(self) -> tuple[Any, Any]:
        """Pop the latest choice point, restore its state, and return the arguments of ``keep``."""
        if self.duplicates is not None:
            self.duplicates.fail(len(self.choices) - 1)
        what, alternative, place, recorded, at, self.view.fingerprint = self.choices.pop()
        log = self.log
        if len(log) > place:
            values = self.values
            self.guard.back(place, log, values)
            for entry in reversed(log[place:]):
                if entry[3]:
                    values.undo(entry[3])
            del log[place:]
        if len(self.record) > recorded:
            del self.record[recorded:]
            if self.ahead is not None and self.ahead >= recorded:
                self.ahead = None
        if self.at is not at:
            self.moved(at)
        self.cause = None
        return what, alternative

    def moved(self, at: Position) -> None:
        """Continue the path from this position."""
        self.at = at
        self.view.foreseeable = is_foreseeable(at)

    def go_on(self) -> None:
        """Copy log and values before looking for another plan, as the plan found keeps them."""
        self.values, self.log = self.values.copied(), self.log.copy()
        self.view.values = self.values
        self.record = self.record.copy()
        self.duplicates = None  # what has failed so far may have failed because of a rejection

    def forget(self) -> None:
        """Release everything the search holds."""
        expansions = self.expansions
        nothing = replace(self.request, state=FrozenState({}), goal=NULL, binding=())
        SearchState.__init__(self, nothing, None)
        self.expansions = expansions

    @property
    def has_steps(self) -> bool:
        """Whether the plan so far has a primitive task."""
        return any(isinstance(entry[KIND], PrimitiveRow) for entry in self.log)

    # the bound

    def may_beat(self, entry: int) -> bool:
        """Whether a plan whose record continues with this entry can beat the bound."""
        if self.bound is None or self.ahead is not None:
            return True
        left = len(self.bound) - len(self.record)
        return left > 0 and (entry < self.bound[-left] or (entry == self.bound[-left] and left > 1))

    def choose(self, entry: int) -> bool:
        """Append a choice to the record; False, without appending, if it cannot beat the bound."""
        if not self.may_beat(entry):
            return False
        self.append(entry)
        return True

    def append(self, entry: int) -> None:
        """Append a choice that may beat the bound to the record."""
        place = len(self.record)
        if self.bound is not None and self.ahead is None and entry < self.bound[place]:
            self.ahead = place
        self.record.append(entry)

    @property
    def beats_bound(self) -> bool:
        """Whether the record, as it is, beats the bound; without one, every record does."""
        return self.ahead is not None

    # events

    @property
    def wants_reasons(self) -> bool:
        """Whether reasons for failures are needed: by a listener, or for a dropped alternative."""
        frame = self.at[3]
        return self.listener is not None or (frame is not None and frame.guard is not None)

    def emit_left_open(
        self, networks: tuple[Network, ...], scope: Entry, cause: Suspension
    ) -> None:
        """Emit the event that these networks are left unplanned."""
        what = (listed, networks, scope[BINDING])
        self.emit(PlanningSuspended, what, (str, cause), scope[DEPTH])

    def reject(self, task: Task, args: Binding, scope: Entry, why: Reason) -> None:
        """Record why a task cannot be planned, and emit it."""
        self.reason = (failed, task, args, why)
        self.emit(TaskRejected, task, self.reason, scope[DEPTH], args)

    def emit(self, kind: type[SearchEvent], *fields: Any) -> None:
        """Emit an event of this kind, if there is a listener; texts in it may still be to make."""
        if self.listener is not None:
            self.listener(event(kind, fields))
