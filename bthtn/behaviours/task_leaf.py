"""TaskLeaf: runs one step of a plan.

    wait     while something is being given up that is in the way
    start    precondition and exec_only hold?     no: refused, a failure that started nothing
             on_start effects, operator.start
    tick     during holds?                        no: the operator is aborted, then a failure
             operator.tick
    success  effects, then actual effects         all of them or none
    failure  on_failure effects
    abort    operator.abort, once, and operator.tick until that is done; on_abort effects

Whatever the user's code raises becomes a failure with the exception kept in the event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.behaviours.operator import Operator, SubtreeOperator, operator_for
from bthtn.behaviours.run import Path, PlanRun, placed
from bthtn.behaviours.sequence import discard, enclosing_cleanups
from bthtn.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.behaviours.step import OperatorAbort, Step, StepAbort, text_of
from bthtn.domain.condition import why
from bthtn.plan.nodes import TaskNode
from bthtn.world.expression import ALWAYS, Condition


class Obstacle(NamedTuple):
    """Why a step may not start, or not go on; ``error`` is what a condition raised."""

    reason: str
    error: Exception | None = None


class TaskLeaf(Behaviour):
    """One step of a plan. Every start of its operator ends exactly once."""

    def __init__(self, node: TaskNode, path: Path, run: PlanRun) -> None:
        super().__init__(str(node))
        self.node = node
        self.path = path
        self._run = run
        self.failure = ""
        self._step: Step | None = None
        self._operator: Operator | None = None
        self._abort: OperatorAbort | None = None
        self._obstacle: Obstacle | None = None
        self._visited: list[Behaviour] = []

    @property
    def number(self) -> int:
        """That of its latest start, by which its events are known; it grows from start to start."""
        return 0 if self._step is None else self._step.number

    @property
    def is_giving_up(self) -> bool:
        """Whether it may not go on, and its operator is not done with giving up: it will fail."""
        return self._abort is not None

    @property
    def is_at_work(self) -> bool:
        """Whether its operator has started, has not ended and is not being given up."""
        return self._operator is not None

    def tick(self) -> Iterator[Behaviour]:
        """As py_trees ticks a leaf, with the nodes of a subtree operator before itself."""
        if self.status is not RUNNING:
            self.initialise()
        status = self.update()
        if status is not RUNNING:
            self.stop(status)
        self.status = status
        yield from self._visited
        yield self

    def tip(self) -> Behaviour | None:
        """The step, or what runs below it."""
        return self.children[0].tip() if self.children else super().tip()

    def initialise(self) -> None:
        """Called before the first tick of a run."""
        for subtree in self.children:
            discard(subtree)
        self.children = []
        self._step = self._operator = self._abort = self._obstacle = None
        self._visited = []
        self.failure = self.feedback_message = ""

    def update(self) -> Status:
        """Called at every tick."""
        if self._abort is not None:
            return self._until_given_up(self._abort, self._abort.work)
        if self._operator is not None:
            during = self.node.task.during
            if during is not ALWAYS:
                self._obstacle = self._obstacle_of(during)
                if self._obstacle is not None:
                    return self._give_up()
        elif self._must_wait():
            return RUNNING
        elif not self._start():
            return FAILURE
        return self._tick_operator()

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end; an operator that is still there is being aborted.

        There will be no later tick of this leaf: what that leaves to do, the agent finishes.
        """
        operator, self._operator = self._operator, None
        begun, self._abort = self._abort, None
        if new_status is not INVALID or (operator is None and begun is None):
            return
        self.feedback_message = "aborted"
        if begun is not None:
            self._run.agent.aborts.add(StepAbort(begun))
        elif operator is not None:
            abort = StepAbort(OperatorAbort(self._begun, operator))
            if not abort.begin():
                self._run.agent.aborts.add(abort)

    def shutdown(self) -> None:
        """Called when the tree, or the plan, is taken down: nothing is left running."""
        if self.status is RUNNING:
            self.stop(INVALID)

    def _must_wait(self) -> bool:
        """Whether something is being given up that has to be out of the way first."""
        aborts = self._run.agent.aborts
        first = aborts.in_the_way(self._run.holder, self.node.task.uses)
        self.feedback_message = f"waits until '{first.task}' is given up" if first else ""
        return first is not None

    def _start(self) -> bool:
        """Check the conditions and start the operator; False when that is not possible."""
        step = self._step = Step(self.node, self.path, self._run)
        task = self.node.task
        obstacle = self._obstacle_of(task.precondition, task.exec_only)
        if obstacle is not None:
            self._fail(obstacle.reason)
            step.refused(*obstacle)
            return False
        for part in enclosing_cleanups(self):
            part.is_open = True
        try:
            step.started()
            with step.acting():
                operator = operator_for(step.agent, self.node, self._run.setup_arguments)
                if isinstance(operator, SubtreeOperator):
                    operator.show_below(self)
                operator.start()
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self._end(text_of(error), error)
            return False
        except BaseException as error:
            self._end(text_of(error), error)
            raise
        self._operator = operator
        return True

    def _tick_operator(self) -> Status:
        """What the operator answers; success when its effects have come true as well."""
        try:
            with self._begun.acting():
                answer = self._ticked()
            if answer is RUNNING:
                return answer
            if answer is SUCCESS:
                self._run.on_finished(self.node, self._begun.succeed())
                self._end("")
                return answer
            self._end(_refusal(answer))
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self._end(text_of(error), error)
        except BaseException as error:
            self._end(text_of(error), error)
            raise
        return FAILURE

    def _ticked(self) -> Status:
        operator = self._operator
        assert operator is not None, "a step that started has an operator"
        if not isinstance(operator, SubtreeOperator):
            return operator.tick()
        try:
            return operator.tick()
        finally:
            self._visited = operator.visited

    def _give_up(self) -> Status:
        """Abort the operator because the step may not go on."""
        assert self._operator is not None, "what is given up has started"
        self._abort = OperatorAbort(self._begun, self._operator)
        self._operator, self._visited = None, []
        return self._until_given_up(self._abort, self._abort.begin)

    def _until_given_up(self, abort: OperatorAbort, work: Callable[[], bool]) -> Status:
        """RUNNING until the operator has given up, then the failure that it was given up for."""
        obstacle = self._obstacle
        assert obstacle is not None, "a step is given up for a reason"
        try:
            if not work():
                self.feedback_message = f"gives up: {obstacle.reason}"
                return RUNNING
        finally:
            if abort.done:
                self._abort = None
                self._end(obstacle.reason, obstacle.error or abort.error)
        return FAILURE

    def _obstacle_of(self, *conditions: Condition) -> Obstacle | None:
        """The first of these that is false. What is unknown is no obstacle."""
        beliefs, args = self._run.agent.beliefs, self.node.args
        try:
            for condition in conditions:
                if condition.evaluate(beliefs, args) is False:
                    return Obstacle(why(condition, beliefs, args))
        except Exception as error:  # noqa: BLE001 - a condition is the user's code
            return Obstacle(text_of(error), error)
        return None

    @property
    def _begun(self) -> Step:
        assert self._step is not None, "the step has begun"
        return self._step

    def _end(self, reason: str, error: BaseException | None = None) -> None:
        """The operator has ended; ``reason`` is why the step failed, if it did."""
        self._operator = None
        reason = self._begun.ended(reason, error)
        if reason:
            self._fail(reason)

    def _fail(self, reason: str) -> None:
        self.feedback_message = reason
        self.failure = placed(self.path, self.name, reason)


def _refusal(answer: object) -> str:
    if answer is FAILURE:
        return "the operator answered FAILURE"
    return f"the operator answered {answer!r} instead of a status"


def uninterruptible_step(branch: Behaviour) -> TaskLeaf | None:
    """The first step at work in the branch that must not be given up for something better.

    A step that only waits to be started, or is being given up already, is in nobody's way.
    """
    for node in branch.iterate():
        if isinstance(node, TaskLeaf) and node.is_at_work and node.node.task.uninterruptible:
            return node
    return None


def interruptible(branch: Behaviour) -> bool:
    """Whether no step at work in the branch is uninterruptible.

    It is asked before a plan that still works is replaced by a better one. A plan that no longer
    works, and a tree that turns to something else, do not ask.
    """
    return uninterruptible_step(branch) is None
