"""ValidityMonitor: whether what is left of a running plan still works.

To check that in every tick would be too expensive, and a change that is missed leaves a character
with a plan that does not work. So what was read decides: a check leaves the fluents that its result
depends on, and these are watched. Those of the plan's own effects that have other values than
planned count as changes, too.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.replanning.incremental_check import IncrementalCheck
from bthtn.engine.replanning.policy import Decision, Situation, Verdict, quick_verdict, rule_for
from bthtn.engine.replanning.running_plan import RunningPlan
from bthtn.engine.replanning.step_conditions import needed_by
from bthtn.engine.replanning.validity import Validity
from bthtn.engine.world.beliefs import Beliefs
from bthtn.engine.world.diff import Change
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState

_BROKEN: Final = rule_for("surprise", Situation(valid=False))
"""The line of the table for a plan that does not work, under every policy."""


class ValidityMonitor:
    """Checks the rest of a plan of this domain when something has changed that it relies on.

    ``source`` is the source of the plan's own effects.
    """

    __slots__ = (
        *("_beliefs", "_is_new", "_latest_check", "_source", "_support", "_unexpected"),
        *("_works_in", "changed_by_others", "domain"),
    )

    def __init__(self, domain: FrozenDomain, beliefs: Beliefs[Any], source: str) -> None:
        self.domain = domain
        self._beliefs = beliefs
        self._source = source
        # The fluents that the rest of the plan relies on; all, if that is not known.
        self._support = beliefs.watch(own=source)
        self.changed_by_others: Collection[Fluent[Any]] = ()
        """The fluents whose changes by others were looked at in the latest check."""
        self._is_new = False  # not checked yet
        self._works_in: FrozenState | None = None  # the new plan works in this state
        self._unexpected: Change | None = None  # an effect with another value than planned
        # The place in the plan where it was last checked, and that check.
        self._latest_check: tuple[object, IncrementalCheck] | None = None

    def adopted(self, works_in: FrozenState | None) -> None:
        """Begin with a plan. In the state that it ``works_in``, it need not be checked."""
        self._is_new, self._works_in = True, works_in
        self._unexpected = self._latest_check = None
        self._support.forget()
        self._support.over(None)

    def started(self, node: TaskNode) -> Exception | None:
        """Watch what a step of the plan needs that starts now. Returns what a condition raised."""
        if self._support.fluents is None:  # watching all of them
            return None
        needs, raised = needed_by(node, self._beliefs)
        self._support.also(needs)
        return raised

    def finished(self, written: Collection[Fluent[Any]], unexpected: Change | None) -> None:
        """Note what a step has written, and an effect with another value than planned."""
        self._support.also(written)
        self._unexpected = unexpected or self._unexpected

    def resumed(self) -> None:
        """Begin anew: a suspended part of the plan was planned."""
        self._is_new, self._works_in, self._latest_check = True, None, None
        self._support.over(None)

    def close(self) -> None:
        """Watch nothing any more."""
        self._support.close()
        self._is_new = False
        self._works_in = self._unexpected = self._latest_check = None

    def is_due(self) -> bool:
        """Whether the plan has to be checked."""
        if self._is_new and self._works_in is self._beliefs.frozen():
            self._is_new = False  # all beliefs stay watched, until the first change
        return self._is_new or self._unexpected is not None or bool(self._support.changes)

    def verdict(self, running: RunningPlan) -> Verdict | None:
        """Check what is left: to abort, or to keep it, if the changes could have mattered."""
        changes, unexpected = dict(by_others := self._support.changes), self._unexpected
        if unexpected is not None:
            changes.setdefault(unexpected.fluent, unexpected)
        watched, self._is_new, self._unexpected = self._support.fluents, False, None
        self._support.forget()
        self.changed_by_others = frozenset(by_others)
        validity = self._checked(running, by_others)
        failure = validity.failure
        self._support.over(validity.support)
        running.give_up(validity.ended)
        running.report(validity.raised)
        if failure is not None:
            cause = next(
                (change for change in changes.values() if change.fluent in failure.reads), None
            )
            is_own = cause is None or cause.source is self._source
            if is_own and failure.node in running.at_work().steps:
                return None  # its ``during`` condition: the step itself fails in this tick
            rule = _BROKEN
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

    def _checked(self, running: RunningPlan, changed: Collection[Fluent[Any]]) -> Validity:
        """Whether the rest works; checked if what others have ``changed`` may matter to it."""
        place, known = running.place(), self._latest_check
        if known is not None and known[0] == place and known[1].still(self._beliefs):
            return known[1].validity
        now = self._beliefs.frozen()
        check = IncrementalCheck(running.rest(), self.domain, now, changed)
        self._latest_check = (place, check) if check.validity.is_lasting else None
        return check.validity
