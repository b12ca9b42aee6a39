"""Review: decides once per tick whether a running plan is kept, replaced or broken off.

    others changed a fluent that the last search for a better
    plan has read                                                  is there something better now?
    others changed a fluent that the rest of the plan relies on    does it still work? If there is
                                                                   something better, nobody asks
    neither                                                        nothing is done

The plan's own effects cause neither, unless their values differ from the planned ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.exclusions import NOTHING_AVOIDED, Avoidable, Avoided
from bthtn.engine.planning.planner import Planner
from bthtn.engine.replanning.improvement import Start
from bthtn.engine.replanning.optimality_monitor import OptimalityMonitor
from bthtn.engine.replanning.own_effects import OwnEffects
from bthtn.engine.replanning.policy import DEFAULT_REPLANNING, Decision, Replanning, Verdict
from bthtn.engine.replanning.running_plan import RunningPlan
from bthtn.engine.replanning.schedule import Budget
from bthtn.engine.replanning.validity_monitor import ValidityMonitor
from bthtn.engine.world.beliefs import Beliefs
from bthtn.engine.world.diff import Change
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState


class Review:
    """Decides whether the running plan of one goal is kept, replaced or broken off.

    ``source`` is the source of the goal's own effects, ``avoided`` returns the tasks and methods
    that plans must not use now, ``ended_by`` the change because of which one of them may be used
    again, if there is one. A plan is under review from ``adopted`` to ``close``.
    """

    __slots__ = ("_optimality", "_own", "_validity", "replanning")

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
        self._own = own = OwnEffects(beliefs, source)
        self._validity = ValidityMonitor(planner.domain, beliefs, source)
        self._optimality = OptimalityMonitor(planner, beliefs, own, replanning, avoided, ended_by)

    def plan_with(self, planner: Planner[Any]) -> None:
        """Set the planner of the next plan to run, which also searches for better plans."""
        self._validity.domain = planner.domain
        self._optimality.plan_with(planner)

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
        self._own.begin()
        self._validity.adopted(works_in)
        self._optimality.adopted(plan, works_in, found)

    def started(self, node: TaskNode) -> Exception | None:
        """Note a step of the plan that starts now. Returns what a condition of it raised."""
        return self._validity.started(node)

    def finished(self, node: TaskNode, written: Iterable[Fluent[Any]]) -> None:
        """Note a step of the plan that has succeeded and written these fluents."""
        touched = {*written, *node.footprint.writes}
        self._validity.finished(touched, self._own.finished(node))
        self._optimality.finished(touched)

    def resumed(self, plan: Plan) -> None:
        """Note that a suspended part of the plan was planned."""
        self._validity.resumed()
        self._optimality.resumed(plan)

    def verdicts(
        self, running: RunningPlan, budget: Budget, newest: Planner[Any]
    ) -> Iterator[Verdict]:
        """The verdicts about the plan in this tick; the last one counts.

        Better plans are searched for with the ``newest`` planner, of another domain if the agent
        has one by now.
        """
        self._optimality.tick(newest)
        if self._optimality.is_due() or self._validity.is_due():
            return self._reviewed(running, budget)
        return iter(())

    @property
    def is_settled(self) -> bool:
        """Whether nothing is to be decided, in any tick, until something changes."""
        validity, optimality = self._validity, self._optimality
        return not (validity.is_due() or optimality.is_due() or optimality.is_committed)

    def close(self) -> None:
        """End the review: watch nothing any more, and drop a search."""
        self._validity.close()
        self._optimality.close()

    @property
    def bound(self) -> MethodTraversalRecord:
        """The record that a better plan has to beat."""
        return self._optimality.bound

    @property
    def predicted(self) -> FrozenState:
        """The state at adoption, with the effects and expected effects of finished steps."""
        return self._own.predicted

    @property
    def changed_by_others(self) -> Collection[Fluent[Any]]:
        """The fluents whose changes by others were looked at in the latest check of the plan."""
        return self._validity.changed_by_others

    def _reviewed(self, running: RunningPlan, budget: Budget) -> Iterator[Verdict]:
        plan, kept = self._optimality.plan, None
        for verdict in self._optimality.verdicts(running, budget):
            if verdict.decision is Decision.KEEP:
                kept = verdict  # which is not so if the plan does not work
            else:
                yield verdict
        # Nobody asks any more whether a plan works that was replaced.
        if self._validity.is_due() and self._optimality.plan is plan:
            checked = self._validity.verdict(running)
            if checked is not None:
                yield checked
                kept = kept if checked.decision is Decision.KEEP else None
        if kept is not None:
            yield kept
