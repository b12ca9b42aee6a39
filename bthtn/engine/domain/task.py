"""Primitive tasks, which are executed, compound tasks, which are decomposed, and calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final, Generic, ParamSpec

from bthtn.engine.domain.choice import DecompositionChoice
from bthtn.engine.domain.decorator import Decorator
from bthtn.engine.domain.effect import Effect
from bthtn.engine.domain.parameter import Parameters, arguments
from bthtn.engine.world.at_start import AtStart, conjunction
from bthtn.engine.world.expression import (
    ALWAYS,
    Binding,
    Condition,
    Constant,
    Expression,
    conjuncts,
)
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.truth import value_text
from bthtn.engine.world.unfrozen import unfrozen
from bthtn.errors import Diagnostic
from bthtn.records import record

P = ParamSpec("P")


@record
class Resource:
    """A thing that only one task at a time can use: legs, arms, a voice."""

    name: str

    def __str__(self) -> str:
        return self.name


@record(eq=False)
class PrimitiveTask(Shared, Unpicklable, Generic[P]):
    """A task that is executed, not decomposed. Compared by identity.

    ``precondition`` is checked while planning and again when the task starts; ``watched`` are those
    parts of it that changes by others must not make false while it runs. ``exec_only`` is checked
    only when it starts, ``during`` at every tick after that. ``effects`` are applied while
    planning and again on success, ``expected`` only while planning, ``actual`` only on success;
    ``on_start``, ``on_failure`` and ``on_abort`` are applied at these moments, not while planning.
    ``uses`` are the resources it occupies while it runs. ``duration`` is in ticks, or, where
    ``in_seconds``, in seconds; ``cost`` is in a unit of the domain's choice. An ``uninterruptible``
    task is not aborted for a better plan.
    """

    name: str
    parameters: Parameters = ()
    precondition: Condition = ALWAYS
    watched: Condition = ALWAYS
    exec_only: Condition = ALWAYS
    during: Condition = ALWAYS
    effects: tuple[Effect, ...] = ()
    expected: tuple[Effect, ...] = ()
    actual: tuple[Effect, ...] = ()
    on_start: tuple[Effect, ...] = ()
    on_failure: tuple[Effect, ...] = ()
    on_abort: tuple[Effect, ...] = ()
    uses: frozenset[str] = frozenset()
    duration: Expression[Any] = Constant(0)
    in_seconds: bool = False
    cost: Expression[Any] = Constant(1)
    uninterruptible: bool = False
    doc: str = ""
    template: PrimitiveTask[...] | None = None
    _calls: dict[Any, TaskCall] = field(default_factory=dict, init=False, repr=False)

    @property
    def all_effects(self) -> tuple[Effect, ...]:
        at_run_time = (*self.actual, *self.on_start, *self.on_failure, *self.on_abort)
        return (*self.effects, *self.expected, *at_run_time)

    @property
    def written_precondition(self) -> Condition:
        """Its precondition to be shown, with an ``at_start`` around parts that are not watched."""
        if self.watched is self.precondition:
            return self.precondition
        watched = set(map(id, conjuncts(self.watched)))
        parts = conjuncts(self.precondition)
        return conjunction([part if id(part) in watched else AtStart(part) for part in parts])

    @property
    def takes_time(self) -> bool:
        """Whether its duration is not the constant 0."""
        return not (isinstance(self.duration, Constant) and self.duration.value == 0)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> TaskCall:
        """The task with arguments. Raises DomainError for a wrong count or type."""
        known = None if args or kwargs else self._calls.get(())
        return known or _call_of(self, self._calls, args, kwargs)

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"


@record(eq=False)
class CompoundTask(Shared, Unpicklable, Generic[P]):
    """A task that is decomposed by the first of its methods that works. Compared by identity.

    An anonymous task stands for a construct inside a network: ``origin`` is the word that the
    construct is written with, "" for tasks that authors named. ``choice`` gives its
    decompositions if they are not simply one for each method, in order. ``decorator`` is that of
    a part of a network with one. Domains that are merged with this one can add methods to a task
    that ``is_open``.
    """

    name: str
    parameters: Parameters
    define: Callable[..., Iterator[Any]]
    doc: str = ""
    origin: str = ""
    choice: DecompositionChoice | None = None
    is_open: bool = False
    decorator: Decorator | None = None
    _calls: dict[Any, TaskCall] = field(default_factory=dict, init=False, repr=False)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> TaskCall:
        """The task with arguments. Raises DomainError for a wrong count or type."""
        known = None if args or kwargs else self._calls.get(())
        return known or _call_of(self, self._calls, args, kwargs)

    def __repr__(self) -> str:
        return f"<compound {self.name}>"


Task = PrimitiveTask[...] | CompoundTask[...]

_KEPT: Final = frozenset({bool, int, str})
_MOST_KEPT: Final = 1_000
"""Calls of one task that are kept; then it begins anew."""


@record(eq=False)
class TaskCall(Shared, Unpicklable):
    """A task with arguments: the leaf of every task network.

    Equal to another call of the same task when the arguments are equal values, or the very
    same expressions.
    """

    task: Task
    args: tuple[Expression[Any], ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TaskCall) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def with_tasks(self, tasks: Mapping[Task, Task]) -> TaskCall:
        """The same call of the task's replacement, with the arguments which that one fixes."""
        task = tasks.get(self.task, self.task)
        fixed = {
            parameter.position: parameter.default
            for parameter in task.parameters
            if parameter.is_fixed
        }
        args = (Constant(fixed[n]) if n in fixed else arg for n, arg in enumerate(self.args))
        return TaskCall(task, tuple(args))

    @property
    def _identity(self) -> tuple[Any, ...]:
        args = ((a.value, "") if isinstance(a, Constant) else (id(a), "id") for a in self.args)
        return (self.task, *args)

    def text(self, binding: Binding | None = None) -> str:
        """``name`` or ``name(arguments)``; symbolic arguments of anonymous tasks are left out."""
        if not self.args or (
            binding is None and isinstance(self.task, CompoundTask) and self.task.origin
        ):
            return self.task.name
        return f"{self.task.name}({', '.join(arg.text(binding) for arg in self.args)})"

    def __str__(self) -> str:
        return self.text()


