"""Operators: the run-time code of primitive tasks, bound to them apart from the domain.

One domain runs in a unit test, in a simulator and in the game: each binds its own operators.
A task without one is simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from bthtn.domain.task import PrimitiveTask
from bthtn.errors import Diagnostic, ExecutionError

F = TypeVar("F", bound=Callable[..., Any])

Running = Iterator[None]
"""What a generator operator returns: every ``yield`` says that it is still running."""


class OperatorFailed(Exception):  # noqa: N818 - it reads as what the operator says
    """Raised by an operator that could not do its task; the message is the reason."""


class Operators:
    """Which code runs which primitive task.

    An operator is called with the agent and the task's arguments. It may be

    - a generator function: ``yield`` means still running, returning means success, raising
      OperatorFailed means failure, and ``finally`` cleans up, also when it is aborted;
    - a function without ``yield``: it is done when it returns;
    - a function or class that makes an object with ``start``, ``tick`` and ``abort``;
    - a function that makes a py_trees behaviour.
    """

    def __init__(self) -> None:
        self._bound: dict[PrimitiveTask[Any], Callable[..., Any]] = {}

    def bind(self, task: PrimitiveTask[Any]) -> Callable[[F], F]:
        """Decorator: run the task with this code. Raises ExecutionError.

        A task that is not primitive has nothing to run, and a task has one operator.
        """
        if not isinstance(task, PrimitiveTask):
            raise ExecutionError(
                Diagnostic(
                    "BT301",
                    f"{task!r} cannot have an operator",
                    hint="operators run primitive tasks; compound tasks are only planned",
                )
            )
        if task in self._bound:
            raise ExecutionError(Diagnostic("BT302", f"'{task.name}' has an operator already"))

        def bound(operator: F) -> F:
            self._bound[task] = operator
            return operator

        return bound

    def find(self, task: PrimitiveTask[Any]) -> Callable[..., Any] | None:
        """The code that runs the task, None when it is simulated."""
        return self._bound.get(task)

    def tasks(self) -> tuple[PrimitiveTask[Any], ...]:
        """The tasks that have an operator, in the order they were bound."""
        return tuple(self._bound)
