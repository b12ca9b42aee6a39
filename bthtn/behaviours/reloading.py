"""Reloading: goals go on with their plans in newer code, and a tree gets a newer root.

    old root   selector ── [fight], patrol         fight runs a plan
    new root   selector ── heal, fight, patrol     not ticked yet
    then       selector ── heal, [fight], patrol   the new goal runs the plan on

The plan runs on if the newer domain has it, too, and the first tick of the new root reaches it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from py_trees.behaviour import Behaviour
from py_trees.trees import BehaviourTree

from bthtn.agent.agent import Agent
from bthtn.agent.events import AgentEvent, PlanAdopted, PlanBroken, PlanKept
from bthtn.agent.leases import Holder
from bthtn.agent.reentrance import refuse_at_work, work
from bthtn.agent.runtime import runtime_of
from bthtn.behaviours.branch import interruption_of
from bthtn.behaviours.middle import at_work_in
from bthtn.behaviours.mount import Mount
from bthtn.behaviours.plan_run import PlanRefused
from bthtn.behaviours.plan_search import PlanSearch
from bthtn.behaviours.status import INVALID, RUNNING
from bthtn.behaviours.takeover import TakingOver
from bthtn.checked import checked
from bthtn.errors import BthtnError
from bthtn.plan.failure import Failure
from bthtn.plan.plan import Plan
from bthtn.plan.traversal_record import MethodTraversalRecord
from bthtn.planning.protocol import Settings
from bthtn.replanning.improvement import Start
from bthtn.replanning.policy import Replanning
from bthtn.replanning.repair import PendingRepair
from bthtn.replanning.review import Review
from bthtn.replanning.schedule import PlanningSchedule
from bthtn.world.state import FrozenState
from bthtn.world.unfrozen import quickly

Known: TypeAlias = FrozenState | None
"""A state, if there is one to be known."""

REPLACED = "the tree has a new root"

_plan_adopted = quickly(PlanAdopted)


class ReloadingGoal(TakingOver):
    """The part of a goal that goes on with its plan when the agent or the tree is reloaded."""

    ends_for: str
    _mount: Mount
    _repair: PendingRepair
    _review: Review
    _search: PlanSearch

    def __init__(self, name: str, agent: Agent[Any, Any]) -> None:
        super().__init__(name, agent)
        self.plan: Plan | None = None
        self.plan_id = ""
        self.record = MethodTraversalRecord()
        self.replans = 0
        self._reloads = agent.reloads

    # Objects share the names of their attributes if they have less than thirty, which saves more
    # than a KiB for each goal. So what the parts of a goal have stays there.

    @work
    def prepare(self) -> bool | None:
        """Search for a plan while something else runs; ticked next, the goal starts with it.

        Returns whether a plan works now and has something to do; None while the search goes on.
        Raises ExecutionError in the middle of a tick of the goal.
        """
        with at_work_in(self, self.agent):
            return self._search.prepare()

    def stop_preparing(self) -> None:
        """Drop the search of ``prepare``; the next call starts a new one."""
        self._search.stop_preparing()

    @property
    def budget(self) -> int | PlanningSchedule | None:
        """The expansions per tick, or the schedule that divides them among many goals."""
        return self._search.budget.per_tick

    @property
    def settings(self) -> Settings:
        """The settings of its searches."""
        return self._search.settings

    @property
    def replanning(self) -> Replanning:
        """The policy for replacing a running plan and for failures."""
        return self._review.replanning

    @property
    def _holder(self) -> Holder:
        return self._mount.hooks.holder

    @abstractmethod
    def _break_plan(self, failure: Failure) -> None:
        """Leave nothing of the plan but its running steps."""

    @abstractmethod
    def _start_search(self, reason: str) -> None:
        """Search for a plan, with the agent's domain of now."""

    @abstractmethod
    def _run_now(self, plan: Plan, works_in: Known = None, found: Start | None = None) -> None:
        """Begin the review of a plan that was mounted."""

    def _adopt(
        self,
        plan: Plan,
        reason: str,
        works_in: Known = None,
        found: Start | None = None,
    ) -> None:
        """Run a new plan that was mounted."""
        self.plan_id = runtime_of(self.agent).next_plan()
        self._run_now(plan, works_in, found)
        self._emit(_plan_adopted, plan, reason)

    def _emit(self, kind: Callable[..., AgentEvent], *about: object, **named: object) -> None:
        """Emit an event of this kind, if there is a listener, or an error, which is counted."""
        if not runtime_of(self.agent).is_heard and named.get("error") is None:
            return
        self.agent.emit(kind(self.name, *about, plan_id=self.plan_id, **named))

    def _stop_soon(self) -> None:
        self._ended, self.ends_for = INVALID, self.ends_for or interruption_of(self)

    def _recover(self) -> None:
        if self.plan is None:
            self.status = INVALID  # nothing has begun of which anybody was told
        elif self.status is RUNNING:
            self.ends_for = self.ends_for or "its tick was interrupted"
        self._stop(INVALID)

    def _follow_reload(self) -> None:
        """After a reload, keep the plan if the newer domain has it, too; otherwise break it."""
        if self._reloads == self.agent.reloads:
            return
        self._reloads, self._inherits = self.agent.reloads, False
        plan, search = self.plan, self._search
        search.follow()
        self._search.failures.cooldowns.follow(search.planner.domain)
        if self._mount.is_empty or self._mount.is_broken or plan is None:
            self._start_search(self._search.reason)
            self._mount.follow(search.planner.domain)
            return
        self._review.plan_with(search.planner)
        self._repair.forget()
        try:
            kept = self._mount.reload(plan, search.planner)
        except (BthtnError, PlanRefused) as error:
            first = error.diagnostics[0].message if isinstance(error, BthtnError) else str(error)
            failure = Failure(f"the reloaded domain does not have this plan: {first}")
            self._emit(PlanBroken, str(failure))
            self._break_plan(failure)
            self._start_search(str(failure))
            self._mount.follow(search.planner.domain)
        else:
            self._run_now(kept)
            self._emit(PlanKept, "the reloaded domain has this plan, too")

    @work
    def _take_over(self, other: ReloadingGoal) -> None:
        """Go on with the plan of another goal of the agent, in whose place this one stands.

        Aborts of the other goal that are not done yet are those of this one.
        """
        self._inherits = other.status is RUNNING and not other._mount.is_empty
        if self._inherits:
            self.plan, self.record, self.replans = other.plan, other.record, other.replans
            self._search.reason, self.plan_id = other._search.reason, other.plan_id
            other.status = INVALID
        else:
            with runtime_of(self.agent).working(self):
                other._stop_for(REPLACED)
                other._mount.clear()
        self._reloads = -1  # what is taken over has to follow
        self._search.failures.cooldowns = other._search.failures.cooldowns
        self._mount.take(other._mount)

    def _drop(self) -> None:
        """Abort a plan that was taken over, but not reached by the first tick of the new root."""
        if self._inherits:
            self._inherits, self.status = False, RUNNING
            self._stop_for("the reloaded tree does not reach it")

    def _stop_for(self, reason: str) -> None:
        """Stop the goal if it runs."""
        if self.status is RUNNING:
            self.ends_for = reason
            self.stop(INVALID)

    def _retire(self) -> None:
        """Search no more, and watch no beliefs; the goal's unfinished aborts go on."""
        self._review.close()
        self._search.stop()
        self._repair.forget()
        self._search.failures.close()


