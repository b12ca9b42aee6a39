"""TaskLeaf: runs one step of a plan.

    wait     while an unfinished abort of the goal, or a step that has its resources, is in the way
    start    precondition and exec_only hold?     no: refused, a failure without a start
             on_start effects, operator.start
    tick     during holds?                        no: the operator is aborted, then a failure;
                                                  so it is when others have ended its precondition
             operator.tick
    success  effects, then actual effects         all of them or none
    failure  on_failure effects
    abort    operator.abort once, operator.tick until it is done, on_abort effects

An exception in the user's code becomes a failure, with the exception kept in the event.

Every start ends exactly once, with one event and with its leases returned, whatever happens:
py_trees may stop the leaf and never tick it again (the agent goes on with an abort that takes
longer, see ``aborts``), users' code may raise, and an interrupt may come between any two lines. So
an attribute is set in the same line in which users' code is called, where what must be undone
depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.agent.events import LeafWaits
from bthtn.engine.agent.leases import Holder
from bthtn.engine.agent.programming_errors import is_interrupt, is_programming_error, text_of
from bthtn.engine.agent.runtime import runtime_of
from bthtn.engine.behaviours.obstacle import Obstacle, obstacle_of, obstacle_to_start
from bthtn.engine.behaviours.operator import (
    Operator,
    Simulated,
    SubtreeOperator,
    adapted,
    codes_of,
    give_up,
    no_status,
    simulated,
    wait_of,
)
from bthtn.engine.behaviours.plan_behaviour import PlanLeaf, discard, replaced_by
from bthtn.engine.behaviours.plan_run import Path, PlanRun, failed_at, path_text
from bthtn.engine.behaviours.sequence import PlanWithCleanup, enclosing
from bthtn.engine.behaviours.status import ABORTED, FAILURE, INVALID, RUNNING, SUCCESS, mark_stopped
from bthtn.engine.behaviours.step import StepRun
from bthtn.engine.behaviours.step_abort import OperatorAbort, StepAbort
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.world.expression import ALWAYS


class TaskLeaf(PlanLeaf):
    """One step of a plan. Every start of its operator ends exactly once."""

    # What it has once it was started; many steps never are.
    failure: Failure | None = None
    _step: StepRun | None = None
    _operator: Operator | None = None
    _abort: OperatorAbort | None = None
    _waits_for: Holder | None = None
    _obstacle: Obstacle | None = None
    _answer: object = None
    """The operator's answer in the latest tick; None in its middle, and where it has raised."""

    def __init__(self, node: TaskNode, path: Path, run: PlanRun) -> None:
        self.status = INVALID
        self.node = node
        self.path = path
        self._run = run

    @property
    def number(self) -> int:
        """The number of the latest start, which increases and identifies its events; 0 before."""
        return 0 if self._step is None else self._step.number

    @property
    def plan_id(self) -> str:
        """The id of the plan in which it was last started, as in its events; empty before."""
        return "" if self._step is None else self._step.plan_id

    @property
    def is_aborting(self) -> bool:
        """Whether its operator is being aborted because a condition does not hold; it will fail."""
        return self._abort is not None

    @property
    def is_at_work(self) -> bool:
        """Whether its operator is running and is not being aborted."""
        return self._operator is not None

    def give_up(self, failure: Failure) -> None:
        """Fail in the next tick, since the precondition does not hold any more."""
        if self._operator is not None:
            error = failure.error if isinstance(failure.error, Exception) else None
            self._obstacle = Obstacle(failure.why, error)

    def report(self, raised: Exception) -> None:
        """Tell what a condition has raised that does not end the step."""
        self._started.condition_raised(raised)

    def follow(self, task: PrimitiveTask[...]) -> None:
        """Be a step of the same task in a newer domain; a running operator goes on."""
        self.node = replace(self.node, task=task)
        if self._step is not None:
            self._step.node = self.node

    def tip(self) -> Behaviour | None:
        """The step, or the running leaf of a SubtreeOperator."""
        return self.children[0].tip() if self._below else super().tip()

    def initialise(self) -> None:
        """Called before the first tick of a run."""
        if self._step is None:
            return  # it was never begun; ``update`` sets what it waits for, and the message
        for subtree in self._below or ():
            discard(subtree)
        self._below = None
        self._step = self._operator = self._abort = self._obstacle = self._waits_for = None
        self._answer, self._visited = None, ()
        self.failure, self.feedback_message = None, ""

    def update(self) -> Status:
        if self._abort is not None:
            return self._until_aborted(self._abort, self._abort.tick)
        if self._operator is not None:
            during = self.node.task.during
            if during is not ALWAYS and self._obstacle is None:
                self._obstacle = obstacle_of(during, self.node, self._run.agent.beliefs)
            if self._obstacle is not None:
                return self._abort_operator()
        elif self._run.owner.is_stopped:
            return RUNNING  # it is stopped at the end of this tick, before it has begun
        elif self._run.has_reactive_choices and not self._has_place():
            return FAILURE
        elif self._must_wait():
            return RUNNING
        elif not self._start():
            return FAILURE
        return self._tick_operator()

    def waits(self) -> Wait:
        """For its operator, or for the step that has its resources."""
        if self._abort is not None or self._obstacle is not None:
            return AT_ONCE
        if self._operator is not None:
            return wait_of(self._operator)
        run, occupant = self._run, self._waits_for
        uses = self.node.task.uses
        is_occupied = occupant is not None and not run.has_reactive_choices
        if is_occupied and runtime_of(run.agent).occupant(run.holder, uses) is occupant:
            return Wait()
        return AT_ONCE

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end; an operator that is still running is aborted.

        The leaf is not ticked again, so an abort that takes more ticks is left to the agent.
        """
        if new_status is not INVALID:
            return
        step, aborts = self._step, self._run.agent.aborts
        if step is None or not step.is_open:
            if self.status is RUNNING:
                self.feedback_message, self._waits_for = "", None  # it was waiting, and never ran
            else:
                mark_stopped(self, new_status)
            return
        self.feedback_message = ABORTED
        if self._abort is not None:
            _, self._abort = aborts.add(StepAbort(self._abort)), None
        elif (
            self._answer is SUCCESS or self._answer is FAILURE
        ):  # there was an interrupt before it had ended
            self._answered(step, self._answer)
        elif self._operator is not None:
            self._give_up(StepAbort(self._abort_of(step, self._operator)))
        elif not aborts.has(step.holder):
            self._end(step, "it was interrupted")

    def _give_up(self, abort: StepAbort) -> None:
        """Abort the operator; the agent goes on with what takes more ticks."""
        aborts = self._run.agent.aborts
        try:
            self._operator, is_done = None, abort.start()
            if not is_done:
                aborts.add(abort)
        except BaseException:
            self._operator = None
            if not abort.is_over and not aborts.has(abort.holder):
                aborts.add(abort)
            raise

    def _has_place(self) -> bool:
        """Abort the alternatives of which this step takes the place, unless it is refused.

        py_trees' Selector would do it after the start of this step.
        """
        replaced = replaced_by(self)
        if replaced and self._is_refused():
            return False
        for alternative in replaced:
            alternative.stop(INVALID)
        return True

    def _must_wait(self) -> bool:
        """Whether an abort of the goal, or a step that has a resource of this one, must end first.

        The agent gets one event for each step that it waits for.
        """
        run, uses, before = self._run, self.node.task.uses, self._waits_for
        first = run.agent.aborts.first(run.holder)
        if first is not None:
            self.feedback_message = f"waits until '{first.task}' is given up"
            return True
        occupant = runtime_of(run.agent).occupant(run.holder, uses) if uses else None
        self._waits_for = occupant
        if occupant is None:
            self.feedback_message = ""
            return False
        step, goal = str(occupant), str(occupant.inside)
        self.feedback_message = f"waits until '{step}' of '{goal}' is over"
        if occupant is not before and runtime_of(run.agent).is_heard:
            place, own = path_text(self.path), tuple(sorted(uses))
            waits = LeafWaits(self.name, own, step, goal, place, run.goal, plan_id=run.plan_id)
            run.agent.emit(waits)
        return True

    def _start(self) -> bool:
        """Check the conditions and start the operator. Returns whether it has started."""
        if self._is_refused():
            return False
        self._run.moves += 1
        self.status = RUNNING  # whoever stops the plan in the middle of this tick ends the step
        step = self._step = StepRun(self.node, self.path, self._run)
        if self._run.has_cleanups:
            for part in enclosing(self, PlanWithCleanup):
                part.is_open = True
        codes: list[object] = []
        try:
            step.started()
            self._begin(step, codes)
        except BaseException as error:
            if not step.is_open:
                step.drop()
            if not step.is_open or is_interrupt(error, codes):
                raise
            self._end(step, text_of(error), error)
            if not isinstance(error, Exception):
                raise
            return False
        task = self.node.task
        if task.watched is not ALWAYS or task.during is not ALWAYS:
            raised = self._run.owner.started(self.node)
            if raised is not None:
                step.condition_raised(raised)
        return True

    def _begin(self, step: StepRun, codes: list[object]) -> None:
        """Make the operator and start it; note the users' code that is called."""
        agent = self._run.agent
        make = agent.operators.find(self.node.task)
        if make is None:
            self._operator = simulated(agent, self.node)
            return
        made: object = None
        codes.append(make)
        with step.acting():
            try:
                made = make(agent, *self.node.args)
                codes.append(getattr(made, "start", None))
                operator = adapted(made, agent, self.node, self._run.setup_arguments)
                if isinstance(operator, SubtreeOperator):
                    operator.show_below(self)
                start: Callable[[], object] = operator.start
                _, self._operator = start(), operator  # in one line: no interrupt comes between
            except BaseException as error:
                if self._operator is None and is_interrupt(error, codes):
                    give_up(made)
                raise

    def _is_refused(self) -> bool:
        """Whether a condition does not hold; then the step is over without a start."""
        obstacle = obstacle_to_start(self.node, self._run.agent.beliefs)
        if obstacle is None:
            return False
        self._step = StepRun(self.node, self.path, self._run)
        self._fail(*obstacle)
        self._step.refused(*obstacle)
        return True

    def _tick_operator(self) -> Status:
        """Tick the operator; SUCCESS once its effects are written as well."""
        step, operator, self._answer = self._step, self._operator, None
        assert step is not None and operator is not None, "the step has started"  # noqa: PT018 - at every tick
        try:
            step.ticks += 1
            if type(operator) is Simulated:
                self._answer = operator.tick()
            else:
                self._act(step, operator)
        except BaseException as error:
            # After an interrupt the operator is as it was: the goal is stopped, and aborts it.
            if self._answer is not None or is_interrupt(error, codes_of(operator, operator.tick)):
                raise
            self._end(step, text_of(error), error)
            if not isinstance(error, Exception):
                raise
            return FAILURE
        if self._answer is RUNNING:
            return RUNNING
        return self._answered(step, self._answer)

    def _act(self, step: StepRun, operator: Operator) -> None:
        """Tick an operator that is users' code."""
        with step.acting():
            if not isinstance(operator, SubtreeOperator):
                self._answer = operator.tick()
                return
            try:
                self._answer = operator.tick()
            finally:
                self._visited = operator.visited

    def _answered(self, step: StepRun, answer: object) -> Status:
        """End the step as its operator has answered; SUCCESS once its effects are written."""
        self._operator = None
        if answer is SUCCESS:
            try:
                self._run.owner.finished(self.node, step.succeed())
            except Exception as error:  # noqa: BLE001 - the user's effects: contained and reported
                self._end(step, text_of(error), error)
                return FAILURE
            self._end(step, "")
            return SUCCESS
        mistake = None if answer is FAILURE else no_status(answer, self.node.task.name)
        self._end(step, text_of(mistake) if mistake else "the operator answered FAILURE", mistake)
        return FAILURE

    def _abort_operator(self) -> Status:
        """Abort the operator because ``during`` does not hold."""
        assert self._operator is not None, "an operator is running"
        self._abort = abort = self._abort_of(self._started, self._operator)
        self._operator, self._visited = None, ()
        return self._until_aborted(abort, abort.start)

    def _abort_of(self, step: StepRun, operator: Operator) -> OperatorAbort:
        """The abort of the operator, which tells what a condition raised that was to end it."""
        error = None if self._obstacle is None else self._obstacle.error
        return OperatorAbort(step, operator, error)

    def _until_aborted(self, abort: OperatorAbort, work: Callable[[], bool]) -> Status:
        """RUNNING until the operator is aborted, then the failure for which it is."""
        obstacle = self._obstacle
        assert obstacle is not None, "a step is aborted for a reason"
        try:
            if not work():
                self.feedback_message = f"gives up: {obstacle.reason}"
                return RUNNING
        finally:
            if abort.done:
                self._end(abort.step, obstacle.reason, abort.error)
                self._abort = None
        return FAILURE

    @property
    def _started(self) -> StepRun:
        assert self._step is not None, "the step has started"
        return self._step

    def _end(self, step: StepRun, reason: str, error: BaseException | None = None) -> None:
        self._operator = None
        self._run.moves += 1
        self._run.last_end = self._run.ticks
        reason = step.ended(reason, error)
        if reason:
            self._fail(reason, error)

    def _fail(self, reason: str, error: BaseException | None) -> None:
        self.feedback_message = reason
        raised = error if is_programming_error(error) else None
        self.failure = failed_at(self.path, self.name, self.node, reason, raised)
