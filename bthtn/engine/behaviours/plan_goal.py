"""PlanGoal: the node in the user's tree that plans for a goal and runs the plan.

    it is       has                     and in a tick it
    inactive    nothing                 begins to search; FAILURE while failures are in the way
    searching   a search                spends its budget, and waits with the plan until the goals
                                        whose place it takes have ended: running. No plan: FAILURE
    running     a plan                  looks at what others have changed: the plan is kept, or
                                        replaced or repaired, or it does not work, or is one of
                                        older code: broken.
                                        Then the plan is ticked. SUCCESS when it is done; when it
                                        has failed: repaired, or broken, or FAILURE after too many
    broken      a search, and running   goes on as if it were searching, and ticks the steps until
                steps of its plan       there is a plan, which may go on with them

Beside that, it may be so that

    ``ends_for``        it has to end: in its next tick it only ticks the running steps
    it ``is_stopped``   users' code has stopped it in its own tick: nothing more begins in this one,
                        no plan, no repair and no step, which asks ``mount``
    ``_awaited``        it waits for goals whose place it takes; ``_waiting`` wait for it
    ``_ended``          it has ended in the tick of another goal, and says so in its own
    ``_inherits``       it has the plan of a goal of an older tree, and was not ticked since

An interruption aborts everything at once; the goal is inactive then.

py_trees ticks the branch that takes over before it stops the one that ran. So a goal with a new
plan waits for the goals whose place it takes; each of them, when it has been stopped, or ticked
because it keeps its place after all, lets it begin, in the same tick.

    selector.tick    hurry.tick    waits for calm, RUNNING
                     calm.stop     aborts its steps, then lets hurry begin: its first step starts

Not here: how plans are found (``plan_search``), what a changed belief means for a running plan
(``replanning.review``), its behaviours (``mount``), how a tree gets a newer root (``reloading``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from functools import partial
from typing import Any, TypeAlias, assert_never

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Parallel

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import (
    AgentEvent,
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
from bthtn.engine.agent.leases import Holder
from bthtn.engine.agent.reentrance import at_work, in_the_middle, work
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.branch import failure_of, interruption_of
from bthtn.engine.behaviours.middle import at_work_in, refuse_inside
from bthtn.engine.behaviours.mount import Mount
from bthtn.engine.behaviours.plan_behaviour import LeanBehaviour
from bthtn.engine.behaviours.plan_run import Arrival, PlanRefused, ResumeFailed, record_and_text
from bthtn.engine.behaviours.plan_search import PlanSearch
from bthtn.engine.behaviours.status import ABORTED, FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.domain.network import Network, NetworkLike
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import NO_RECORD
from bthtn.engine.planning.protocol import DEFAULT_SETTINGS, Settings
from bthtn.engine.replanning.improvement import Start
from bthtn.engine.replanning.policy import DEFAULT_REPLANNING, Decision, Replanning, Verdict
from bthtn.engine.replanning.repair import Repair
from bthtn.engine.replanning.review import Review
from bthtn.engine.replanning.schedule import Budget, PlanningSchedule
from bthtn.engine.world.beliefs import WriterName
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.unfrozen import quickly
from bthtn.errors import BthtnError
from bthtn.notebooks import repr_mimebundle

Known: TypeAlias = FrozenState | None
"""A state, if there is one to be known."""

REPLACED = "the tree has a new root"

_plan_adopted = quickly(PlanAdopted)


class PlanGoal(Unpicklable, LeanBehaviour):
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

    _copy_hint = "save(tree, agent) of bthtn.behaviours is a running tree and its agent as JSON"
    _repr_mimebundle_ = repr_mimebundle

    # Objects share the names of their attributes if they have less than thirty, which saves more
    # than a KiB for each goal. So what the parts of a goal have stays there.

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
        self.name = WriterName(name or type(self).__name__)  # its plans write under this name
        self.status = INVALID
        self.children = []
        self.agent = agent
        self.plan: Plan | None = None
        self.plan_id = ""
        self.record = NO_RECORD
        self.verdict: Verdict | None = None
        self.max_replans, self.replans, self.ends_for = max_replans, 0, ""
        self._awaited: tuple[PlanGoal, ...] = ()
        """The goals whose place it takes, for which it waits; ``_waiting`` wait for it."""
        self._waiting: tuple[PlanGoal, ...] = ()
        self._has_waited = False
        """Whether it had to wait for aborts, which may have changed the beliefs."""
        self._ended: Status | None = None
        """The end of a goal that began while another was stopped: its answer in the next tick."""
        self._reloads = agent.reloads
        self._inherits = False
        """Whether it has the running plan of a goal of an older tree, and was not ticked since."""
        own = Budget(budget, self)
        self._search = search = PlanSearch(agent, self.name, goal, settings, own, replanning)
        planner, failures = search.planner, search.failures
        avoided = failures.avoided, failures.ended_by
        self._review = Review(planner, agent.beliefs, self.name, replanning, *avoided)
        self._mount = Mount(
            self,
            agent,
            search,
            resumed=self._resumed,
            started=self._review.started,
            finished=self._finished,
        )

    @property
    def goal(self) -> Network:
        return self._search.planner.goal

    @property
    def budget(self) -> int | PlanningSchedule | None:
        """The expansions per tick, or the schedule that divides them among many goals."""
        return self._search.budget.per_tick

    @property
    def settings(self) -> Settings:
        return self._search.settings

    @property
    def replanning(self) -> Replanning:
        """The policy for replacing a running plan and for failures."""
        return self._review.replanning

    def explain(self) -> str:
        """The goal's message, and why a search from the current beliefs finds its plan or none."""
        return f"{self.name}: {self.feedback_message}\n{self._search.explanation()}"

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

    # ticked, stopped and taken down by the tree

    def setup(self, **kwargs: Any) -> None:
        """Called by py_trees before the first tick; plans are set up later with the same."""
        self._mount.setup_arguments = kwargs

    @work
    def tick(self) -> Iterator[Behaviour]:
        """Search for a plan, or tick the plan.

        Raises ExecutionError in the middle of a tick of the tree. After an interrupt, the plan is
        stopped.
        """
        runtime = runtime_of(self.agent)
        outer = runtime.at_work
        if outer is not None:
            refuse_inside(self, self.agent)
        runtime.at_work, account, writer = self, runtime.account, self.agent.beliefs.writer
        try:
            if runtime.unsensed and not runtime.is_sensed:
                runtime.warn_unread()
            self.agent.aborts.go_on(self)
            if self.status is not RUNNING:
                self.initialise()  # a subclass may have one, as with py_trees
            status = self._ended or self._prepare_tick() or (yield from self._advance())
            is_stopped = self._mount.is_stopped or (status is RUNNING and self.status is INVALID)
            if status is not RUNNING:
                self._stop(status)
            if is_stopped:  # in the middle of this tick
                self._stop(INVALID)
            self.status = INVALID if is_stopped else status
            if self._waiting:
                self._let_others_begin()  # it has kept its place
        except BaseException:
            runtime.act_again(account, writer)
            self._recover()
            raise
        finally:
            runtime.at_work = outer
        runtime.errors.raise_first()
        yield self

    def update(self) -> Status:
        """Never called: ``tick`` decides."""
        return self.status

    def waits(self) -> Wait:
        """For its plan, and for the end of a back-off; a goal that searches has to be ticked."""
        failures, clock = self._search.failures, self.agent.clock
        if self.status is FAILURE and failures.goal_waits:
            return Wait(failures.left, clock=clock)
        if self.status is not RUNNING or not self._only_runs_its_plan:
            return AT_ONCE
        return Wait(failures.left, (self._mount.subtree,), clock)

    @work
    def stop(self, new_status: Status) -> None:
        """Called by py_trees at every end; goals that wait for this one begin in the same tick.

        In the middle of a tick of the goal it is stopped at the end of that.
        """
        for worker, method in at_work(but_one=True):
            if worker is self and method in ("tick", "_begin", "stop"):
                if method != "stop" and self._ended is None and not self._mount.is_stopped:
                    self._mount.is_stopped = True
                    self.ends_for = self.ends_for or interruption_of(self)
                return
        runtime = runtime_of(self.agent)
        outer, account, writer = runtime.at_work, runtime.account, self.agent.beliefs.writer
        runtime.at_work = self
        try:
            self._stop(new_status)
        except BaseException:  # after an interrupt, it does what is left to be done
            runtime.act_again(account, writer)
            self._stop(new_status)
            raise
        finally:
            runtime.at_work = outer

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end; an interrupted goal aborts its plan at once."""
        self._review.close()
        if new_status is INVALID:
            if self.status is RUNNING and self._ended is None:
                if self.agent.listener is not None:
                    self._emit(PlanAborted, self.ends_for or interruption_of(self))
                self.status = INVALID  # it is told once, also if an interrupt comes now
                self.feedback_message = ABORTED
                self.plan = self.verdict = None
                self.record = NO_RECORD
            self.ends_for = ""
            for child in self.children:
                if child.status is not INVALID:
                    child.stop(new_status)
            self._search.stop()
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
        running = None if self._mount.is_empty else self._mount.subtree.tip()
        return running or super().tip()

    def _stop(self, new_status: Status) -> None:
        """End, without a look at what is going on."""
        self._awaited = ()
        is_interrupted = new_status is INVALID and self.status is RUNNING
        # As that of py_trees, without the text for its logger.
        self.terminate(new_status)
        self.status = new_status
        self._ended, self._mount.is_stopped = None, False
        if is_interrupted and not runtime_of(self.agent).is_sensed:
            self._warn_of_aborts()
        if self._waiting:
            self._let_others_begin()

    def _recover(self) -> None:
        if self.plan is None:
            self.status = INVALID  # nothing has begun of which anybody was told
        elif self.status is RUNNING:
            self.ends_for = self.ends_for or "its tick was interrupted"
        self._stop(INVALID)

    # from state to state

    def _prepare_tick(self) -> Status | None:
        if self._mount.is_stopped:  # by what an abort has called
            return INVALID
        failures = self._search.failures
        failures.tick()
        if self.status is not RUNNING and not self._inherits:
            if why := failures.why_waiting():
                self.feedback_message = str(why)
                return FAILURE
            self._start()
        self.status = RUNNING
        self._search.budget.renew()
        self._follow_reload()
        return None

    def _advance(self) -> Generator[Behaviour, None, Status]:
        """Search for a plan, or tick the plan. Returns the status of the goal."""
        if self.ends_for and self._mount.is_broken:
            yield from self._mount.run_on()
            return self._after(RUNNING)
        has_plan = self.children and not self._mount.is_broken
        status = self._review_plan() if has_plan else self._find_plan()
        if status is not SUCCESS:  # there is no plan to tick
            if self._mount.is_broken and (yield from self._mount.run_on()):
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
        self.record = NO_RECORD
        self.feedback_message = "planning"
        self._search.failures.begin()
        self._start_search("the goal is new")

    def _start_search(self, reason: str) -> None:
        self._search.reason = reason
        self._search.start()
        self._review.plan_with(self._search.planner)

    def _find_plan(self) -> Status:
        """Search within the budget: SUCCESS once a plan is mounted, RUNNING until then."""
        try:
            if self._is_aborting():
                return RUNNING
            if self._has_waited:  # what was aborted may have changed the beliefs
                self._has_waited = False
                self._search.restart_if_changed()
            plan = self._search.advance()
            if plan is None or self._mount.is_stopped or self._must_wait():
                return RUNNING
            if self._mount.is_broken and not self._mount.is_taken_over_by(plan):
                self._give_up()
                self._has_waited = True
                return self._find_plan()
            self._search.failures.found()
            works_in = self.agent.beliefs.frozen()  # hooks may change them
            self._mount.put(plan)
            self._adopt(plan, self._search.why_adopted, works_in, self._search.found_from)
        except PlanRefused as refused:
            status = self._plan_again(Failure(str(refused)))
            # Nothing has started, so the next method may be tried in the same tick.
            again = status is RUNNING and refused.call in self._search.failures.avoided()
            return self._find_plan() if again else status
        except (BthtnError, ResumeFailed) as error:
            raised = error if isinstance(error, BthtnError) else None
            return self._fail(Failure(str(error), error=raised))
        return SUCCESS

    def _review_plan(self) -> Status:
        """Keep, replace or abort the running plan: SUCCESS when there is a plan to tick."""
        if self.ends_for or self._mount.subtree.status is SUCCESS:  # what is done stays so
            return SUCCESS
        search = self._search
        for verdict in self._review.verdicts(self._mount, search.budget, search.newest()):
            if self._mount.is_stopped:
                break
            self.verdict = verdict
            search.failures.reviewed(verdict.failure)
            match verdict.decision:
                case Decision.KEEP:
                    self._emit(PlanKept, verdict.reason, verdict.change, verdict.rule)
                case Decision.ADOPT:
                    self._replace(verdict)
                case Decision.BREAK_OFF:
                    return self._break_off(verdict)
                case _:
                    assert_never(verdict.decision)
        return SUCCESS

    def _replace(self, verdict: Verdict) -> None:
        """Run another plan, if it can start; the steps that both start with run on."""
        plan, change = verdict.plan, verdict.change
        assert plan is not None, "a verdict to adopt has a plan"
        equivalent = self._mount.is_equivalent(plan)
        about = verdict.reason, change, self.plan, verdict.rule
        accepted = partial(self._emit, PlanReplaced, *about)
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
        change = verdict.change
        failure = verdict.failure or Failure(verdict.reason)
        by_others = verdict.failure is None or getattr(change, "source", self.name) is not self.name
        if by_others:
            self._emit(PlanBroken, verdict.reason, verdict.step, change, verdict.rule)
        elif verdict.failure is not None:
            self._search.failures.will_fail(self._mount.rest(), failure)
        again = by_others or self.replans < self.max_replans
        changed = self._review.changed_by_others
        if again and (repair := self._repair(failure, changed)) is not None:
            self.replans += not by_others
            self._repaired(repair, failure)
            return SUCCESS
        if verdict.failure is None:  # it was cut short
            self._mount.stop()
        if not by_others:
            return self._plan_again(failure, repairs=False)
        self._break_plan(failure)
        self._start_search(str(failure))
        return self._find_plan()

    def _repair(self, failure: Failure, changed: Collection[Fluent[Any]] = ()) -> Repair | None:
        """Repair the plan, if that is possible within the rest of the tick's budget.

        The smallest part around the failure that can be planned anew is replaced; steps outside of
        it run on, unless others have ``changed`` what they need.
        """
        search, plan, broken = self._search, self.plan, failure.node
        if not self.replanning.repair or search.planner.minimizes or broken is None:
            return None
        if plan is None or not self._mount.run.is_repairable:
            return None
        rest, now = self._mount.rest(), search.failures.now
        repair = Repair(plan, rest, broken, now, self.settings, changed)
        try:
            search.budget.advance(repair)
        except BthtnError as error:
            search.failures.raised(error)
            return None
        if repair.plan is None or self._mount.is_stopped:
            return None
        try:
            is_done = self._mount.splice(repair)
        except (BthtnError, PlanRefused):
            return None
        return repair if is_done else None

    def _after(self, status: Status) -> Status:
        if status is RUNNING and self.ends_for and not self._mount.is_stopped:
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
        failure = failure_of(self._mount.subtree)
        if failure.node is not None:
            self._search.failures.part_failed(self._mount.rest(), failure)
        if self.ends_for and not self._mount.is_stopped:
            self._stop(INVALID)
            return FAILURE
        return self._plan_again(failure)

    def _plan_again(self, failure: Failure, *, repairs: bool = True) -> Status:
        """Repair the plan, or search for another one in the next tick, unless it was too often."""
        again, reason = self.replans < self.max_replans, str(failure)
        repairs = repairs and again and self.agent.aborts.first(self._holder) is None
        if repairs and (repair := self._repair(failure)) is not None:
            self.replans += 1
            self._emit(PlanFailed, reason, again)
            self._repaired(repair, failure)
            return RUNNING
        runs_on = again and not self._mount.is_empty and self._mount.running
        if runs_on:
            self._break_plan(failure)
        elif not self._mount.is_empty:
            self._mount.stop()
        self._emit(PlanFailed, reason, again)
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
        self.feedback_message = reason = str(failure)
        self._emit(GoalEnded, succeeded=False, reason=reason, error=failure.error)
        self._search.failures.failed(failure)
        return FAILURE

    # what a change of the state does

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

    def _repaired(self, repair: Repair, failure: Failure) -> None:
        assert repair.plan is not None, "it was found"
        self._run_now(repair.plan)
        self._emit(PlanRepaired, str(repair.path[-1]), str(failure), repair.plan)

    def _run_now(self, plan: Plan, works_in: Known = None, found: Start | None = None) -> None:
        self.plan, (self.record, shown) = plan, plan.derived(record_and_text)
        self._mount.run.plan_id = self.plan_id
        self._search.stop()
        self._review.adopted(plan, works_in, found)
        self.feedback_message = shown

    def _break_plan(self, failure: Failure) -> None:
        """Leave nothing of the plan but its running steps, which the next plan may begin with."""
        self._review.close()
        self._mount.break_off(failure.node)

    def _give_up(self) -> None:
        if not self._mount.is_empty:
            self._mount.stop()
            self._unmount()

    def _unmount(self) -> None:
        self._review.close()
        self._mount.clear()

    def _resumed(self, arrival: Arrival, plan: Plan) -> None:
        self._review.resumed(plan)
        self.record = self.record.followed_by(plan.record)
        self._emit(PlanResumed, plan, str(arrival.node.cause))

    def _finished(self, node: TaskNode, written: Iterable[Fluent[Any]]) -> None:
        self._search.failures.step_succeeded(node)
        self._review.finished(node, written)

    def _emit(self, kind: Callable[..., AgentEvent], *about: object, **named: object) -> None:
        runtime_of(self.agent).tell(kind, self.name, *about, plan_id=self.plan_id, **named)

    # the goals whose place this one takes

    @property
    def _holder(self) -> Holder:
        return self._mount.hooks.holder

    @work
    def _begin(self) -> None:
        """Go on with the tick in which the goal had to wait."""
        rest_of_tick = self._advance()
        try:
            while True:
                next(rest_of_tick)
        except StopIteration as done:
            if self._mount.is_stopped:
                self._stop(INVALID)
            else:
                self._ended = None if done.value is RUNNING else done.value

    def _is_aborting(self) -> bool:
        """Whether something that the goal has aborted is not done yet."""
        return self._waits_for(self)

    def _must_wait(self) -> bool:
        """Whether goals whose place this one takes are running, or not done with their aborts."""
        was_waiting, self._awaited = bool(self._awaited), ()
        for other in _displaced_by(self):
            if other.agent is not self.agent:
                continue
            if self._waits_for(other):
                return True
            # One that was neither ticked nor stopped since the last tick keeps its place.
            if other._inherits or (other.status is RUNNING and not was_waiting):
                self.feedback_message = f"waits until '{other.name}' is given up"
                self._awaited += (other,)
                other._waiting += (self,)
        self._has_waited |= bool(self._awaited)
        return bool(self._awaited)

    def _waits_for(self, goal: PlanGoal) -> bool:
        """Whether a goal is not done with its aborts."""
        abort = self.agent.aborts.first(goal._holder)
        if abort is not None:
            self.feedback_message = f"waits until '{abort.task}' is given up"
            self._has_waited = True
        return abort is not None

    def _let_others_begin(self) -> None:
        waiting, self._waiting = self._waiting, ()
        for other in waiting:
            if self in other._awaited:
                other._awaited = tuple(goal for goal in other._awaited if goal is not self)
                if not other._awaited:
                    other._begin()

    def _warn_of_aborts(self) -> None:
        """Warn of an abort that nothing in the tree may tick, as the agent is never sensed."""
        abort = self.agent.aborts.first(self._holder)
        around = self._holder.inside  # the agent; for a goal inside of a step, that step
        if abort is None or around is None or around.inside is not None:
            return
        root = self.parent
        while root is not None and root.parent is not None:
            root = root.parent
        others = (
            node
            for node in ([] if root is None else root.iterate())
            if isinstance(node, PlanGoal) and node.agent is self.agent and node is not self
        )
        # Every goal that is ticked goes on with the aborts.
        is_ticked = any(goal.status is RUNNING or goal.parent is self.parent for goal in others)
        if root is not None and not is_ticked:
            # Its owner may be about to take the tree down, or to call another goal.
            what = f"aborts '{abort.task}' over several ticks, in which nothing may go on with it"
            runtime_of(self.agent).warn_unsensed(what, is_certain=False)

    @property
    def _only_runs_its_plan(self) -> bool:
        """Whether it does nothing else in a tick, until something changes."""
        mount = self._mount
        if mount.is_empty or mount.is_broken or mount.subtree.status is not RUNNING:
            return False
        is_moving = mount.run.last_end == mount.run.ticks
        is_ending = self.ends_for or self._ended is not None or self._awaited or self._waiting
        is_reloaded = self._inherits or self._reloads != self.agent.reloads
        return not (is_moving or is_ending or is_reloaded) and self._review.is_settled

    # newer code, and newer trees

    def _follow_reload(self) -> None:
        """Go on with newer code: break the plan, whose running steps follow, and search anew."""
        is_reloaded = self._reloads != self.agent.reloads
        if not (is_reloaded or self._inherits):
            return
        self._reloads, self._inherits = self.agent.reloads, False
        search = self._search
        search.follow()
        search.failures.cooldowns.follow(search.planner.domain)
        if self.children and self.children[0].status is SUCCESS:  # only its aborts go on
            return
        if self.children and not self._mount.is_broken:
            failure = Failure("the domain was reloaded" if is_reloaded else REPLACED)
            search.reason = str(failure)
            self._emit(PlanBroken, search.reason)
            self._break_plan(failure)
        self._mount.follow(search.planner.domain)
        self._start_search(search.reason)

    @work
    def _take_over(self, other: PlanGoal) -> None:
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
        self._reloads = other._reloads
        self._search.failures.cooldowns = other._search.failures.cooldowns
        self._mount.take(other._mount)

    def _drop(self) -> None:
        """Abort a plan that was taken over, but not reached by the first tick of the new root."""
        if self._inherits:
            self._inherits, self.status = False, RUNNING
            self._stop_for("the reloaded tree does not reach it")

    def _stop_for(self, reason: str) -> None:
        if self.status is RUNNING:
            self.ends_for = reason
            self.stop(INVALID)

    def _retire(self) -> None:
        """Search no more, and watch no beliefs; the goal's unfinished aborts go on."""
        self._review.close()
        self._search.stop()
        self._search.failures.close()


def _displaced_by(goal: PlanGoal) -> Iterator[PlanGoal]:
    """The goals that lose their place when this one begins: those in branches beside its own.

    A composite runs one of its branches at a time, except a Parallel. Goals inside of the steps
    of others are left out, as they end with these.
    """
    below: Behaviour = goal
    while below.parent is not None:
        siblings = [] if isinstance(below.parent, Parallel) else below.parent.children
        pending = [child for child in reversed(siblings) if child is not below]
        while pending:
            node = pending.pop()
            if isinstance(node, PlanGoal):
                yield node
            else:
                pending.extend(reversed(node.children))
        below = below.parent
