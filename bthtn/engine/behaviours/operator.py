"""Operators: adapters from the forms that users write to start, tick and abort."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, Protocol, runtime_checkable

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.clock import steady_time
from bthtn.engine.agent.completion import Completion
from bthtn.engine.agent.operators import Elapsed, OperatorFailed, no_operator
from bthtn.engine.behaviours.generator_operator import (
    MEANINGS,
    CoroutineOperator,
    GeneratorOperator,
)
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.domain.number import TOLERANCE
from bthtn.engine.plan.nodes import TaskNode
from bthtn.errors import ExecutionError


@runtime_checkable
class Operator(Protocol):
    """**Protocol:** the run-time code of one step.

    ``start`` is called once, then ``tick`` until it returns SUCCESS or FAILURE; ``abort`` is
    called if the step is aborted before that. An exception in any of them fails the step, with
    the message of an OperatorFailed as the reason. When ``abort`` returns RUNNING, ``tick`` is
    called until it returns something else.
    """

    def start(self) -> None: ...

    def tick(self) -> Status:
        """Continue for a tick; RUNNING, SUCCESS or FAILURE."""
        ...

    def abort(self) -> Status | None:
        """Abort and clean up; RUNNING if that takes more ticks."""
        ...


def operator_for(
    agent: Agent[Any, Any], node: TaskNode, setup_arguments: Mapping[str, Any]
) -> Operator:
    """The operator for a step, made by the code bound to its task; or Simulated.

    ``setup_arguments`` are those of the tree, for an operator that is a tree. Raises
    ExecutionError when the code makes something that is no operator, and for a task without an
    operator that is not to be simulated.
    """
    make = agent.operators.find(node.task)
    if make is None:
        return simulated(agent, node)
    return adapted(make(agent, *node.args), agent, node, setup_arguments)


def simulated(agent: Agent[Any, Any], node: TaskNode) -> Simulated:
    """The operator of a step without code. Raises ExecutionError if the task needs some."""
    if not agent.operators.simulates(node.task):
        raise ExecutionError.of(no_operator(node.task, f"agent '{agent.name}'"))
    return Simulated(node.duration, agent if node.task.in_seconds else None)


def resumed_operator(
    agent: Agent[Any, Any],
    node: TaskNode,
    elapsed: Elapsed,
    setup_arguments: Mapping[str, Any] = MappingProxyType({}),
) -> Operator:
    """The operator of a step that was saved: from its ``on_resume`` hook, or begun anew.

    Without the hook an abort is over. An exception is raised when the operator is ticked.
    """
    go_on = agent.operators.find_resume(node.task)
    try:
        if go_on is not None:
            made = go_on(agent, *node.args, elapsed)
            return _going_on(adapted(made, agent, node, setup_arguments))
        if elapsed.abort_ticks is not None:
            return Simulated(0)
        return operator_for(agent, node, setup_arguments)
    except Exception as error:  # noqa: BLE001 - the user's code: it fails the step
        return GeneratorOperator(_raising(error), agent.time)


def _raising(error: Exception) -> Generator[None, None, None]:
    """The code of a step that fails with an exception in its first tick."""
    yield from ()
    raise error


def _going_on(operator: Operator) -> Operator:
    """An operator in the middle of its work: a generator is run to its first ``yield``."""
    ended = isinstance(operator, GeneratorOperator) and operator.tick() is not RUNNING
    return Simulated(0) if ended else operator


def adapted(
    made: Any, agent: Agent[Any, Any], node: TaskNode, setup_arguments: Mapping[str, Any]
) -> Operator:
    """The operator for an object that a user's code has made. Raises ExecutionError for others."""
    if made is None:
        return Simulated(0)
    if isinstance(made, Generator):
        return GeneratorOperator(made, agent.time)
    if isinstance(made, Coroutine):
        return CoroutineOperator(made, agent)
    if isinstance(made, Behaviour):
        return SubtreeOperator(made, setup_arguments)
    if isinstance(made, Completion):
        return CompletionOperator(made)
    if missing := _missing(made):
        raise _no_operator(made, node.task.name, missing)
    operator: Operator = made
    return operator


def _missing(made: object) -> list[str]:
    """The methods of an operator that an object lacks; ``isinstance`` takes ten times as long."""
    return [name for name in ("start", "tick", "abort") if not hasattr(made, name)]


def _no_operator(made: object, task: str, missing: list[str]) -> ExecutionError:
    """The mistake of code that makes something that is no operator."""
    message = f"the operator of '{task}' made {type(made).__name__}"
    hint = (
        "write a generator function or a coroutine function, or make a Completion, a"
        " behaviour or an object with start, tick and abort"
    )
    if isinstance(made, Status):
        message, hint = f"the operator of '{task}' returned {made}", MEANINGS
    elif "tick" not in missing:
        message += f", which has no {' and no '.join(missing)}"
    return ExecutionError("BT304", message, hint=hint)


def no_status(answer: object, task: str) -> ExecutionError:
    """The mistake of an operator whose ``tick`` returned something else than a status."""
    try:
        shown = repr(answer)
    except Exception:  # noqa: BLE001 - a value of the user's that cannot even be printed
        shown = type(answer).__name__
    message = f"the operator of '{task}' answered {shown} instead of a status"
    return ExecutionError("BT304", message, hint="return Status.RUNNING, SUCCESS or FAILURE")


def made_before(what: str) -> ExecutionError:
    """The mistake of an operator that makes the same thing for several starts."""
    message = f"the operator made a {what} that was made before"
    return ExecutionError("BT307", message, hint=f"make a new {what} for every start of the step")


