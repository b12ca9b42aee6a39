"""SearchState: everything that one search changes while it works, and how it goes back.

Backtracking restores lengths (log, record, choices) and pointers (what is left to do, position).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from bthtn.domain.network import NULL, Network
from bthtn.plan.nodes import Suspension
from bthtn.planning.htn.costs import Costs
from bthtn.planning.htn.duplicates import Duplicates
from bthtn.planning.htn.guard import RecursionGuard
from bthtn.planning.htn.log import (
    BINDING,
    BRANCH,
    DEPTH,
    GIVEN,
    KIND,
    Cell,
    Contribution,
    Entry,
    Position,
    is_foreseeable,
)
from bthtn.planning.htn.reasons import Reason, left_open, suspended
from bthtn.planning.htn.rows import Body, EndPart, PrimitiveRow
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.htn.values import ProjectedState, Values
from bthtn.planning.protocol import PlanRequest
from bthtn.planning.trace import SearchEvent, SearchListener
from bthtn.world.state import FrozenState

START: Final[Position] = (0, 0.0, 0.0, None)
END: Final = Body(None, (EndPart(),), 0)
DONE: Final[Cell] = (END, 0, None, None, 0.0)
"""Behind the goal: nothing is left to do."""
STOPPED: Final[Cell] = ()
"""The budget is used up: ``pending`` goes on."""


class SearchState:
    """Owned by one search; nobody else sees it.

    ``at`` is the position of the path being planned, ``cause`` why nothing more is planned on it.
    ``ahead`` is where the record is smaller than the bound: behind that place everything is
    allowed, before there is one they are equal as far as the record goes. While ``is_closing``,
    every task that is reached is left open. ``is_quick``: nobody wants to know more than the
    plan. ``is_watched``: every step is looked at, by somebody who listens, adds up, or cuts the
    search short. ``reason`` is the last thing that was impossible, the one thing that
    backtracking does not take back.
    """

    ahead: int | None = None
    cause: Suspension | None = None
    is_closing = False
    pending: Any = None
    reason: Reason = ""
    stop = 0

    def __init__(self, request: PlanRequest, listener: SearchListener | None) -> None:
        domain, settings = request.domain, request.settings
        self.request = request
        self.settings = settings
        self.listener = listener
        self.bound = request.bound
        self.exclusions = request.avoiding
        self.table = domain.derived(TaskTable)
        self.values = Values(request.state.values)
        self.view = ProjectedState(self.values)
        self.log: list[Entry] = []
        self.record: list[int] = []
        self.choices: list[tuple[Any, Any, int, int, Position, int]] = []
        self.at = START
        self.expansions = 0
        self.timed = settings.horizon_time is not None
        self.has_horizon = not settings.check_rest and (settings.horizon is not None or self.timed)
        self.guard = RecursionGuard(has_volatile=self.table.has_volatile)
        self.costs = Costs.of(domain, cheapest=settings.cheapest)
        plain = self.costs is None and self.bound is None
        self.is_quick = plain and listener is None and not self.exclusions
        self.duplicates = Duplicates(settings) if domain.prunes_duplicates and plain else None
        guarded = settings.strict_recursion and bool(self.table.recursive)
        self.compares_states = guarded or self.duplicates is not None
        self.is_watched = not self.is_quick or self.has_horizon or self.duplicates is not None
        body = self.table.goal(request.goal)
        self.root: Entry = (BRANCH, None, request.binding, (), START, body, 0, None)

    # what is left to do

    def cell(self, body: Body, scope: Entry, behind: Cell) -> Cell:
        """What is left to do when a body is put in front of it."""
        rank = 0.0 if self.costs is None else self.costs.left(behind)
        return (body, 0, scope, behind, rank) if body.parts else behind

    def suspend(self, scope: Entry, given: Contribution, behind: Cell) -> Cell:
        """Stop planning on this path; what is left is planned when execution gets here."""
        self.log.append((GIVEN, scope, (), (), self.at, given))
        assert given.cause is not None, "what is suspended has a cause"
        return self.leave(given.cause, behind)

    def leave(self, cause: Suspension, behind: Cell) -> Cell:
        """Plan nothing more on this path: go on where it ends."""
        self.cause = cause
        if self.costs is not None:
            self.spend(self.costs.left(behind))
        if self.listener is not None:
            for event in suspended(behind, cause):
                self.listener(event)
        frame = self.at[3]
        return DONE if frame is None else frame.end

    def spend(self, cost: float) -> None:
        """Add to the cost of the path."""
        steps, elapsed, before, frame = self.at
        self.at = (steps, elapsed, before + cost, frame)

    # going back

    def keep(self, what: Any, alternative: Any) -> None:
        """A choice point: a call and the number of its next method, or a frame.

        With a frame stands whether its alternative could be planned.
        """
        lengths = len(self.log), len(self.record)
        self.choices.append((what, alternative, *lengths, self.at, self.view.fingerprint))

    def backtrack(self) -> tuple[Any, Any]:
        """Everything as it was at the latest choice; what that was."""
        if self.duplicates is not None:
            self.duplicates.fail(len(self.choices) - 1)
        what, alternative, place, recorded, at, self.view.fingerprint = self.choices.pop()
        log = self.log
        if len(log) > place:
            values = self.values
            self.guard.note_reads(log, values)
            for entry in reversed(log[place:]):
                if entry[3]:
                    values.undo(entry[3])
            del log[place:]
            self.guard.back(place)
        if len(self.record) > recorded:
            del self.record[recorded:]
            if self.ahead is not None and self.ahead >= recorded:
                self.ahead = None
        if self.at is not at:
            self.moved(at)
        self.cause = None
        return what, alternative

    def moved(self, at: Position) -> None:
        """The path goes on from this position."""
        self.at = at
        self.view.foreseeable = is_foreseeable(at)

    def go_on(self) -> None:
        """Look for another plan; what was found keeps its log and its values."""
        self.values, self.log = self.values.copied(), self.log.copy()
        self.view.values = self.values
        self.record = self.record.copy()
        self.duplicates = None  # what has failed so far may have failed because of a rejection

    def forget(self) -> None:
        """Let go of everything."""
        self.log, self.record, self.choices, self.pending = [], [], [], None
        self.values = self.view.values = Values({})
        self.request = replace(self.request, state=FrozenState({}), goal=NULL, binding=())
        self.root = (BRANCH, None, (), (), START, END, 0, None)
        self.at, self.cause = START, None

    @property
    def has_steps(self) -> bool:
        """Whether anything is planned that is to be done."""
        return any(isinstance(entry[KIND], PrimitiveRow) for entry in self.log)

    # the bound

    def may_beat(self, entry: int) -> bool:
        """Whether a plan whose record goes on with this entry can beat the bound."""
        if self.bound is None or self.ahead is not None:
            return True
        left = len(self.bound) - len(self.record)
        return left > 0 and (entry, 1) < (self.bound[-left], left)

    def choose(self, entry: int) -> bool:
        """Put a choice into the record; False, and nothing done, when it cannot beat the bound."""
        if self.bound is not None and self.ahead is None:
            if not self.may_beat(entry):
                return False
            if entry < self.bound[len(self.record)]:
                self.ahead = len(self.record)
        self.record.append(entry)
        return True

    @property
    def beats_bound(self) -> bool:
        """Whether the record, as it is, beats the bound; without one, every record does."""
        return self.bound is None or self.ahead is not None

    # telling

    @property
    def wants_reasons(self) -> bool:
        """Whether anybody will ask why something was impossible.

        Of an alternative that is dropped the last reason is told.
        """
        frame = self.at[3]
        return self.listener is not None or (frame is not None and frame.guard is not None)

    def tell_left_open(
        self, networks: tuple[Network, ...], scope: Entry, cause: Suspension
    ) -> None:
        """Tell the listener that planning stops at these networks."""
        if self.listener is not None:
            self.listener(left_open(networks, scope[BINDING], cause, scope[DEPTH]))

    def tell(self, event: SearchEvent) -> None:
        """Tell the listener, if there is one."""
        if self.listener is not None:
            self.listener(event)
