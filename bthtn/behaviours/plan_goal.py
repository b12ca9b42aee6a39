"""PlanGoal: the node in the user's tree that plans for a goal and runs the plan.

    not running     take the beliefs as they are and begin to search
    searching       a budget of expansions per tick; RUNNING meanwhile
    no plan         FAILURE; again and again: FAILURE at once, until something changes
    plan found      over several ticks in a world that moved on: does it still hold? then
                    compile it, mount it, tick it
    running         did others change something that matters? keep the plan, replace it, mend
                    it, or give it up and plan anew; tick what there is then
                    RUNNING; SUCCESS when it is done; on failure mend it or search again, a
                    bounded number of times
    interrupted     abort everything at once

It is the one behaviour that plans: suspended parts ask it for theirs. What becomes of a
running plan is not decided here but by ``replanning.review``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.agent import Agent
from bthtn.agent.events import (
    GoalEnded,
    PlanAborted,
    PlanAdopted,
    PlanBroken,
    PlanFailed,
    PlanKept,
    PlanRepaired,
    PlanReplaced,
    PlanResumed,
)
from bthtn.behaviours.branch import failed_step, failure_of, interruption_of
from bthtn.behaviours.mount import Mount
from bthtn.behaviours.plan_search import Outdated, Seeking
from bthtn.behaviours.run import Arrival, Planned, ResumeFailed
from bthtn.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.behaviours.suspended import Suspended
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.domain.network import Network, NetworkLike
from bthtn.errors import BthtnError, Diagnostic, DomainError
from bthtn.plan.nodes import TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.protocol import DEFAULT_SETTINGS, Settings
from bthtn.replanning.budget import Budget
from bthtn.replanning.mend import Mend, Mended
from bthtn.replanning.policy import DEFAULT_REPLANNING, Decision, Replanning, Verdict
from bthtn.replanning.review import Review
from bthtn.replanning.schedule import PlanningSchedule
from bthtn.world.fluent import Fluent

LONGEST_RECORD: Final = 1_000
"""Entries that a record keeps when suspended parts go on and on; they only tell plans apart."""


class PlanGoal(Behaviour):
    """A goal in a behaviour tree: planned with the agent's domain, from its beliefs.

    ``budget`` is how many expansions it may use per tick, None for as many as it takes; or a
    schedule, which gives every goal its part. When a plan fails it looks for a new one in the
    next tick, ``max_replans`` times before it gives up. ``replanning`` says when a running plan
    gives way, and what is done about failures; plans that others break or better do not count as
    failed. ``verdict`` is what was decided last.
    """

    def __init__(  # noqa: PLR0913 - what comes behind the goal is given by name
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
        """Raises DomainError for a goal of another domain, and a budget that allows nothing."""
        super().__init__(name)
        if isinstance(budget, int) and budget <= 0:
            message = f"the budget of '{name}' is {budget}"
            hint = "give it expansions per tick, or None for as many as it takes"
            raise DomainError(Diagnostic("BT202", message, hint=hint))
        self.agent = agent
        self.settings = settings
        self.max_replans = max_replans
        self.plan: Plan | None = None
        self.record = MethodTraversalRecord()
        self.replans = 0
        self.verdict: Verdict | None = None
        self._waits = False
        self._reason = ""
        self._allowance = Budget(budget, self)
        self._seeking = Seeking(agent, name, goal, settings, self._allowance, replanning.retrying)
        told = (self._plan_rest, self._resumed, self._finished, self._seeking.clean_up)
        self._mount = Mount(self, agent, *told)
        self._experience, planner = self._seeking.experience, self._seeking.planner
        self._review = Review(planner, agent.beliefs, name, replanning)
        repairs = replanning.repair and not planner.seeks_least
        self._mend = Mend(settings, self._allowance, repairs=repairs)

    @property
    def goal(self) -> Network:
        """What is planned for, as the planner reads it."""
        return self._seeking.planner.goal

    @property
    def budget(self) -> int | PlanningSchedule | None:
        """How many expansions it may use per tick, None for as many as it takes."""
        return self._allowance.per_tick

    @property
    def seeking(self) -> Seeking:
        """How it looks for its plans."""
        return self._seeking

    def setup(self, **kwargs: Any) -> None:
        """Remember what plans are to be set up with: they come later than the tree."""
        self._mount.setup_arguments = kwargs

    def tick(self) -> Iterator[Behaviour]:
        """Plan, or tick the plan."""
        self.agent.aborts.go_on(self)
        self._experience.tick()
        if self.status is not RUNNING:
            if obstacle := self._experience.obstacle:
                self.feedback_message = obstacle
                self.stop(FAILURE)
                yield self
                return
            self._begin()
            self.status = RUNNING
        self._allowance.renew()
        status = self._plan() if self._mount.is_empty else self._reviewed()
        if status is SUCCESS:
            subtree = self._mount.subtree
            if subtree.status is not SUCCESS:  # else it only waits for what it gave up
                self._mount.run.ticked()
                yield from subtree.tick()
            status = self._after(subtree.status)
        if status is not RUNNING:
            self.stop(status)
        self.status = status
        yield self

    def update(self) -> Status:
        """Never called: ``tick`` decides."""
        return self.status

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end; an interrupted goal gives up its plan at once."""
        self._review.close()
        if new_status is not INVALID:
            self._mount.hooks.over()
            return
        if self.status is RUNNING:
            self.agent.emit(PlanAborted(self.name, interruption_of(self)))
            self.feedback_message = "aborted"
        for child in self.children:
            if child.status is not INVALID:
                child.stop(new_status)
        self._seeking.end()
        self._mount.hooks.over()
        self._mend.forget()

    def shutdown(self) -> None:
        """Called when the tree is taken down: nothing is left running."""
        if self.status is RUNNING:
            self.stop(INVALID)
        self._unmount()
        if not self._mount.hooks.is_inside_a_step:  # else the goal around it waits for its aborts
            self.agent.aborts.cut_off(self._mount.hooks.holder, "the tree was taken down")
        self._experience.close()

    def tip(self) -> Behaviour | None:
        """The running step of the plan, or the node itself."""
        return super().tip() if self._mount.is_empty else self._mount.subtree.tip()

    def _begin(self) -> None:
        self._unmount()
        self.plan = self.verdict = None
        self.replans = 0
        self.feedback_message = "planning"
        self._experience.begin()
        self._look_for_a_plan("the goal is new")

    def _look_for_a_plan(self, reason: str) -> None:
        self._reason = reason
        if self._seeking.begin():
            self._review.plan_with(self._seeking.planner)

    def _must_wait(self) -> bool:
        """Whether something is being given up; what that changes, the search is to know."""
        waited, self._waits = self._waits, self._gives_up()
        if waited and not self._waits:
            self._seeking.renew()
        return self._waits

    def _plan(self) -> Status:
        """SUCCESS when there is a plan to tick, RUNNING while it is being looked for."""
        try:
            if self._must_wait():
                return RUNNING
            mended = self._mend.done(*self._experience.situation)
            if mended is not None:
                refused = self._mount.put(mended.plan, mended.over)
                return self._again(refused) if refused else self._adopted(mended.plan, mended)
            plan = self._seeking.advance()
            if plan is None:
                return RUNNING
            self._experience.found()
            refused = self._mount.put(plan)
            return self._again(refused) if refused else self._adopted(plan)
        except Outdated as outdated:
            return self._again(str(outdated))
        except BthtnError as error:
            return self._give_up(str(error), error)
        except ResumeFailed as failure:
            return self._give_up(str(failure))

    def _adopted(self, plan: Plan, mended: Mended | None = None) -> Status:
        """A plan was mounted; told as new, or as the old one mended."""
        self._run_now(plan)
        if mended is None:
            self.agent.emit(PlanAdopted(self.name, plan, self._reason))
        else:
            self.agent.emit(PlanRepaired(self.name, mended.part, mended.reason, plan))
        return SUCCESS

    def _run_now(self, plan: Plan) -> None:
        self.plan, self.record = plan, plan.record
        self._seeking.end()
        self._review.adopted(plan)
        self.feedback_message = f"running plan {plan.record!r}"

    def _unmount(self) -> None:
        """Let the old plan's behaviours go."""
        self._review.close()
        if not self._mount.is_empty and not self._mount.run.is_repairable:
            self._mend.forget()
        self._mount.clear()

    def _reviewed(self) -> Status:
        """Look at the running plan: SUCCESS when there is one to tick, else as ``_plan``."""
        verdicts = self._review.look(
            self._mount.progress, self._allowance, interruptible=self._mount.is_interruptible
        )
        for verdict in verdicts:
            self.verdict = verdict
            match verdict.decision:
                case Decision.KEEP:
                    self.agent.emit(PlanKept(self.name, verdict.reason, verdict.change))
                case Decision.ADOPT:
                    refused = self._replace(verdict)
                    if refused:
                        return self._refused(refused)
                case Decision.ABORT:
                    return self._break_off(verdict)
        return SUCCESS

    def _replace(self, verdict: Verdict) -> str:
        """Run another plan; what both begin with runs on. Why it cannot begin, or nothing."""
        plan, change = verdict.plan, verdict.change
        assert plan is not None, "a plan is adopted"
        same_course = self._mount.is_same_course(plan)

        def tell() -> None:
            if same_course:
                reason = "what was found is what is left of it"
                self.agent.emit(PlanKept(self.name, reason, change))
            else:
                self.agent.emit(PlanReplaced(self.name, verdict.reason, change))

        try:
            refused = self._mount.exchange(plan, same_course=same_course, tell=tell)
        except BthtnError as error:
            self.agent.emit(PlanKept(self.name, str(error), change))
            return ""
        if not refused:
            self._run_now(plan)
            if not same_course:
                self.agent.emit(PlanAdopted(self.name, plan, verdict.reason))
        return refused

    def _refused(self, reason: str) -> Status:
        """The plan in the place of the running one cannot begin, and the hooks of that are over."""
        self._mount.subtree.stop(INVALID)
        return self._again(reason)

    def _break_off(self, verdict: Verdict) -> Status:
        """Give up a plan that does not work any more; without anybody's doing, it has failed."""
        change = verdict.change
        reason = f"{verdict.step}: {verdict.reason}" if verdict.step else verdict.reason
        by_others = change is not None and change.source != self.name
        broken, progress = verdict.broken, self._mount.progress()
        if by_others:
            self.agent.emit(PlanBroken(self.name, verdict.reason, verdict.step, change))
        elif broken is not None:
            self._experience.broke(progress, broken)
        assert self.plan is not None, "what breaks is being run"
        self._mend.keep(self.plan, progress, None if broken is None else broken.node, reason)
        if (by_others or self.replans < self.max_replans) and self._put_in():
            self.replans += not by_others
            return SUCCESS
        self._mount.subtree.stop(INVALID)
        if not by_others:
            return self._again(reason)
        self._unmount()
        self._look_for_a_plan(reason)
        return self._plan()

    def _put_in(self) -> bool:
        """Mend the plan, if that is possible; what runs outside of the new part runs on."""
        mended = self._mend.done(*self._experience.situation)
        if mended is None:
            return False
        try:
            refused = self._mount.exchange(mended.plan, mended.over, mends=True)
        except BthtnError:
            return False
        if refused:
            return False
        self._adopted(mended.plan, mended)
        return True

    def _finished(self, node: TaskNode, written: Iterable[Fluent[Any]]) -> None:
        self._experience.finished(node)
        self._review.finished(node, written)

    def _after(self, status: Status) -> Status:
        """What the plan's end means for the goal."""
        if status is RUNNING:
            return status
        if status is SUCCESS:
            if self._gives_up():
                return RUNNING
            self.feedback_message = "done"
            self._experience.succeeded()
            self.agent.emit(GoalEnded(self.name, succeeded=True))
            return status
        step, progress = failed_step(self._mount.subtree), self._mount.progress()
        assert self.plan is not None, "what failed has been run"
        if isinstance(step, TaskLeaf | Suspended):
            self._experience.failed(progress, step.node, step.feedback_message)
            self._mend.keep(self.plan, progress, step.node, step.failure)
        return self._again(failure_of(self._mount.subtree) or "the plan failed")

    def _again(self, reason: str) -> Status:
        """Look for another plan in the next tick, unless that was tried often enough."""
        again = self.replans < self.max_replans
        self.agent.emit(PlanFailed(self.name, reason, again))
        self._unmount()
        self._mount.hooks.over()
        if not again:
            tried = f"{self.replans + 1} plans" if self.replans else "one plan"
            return self._give_up(f"gave up after {tried}; {reason}")
        self.replans += 1
        self.feedback_message = "planning again"
        self._look_for_a_plan(reason)
        return RUNNING

    def _give_up(self, reason: str, error: BaseException | None = None) -> Status:
        self._seeking.end()
        self._mend.forget()
        self.feedback_message = reason
        self.agent.emit(GoalEnded(self.name, succeeded=False, reason=reason, error=error))
        self._experience.in_vain(reason)
        return FAILURE

    def _plan_rest(self, arrival: Arrival) -> Callable[[], Planned | None]:
        """Begin to plan a suspended part. Raises ResumeFailed."""
        ask = self._seeking.rest(arrival)

        def planned() -> Planned | None:
            plan = ask()
            return None if plan is None else self._mount.planned(plan, arrival)

        return planned

    def _gives_up(self) -> bool:
        """Whether something that this goal has given up is not done yet."""
        first = self.agent.aborts.in_the_way(self._mount.hooks.holder)
        if first is not None:
            self.feedback_message = f"waits until '{first.task}' is given up"
        return first is not None

    def _resumed(self, arrival: Arrival, plan: Plan) -> None:
        self._mount.resumed(plan, arrival)
        self._review.resumed(plan)
        room = max(0, LONGEST_RECORD - len(self.record))
        self.record = MethodTraversalRecord((*self.record, *plan.record[:room]))
        self.agent.emit(PlanResumed(self.name, plan, str(arrival.node.cause)))
