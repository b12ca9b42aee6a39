"""PlanGoal: the node in the user's tree that plans for a goal and runs the plan.

    not running     note the beliefs, and start to search
    searching       a budget of expansions per tick; RUNNING meanwhile
    no plan         FAILURE; after several times in a row, FAILURE at once until a belief changes
    plan found      wait until goals whose place it takes have ended; then compile it, mount it
                    and tick it
    running         if a relevant belief was changed from outside: keep the plan, replace it,
                    repair it, or search anew; then tick it: SUCCESS when it is done; when it
                    fails, repair it or search again, a bounded number of times
    broken          only its running steps are ticked, until the next plan is known
    interrupted     abort everything at once

``PlanSearch`` has the search; ``replanning.review`` decides about a running plan.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from functools import partial
from typing import Any, assert_never

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.agent import Agent
from bthtn.agent.events import (
    GoalEnded,
    PlanAborted,
    PlanBroken,
    PlanFailed,
    PlanKept,
    PlanRepaired,
    PlanReplaced,
    PlanResumed,
)
from bthtn.agent.reentrance import at_work, in_the_middle, work
from bthtn.agent.runtime import runtime_of
from bthtn.behaviours.branch import failure_of, interruption_of
from bthtn.behaviours.mount import Mount
from bthtn.behaviours.plan_run import Arrival, PlanRefused, ResumeFailed, record_and_text
from bthtn.behaviours.plan_search import PlanSearch
from bthtn.behaviours.reloading import Known, ReloadingGoal
from bthtn.behaviours.status import ABORTED, FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.checked import checked
from bthtn.domain.network import Network, NetworkLike
from bthtn.errors import BthtnError
from bthtn.plan.failure import Failure
from bthtn.plan.nodes import TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.traversal_record import MethodTraversalRecord
from bthtn.planning.protocol import DEFAULT_SETTINGS, Settings
from bthtn.replanning.improvement import Start
from bthtn.replanning.policy import DEFAULT_REPLANNING, Decision, Replanning, Verdict
from bthtn.replanning.repair import PendingRepair, RepairedPlan
from bthtn.replanning.review import Review
from bthtn.replanning.schedule import Budget, PlanningSchedule
from bthtn.world.fluent import Fluent


class PlanGoal(ReloadingGoal):
    """A goal in a behaviour tree: planned with the agent's domain, from its beliefs.

    ``budget`` is the number of expansions per tick, None for no limit; or a schedule that divides
    one budget among many goals. When a plan fails, another one is searched for in the next tick,
    at most ``max_replans`` times. ``replanning`` is the policy for replacing a running plan
    and for failures; a plan that is broken from outside or replaced has not failed.

    ``ends_for`` may be set to the reason for which the goal has to end in its next tick, in which
    it only ticks the running steps: if it is not done then, they are aborted, and it fails.
    ``plan`` is the latest plan, ``plan_id`` its name in events, ``record`` its method traversal
    record, ``replans`` the failures of this run of the goal, and ``verdict`` the latest decision.
    """

    @checked
    def __init__(  # noqa: PLR0913 - everything after the goal is given by name
        self,
        name: str,
        agent: Agent[Any, Any],
        goal: NetworkLike,
        *,
        settings: Settings = DEFAULT_SETTINGS,
        budget: int | PlanningSchedule | None = 1_000,
        max_replans: int = 3,
        replanning: Replanning = DEFAULT_REPLANNING,
    ) -> None:
        """Raises DomainError for a goal of another domain, and for a budget below one."""
        super().__init__(name, agent)
        self.verdict: Verdict | None = None
        self.max_replans, self.ends_for = max_replans, ""
        own = Budget(budget, self)
        self._search = search = PlanSearch(agent, self.name, goal, settings, own, replanning)
        planner, failures = search.planner, search.failures
        self._review = Review(planner, agent.beliefs, self.name, replanning, failures.avoided)
        heard = self._resumed, self._review.started, self._finished
        self._mount = Mount(self, agent, search, *heard)
        repairs = replanning.repair and not planner.minimizes
        self._repair = PendingRepair(settings, own, failures.raised, repairs=repairs)

    @property
    def goal(self) -> Network:
        """The goal, as the planner reads it."""
        return self._search.planner.goal

    def setup(self, **kwargs: Any) -> None:
        """Called by py_trees before the first tick; plans are set up later with the same."""
        self._mount.setup_arguments = kwargs

    def explain(self) -> str:
        """The goal's message, and why a search from the current beliefs finds its plan or none."""
        return f"{self.name}: {self.feedback_message}\n{self._search.explanation()}"

    def _prepare_tick(self) -> Status | None:
        failures = self._search.failures
        failures.tick()
        if self.status is not RUNNING and not self._inherits:
            if obstacle := failures.obstacle():
                self.feedback_message = str(obstacle)
                return FAILURE
            self._start()
        self.status = RUNNING
        self._search.budget.renew()
        self._follow_reload()
        return None

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end; an interrupted goal aborts its plan at once."""
        self._review.close()
        if new_status is INVALID:
            if self.status is RUNNING and self._ended in (None, INVALID):
                if self.agent.listener is not None:
                    self._emit(PlanAborted, self.ends_for or interruption_of(self))
                self.status = INVALID  # it is told once, also if an interrupt comes now
                self.feedback_message = ABORTED
                self.plan = self.verdict = None
                self.record = MethodTraversalRecord()
            self.ends_for = ""
            for child in self.children:
                if child.status is not INVALID:
                    child.stop(new_status)
            self._search.stop()
            self._repair.forget()
        self._mount.hooks.close()

    @work
    def shutdown(self) -> None:
        """Called when the tree is taken down: nothing is left running.

        Raises ExecutionError in the middle of a tick of the goal.
        """
        if any(worker is self for worker, _ in at_work(but_one=True)):
            raise in_the_middle(f"goal '{self.name}' is shut down")
        with runtime_of(self.agent).working(self):
            if self.status is RUNNING:
                self.stop(INVALID)
            self._unmount()
            # A goal below a step leaves its aborts to the goal around it, which waits for them.
            if not self._mount.hooks.is_inside_a_step:
                self.agent.aborts.cut_off(self._holder, "the tree was taken down")
            self._search.failures.close()

    def tip(self) -> Behaviour | None:
        """The running step of the plan, or the node itself."""
        return super().tip() if self._mount.is_empty else self._mount.subtree.tip()

    def _advance(self) -> Generator[Behaviour, None, Status]:
        """Search for a plan, or tick the plan. Returns the status of the goal."""
        has_plan = self.children and not self._mount.is_broken
        status = self._review_plan() if has_plan else self._find_plan()
        if status is not SUCCESS:  # there is no plan to tick
            if self._mount.is_broken and (yield from self._mount.run_on()):
                self._repair.forget()
                self._start_search(self._search.reason)
            return status
        subtree = self.children[0]
        if subtree.status is not SUCCESS:  # else it is done, but for its unfinished aborts
            self._mount.run.ticked()
            yield from subtree.tick()
        return self._after(subtree.status)

    def _start(self) -> None:
        if self.children:  # those of the run before
            self._unmount()
        self.plan, self.plan_id, self.verdict, self.replans = None, "", None, 0
        self.feedback_message = "planning"
        self._search.failures.begin()
        self._start_search("the goal is new")

    def _start_search(self, reason: str) -> None:
        self._search.reason = reason
        if self._search.start():
            self._repair.forget()  # of a plan of another domain
        self._review.plan_with(self._search.planner)

    def _find_plan(self) -> Status:
        """Search within the budget: SUCCESS once a plan is mounted, RUNNING until then."""
        try:
            if self._is_aborting():
                return RUNNING
            if self._has_waited:  # what was aborted may have changed the beliefs
                self._has_waited = False
                self._search.restart_if_changed()
            repaired = self._repaired_plan()
            if repaired is not None:
                failed = self._search.found_from  # the search began when the plan had failed
                self._mount.put(repaired.plan, repaired.over, repaired.entered)
                return self._repaired(repaired, failed)
            plan = self._search.advance()
            if plan is None or self._must_wait():
                return RUNNING
            if self._mount.is_broken and not self._mount.is_taken_over_by(plan):
                self._give_up()
                self._has_waited = True
                return self._find_plan()
            self._search.failures.found()
            works_in = self.agent.beliefs.frozen()  # hooks may change them
            self._mount.put(plan)
            self._adopt(plan, self._search.reason, works_in, self._search.found_from)
        except PlanRefused as refused:
            status = self._plan_again(Failure(str(refused)))
            # Nothing has started, so the next method may be tried in the same tick.
            again = status is RUNNING and refused.call in self._search.failures.avoided()
            return self._find_plan() if again else status
        except (BthtnError, ResumeFailed) as error:
            raised = error if isinstance(error, BthtnError) else None
            return self._fail(Failure(str(error), error=raised))
        return SUCCESS

    def _repaired_plan(self) -> RepairedPlan | None:
        """The plan that has failed with a new part, None if none is found, or none has failed."""
        is_pending = self._repair.is_pending
        return self._repair.repaired(*self._search.failures.situation) if is_pending else None

    def _repaired(self, repaired: RepairedPlan, found: Start | None = None) -> Status:
        self._run_now(repaired.plan, found=found)
        self._emit(PlanRepaired, repaired.part, str(repaired.failure), repaired.plan)
        return SUCCESS

    def _run_now(self, plan: Plan, works_in: Known = None, found: Start | None = None) -> None:
        self.plan, (self.record, shown) = plan, plan.derived(record_and_text)
        self._mount.run.plan_id = self.plan_id
        self._search.stop()
        self._review.adopted(plan, works_in, found)
        self.feedback_message = shown

    def _break_plan(self, failure: Failure) -> None:
        """Leave nothing of the plan but its running steps, which the next plan may begin with."""
        self._review.close()
        if not self._mount.run.is_repairable:
            self._repair.forget()
        self._mount.break_off(failure.node)

    def _give_up(self) -> None:
        """Abort the rest of the plan."""
        if not self._mount.is_empty:
            self._mount.stop()
            self._unmount()

    def _unmount(self) -> None:
        self._review.close()
        if not self._mount.is_empty and not self._mount.run.is_repairable:
            self._repair.forget()
        self._mount.clear()

    def _review_plan(self) -> Status:
        """Keep, replace or abort the running plan: SUCCESS when there is a plan to tick."""
        if self.ends_for:
            return SUCCESS
        self._review.look_with(self._search.newest())
        for verdict in self._review.verdicts(self._mount, self._search.budget):
            self.verdict = verdict
            self._search.failures.reviewed(verdict.failure)
            match verdict.decision:
                case Decision.KEEP:
                    self._emit(PlanKept, verdict.reason, verdict.change)
                case Decision.ADOPT:
                    self._replace(verdict)
                case Decision.ABORT:
                    return self._break_off(verdict)
                case _:
                    assert_never(verdict.decision)
        return SUCCESS

    def _replace(self, verdict: Verdict) -> None:
        """Run another plan, if it can start; the steps that both start with run on."""
        plan, change = verdict.plan, verdict.change
        assert plan is not None, "a verdict to adopt has a plan"
        equivalent = self._mount.is_equivalent(plan)
        accepted = partial(self._emit, PlanReplaced, verdict.reason, change, self.plan)
        if equivalent:
            same = "what was found is what is left of it"
            accepted = partial(self._emit, PlanKept, same, change)
        try:
            self._mount.exchange(plan, equivalent=equivalent, on_accepted=accepted)
        except (BthtnError, PlanRefused) as error:
            self._emit(PlanKept, str(error), change)
            return
        self._search.follow()
        self._review.plan_with(self._search.planner)
        if equivalent:
            self._run_now(plan)
        else:
            self._adopt(plan, verdict.reason)

    def _break_off(self, verdict: Verdict) -> Status:
        """Abort a plan that will not work to its end, unless it can be repaired while it runs.

        It counts as a failure of the plan only if no change from outside is the cause.
        """
        change, progress = verdict.change, self._mount.progress()
        failure = verdict.failure or Failure(verdict.reason)
        by_others = verdict.failure is None or getattr(change, "source", self.name) is not self.name
        if by_others:
            self._emit(PlanBroken, verdict.reason, verdict.step, change)
        elif verdict.failure is not None:
            self._search.failures.will_fail(progress, failure)
        assert self.plan is not None, "a running plan breaks"
        self._repair.keep(self.plan, progress, failure)
        if (by_others or self.replans < self.max_replans) and self._repair_running():
            self.replans += not by_others
            return SUCCESS
        if verdict.failure is None:  # it was cut short
            self._mount.stop()
        if not by_others:
            return self._plan_again(failure)
        self._break_plan(failure)
        self._start_search(str(failure))
        return self._find_plan()

    def _repair_running(self) -> bool:
        """Repair the running plan if possible; steps outside of the new part run on."""
        repaired = self._repaired_plan()
        if repaired is None:
            return False
        try:
            self._mount.exchange(repaired.plan, repaired.over, repaired.entered, repairs=True)
        except (BthtnError, PlanRefused):
            return False
        self._repaired(repaired)
        return True

    def _after(self, status: Status) -> Status:
        """The status of the goal after a tick of its plan."""
        if status is RUNNING and self.ends_for and self._ended is None:
            self._stop(INVALID)
            return FAILURE
        if status is RUNNING:
            return status
        if status is SUCCESS:
            if self._is_aborting():
                return RUNNING
            self.feedback_message = "done"
            self._search.failures.succeeded()
            self._emit(GoalEnded, succeeded=True)
            return status
        failure, progress = failure_of(self._mount.subtree), self._mount.progress()
        assert self.plan is not None, "a plan has failed"
        if failure.node is not None:
            self._search.failures.part_failed(progress, failure)
            self._repair.keep(self.plan, progress, failure)
        return self._plan_again(failure)

    def _plan_again(self, failure: Failure) -> Status:
        """Search for another plan in the next tick, unless there were too many already."""
        again = self.replans < self.max_replans
        runs_on = again and not self._mount.is_empty and self._mount.running
        if runs_on:
            self._break_plan(failure)
        elif not self._mount.is_empty:
            self._mount.stop()
        self._emit(PlanFailed, reason := str(failure), again)
        if not runs_on:
            self._unmount()
            self._mount.hooks.close()
        if not again:
            tried = f"{self.replans + 1} plans" if self.replans else "one plan"
            return self._fail(Failure(f"gave up after {tried}; {failure}"))
        self.replans += 1
        self.feedback_message = f"planning again: {reason}"
        self._start_search(reason)
        return RUNNING

    def _fail(self, failure: Failure) -> Status:
        self._give_up()
        self._search.stop()
        self._repair.forget()
        self.feedback_message = reason = str(failure)
        self._emit(GoalEnded, succeeded=False, reason=reason, error=failure.error)
        self._search.failures.failed(failure)
        return FAILURE

    def _resumed(self, arrival: Arrival, plan: Plan) -> None:
        self._review.resumed(plan)
        self.record = self.record.followed_by(plan.record)
        self._emit(PlanResumed, plan, str(arrival.node.cause))

    def _finished(self, node: TaskNode, written: Iterable[Fluent[Any]]) -> None:
        self._search.failures.step_succeeded(node)
        self._review.finished(node, written)
