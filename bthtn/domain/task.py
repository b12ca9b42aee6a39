"""Tasks: primitive ones that are done, compound ones that are decomposed, and their calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec

from bthtn.domain.choice import Choice
from bthtn.domain.effect import Effect
from bthtn.domain.parameter import Parameters, arguments
from bthtn.world.expression import ALWAYS, Binding, Condition, Constant, Expression
from bthtn.world.truth import value_text

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that only one task at a time can occupy: legs, arms, a voice."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class PrimitiveTask(Generic[P]):
    """A task that is done, not decomposed. Compared by identity.

    ``precondition`` is asked while planning and again when the task starts, ``exec_only``
    only when it starts, ``during`` at every tick after that. ``effects`` are planned and come
    true on success, ``expected`` are only planned, ``actual`` only come true; ``on_start``,
    ``on_failure`` and ``on_abort`` come true at these moments and are not planned. ``uses`` are
    the resources it occupies while it runs. ``duration`` is in ticks, ``cost`` in whatever unit
    the domain counts. An ``uninterruptible`` task is not given up for a better plan.
    """

    name: str
    parameters: Parameters = ()
    precondition: Condition = ALWAYS
    exec_only: Condition = ALWAYS
    during: Condition = ALWAYS
    effects: tuple[Effect, ...] = ()
    expected: tuple[Effect, ...] = ()
    actual: tuple[Effect, ...] = ()
    on_start: tuple[Effect, ...] = ()
    on_failure: tuple[Effect, ...] = ()
    on_abort: tuple[Effect, ...] = ()
    uses: frozenset[str] = frozenset()
    duration: Expression[Any] = Constant(0)  # noqa: RUF009 - a frozen constant
    cost: Expression[Any] = Constant(1)  # noqa: RUF009 - a frozen constant
    uninterruptible: bool = False
    doc: str = ""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> TaskCall:
        """The task with arguments. Raises DomainError for a wrong count or type."""
        return TaskCall(self, arguments(self.name, self.parameters, args, kwargs))

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"


@dataclass(frozen=True, slots=True, eq=False)
class CompoundTask(Generic[P]):
    """A task that its methods decompose, the first that works first. Compared by identity.

    An anonymous task stands for something written inside a network: ``origin`` is the word it
    was written with, nothing for tasks that authors named. ``choice`` says in which ways it can
    be decomposed where its methods alone do not. Other domains that are merged with this one add
    methods to a task that ``is_open``.
    """

    name: str
    parameters: Parameters
    define: Callable[..., Iterator[Any]]
    doc: str = ""
    origin: str = ""
    choice: Choice | None = None
    is_open: bool = False

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> TaskCall:
        """The task with arguments. Raises DomainError for a wrong count or type."""
        return TaskCall(self, arguments(self.name, self.parameters, args, kwargs))

    def __repr__(self) -> str:
        return f"<compound {self.name}>"


Task = PrimitiveTask[Any] | CompoundTask[Any]


@dataclass(frozen=True, slots=True, eq=False)
class TaskCall:
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
        """The same call, of the task that stands for its task; what that one fixes, is fixed."""
        task = tasks.get(self.task, self.task)
        fixed = {one.position: one.default for one in task.parameters if one.is_fixed}
        args = (Constant(fixed[n]) if n in fixed else arg for n, arg in enumerate(self.args))
        return TaskCall(task, tuple(args))

    @property
    def _identity(self) -> tuple[Any, ...]:
        return (
            self.task,
            *(
                (arg.value, "") if isinstance(arg, Constant) else (id(arg), "id")
                for arg in self.args
            ),
        )

    def text(self, binding: Binding | None = None) -> str:
        """``name`` or ``name(arguments)``; what an anonymous task is given is nobody's business."""
        if not self.args or (
            binding is None and isinstance(self.task, CompoundTask) and self.task.origin
        ):
            return self.task.name
        return f"{self.task.name}({', '.join(arg.text(binding) for arg in self.args)})"

    def __str__(self) -> str:
        return self.text()


def call_text(task: Task, args: tuple[Any, ...]) -> str:
    """``name`` or ``name(values)``."""
    return f"{task.name}({', '.join(map(value_text, args))})" if args else task.name
