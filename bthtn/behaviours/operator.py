"""How the forms of an operator become one: start, tick, abort."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, Protocol, runtime_checkable

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.agent import Agent
from bthtn.agent.completion import Completion
from bthtn.agent.operators import OperatorFailed
from bthtn.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.errors import Diagnostic, ExecutionError
from bthtn.plan.nodes import TaskNode


@runtime_checkable
class Operator(Protocol):
    """**Protocol:** the run-time code of one step.

    ``start`` once, ``tick`` until it answers SUCCESS or FAILURE, ``abort`` instead of an
    answer. Whatever they raise fails the step; OperatorFailed says why. An ``abort`` that
    answers RUNNING is not done yet: ``tick`` is called until it answers anything else.
    """

    def start(self) -> None:
        """Begin."""
        ...

    def tick(self) -> Status:
        """Go on; RUNNING, SUCCESS or FAILURE."""
        ...

    def abort(self) -> Status | None:
        """Give up and clean up; RUNNING when that takes more ticks."""
        ...


def operator_for(
    agent: Agent[Any, Any], node: TaskNode, setup_arguments: Mapping[str, Any]
) -> Operator:
    """The operator that runs a step. Raises ExecutionError for code that makes none.

    ``setup_arguments`` are what the tree was set up with, for an operator that is a tree.
    """
    make = agent.operators.find(node.task)
    if make is None:
        return Simulated(node.duration)
    made = make(agent, *node.args)
    if made is None:
        return Simulated(0)
    if isinstance(made, Generator):
        return GeneratorOperator(made)
    if isinstance(made, Behaviour):
        return SubtreeOperator(made, setup_arguments)
    if isinstance(made, Completion):
        return CompletionOperator(made)
    if isinstance(made, Operator):
        return made
    raise ExecutionError(
        Diagnostic(
            "BT304",
            f"the operator of '{node.task.name}' made {type(made).__name__}",
            hint="write a generator function, or make a Completion, a behaviour or an object"
            " with start, tick and abort",
        )
    )


class Simulated:
    """Takes its duration in ticks and succeeds."""

    def __init__(self, duration: float) -> None:
        self._left = duration

    def start(self) -> None:
        """Nothing to prepare."""

    def tick(self) -> Status:
        """RUNNING until the duration is over."""
        if self._left <= 0:
            return SUCCESS
        self._left -= 1
        return RUNNING

    def abort(self) -> None:
        """Nothing to clean up."""


class GeneratorOperator:
    """Runs a generator: ``yield`` is still running, return is success.

    A ``yield`` after it was told to leave means that it has not left yet.
    """

    def __init__(self, generator: Generator[Any, None, Any]) -> None:
        self._generator = generator
        self._leaving = False

    def start(self) -> None:
        """The first tick starts it."""

    def tick(self) -> Status:
        """Run to the next ``yield``."""
        try:
            next(self._generator)
        except StopIteration:
            return SUCCESS
        except GeneratorExit:
            if not self._leaving:
                raise
            return FAILURE
        return RUNNING

    def abort(self) -> Status | None:
        """Raise GeneratorExit at its ``yield``, so that ``finally`` runs."""
        self._leaving = True
        try:
            self._generator.throw(GeneratorExit())
        except (GeneratorExit, StopIteration):
            return None
        return RUNNING

    def close(self) -> None:
        """Let it go, wherever it is. Raises RuntimeError if it will not leave."""
        self._generator.close()


class CompletionOperator:
    """Waits for a call-back."""

    def __init__(self, completion: Completion) -> None:
        self._completion = completion

    def start(self) -> None:
        """Raises ExecutionError for a completion that another step waits for."""
        if not self._completion.claim():
            raise ExecutionError(
                Diagnostic(
                    "BT307",
                    "the operator made a Completion that was made before",
                    hint="make a new Completion for every start of the step",
                )
            )

    def tick(self) -> Status:
        """RUNNING until somebody has said how it ended."""
        reason = self._completion.reason
        if reason is None:
            return RUNNING
        if reason:
            raise OperatorFailed(reason)
        return SUCCESS

    def abort(self) -> None:
        """Hear no more of it, and tell whoever does it."""
        self._completion.abandon()


class SubtreeOperator:
    """Runs a py_trees behaviour: a step that is a behaviour tree of its own."""

    def __init__(self, root: Behaviour, setup_arguments: Mapping[str, Any]) -> None:
        self.visited: list[Behaviour] = []
        self._root = root
        self._setup_arguments = setup_arguments

    def show_below(self, leaf: Behaviour) -> None:
        """Let displays and visitors find the subtree below the step."""
        self._root.parent = leaf
        leaf.children = [self._root]

    def start(self) -> None:
        """Set the subtree up, as py_trees does for a whole tree."""
        for node in self._root.iterate():
            node.setup(**self._setup_arguments)

    def tick(self) -> Status:
        """Tick the subtree once; ``visited`` are the behaviours that were ticked."""
        self.visited = []
        try:
            self.visited.extend(self._root.tick())
        except BaseException:
            self._root.stop(INVALID)
            raise
        if self._root.status is FAILURE:
            raise OperatorFailed(self._root.feedback_message or f"'{self._root.name}' failed")
        return self._root.status

    def abort(self) -> None:
        """Stop the subtree."""
        self._root.stop(INVALID)
