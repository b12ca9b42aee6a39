"""Improvement: the search for a plan that is better than the running one, and unexpected.

    1  search from the actual state for a plan that beats the record of the running one; its
       result is ignored if it has read none of the changed fluents
    2  if there is one, search from the predicted state, too, which has only the effects of the
       running plan; a plan that is also found there is no surprise. There is none, without a
       search, where the running plan itself was found as the best

Both searches can be advanced in slices. The result of the first depends only on the fluents that
it has read: until one of these changes, there is no need to search again.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import Any, Final, NamedTuple

from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import first_reads
from bthtn.engine.planning.exclusions import Avoided
from bthtn.engine.planning.planner import Planner, search_for
from bthtn.engine.planning.protocol import SEARCHING, SOLVED, PlanRequest, RecordedSearch
from bthtn.engine.planning.static_reads import StaticReads
from bthtn.engine.replanning.policy import (
    Interrupt,
    Rule,
    SearchOutcome,
    Situation,
    Verdict,
    quick_verdict,
    rule_for,
)
from bthtn.engine.replanning.schedule import Budget
from bthtn.engine.world.diff import Change
from bthtn.engine.world.expression import StateView
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState
from bthtn.errors import BthtnError


class Start(NamedTuple):
    """The start of a search: a state, and the tasks and methods that it must not use."""

    state: FrozenState
    avoided: Avoided


def unless_best(predicted: Start, best_from: Start | None) -> Start | None:
    """Where a plan is predicted to stand; None if it was found as the best from the very same."""
    if best_from is None or predicted.state is not best_from.state:
        return predicted
    return None if predicted.avoided == best_from.avoided else predicted


class Improvement:
    """A search for a better plan than the running one, advanced in slices.

    ``planners`` are that of the running plan and the one that searches for a better plan; they
    differ if the agent has another domain by now, which is a surprise in itself. ``predicted`` is
    None if the running plan is known to be the best from there. ``changed`` are the fluents whose
    changes caused the search, none if something is not avoided any more; others may be set for one
    that ``stands``, to be advanced once more.
    ``interrupt`` is the policy for the result: only "surprise" needs the second search, and
    only "surprise" and "mtr" are restricted to strictly better plans. When it is done, ``plan``
    and ``found`` have the result, or ``failure`` the exception that a user's function has raised.
    """

    def __init__(
        self,
        planners: tuple[Planner[Any], Planner[Any]],
        actual: Start,
        predicted: Start | None,
        bound: MethodTraversalRecord,
        changed: frozenset[Fluent[Any]],
        interrupt: Interrupt,
    ) -> None:
        self._planner, finder = planners
        self._predicted = predicted
        self._bound = bound
        self.changed = changed
        self._avoided = actual.avoided
        self._interrupt = interrupt
        self._has_other_domain = finder is not self._planner
        self._search = self._first = self._search_from(actual, finder)
        self._is_second = False
        self.plan: Plan | None = None
        self.is_surprising = False
        self.matters = True
        """Whether the result depends on the changed fluents; True for other policies."""
        self.failure: Failure | None = None

    def advance(self, budget: Budget) -> bool:
        """Search within the rest of a budget. Returns True when the search is done."""
        try:
            if not self._advance(budget):
                return False
            if self._is_second or self._interrupt != "surprise":
                return True
            self.matters = self._has_other_domain or not self.changed or self.has_read(self.changed)
            if self.plan is None or not self.matters:
                return True
            if self._predicted is None:
                self.is_surprising = True
                return True
            self._is_second = True
            self._search = self._search_from(self._predicted, self._planner)
            return self._advance(budget)
        except BthtnError as error:
            self.plan, self.failure = None, Failure(str(error), error=error)
            return True

    @property
    def found(self) -> SearchOutcome:
        """How the new plan, if there is one, compares with the running one."""
        if self.plan is None:
            return SearchOutcome.NOTHING
        if self._interrupt in _STRICT:  # nothing else was looked for
            return SearchOutcome.BETTER
        if self.plan.record.beats(self._bound):
            return SearchOutcome.BETTER
        return SearchOutcome.WORSE if self._bound.beats(self.plan.record) else SearchOutcome.EQUAL

    def stands(self, now: StateView, avoided: Avoided, told: StaticReads) -> bool:
        """Whether it has found nothing, as a search from this state would.

        ``told`` are the static reads of what it searches for: in all that it has read, such a
        search cannot tell its start from this state.
        """
        if self.plan is not None or self.failure is not None or avoided != self._avoided:
            return False
        read = ((fluent, then, now.get(fluent)) for fluent, then in self._first.reads.items())
        return not any(
            fluent not in told or told.differ(fluent, then, value)
            for fluent, then, value in read
            if value is not then
        )

    def rule(self, *, interruptible: bool) -> Rule:
        """The line of the table that decides about the new plan, if there is one."""
        return rule_for(
            self._interrupt,
            Situation(
                valid=True,
                found=self.found,
                surprising=self.is_surprising,
                interruptible=interruptible,
            ),
        )

    def has_read(self, fluents: frozenset[Fluent[Any]]) -> bool:
        """Whether the first search has read one of these; mostly its plan shows it.

        The reads of the plan's first choices are in the state where the search started.
        """
        plan = self.plan if self._interrupt in _STRICT else None
        if plan is not None and not fluents.isdisjoint(plan.derived(_first_reads)):
            return True
        return not fluents.isdisjoint(self.reads)

    def verdict(self, rule: Rule, changes: Collection[Change]) -> Verdict:
        """The verdict of a line of the table about the result.

        Its cause is the first of the changes that the first search has read; else just the first.
        """
        cause = next(iter(changes), None)
        if len(changes) > 1:
            read = (change for change in changes if self.has_read(frozenset((change.fluent,))))
            cause = next(read, cause)
        reason = rule.because if self.failure is None else f"{rule.because}: {self.failure}"
        return quick_verdict(rule.decision, reason, cause, self.plan, self.failure, rule.because)

    @cached_property
    def reads(self) -> frozenset[Fluent[Any]]:
        """The fluents that the first search has read; none where it looked for any plan at all.

        They are asked for when the search is done.
        """
        return frozenset(self._first.reads) if self._interrupt in _STRICT else frozenset()

    def _advance(self, budget: Budget) -> bool:
        status = budget.advance(self._search)
        if status is SEARCHING:
            return False
        plan = self._search.plan if status is SOLVED else None
        if not self._is_second:
            self.plan = plan
        elif self.plan is not None:
            self.is_surprising = plan is None or self.plan.record.beats(plan.record)
        return True

    def _search_from(self, start: Start, planner: Planner[Any]) -> RecordedSearch:
        if self._interrupt in _STRICT:
            return planner.search(start.state, avoiding=start.avoided, bound=self._bound)
        question = (planner.domain, start.state, planner.goal, planner.binding, planner.settings)
        return search_for(PlanRequest(*question, avoiding=start.avoided))


_STRICT: Final[tuple[Interrupt, ...]] = ("mtr", "surprise")


def _first_reads(plan: Plan) -> frozenset[Fluent[Any]]:
    return frozenset().union(*first_reads(plan.tree))
