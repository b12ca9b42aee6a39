"""Why a running plan is not replaced: the search for a plan with a better record.

It is the search of a review (semantics 2.8): only plans are looked for whose record beats that of
the running plan, and the reasons say where this bound has cut the search.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from bthtn.checked import checked
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.explain import Explanation, Reason
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import PlanRequest, SearchStatus
from bthtn.engine.planning.recurring import unanswered
from bthtn.engine.text.notation import normal


@dataclass(frozen=True, slots=True)
class BetterPlan:
    """A plan whose record beats ``record``; without one, ``reasons`` say why every other failed."""

    record: MethodTraversalRecord
    plan: Plan | None
    reasons: tuple[Reason, ...]

    def __str__(self) -> str:
        if self.plan is not None:
            return f"{normal(self.plan.tree)} is better, record {self.plan.record!r}"
        lines = [f"{'  ' * (reason.depth + 1)}{reason.text}" for reason in self.reasons]
        return "\n".join([f"nothing beats the record {self.record!r}", *lines])

    def data(self) -> dict[str, Any]:
        """The answer as a dictionary for JSON."""
        found, reasons = (
            self.plan,
            [{"depth": reason.depth, "text": reason.text} for reason in self.reasons],
        )
        plan = found and {"plan": normal(found.tree), "record": list(found.record)}
        return {"beats": list(self.record), "plan": plan, "reasons": reasons}


@checked
def better_plan(asked: PlanRequest, record: MethodTraversalRecord) -> BetterPlan:
    """Search for a plan that beats the record of a running one.

    Raises PlanningError where planning raises, and where the limit of the search ends it.
    """
    explanation = Explanation()
    search = search_for(replace(asked, bound=record), explanation.add)
    if search.advance() is SearchStatus.LIMIT and search.plan is None:
        raise unanswered(search.expansions, asked)
    plan = search.plan
    return BetterPlan(record, plan, () if plan is not None else explanation.reasons())
