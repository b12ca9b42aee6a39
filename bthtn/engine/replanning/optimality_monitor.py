"""OptimalityMonitor: whether there is a better plan than the running one, and a surprise.

To search in every tick would be too expensive. So what was read decides: a search that finds
nothing better leaves the fluents that it has read, and until one of them changes, another search
would find nothing by the same way. That is true only in the state in which it began: once a step
of the plan has written one of them, all fluents are watched until there was another search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

from bthtn.engine.plan.equivalence import comparable_record, followed_by, is_first_choice
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.traversal_record import NO_RECORD, MethodTraversalRecord
from bthtn.engine.planning.exclusions import NOTHING_AVOIDED, Avoidable, Avoided
from bthtn.engine.planning.planner import Planner
from bthtn.engine.planning.static_reads import StaticReads, static_reads
from bthtn.engine.replanning.improvement import Improvement, Start, unless_best
from bthtn.engine.replanning.own_effects import OwnEffects
from bthtn.engine.replanning.policy import Decision, Replanning, Rule, Verdict, quick_verdict
from bthtn.engine.replanning.running_plan import RunningPlan
from bthtn.engine.replanning.schedule import Budget
from bthtn.engine.world.beliefs import SENSOR, Beliefs
from bthtn.engine.world.diff import Change, difference
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState


class OptimalityMonitor:
    """Searches for a better plan than ``plan`` when something has changed that could make one.

    ``own`` are the effects of the plan, ``avoided`` returns the tasks and methods that plans must
    not use now, ``ended_by`` the change because of which one of them may be used again, if there
    is one.
    """

    __slots__ = (
        *("__dict__", "_age", "_avoided", "_avoided_last", "_avoided_then", "_beliefs"),
        *("_best_from", "_better_since", "_bound", "_causes", "_chances", "_ended_by", "_finder"),
        *("_has_moved", "_is_due", "_is_due_anyway", "_own", "_planner", "_proof", "_replanning"),
        *("_search", "plan"),
    )

    def __init__(
        self,
        planner: Planner[Any],
        beliefs: Beliefs[Any],
        own: OwnEffects,
        replanning: Replanning,
        avoided: Callable[[], Avoided],
        ended_by: Callable[[Avoidable], Change | None],
    ) -> None:
        self._planner = planner  # that of the running plan
        self._finder = planner  # the one that searches for better plans
        self._beliefs = beliefs
        self._own = own
        self._replanning = replanning
        self._avoided = avoided
        self._ended_by = ended_by
        # What was avoided when the plan was adopted, and in the last tick.
        self._avoided_then = self._avoided_last = NOTHING_AVOIDED
        # The fluents that could make another plan better; all, if that is not known.
        self._chances = beliefs.watch(own=own.source)
        self.plan: Plan | None = None
        self._best_from: Start | None = None  # a search from there has found nothing better
        self._bound: tuple[MethodTraversalRecord, bool] | None = None  # made when it is asked for
        self._age = 0  # of the plan, in ticks
        self._search: Improvement | None = None
        self._causes: dict[Fluent[Any], Change] = {}  # the changes that started the search
        self._has_moved = False  # a step has ended since the search started
        # The latest search, if it has found nothing and its reads are watched.
        self._proof: Improvement | None = None
        self._better_since: int | None = None  # the age at which the better plan was first found
        self._is_due = False  # a search is wanted without any further change
        self._is_due_anyway = False  # and its result counts, whatever has changed

    def _forget(self) -> None:
        """Drop all findings about a plan, and a search; the watch stays."""
        self._chances.forget()
        self._search = self._proof = self._better_since = None
        self._causes = {}
        self._has_moved = self._is_due = self._is_due_anyway = False

    @property
    def _is_exact(self) -> bool:
        """Whether only relevant changes start a search, as opposed to all of them."""
        return self._replanning.interrupt == "surprise"

    def plan_with(self, planner: Planner[Any]) -> None:
        """Set the planner of the next plan to run, which also searches for better plans."""
        self._planner = planner
        if planner is not self._finder:
            self._find_with(planner)

    # how the plan goes on

    def adopted(self, plan: Plan, works_in: FrozenState | None, found: Start | None) -> None:
        """Begin with a plan that starts now.

        ``found`` is where the search began that has found it, or whose failure made a repair
        necessary: what has changed since may make a better plan possible.
        """
        self._forget()
        self.plan, self._bound, self._age = plan, None, 0
        self._avoided_then = self._avoided_last = self._avoided()
        self._watch_chances(None)
        if found is not None:
            self._catch_up(found.state, self._own.start if works_in is None else works_in)
        self._best_from = None if works_in is None else found

    def _catch_up(self, found_in: FrozenState, now: FrozenState) -> None:
        """Count the changes since the search for the plan began as changes since its adoption."""
        if found_in is now or self._is_best:
            return
        reads = self._static_reads if self._is_exact else None
        for change in difference(found_in, now, SENSOR):
            if reads is None or change.fluent in reads:
                self._causes[change.fluent] = change
        if self._causes:
            self._is_due = True
            before = {change.fluent: change.before for change in self._causes.values()}
            self._own.start = self._own.start.changed(before)

    def finished(self, written: set[Fluent[Any]]) -> None:
        """Note what a step of the plan has written."""
        self._has_moved = True
        if not written.isdisjoint(self._chances.fluents or ()):
            self._watch_chances(None)

    def resumed(self, plan: Plan) -> None:
        """Note that a suspended part of the plan was planned."""
        self._bound = followed_by(self._comparable, plan)
        self._best_from = None
        self._watch_chances(None)

    def close(self) -> None:
        """Watch nothing any more, and drop a search."""
        self._chances.close()
        self._forget()

    # what a better plan has to beat

    @property
    def bound(self) -> MethodTraversalRecord:
        """The record that a better plan has to beat."""
        return self._comparable[0]

    @property
    def _comparable(self) -> tuple[MethodTraversalRecord, bool]:
        """The bound, and whether it is the whole record of the plan."""
        if self._bound is None:
            plan = self.plan
            self._bound = (NO_RECORD, True) if plan is None else plan.derived(comparable_record)
        return self._bound

    @property
    def _is_best(self) -> bool:
        """Whether nothing can be better.

        Nothing beats a record of zeros; with costs, plans are compared by costs alone.
        """
        if self._finder.minimizes:
            return True
        if not self._is_exact:
            return False
        if self._bound is None and self.plan is not None:
            return self.plan.derived(is_first_choice)
        return not any(self.bound)

    # when there is something to look for

    def tick(self, finder: Planner[Any]) -> None:
        """Begin another tick, and search for better plans with this planner from now on."""
        self._age += 1
        if finder is not self._finder:
            self._find_with(finder)
            self._search, self._is_due = None, True
            self._watch_chances(None)
        if self._is_something_free_again():
            self._is_due = self._is_due_anyway = True

    def is_due(self) -> bool:
        """Whether a watched fluent has changed, or a search has to go on or to start."""
        return self._is_due or self._search is not None or bool(self._chances.changes)

    @property
    def is_committed(self) -> bool:
        """Whether the plan is too young to be replaced."""
        return self._age < self._replanning.minimum_commitment

    def _is_something_free_again(self) -> bool:
        """Whether something that was avoided in the last tick is not any more, and could help."""
        before, self._avoided_last = self._avoided_last, self._avoided()
        if before is self._avoided_last or self._is_best:
            return False
        free = [what for what in before if what not in self._avoided_last]
        changes = filter(None, map(self._ended_by, free))
        self._causes |= {change.fluent: change for change in changes}
        return bool(free)

    @cached_property
    def _static_reads(self) -> StaticReads | None:
        return static_reads(self._finder.domain, self._finder.goal)

    def _find_with(self, planner: Planner[Any]) -> None:
        self._finder = planner
        vars(self).pop("_static_reads", None)

    def _relevant_changes(self) -> list[Change]:
        """The changes that can affect the result of a search; others are discarded."""
        changes = self._chances.changes.values()
        if not changes:
            return []
        reads = self._static_reads if self._is_exact and self._chances.fluents is None else None
        relevant = [change for change in changes if reads is None or change.fluent in reads]
        if not relevant:
            self._chances.forget()
            if reads is not None and not reads.families:
                self._chances.over(reads.fluents)
        return relevant

    def _watch_chances(self, search: Improvement | None) -> None:
        """Watch what a search from this state has read; all if None, and nothing for the best."""
        self._proof = search
        if self._is_best:
            self._is_due = False
            self._chances.over(())
        else:
            self._chances.over(None if search is None else search.reads)

    # the search

    def verdicts(self, running: RunningPlan, budget: Budget) -> Iterator[Verdict]:
        """Search within the budget. Yields what follows from the result, if it is of interest."""
        search = self._search
        relevant = [] if search is not None else self._relevant_changes()
        if search is None and not (self._is_due or relevant):
            return
        steps, are_interruptible = running.at_work()
        interruptible = are_interruptible and not self.is_committed
        if search is not None or interruptible:
            is_fresh = search is None
            self._search = search = search or self._begun(steps, relevant)
            if search.advance(budget):
                self._search = None
                yield from self._judged(search, is_fresh=is_fresh, interruptible=interruptible)
            else:
                self._chances.over(None)
                if self._replanning.meanwhile == "cut" and interruptible:
                    reason = "a better plan is being looked for"
                    change = next(iter(self._causes.values()), None)
                    yield quick_verdict(Decision.BREAK_OFF, reason, change)

    def _begun(self, running: list[TaskNode], relevant: list[Change]) -> Improvement:
        """A search from the beliefs of now; the last one, if it would go the same way again."""
        self._causes |= {change.fluent: change for change in relevant}
        changed = frozenset(() if self._is_due_anyway else self._causes)
        self._chances.forget()
        self._is_due = self._is_due_anyway = self._has_moved = False
        proof, told, avoided = self._proof, self._static_reads, self._avoided()
        if proof is not None and told is not None and proof.stands(self._beliefs, avoided, told):
            proof.changed = changed
            return proof
        return Improvement(
            (self._planner, self._finder),
            Start(self._beliefs.frozen(), avoided),
            unless_best(Start(self._own.expected(running), self._avoided_then), self._best_from),
            self.bound,
            changed,
            self._replanning.interrupt,
        )

    def _judged(
        self, search: Improvement, *, is_fresh: bool, interruptible: bool
    ) -> Iterator[Verdict]:
        plan = search.plan
        if plan is not None and not is_fresh and not replay(plan, self._beliefs.frozen()).ok:
            self._is_due = True
            return
        tells = search.matters or search.failure is not None
        rule = search.rule(interruptible=interruptible)
        # What the search has read is of no interest where its plan is adopted.
        adopts = tells and rule.decision is Decision.ADOPT and not self._replanning.hysteresis
        if adopts:
            self._chances.over(None)
        else:
            self._watch_reads(search)
        verdict = self._verdict(search, rule, interruptible=interruptible) if tells else None
        if not self._is_due:
            self._causes = {}
        if verdict is not None:
            yield verdict
        if adopts and self.plan is not plan:  # it could not start
            self._watch_reads(search)

    def _watch_reads(self, search: Improvement) -> None:
        """Watch the fluents that could change the result of a search: its reads, or all."""
        proven = self._is_exact and not self._has_moved
        self._watch_chances(search if proven else None)
        if proven and search.reads.isdisjoint(self._chances.changes):
            self._chances.forget()

    def _verdict(self, search: Improvement, rule: Rule, *, interruptible: bool) -> Verdict:
        verdict = search.verdict(rule, self._causes.values())
        self._is_due |= search.plan is not None and not interruptible
        if rule.decision is not Decision.ADOPT:
            self._better_since = None
            return verdict
        since = self._better_since = self._age if self._better_since is None else self._better_since
        waited, wanted = self._age - since, self._replanning.hysteresis
        if waited < wanted:
            self._is_due = self._is_due_anyway = True
            reason = f"{rule.because}, for {waited} of {wanted} ticks"
            return replace(verdict, decision=Decision.KEEP, reason=reason)
        return verdict
