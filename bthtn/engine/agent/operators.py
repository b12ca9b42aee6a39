"""Operators: the code that runs primitive tasks, bound to them apart from the domain.

One domain can run in a unit test, in a simulator and in the game: each binds its own operators.
An agent without operators simulates all tasks; otherwise those without one are mistakes, unless
they are declared to be simulated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from inspect import iscoroutinefunction
from typing import Any, Generic, NamedTuple, cast

from bthtn.engine.agent.callables import misfit, suspends
from bthtn.engine.agent.code_types import B_contra, Binding
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.function import place_of
from bthtn.engine.domain.task import PrimitiveTask, Task
from bthtn.engine.world.sharing import Unpicklable
from bthtn.errors import Diagnostic, ExecutionError, nearest

_Key = PrimitiveTask[...] | str

Running = Iterator[Any]
"""The return type of a generator operator: ``yield`` means that it is still running.

``yield seconds(3)`` is running until 3 seconds of the agent's clock have passed.
"""


class OperatorFailed(Exception):  # noqa: N818 - a reported failure, not an error
    """Raised by an operator that cannot do its task; the message is the reason."""


class Elapsed(NamedTuple):
    """How long a step had been at work when it was saved; ``Elapsed()`` is for one that begins.

    ``ticks`` is in how many ticks it was at work, the first one included, ``seconds`` the time of
    the agent's clock since it started, 0 without a clock. ``abort_ticks`` is how many ticks its
    abort had taken after the one in which it began; None if it was not being aborted.
    """

    ticks: int = 1
    seconds: float = 0.0
    abort_ticks: int | None = None


class Operators(Unpicklable, Generic[B_contra]):
    """The code of primitive tasks: operators, and hooks for the plans that contain the tasks.

    An operator is called with the agent and the task's arguments. It may be

    - a generator function: ``yield`` means still running, ``yield seconds(3)`` running for so
      long, returning means success, raising OperatorFailed means failure, and ``finally`` cleans
      up, also in an abort, and may ``yield`` while that takes more ticks;
    - a coroutine function, ``async def``: the same with ``await``; an abort cancels it;
    - a function that returns a Completion, for code that runs elsewhere and calls back;
    - a function without ``yield``: it succeeds when it returns;
    - a function or class that makes an object with ``start``, ``tick`` and ``abort``;
    - a function that returns a py_trees behaviour.

    An operator of a template's task is that of the tasks derived from it, too,
    unless they have an operator or hook of their own. With ``simulates_others``, as in tests and
    first drafts, every task without an operator is simulated.
    """

    def __init__(self, *, simulates_others: bool = False) -> None:
        self._simulates_others = simulates_others
        self._simulated: frozenset[_Key] = frozenset()
        self._bound: dict[_Key, Callable[..., Any]] = {}
        self._plan_starts: dict[_Key, Callable[..., Any]] = {}
        self._plan_ends: dict[_Key, Callable[..., Any]] = {}
        self._resumes: dict[_Key, Callable[..., Any]] = {}

    def bind(self, task: PrimitiveTask[...] | str) -> Binding[B_contra]:
        """Decorator: run the task, or every task of this name, with this code.

        Raises ExecutionError for a compound task, for a task that has an operator already, and for
        code that cannot be called with the agent and the task's arguments.
        """
        return _binding(self._bound, task, "operator")

    def simulate(self, *tasks: PrimitiveTask[...] | str) -> None:
        """Run these tasks without an operator: they last their duration, then succeed."""
        self._simulated |= frozenset(tasks)

    def on_plan_start(self, task: PrimitiveTask[...] | str) -> Binding[B_contra]:
        """Decorator: call this, like an operator, when a plan with the task begins.

        It is called for every step of the plan, before the first one starts, for example to
        reserve resources for the step. The plan fails if it raises. Raises ExecutionError.
        """
        return _binding(self._plan_starts, task, "on_plan_start hook")

    def on_plan_end(self, task: PrimitiveTask[...] | str) -> Binding[B_contra]:
        """Decorator: call this when a plan with the task has ended, in whatever way.

        It is called once for every step whose plan has started. Raises ExecutionError.
        """
        return _binding(self._plan_ends, task, "on_plan_end hook")

    def on_resume(self, task: PrimitiveTask[...] | str) -> Binding[B_contra]:
        """Decorator: call this instead of the operator when a running step is loaded.

        It is called with the agent, the task's arguments and an Elapsed, and gives an operator of
        any form, which goes on with the work that is in progress. A generator is run to its first
        ``yield`` at once: that is where the saved step stands. Without a hook, the operator is
        called again and begins anew. Simulated steps go on by themselves. Raises ExecutionError.
        """
        return _binding(self._resumes, task, "on_resume hook", "elapsed")

    def find(self, task: PrimitiveTask[...]) -> Callable[..., Any] | None:
        return _found(self._bound, task)

    def find_resume(self, task: PrimitiveTask[...]) -> Callable[..., Any] | None:
        return _found(self._resumes, task)

    def simulates(self, task: PrimitiveTask[...]) -> bool:
        """Whether the task needs no operator: it was declared so, or no task has one."""
        return not self._bound or self._is_declared(task)

    def missing(self, tasks: Iterable[Task], where: str) -> Iterator[Diagnostic]:
        """The mistakes of primitive tasks without operators that are not declared as simulated."""
        bare = (
            task for task in tasks if isinstance(task, PrimitiveTask) and self.find(task) is None
        )
        yield from (no_operator(task, where) for task in bare if not self._is_declared(task))

    def misfits(self, tasks: Iterable[Task]) -> Iterator[Diagnostic]:
        """The mistakes of operators that cannot be called with the arguments of their tasks."""
        found: list[Callable[..., Any]] = []  # many tasks may derive from one template
        for task in tasks:
            operator = self.find(task) if isinstance(task, PrimitiveTask) else None
            if operator is None or any(operator is other for other in found):
                continue
            names = ["agent", *(parameter.name for parameter in task.parameters)]
            if fault := misfit(operator, *names):
                found.append(operator)
                message = f"the operator of '{task.name}' {fault}"
                hint = f"let it take ({', '.join(names)})"
                yield Diagnostic("BT317", message, place_of(operator), hint)

    def _is_declared(self, task: PrimitiveTask[...]) -> bool:
        return self._simulates_others or any(key in self._simulated for key in keys_of(task))

    def simulated(self, domains: Sequence[FrozenDomain]) -> tuple[str, ...]:
        """The names of the tasks without an operator, if any task has one."""
        tasks = (task for domain in domains for task in domain.tasks.values() if self._bound)
        return tuple(
            task.name
            for task in tasks
            if isinstance(task, PrimitiveTask) and self.find(task) is None
        )

    @property
    def has_plan_hooks(self) -> bool:
        """Whether any task has a hook."""
        return bool(self._plan_starts or self._plan_ends)

    def plan_hooks(
        self, task: PrimitiveTask[...]
    ) -> tuple[Callable[..., Any] | None, Callable[..., Any] | None]:
        """The ``on_plan_start`` and ``on_plan_end`` hooks of the task, each may be None."""
        return _found(self._plan_starts, task), _found(self._plan_ends, task)

    def tasks(self) -> tuple[PrimitiveTask[...] | str, ...]:
        """The tasks or names that have an operator or a hook, in the order of their binding."""
        hooks = (*self._plan_starts, *self._plan_ends, *self._resumes)
        return tuple(dict.fromkeys((*self._bound, *hooks)))

    def faults(self, domains: Sequence[FrozenDomain], agent: str) -> Iterator[Diagnostic]:
        """The mistakes of an agent with these operators that plans with these domains."""
        bound = self.tasks()
        if not bound:
            return
        tasks = {id(task): task for domain in domains for task in domain.tasks.values()}
        named = {task.name: task for task in tasks.values()}
        needed = [task for task in tasks.values() if isinstance(task, PrimitiveTask)]
        known = {key for task in needed for key in keys_of(task)}
        strangers = [task for task in bound if task not in known]
        names, where = " or ".join(f"'{domain.name}'" for domain in domains), f"agent '{agent}'"
        is_other = len(strangers) == len(bound)
        for name in map(_name_of, strangers):
            # Operators may be shared by agents with other skills, so that a name which the domain
            # does not have is no mistake, unless it has none of the tasks.
            if is_other or name in named:
                message = f"'{name}' has an operator but is no task of {names}"
                hint = "bind the task of this domain that has the same name"
                hint = hint if name in named else nearest(name, [task.name for task in needed])
                yield Diagnostic("BT303", message, where, hint)
        if self._bound:
            yield from self.missing(needed, where)


def no_operator(task: PrimitiveTask[...], where: str) -> Diagnostic:
    hint = f"bind one, or declare that it needs none: operators.simulate({task.name})"
    return Diagnostic("BT311", f"'{task.name}' has no operator", where, hint)


def keys_of(task: PrimitiveTask[...]) -> Iterator[PrimitiveTask[...] | str]:
    """The keys of a task's operator: the task, the one it was derived from, …, and their names."""
    current: PrimitiveTask[...] | None = task
    while current is not None:
        yield current
        yield current.name
        current = current.template


