"""Methods: one way to decompose a compound task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, Final, TypeGuard

from bthtn.checked import checked
from bthtn.engine.domain.bindable import Bindable
from bthtn.engine.domain.condition import ConditionLike
from bthtn.engine.domain.function import blame, function_text
from bthtn.engine.domain.network import (
    Network,
    NetworkLike,
    network_from,
    network_text,
    sequence,
    with_tasks,
)
from bthtn.engine.domain.number import NumberLike
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.engine.domain.variable import Variable, variables_in
from bthtn.engine.world.expression import (
    ALWAYS,
    Binding,
    Condition,
    Constant,
    Expression,
    StateView,
)
from bthtn.engine.world.fluent import UnknownRead
from bthtn.engine.world.footprint import ReadRecorder
from bthtn.engine.world.sharing import Shared, Unpicklable
from bthtn.engine.world.state import State
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import DomainError
from bthtn.records import record

PlainMethod = Callable[[Any], Iterable[NetworkLike] | NetworkLike | None]
"""A function of the state that returns networks in order, or None if it is not applicable."""


@record(eq=False)
class PlainBody:
    """A network that a plain function of the state computes while planning.

    ``tasks`` maps tasks that the function calls to those that replace them in its result.
    """

    function: PlainMethod
    state_class: type[State]
    tasks: Mapping[Task, Task] = field(default_factory=dict)
    _bindable: Bindable[PlainMethod] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_bindable", Bindable(self.function))

    def network(self, view: StateView, binding: Binding) -> Network | None:
        """The network for this state; None when the method does not apply.

        Raises UnknownRead, PlanningError, and DomainError when the result is not a network.
        """
        try:
            function = self._bindable.bound(binding)
            network = _network_in(function(self.state_class.over(view)))
        except UnknownRead:
            raise
        except Exception as error:  # noqa: BLE001 - raised as the function's
            blame(self.function, error)
        return with_tasks(network, self.tasks) if self.tasks and network is not None else network

    def why_not(self, view: StateView, binding: Binding) -> str:  # noqa: ARG002 - see GoalBody
        """Why the method does not apply although its condition is true."""
        return f"{self} does not apply"

    def __str__(self) -> str:
        return function_text(self.function)


def never_called(state: Any) -> None:
    """In the place of the function of a body whose network is found otherwise."""
    raise AssertionError(f"{state!r} is not asked for a network")


def _network_in(answer: Iterable[NetworkLike] | NetworkLike | None) -> Network | None:
    """The result of a plain method as a network."""
    if answer is None:
        return None
    if type(answer) is tuple:
        return sequence(*answer)
    if type(answer) is not TaskCall and isinstance(answer, Iterable):
        return sequence(*answer)
    return network_from(answer)


FREE: Final = Constant(0)


@record(eq=False)
class Method(Shared, Unpicklable):
    """A method of a compound task: its condition and the network that replaces the task.

    ``cost`` is added to the costs of the network's tasks. Plans with the lowest sum of ``value``
    are preferred, before the order of methods counts (semantics 2.10).
    """

    body: Network | PlainBody
    condition: Condition = ALWAYS
    name: str = ""
    cost: Expression[Any] = FREE
    value: Expression[Any] = FREE

    def text(self) -> str:
        """The body as it was written."""
        return str(self.body) if isinstance(self.body, PlainBody) else network_text(self.body)

    def network(self, recorder: ReadRecorder, binding: Binding) -> Network | None:
        """The network for this state; None when the method does not apply.

        Raises UnknownRead when this depends on an unknown fluent, and like ``PlainBody.network``.
        """
        if self.condition is not ALWAYS:
            applies = self.condition.evaluate(recorder, binding)
            if applies is UNKNOWN:
                raise UnknownRead(recorder.unknown)
            if not applies:
                return None
        body = self.body
        return body.network(recorder, binding) if isinstance(body, PlainBody) else body

    def with_tasks(self, tasks: Mapping[Task, Task]) -> Method:
        """The same method with some tasks in place of others."""
        if not isinstance(self.body, PlainBody):
            return replace(self, body=with_tasks(self.body, tasks))
        before = {old: tasks.get(new, new) for old, new in self.body.tasks.items()}
        return replace(self, body=replace(self.body, tasks={**tasks, **before}))


def numbered(index: int, name: str) -> str:
    """How a method is called: ``method 1``, and its name if it has one."""
    return f"method {index} {name!r}" if name else f"method {index}"


@record(eq=False)
class WrittenMethod(Shared, Unpicklable):
    """A method as its author wrote it, before the domain is frozen.

    ``variables`` are those that it mentioned then: a function in it could see others later.
    """

    body: tuple[NetworkLike | PlainMethod, ...]
    when: ConditionLike
    name: str
    cost: NumberLike = 0
    value: NumberLike = 0
    variables: tuple[Variable[Any], ...] = field(init=False)

    def __post_init__(self) -> None:
        variables = variables_in(*self.body, self.when, self.cost, self.value)
        object.__setattr__(self, "variables", variables)


Methods = Iterator[WrittenMethod]
"""The return type of the function of a compound task: a generator of methods."""


@checked
def method(
    *body: NetworkLike | PlainMethod,
    when: ConditionLike = True,
    name: str = "",
    cost: NumberLike = 0,
    value: NumberLike = 0,
) -> WrittenMethod:
    """One way to do a task: the networks of ``body`` in order, while ``when`` holds.

    An empty body means that there is nothing left to do. A single plain function in place of the
    body is called while planning: it returns task calls for the actual state, or None if the
    method does not apply. ``cost`` is added to the costs of the tasks of the body. If methods
    have a ``value``, the plan with the lowest sum of values is preferred.
    """
    return WrittenMethod(body, when, name, cost, value)


def plain_function(body: tuple[NetworkLike | PlainMethod, ...]) -> PlainMethod | None:
    return body[0] if len(body) == 1 and _is_plain(body[0]) else None


def _is_plain(part: object) -> TypeGuard[Callable[..., Any]]:
    return callable(part) and not isinstance(part, PrimitiveTask | CompoundTask)


def written_network(body: tuple[Any, ...]) -> Network:
    """The body as a network. Raises DomainError for a part that is not a network."""
    for part in body:
        if _is_plain(part):
            message = f"{function_text(part)} stands beside other parts of a method"
            hint = "a plain function is the whole body of a method, or none of it"
            raise DomainError("BT110", message, hint=hint)
    return sequence(*body)
