"""Operators: the code that runs primitive tasks, bound to them apart from the domain.

One domain can run in a unit test, in a simulator and in the game: each binds its own operators.
A task without one is simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from bthtn.domain.task import PrimitiveTask
from bthtn.errors import Diagnostic, ExecutionError

F = TypeVar("F", bound=Callable[..., Any])

Running = Iterator[None]
"""The return type of a generator operator; every ``yield`` means that it is still running."""


class OperatorFailed(Exception):  # noqa: N818 - a reported failure, not an error
    """Raised by an operator that cannot do its task; the message is the reason."""


class Operators:
    """The code of primitive tasks: operators, and hooks for the plans that contain the tasks.

    An operator is called with the agent and the task's arguments. It may be

    - a generator function: ``yield`` means still running, returning means success, raising
      OperatorFailed means failure, and ``finally`` cleans up, also in an abort, and may ``yield``
      while that takes more ticks;
    - a function that returns a Completion, for code that runs elsewhere and calls back;
    - a function without ``yield``: it succeeds when it returns;
    - a function or class that makes an object with ``start``, ``tick`` and ``abort``;
    - a function that returns a py_trees behaviour.
    """

    def __init__(self) -> None:
        self._bound: dict[PrimitiveTask[Any], Callable[..., Any]] = {}
        self._plan_starts: dict[PrimitiveTask[Any], Callable[..., Any]] = {}
        self._plan_ends: dict[PrimitiveTask[Any], Callable[..., Any]] = {}

    def bind(self, task: PrimitiveTask[Any]) -> Callable[[F], F]:
        """Decorator: run the task with this code.

        Raises ExecutionError for a compound task, and for a task that has an operator already.
        """
        return _binding(self._bound, task, "operator")

    def on_plan_start(self, task: PrimitiveTask[Any]) -> Callable[[F], F]:
        """Decorator: call this, like an operator, when a plan with the task begins.

        It is called for every step of the plan, before the first one starts, for example to
        reserve resources for the step. The plan fails if it raises. Raises ExecutionError.
        """
        return _binding(self._plan_starts, task, "on_plan_start hook")

    def on_plan_end(self, task: PrimitiveTask[Any]) -> Callable[[F], F]:
        """Decorator: call this when a plan with the task has ended, in whatever way.

        It is called once for every step whose plan has started. Raises ExecutionError.
        """
        return _binding(self._plan_ends, task, "on_plan_end hook")

    def find(self, task: PrimitiveTask[Any]) -> Callable[..., Any] | None:
        """The operator of the task, None if it is simulated."""
        return self._bound.get(task)

    @property
    def has_plan_hooks(self) -> bool:
        """Whether any task has a hook."""
        return bool(self._plan_starts or self._plan_ends)

    def plan_hooks(
        self, task: PrimitiveTask[Any]
    ) -> tuple[Callable[..., Any] | None, Callable[..., Any] | None]:
        """The ``on_plan_start`` and ``on_plan_end`` hooks of the task, each may be None."""
        return self._plan_starts.get(task), self._plan_ends.get(task)

    def tasks(self) -> tuple[PrimitiveTask[Any], ...]:
        """The tasks that have an operator or a hook, in the order in which they were bound."""
        return tuple(dict.fromkeys((*self._bound, *self._plan_starts, *self._plan_ends)))


def _binding(
    table: dict[PrimitiveTask[Any], Callable[..., Any]], task: PrimitiveTask[Any], kind: str
) -> Callable[[F], F]:
    if not isinstance(task, PrimitiveTask):
        raise ExecutionError(
            Diagnostic(
                "BT301",
                f"{task!r} cannot have an {kind}",
                hint="operators run primitive tasks; compound tasks are only planned",
            )
        )
    if task in table:
        raise ExecutionError(Diagnostic("BT302", f"'{task.name}' has an {kind} already"))

    def bound(operator: F) -> F:
        table[task] = operator
        return operator

    return bound
