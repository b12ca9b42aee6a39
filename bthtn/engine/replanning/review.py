"""Review: decides once per tick whether a running plan is kept, replaced or aborted.

    others changed a fluent that the rest of the plan relies on    check whether it still works
    others changed a fluent that the last search for a better
    plan has read                                                  search again, unless that would
                                                                   find nothing by the same way
    neither                                                        nothing is done

The plan's own effects cause neither, unless their values differ from the planned ones.

A check or a search in every tick would be too expensive, and a change that is missed leaves a
character with a plan that does not work. So what was read decides: the last check and the last
search have each left the fluents that their results depend on, and these are watched. That is true
of the search only in the state in which it began: once a step of the plan has written one of them,
all fluents are watched until there was another search.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

from bthtn.engine.plan.equivalence import comparable_record, followed_by, is_first_choice
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.exclusions import NOTHING_AVOIDED, Avoidable, Avoided
from bthtn.engine.planning.planner import Planner
from bthtn.engine.planning.static_reads import StaticReads, static_reads
from bthtn.engine.replanning.improvement import Improvement, Start, unless_best
from bthtn.engine.replanning.incremental_check import IncrementalCheck
from bthtn.engine.replanning.own_effects import OwnEffects
from bthtn.engine.replanning.policy import (
    DEFAULT_REPLANNING,
    Decision,
    Replanning,
    Rule,
    Situation,
    Verdict,
    quick_verdict,
    rule_for,
)
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.replanning.schedule import Budget
from bthtn.engine.replanning.step_conditions import needed_by
from bthtn.engine.replanning.validity import Validity
from bthtn.engine.world.beliefs import SENSOR, Beliefs
from bthtn.engine.world.diff import Change, difference
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState

NO_RECORD: Final = MethodTraversalRecord()


class AtWork(NamedTuple):
    """The steps of a plan that are running, and whether a better plan may interrupt them."""

    steps: list[TaskNode]
    are_interruptible: bool


class RunningPlan(Protocol):
    """**Protocol:** a plan that runs. It is asked only if the plan has to be checked."""

    def rest(self) -> Rest:
        """What is left of it."""
        ...

    def place(self) -> object:
        """A key that is equal only as long as the rest is the same."""
        ...

    def give_up(self, ended: Iterable[Failure]) -> None:
        """Let running steps fail whose precondition does not hold any more, in their next tick."""
        ...

    def report(self, raised: Iterable[Failure]) -> None:
        """Report the exceptions of conditions of running steps, which go on."""
        ...

    def at_work(self) -> AtWork:
        """The steps that are running, and whether it may be replaced by a better plan now."""
        ...


class Review:
    """Decides whether the running plan of one goal is kept, replaced or aborted.

    ``source`` is the source of the goal's own effects, ``avoided`` returns the tasks and methods
    that plans must not use now, ``ended_by`` the change because of which one of them may be used
    again, if there is one. A plan is under review from ``adopted`` to ``close``.
    """

    def __init__(
        self,
        planner: Planner[Any],
        beliefs: Beliefs[Any],
        source: str,
        replanning: Replanning = DEFAULT_REPLANNING,
        avoided: Callable[[], Avoided] = lambda: NOTHING_AVOIDED,
        ended_by: Callable[[Avoidable], Change | None] = lambda _: None,
    ) -> None:
        self.replanning = replanning
        self._planner = planner  # that of the running plan
        self._finder = planner  # the one that searches for better plans
        self._beliefs = beliefs
        self._source = source
        self._avoided = avoided
        self._ended_by = ended_by
        # What was avoided when the plan was adopted, and in the last tick.
        self._avoided_then = self._avoided_last = NOTHING_AVOIDED
        # Fluents on which the rest of the plan relies, and fluents that could make another better.
        self._support, self._chances = beliefs.watch(own=source), beliefs.watch(own=source)
        self._own = OwnEffects(beliefs, source)
        self._adopted: Plan | None = None
        self._best_from: Start | None = None  # a search from there has found nothing better
        self._bound: tuple[MethodTraversalRecord, bool] | None = None  # made when it is asked for
        self._age = 0  # in ticks
        self._better_since: int | None = None  # the age at which the better plan was first found
        self._is_new = False  # not validated yet
        self._works_in: FrozenState | None = None  # the new plan works in this state
        # The place in the plan where it was last checked, and that check.
        self._latest_check: tuple[object, IncrementalCheck] | None = None
        self._is_best = False  # nothing can be better
        self._is_proven = False  # a search found nothing better, and its reads are watched
        self._proof: Improvement | None = None  # that search, unless it was before a save
        self._is_due = False  # a search is wanted without any further change
        self._is_free = False  # so it is whatever has changed: something is not avoided any more
        self._search: Improvement | None = None
        self._causes: dict[Fluent[Any], Change] = {}  # the changes that started the search
        self._unexpected: Change | None = None  # an effect with another value than planned
        self._has_moved = False  # a step has ended since the search started

    @property
    def _is_exact(self) -> bool:
        """Whether only relevant changes start a search, as opposed to all of them."""
        return self.replanning.interrupt == "surprise"

    def plan_with(self, planner: Planner[Any]) -> None:
        """Set the planner of the next plan to run, which also searches for better plans."""
        self._planner = planner
        if planner is not self._finder:
            self._find_with(planner)

    def look_with(self, planner: Planner[Any]) -> None:
        """Search for better plans than the running one with this planner, now and from now on."""
        if planner is not self._finder:
            self._find_with(planner)
            self._search, self._is_due = None, True
            self._watch_chances(None)

    def adopted(
        self,
        plan: Plan,
        works_in: FrozenState | None = None,
        found: Start | None = None,
    ) -> None:
        """Begin the review of a plan that starts now.

        It works in the state ``works_in``: while that is believed, the plan needs no check.
        ``found`` is where the search began that has found it, or whose failure made a repair
        necessary: what has changed since may make a better plan possible.
        """
        self._forget()
        self._works_in = works_in
        self._own.begin()
        self._adopted, self._bound = plan, None
        self._age, self._is_new = 0, True
        self._avoided_then = self._avoided_last = self._avoided()
        self._support.over(None)
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

    def started(self, node: TaskNode) -> Exception | None:
        """Watch what a step of the plan needs that starts now. Returns what a condition raised."""
        if self._support.fluents is None:  # watching all of them
            return None
        needs, raised = needed_by(node, self._beliefs)
        self._support.also(needs)
        return raised

    def finished(self, node: TaskNode, written: Iterable[Fluent[Any]]) -> None:
        """Note a step of the plan that has succeeded and written these fluents."""
        self._unexpected = self._own.finished(node) or self._unexpected
        touched = {*written, *node.footprint.writes}
        self._support.also(touched)
        self._has_moved = True
        if self._is_proven and not touched.isdisjoint(self._chances.fluents or ()):
            self._watch_chances(None)

    def resumed(self, plan: Plan) -> None:
        """Note that a suspended part of the plan was planned."""
        self._bound = followed_by(self._comparable, plan)
        self._is_new, self._works_in, self._latest_check = True, None, None
        self._best_from = None
        self._support.over(None)
        self._watch_chances(None)

    def verdicts(self, running: RunningPlan, budget: Budget) -> Iterator[Verdict]:
        """The verdicts about the plan in this tick; the last one counts."""
        self._age += 1
        self._is_free |= self._is_something_free_again()
        self._is_due |= self._is_free
        if self._is_new and self._works_in is self._beliefs.frozen():
            self._is_new = False  # all beliefs stay watched, until the first change
        if not (self._is_new or self._unexpected is not None or self._is_looking):
            return iter(())
        return self._reviewed(running, budget)

    def _is_something_free_again(self) -> bool:
        """Whether something that was avoided in the last tick is not any more, and could help."""
        before, self._avoided_last = self._avoided_last, self._avoided()
        if self._is_best or before is self._avoided_last:
            return False
        free = [what for what in before if what not in self._avoided_last]
        changes = filter(None, map(self._ended_by, free))
        self._causes |= {change.fluent: change for change in changes}
        return bool(free)

    @property
    def _is_looking(self) -> bool:
        """Whether a watched fluent has changed, or a search has to go on or to start."""
        changes = self._support.changes or self._chances.changes
        return bool(changes) or self._search is not None or self._is_due

    @property
    def is_settled(self) -> bool:
        """Whether nothing is to be decided, in any tick, until something changes."""
        return not (
            self._is_new
            or self._unexpected is not None
            or self._is_looking
            or self._age < self.replanning.minimum_commitment
        )

    def _reviewed(self, running: RunningPlan, budget: Budget) -> Iterator[Verdict]:
        relevant = [] if self._search is not None else self._relevant_changes()
        is_wanted = self._search is not None or self._is_due or bool(relevant)
        is_late = self._age >= self.replanning.minimum_commitment
        steps, interruptible = running.at_work() if is_wanted else ([], False)
        ready, plan = is_wanted and is_late and interruptible, self._adopted
        kept: Verdict | None = None
        if ready or self._search is not None:
            search = self._search or self._start_search(steps, relevant)
            for verdict in self._improved(search, budget, interruptible=ready):
                if verdict.decision is Decision.KEEP:
                    kept = verdict  # which is not so if the plan does not work
                else:
                    yield verdict
        is_unchecked = self._is_new or bool(self._support.changes) or self._unexpected is not None
        if is_unchecked and self._adopted is plan:  # else nobody asks any more whether it works
            checked = self._validated(running)
            if checked is not None:
                yield checked
                kept = kept if checked.decision is Decision.KEEP else None
        if kept is not None:
            yield kept

    def close(self) -> None:
        """End the review: remove the watches, and drop a search."""
        self._support.close()
        self._chances.close()
        self._forget()

    def _forget(self) -> None:
        """Drop all findings about a plan, and a search; the watches stay."""
        self._support.forget()
        self._chances.forget()
        self._search = self._unexpected = self._better_since = self._latest_check = None
        self._proof = None
        self._causes = {}
        self._is_new = self._is_due = self._is_free = self._has_moved = False

    @property
    def bound(self) -> MethodTraversalRecord:
        """The record that a better plan has to beat."""
        return self._comparable[0]

    @property
    def _comparable(self) -> tuple[MethodTraversalRecord, bool]:
        """The bound, and whether it is the whole record of the plan."""
        if self._bound is None:
            plan = self._adopted
            self._bound = (NO_RECORD, True) if plan is None else plan.derived(comparable_record)
        return self._bound

    @property
    def predicted(self) -> FrozenState:
        """The state at adoption, with the effects and expected effects of finished steps."""
        return self._own.predicted

    # validation

    def _validated(self, running: RunningPlan) -> Verdict | None:
        changes, unexpected = dict(by_others := self._support.changes), self._unexpected
        if unexpected is not None:
            changes.setdefault(unexpected.fluent, unexpected)
        watched, self._is_new, self._unexpected = self._support.fluents, False, None
        self._support.forget()
        validity = self._validity(running, by_others)
        failure = validity.failure
        self._support.over(validity.support)
        running.give_up(validity.ended)
        running.report(validity.raised)
        if failure is not None:
            rule = rule_for(self.replanning.interrupt, Situation(valid=False))
            cause = next(
                (change for change in changes.values() if change.fluent in failure.reads), None
            )
            is_own = cause is None or cause.source is self._source
            if is_own and failure.node in running.at_work().steps:
                return None  # its ``during`` condition: the step itself fails in this tick
            return quick_verdict(
                rule.decision, failure.why, cause, failure=failure, rule=rule.because
            )
        about = [
            change
            for change in changes.values()
            if (watched is not None and change is not unexpected)
            or change.fluent in validity.support
        ]
        return quick_verdict(Decision.KEEP, "the rest still works", about[0]) if about else None

    def _validity(self, running: RunningPlan, changed: Collection[Fluent[Any]]) -> Validity:
        """Whether the rest works; checked if what others have ``changed`` may matter to it."""
        place, known = running.place(), self._latest_check
        if known is not None and known[0] == place and known[1].still(self._beliefs):
            return known[1].validity
        now = self._beliefs.frozen()
        check = IncrementalCheck(running.rest(), self._planner.domain, now, changed)
        self._latest_check = (place, check) if check.validity.is_lasting else None
        return check.validity

    # improvement

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
        reads = self._static_reads if self._is_exact and not self._is_proven else None
        relevant = [change for change in changes if reads is None or change.fluent in reads]
        if not relevant:
            self._chances.forget()
            if reads is not None and not reads.families:
                self._chances.over(reads.fluents)
        return relevant

    def _watch_chances(self, search: Improvement | None) -> None:
        """Watch the fluents that a search from this state has read; None watches all fluents."""
        self._proof, self._is_proven = search, search is not None
        # Nothing beats a record of zeros; with costs, plans are compared by costs alone.
        plan = self._adopted if self._bound is None else None
        is_first = not any(self.bound) if plan is None else plan.derived(is_first_choice)
        self._is_best = (self._is_exact and is_first) or self._finder.minimizes
        if self._is_best:
            self._is_proven, self._is_due = True, False
            self._chances.over(())
        else:
            self._chances.over(None if search is None else search.reads)

    def _improved(
        self, search: Improvement, budget: Budget, *, interruptible: bool
    ) -> Iterator[Verdict]:
        is_fresh, self._search = self._search is None, search
        if not search.advance(budget):
            self._chances.over(None)
            if self.replanning.meanwhile == "cut" and interruptible:
                reason = "a better plan is being looked for"
                change = next(iter(self._causes.values()), None)
                yield quick_verdict(Decision.ABORT, reason, change=change)
            return
        self._search = None
        plan = search.plan
        if plan is not None and not is_fresh and not replay(plan, self._beliefs.frozen()).ok:
            self._is_due = True
            return
        tells = search.matters or search.failure is not None
        rule = search.rule(interruptible=interruptible)
        # What the search has read is of no interest where its plan is adopted.
        adopts = tells and rule.decision is Decision.ADOPT and not self.replanning.hysteresis
        if adopts:
            self._chances.over(None)
        else:
            self._watch_reads(search)
        verdict = self._judged(search, rule, interruptible=interruptible) if tells else None
        if not self._is_due:
            self._causes = {}
        if verdict is not None:
            yield verdict
        if adopts and self._adopted is not plan:  # it could not start
            self._watch_reads(search)

    def _watch_reads(self, search: Improvement) -> None:
        """Watch the fluents that could change the result of a search: its reads, or all."""
        proven = self._is_exact and not self._has_moved
        self._watch_chances(search if proven else None)
        if proven and search.reads.isdisjoint(self._chances.changes):
            self._chances.forget()

    def _start_search(self, running: list[TaskNode], relevant: list[Change]) -> Improvement:
        self._causes |= {change.fluent: change for change in relevant}
        # Whatever has changed: what was avoided may be better.
        changed = frozenset(() if self._is_free else self._causes)
        self._chances.forget()
        self._is_due = self._is_free = self._has_moved = False
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
            self.replanning.interrupt,
        )

    def _judged(self, search: Improvement, rule: Rule, *, interruptible: bool) -> Verdict:
        verdict = search.verdict(rule, self._causes.values())
        self._is_due |= search.plan is not None and not interruptible
        if rule.decision is not Decision.ADOPT:
            self._better_since = None
            return verdict
        since = self._better_since = self._age if self._better_since is None else self._better_since
        waited, wanted = self._age - since, self.replanning.hysteresis
        if waited < wanted:
            self._is_due = self._is_free = True
            reason = f"{rule.because}, for {waited} of {wanted} ticks"
            return replace(verdict, decision=Decision.KEEP, reason=reason)
        return verdict