@checked
def replace_root(tree: BehaviourTree, root: Behaviour) -> None:
    """Let a tree go on with another root, between two ticks.

    A goal of the new root that has the name and the agent of a running one goes on with its plan
    if the next tick reaches it; of several such goals, the first one does. Everything else that
    runs is stopped, and the behaviours of the old root are shut down. The new root has to be set up
    already, as far as it needs that. Raises ExecutionError in the middle of a tick.
    """
    old = tree.root
    for goal in (*_goals_of(old), *_goals_of(root)):
        refuse_at_work(goal.agent, "gets another tree")
    running_last = sorted(_goals_of(old), key=lambda goal: goal.status is RUNNING)
    former = {(id(goal.agent), goal.name): goal for goal in running_last}
    newer = list(_goals_of(root))
    for goal in newer:
        before = former.pop((id(goal.agent), goal.name), None)
        if before is not None:
            goal._take_over(before)
    for before in former.values():
        before.ends_for = REPLACED
    _take_down(old)
    tree.root = root
    handlers = tree.post_tick_handlers

    def drop(_: BehaviourTree) -> None:
        tree.post_tick_handlers = [
            handler for handler in tree.post_tick_handlers if handler is not drop
        ]
        for goal in newer:
            goal._drop()

    tree.post_tick_handlers = [*handlers, drop]


def _goals_of(root: Behaviour) -> Iterator[ReloadingGoal]:
    """The goals of a tree, without those inside of the steps of others."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ReloadingGoal):
            yield node
        else:
            pending.extend(reversed(node.children))


def _take_down(root: Behaviour) -> None:
    """Stop and shut down the tree; aborts that take time go on in their agents."""
    nodes = list(root.iterate())
    if any(node.status is RUNNING for node in nodes):
        root.stop(INVALID)
    for node in nodes:
        if isinstance(node, ReloadingGoal):
            node._retire()
        else:
            node.shutdown()


def search_of(goal: ReloadingGoal) -> PlanSearch:
    """The searches of a goal, for a save to name the parts of their plans."""
    return goal._search
