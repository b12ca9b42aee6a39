"""Mend: a plan that broke, kept until one part of it is planned anew, or all of it."""

from __future__ import annotations

from dataclasses import dataclass

from bthtn.errors import BthtnError
from bthtn.plan.nodes import Node
from bthtn.plan.plan import Plan
from bthtn.planning.avoided import Avoided
from bthtn.planning.protocol import Settings
from bthtn.replanning.budget import Budget
from bthtn.replanning.progress import Progress
from bthtn.replanning.repair import Breach, Repair
from bthtn.replanning.rest import Rest, rest_of
from bthtn.world.state import FrozenState


@dataclass(frozen=True, slots=True, eq=False)
class Mended:
    """A plan of which one part is new: nodes that are ``over`` are not to be run again."""

    plan: Plan
    over: frozenset[Node]
    part: str
    reason: str


class Mend:
    """Owned by one goal: what is left of its plan that broke, until it is taken up again."""

    def __init__(self, settings: Settings, budget: Budget, *, repairs: bool) -> None:
        self._settings = settings
        self._budget = budget
        self._repairs = repairs
        self._broken: tuple[Plan, Rest, str] | None = None

    def keep(self, plan: Plan, progress: Progress, node: Node | None, reason: str) -> None:
        """A plan breaks at this node; nothing is kept where that part of it was let go."""
        rest = rest_of(progress, node) if self._repairs and node is not None else None
        self._broken = None if rest is None else (plan, rest, reason)

    def forget(self) -> None:
        """The plan is not wanted any more."""
        self._broken = None

    def done(self, now: FrozenState, avoided: Avoided) -> Mended | None:
        """The plan with a new part, None when none is found with what is left of the budget."""
        if self._broken is None:
            return None
        (plan, rest, reason), self._broken = self._broken, None
        repair = Repair(Breach(plan, rest, now), self._settings, avoided)
        try:
            self._budget.advance(repair)
        except BthtnError:
            return None  # the search from the root meets the same, and tells of it
        return None if repair.plan is None else Mended(repair.plan, rest.over, repair.part, reason)
