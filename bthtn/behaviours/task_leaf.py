"""TaskLeaf: runs one step of a plan.

    start    precondition and exec_only hold?      no: refused, a failure that started nothing
    tick     operator.tick
    success  effects, then actual effects          all of them or none
    failure  nothing is written
    abort    operator.abort, once, and nothing is written

Whatever the user's code raises becomes a failure with the exception kept in the event.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.agent import Agent
from bthtn.agent.event import AgentEvent, LeafAborted, LeafEnded, LeafRefused, LeafStarted
from bthtn.agent.operators import OperatorFailed
from bthtn.behaviours.operator import Operator, SubtreeOperator, operator_for
from bthtn.behaviours.run import Path, PlanRun, path_text, placed
from bthtn.behaviours.sequence import discard
from bthtn.domain.condition import why
from bthtn.domain.effect import Effect, writes_of
from bthtn.plan.nodes import TaskNode
from bthtn.world.fluent import Fluent
from bthtn.world.trail import WorkingState


class TaskLeaf(Behaviour):
    """One step of a plan. Every start of its operator ends exactly once."""

    def __init__(self, node: TaskNode, path: Path, run: PlanRun) -> None:
        super().__init__(str(node))
        self.node = node
        self.path = path
        self._run = run
        self.failure = ""
        self._operator: Operator | None = None
        self._visited: list[Behaviour] = []
        self._number = 0

    @property
    def number(self) -> int:
        """That of its latest start, by which its events are known; it grows from start to start."""
        return self._number

    @property
    def _agent(self) -> Agent[Any, Any]:
        return self._run.agent

    def tick(self) -> Iterator[Behaviour]:
        """As py_trees ticks a leaf, with the nodes of a subtree operator before itself."""
        if self.status is not Status.RUNNING:
            self.initialise()
        status = self.update()
        if status is not Status.RUNNING:
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
        self._operator = None
        self._visited = []
        self.failure = self.feedback_message = ""

    def update(self) -> Status:
        """Called at every tick."""
        if self._operator is None and not self._start():
            return Status.FAILURE
        assert self._operator is not None, "a step that started has an operator"
        try:
            answer = self._ticked(self._operator)
            if answer is Status.RUNNING:
                return answer
            if answer is Status.SUCCESS:
                self._write_effects()
                self._end(reason="")
                return answer
            self._end(reason=_refusal(answer))
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self._end(reason=_text_of(error), error=error)
        except BaseException as error:
            self._end(reason=_text_of(error), error=error)
            raise
        return Status.FAILURE

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end; an operator that is still there is being aborted."""
        operator, self._operator = self._operator, None
        if operator is None or new_status is not Status.INVALID:
            return
        raised: BaseException | None = None
        try:
            operator.abort()
        except Exception as error:  # noqa: BLE001 - the user's clean-up: contained and reported
            raised = error
        except BaseException as error:
            raised = error
            raise
        finally:
            self.feedback_message = "aborted"
            self._tell(LeafAborted(self._number, self.name, raised, path_text(self.path)))

    def shutdown(self) -> None:
        """Called when the tree, or the plan, is taken down: nothing is left running."""
        if self.status is Status.RUNNING:
            self.stop(Status.INVALID)

    def _start(self) -> bool:
        """Check the conditions and start the operator; False when that is not possible."""
        self._number = self._agent.next_leaf()
        raised: Exception | None = None
        try:
            reason = self._obstacle()
        except Exception as error:  # noqa: BLE001 - a condition is the user's code
            raised, reason = error, _text_of(error)
        if reason:
            self._fail(reason)
            place = path_text(self.path)
            self._tell(LeafRefused(self._number, self.name, reason, place, raised))
            return False
        self._tell(LeafStarted(self._number, self.name, path_text(self.path)))
        try:
            operator = operator_for(self._agent, self.node, self._run.setup_arguments)
            if isinstance(operator, SubtreeOperator):
                operator.show_below(self)
            operator.start()
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self._end(reason=_text_of(error), error=error)
            return False
        except BaseException as error:
            self._end(reason=_text_of(error), error=error)
            raise
        self._operator = operator
        return True

    def _ticked(self, operator: Operator) -> Status:
        if not isinstance(operator, SubtreeOperator):
            return operator.tick()
        try:
            return operator.tick()
        finally:
            self._visited = operator.visited

    def _obstacle(self) -> str:
        """Why the step may not start now, or nothing. What is unknown is no obstacle."""
        beliefs, args = self._agent.beliefs, self.node.args
        for condition in (self.node.task.precondition, self.node.task.exec_only):
            if condition.evaluate(beliefs, args) is False:
                return why(condition, beliefs, args)
        return ""

    def _write_effects(self) -> None:
        """Make the effects come true. Computed before anything is written: all, or none."""
        state = WorkingState(self._agent.beliefs.frozen())
        for effects in (self.node.task.effects, self.node.task.actual):
            self._project(effects, state)
        for fluent, value in state.written_since(0).items():
            fluent.check(value)
        for fluent, value in state.written_since(0).items():
            self._agent.beliefs.write(fluent, value, self._run.source)
        self._run.on_finished(self.node, state.written_since(0))

    def _project(self, effects: tuple[Effect, ...], state: WorkingState) -> None:
        for fluent, write in writes_of(effects, state, self.node.args).items():
            assert isinstance(fluent, Fluent), "effects write fluents"
            state.apply(fluent, write)

    def _end(self, *, reason: str, error: BaseException | None = None) -> None:
        """The operator has ended by itself; ``reason`` is why it failed, if it did."""
        self._operator = None
        failed = bool(reason)
        if failed:
            self._fail(reason)
        place = path_text(self.path)
        self._tell(LeafEnded(self._number, self.name, not failed, reason, error, place))

    def _fail(self, reason: str) -> None:
        self.feedback_message = reason
        self.failure = placed(self.path, self.name, reason)

    def _tell(self, event: AgentEvent) -> None:
        self._agent.emit(event)


def _refusal(answer: object) -> str:
    if answer is Status.FAILURE:
        return "the operator answered FAILURE"
    return f"the operator answered {answer!r} instead of a status"


def _text_of(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - an exception of the user's that cannot even be printed
        text = "(its text cannot be told)"
    if isinstance(error, OperatorFailed):
        return text or "the operator failed"
    return f"{type(error).__name__}: {text}"