def strangers(used: Iterable[Task], tasks: Mapping[str, Task], where: str) -> Iterator[Diagnostic]:
    for task in used:
        if tasks.get(task.name) is not task:
            message = f"'{task.name}' belongs to another domain"
            yield Diagnostic("BT109", message, where, "define the task in this domain")


def mixed_units(tasks: Iterable[Task], where: str) -> Iterator[Diagnostic]:
    """A diagnostic if some tasks last ticks and others seconds, which plans could not add up."""
    first: PrimitiveTask[...] | None = None
    for task in tasks:
        if not isinstance(task, PrimitiveTask) or not task.takes_time:
            continue
        first = first or task
        if task.in_seconds != first.in_seconds:
            one, other = (first, task) if first.in_seconds else (task, first)
            message = f"'{one.name}' lasts seconds and '{other.name}' ticks"
            hint = "write all durations of a domain with seconds(…), or none"
            yield Diagnostic("BT128", message, where, hint)
            return


_OpenCall: Final = unfrozen(TaskCall)  # as plain methods make calls


def _call_of(
    task: Task, calls: dict[Any, TaskCall], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> TaskCall:
    """A call; one with plain values is kept in ``calls``, since plain methods make it again."""
    if kwargs or not _KEPT.issuperset(map(type, args)):
        return TaskCall(task, arguments(task.name, task.parameters, args, kwargs))
    key = (*map(type, args), *args)
    call = calls.get(key)
    if call is None:
        made = _OpenCall()
        made.task, made.args = task, arguments(task.name, task.parameters, args, kwargs)
        made.__class__ = TaskCall
        call = made
        if len(calls) >= _MOST_KEPT:
            calls.clear()
        calls[key] = call
    return call


def call_text(task: Task, args: tuple[Any, ...]) -> str:
    """``name`` or ``name(values)``."""
    return f"{task.name}({', '.join(map(value_text, args))})" if args else task.name