def _name_of(key: _Key) -> str:
    return key if isinstance(key, str) else key.name


def _found(
    table: dict[_Key, Callable[..., Any]], task: PrimitiveTask[...]
) -> Callable[..., Any] | None:
    if not table:
        return None
    return next((table[key] for key in keys_of(task) if key in table), None)


def _binding(
    table: dict[_Key, Callable[..., Any]], task: PrimitiveTask[...] | str, kind: str, *more: str
) -> Binding[Any]:
    """The decorator; ``more`` are the names of arguments behind those of the task."""
    if not isinstance(task, PrimitiveTask | str):
        hint = "operators run primitive tasks; compound tasks are only planned"
        raise ExecutionError("BT301", f"{task!r} cannot have an {kind}", hint=hint)
    if task in table:
        raise ExecutionError("BT302", f"'{_name_of(task)}' has an {kind} already")

    def bound(operator: Callable[..., Any], /) -> Callable[..., Any]:
        what = f"the {kind} of '{_name_of(task)}'"
        if not callable(operator):
            message = f"{what} is {operator!r}, which cannot be called"
            hint = "write a function of the agent and the task's arguments below @bind(...)"
            raise ExecutionError("BT304", message, hint=hint)
        if kind.startswith("on_plan") and (form := suspends(operator)):
            hint = "write def without async and yield; what takes time is done by the operator"
            raise ExecutionError("BT304", f"{what} {form}", hint=hint)
        if isinstance(task, PrimitiveTask):
            names = ["agent", *(parameter.name for parameter in task.parameters), *more]
            if fault := misfit(operator, *names):
                hint = f"let it take ({', '.join(names)})"
                raise ExecutionError("BT304", f"{what} {fault}", place_of(operator), hint)
        if iscoroutinefunction(operator) or iscoroutinefunction(type(operator).__call__):
            import_module("asyncio")  # takes too long for the tick that starts its first step
        table[task] = operator
        return operator

    return cast("Binding[Any]", bound)