def codes_of(operator: Operator, called: Callable[..., object]) -> tuple[object, ...]:
    """The code of users that runs when a method of an operator is called."""
    match operator:
        case GeneratorOperator() | CoroutineOperator():
            return (operator.code,)
        case SubtreeOperator():
            return (operator.root.tick, operator.root.stop)
        case CompletionOperator():
            return operator.codes
        case _:
            return (called,)


def give_up(made: object) -> None:
    """End what users' code has made for a step that an interrupt has kept from starting."""
    if isinstance(made, Completion):
        made.abandon()
    elif isinstance(made, Coroutine):
        made.close()


class Simulated:
    """Runs for a number of ticks, or of seconds of an agent's clock, and succeeds."""

    __slots__ = ("_agent", "_began", "_duration", "_ticks")

    def __init__(self, duration: float, agent: Agent[Any, Any] | None = None) -> None:
        self._duration = duration
        self._agent = agent
        self._ticks = 0
        self._began = 0.0

    def start(self) -> None:
        """Nothing to prepare."""

    def tick(self) -> Status:
        """RUNNING until the duration is over, which begins with the first tick."""
        ticks = self._ticks
        self._ticks = ticks + 1
        if self._agent is None or self._duration <= 0:
            return SUCCESS if ticks >= self._duration else RUNNING
        if ticks == 0:
            self._began = steady_time(self._agent)
            return RUNNING
        return SUCCESS if self._left(self._agent) <= 0 else RUNNING

    def waits(self) -> Wait:
        """For the seconds that are left; each tick counts where the duration is one of ticks."""
        agent = self._agent
        if agent is None or not self._ticks:
            return AT_ONCE
        return Wait(self._left(agent), clock=agent.clock)

    def _left(self, agent: Agent[Any, Any]) -> float:
        return self._duration - TOLERANCE - (steady_time(agent) - self._began)

    def abort(self) -> None:
        """Nothing to clean up."""


class CompletionOperator:
    def __init__(self, completion: Completion) -> None:
        self._completion = completion

    @property
    def codes(self) -> tuple[object, ...]:
        """The code of users that its abort calls."""
        return (self._completion.on_abort,)

    def start(self) -> None:
        """Raises ExecutionError for a completion that another step waits for."""
        if not self._completion.claim():
            raise made_before("Completion")

    def tick(self) -> Status:
        """RUNNING until ``succeed`` or ``fail`` was called. Raises OperatorFailed."""
        reason = self._completion.reason
        if reason is None:
            return RUNNING
        if reason:
            raise OperatorFailed(reason)
        return SUCCESS

    def waits(self) -> Wait:
        """For ``succeed`` or ``fail``."""
        return Wait() if self._completion.reason is None else AT_ONCE

    def abort(self) -> None:
        """Ignore later calls, and call ``on_abort``."""
        self._completion.abandon()


def wait_of(operator: Operator) -> Wait:
    """What an operator waits for, if it says so. Nobody can tell for the code of users."""
    waits = getattr(operator, "waits", None)
    told = waits() if callable(waits) else None
    return told if isinstance(told, Wait) else AT_ONCE


_SERVED: Final = "_has_served_a_step"
"""The attribute of a behaviour that was made for the start of a step."""


class SubtreeOperator:
    """Runs a py_trees behaviour: the step is a behaviour tree of its own.

    A plan that is over takes its behaviours apart, so none can serve twice.
    """

    def __init__(self, root: Behaviour, setup_arguments: Mapping[str, Any]) -> None:
        """Raises ExecutionError for a behaviour that is in a tree, or was in one of a step."""
        if root.parent is not None or getattr(root, _SERVED, False):
            raise made_before("behaviour")
        setattr(root, _SERVED, True)
        self.visited: list[Behaviour] = []
        self._root = root
        self._setup_arguments = setup_arguments

    @property
    def root(self) -> Behaviour:
        return self._root

    def show_below(self, leaf: Behaviour) -> None:
        """Make the subtree a child of the step's leaf, for displays and visitors."""
        self._root.parent = leaf
        leaf.children = [self._root]

    def start(self) -> None:
        """Set the subtree up, as py_trees does for a whole tree."""
        for node in self._root.iterate():
            node.setup(**self._setup_arguments)

    def tick(self) -> Status:
        """Tick the subtree once, and keep the ticked behaviours in ``visited``.

        Raises OperatorFailed with the feedback message of a subtree that fails, or else of the
        behaviour in it that has.
        """
        self.visited = []
        try:
            self.visited.extend(self._root.tick())
        except BaseException:
            with suppress(Exception):  # the first error is the one to report
                self.abort()
            raise
        if self._root.status is FAILURE:
            raise OperatorFailed(_why_failed(self._root))
        return self._root.status

    def waits(self) -> Wait:
        """For its behaviour."""
        return Wait(below=(self._root,))

    def abort(self) -> None:
        """Stop the subtree: all of it, also where the ``terminate`` of a behaviour raises."""
        try:
            self._root.stop(INVALID)
        except BaseException:
            for node in self._root.iterate():
                if node.status is RUNNING:
                    with suppress(Exception):
                        node.stop(INVALID)
                    node.status = INVALID
            raise


def _why_failed(root: Behaviour) -> str:
    """The message of a behaviour that has failed, or of the one below that it failed with."""
    if root.feedback_message:
        return root.feedback_message
    tip = root.tip() or root
    return (
        f"{tip.name}: {tip.feedback_message}" if tip.feedback_message else f"'{root.name}' failed"
    )
