"""Runs the function of a compound task, and makes methods of its result, or diagnostics."""

from __future__ import annotations

import inspect
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from bthtn.engine.domain.condition import condition_from
from bthtn.engine.domain.function import raised_in_description
from bthtn.engine.domain.lowering import Lowering
from bthtn.engine.domain.method import (
    Method,
    PlainBody,
    WrittenMethod,
    plain_function,
    written_network,
)
from bthtn.engine.domain.network import DeferNetwork, Network, networks_in, tasks_in
from bthtn.engine.domain.number import cost_from
from bthtn.engine.domain.task import CompoundTask, Task, TaskCall, strangers
from bthtn.engine.domain.variable import Variable, unplaced, variables_in
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import Constant
from bthtn.engine.world.names import name_faults
from bthtn.engine.world.state import State
from bthtn.errors import BthtnError, Diagnostic, DomainError, nearest

_YIELD: Final = "yield method(...)"


@dataclass(slots=True)
class ReadResult:
    """The methods of a compound task and of its anonymous tasks, or the mistakes ``found``.

    ``methods`` has the task itself first, then its anonymous tasks.
    """

    methods: dict[CompoundTask[...], tuple[Method, ...]] = field(default_factory=dict)
    found: list[Diagnostic] = field(default_factory=list)


def read_methods(
    task: CompoundTask[...],
    tasks: Mapping[str, Task],
    state_class: type[State],
    instead: Mapping[Task, Task],
) -> ReadResult:
    """The methods of the task, and a diagnostic for everything that is wrong with them.

    ``instead`` maps tasks that were defined again to those that take their place.
    """
    where = f"compound '{task.name}'"
    try:
        written = _yielded(task)
    except NameError as error:
        name = error.name or ""
        message, hint = f"no task is called '{name}'", nearest(name, tasks)
        return ReadResult(found=[Diagnostic("BT101", message, where, hint)])
    except BthtnError as error:
        return ReadResult(found=[_at(diagnostic, where) for diagnostic in error.diagnostics])
    except Exception as error:  # noqa: BLE001 - the author's own code: reported, not hidden
        return ReadResult(found=[raised_in_description(error, where)])
    result = ReadResult()
    lowering = Lowering(task.name, task.parameters, tasks, state_class, instead)
    methods: list[Method] = []
    for index, item in enumerate(written):
        place = f"{where}, method {index}"
        try:
            method, known = _read(item, state_class)
            if method.name:
                result.found.extend(name_faults("a method", method.name, place))
            if not isinstance(method.body, PlainBody):
                called = (instead.get(task, task) for task in tasks_in(method.body))
                result.found.extend(strangers(called, tasks, place))
            methods.append(lowering.method(method, known))
        except BthtnError as error:
            result.found.extend(_at(diagnostic, place) for diagnostic in error.diagnostics)
    if not written and not task.is_open:
        message = f"'{task.name}' has no methods"
        result.found.append(Diagnostic("BT105", message, where, _YIELD))
    result.methods = {task: tuple(methods), **lowering.methods}
    if instead:
        result.methods = {
            each: tuple(method.with_tasks(instead) for method in methods)
            for each, methods in result.methods.items()
        }
    return result


def read_goal(
    goal: Network, tasks: Mapping[str, Task], state_class: type[State]
) -> tuple[dict[CompoundTask[...], tuple[Method, ...]], Network]:
    """The methods of the anonymous tasks inside a goal, and the goal that calls them.

    Raises DomainError for tasks of another domain, and for variables.
    """
    if type(goal) is TaskCall and _is_plain(goal) and tasks.get(goal.task.name) is goal.task:
        return {}, goal  # as most goals are
    DomainError.raise_for(strangers(tasks_in(goal), tasks, "goal"))
    check_arguments(goal, state_class)
    refuse_variables("goal", goal)
    lowering = Lowering("goal", (), tasks, state_class)
    network = lowering.network(goal, ())
    return lowering.methods, network


def _is_plain(call: TaskCall) -> bool:
    return all(type(arg) is Constant for arg in call.args)


def refuse_variables(where: str, *things: object) -> None:
    """Raise DomainError when a variable is used where no method can give it a value."""
    for variable in variables_in(*things):
        raise unplaced(variable, where)


def _yielded(task: CompoundTask[...]) -> list[object]:
    """The values that the task's function yields; variables get the names they have there."""
    yielded = task.define(*task.parameters)
    if not isinstance(yielded, Iterable):
        raise DomainError("BT110", f"'{task.name}' returns {yielded!r}", hint=_YIELD)
    written: list[object] = []
    for item in yielded:
        written.append(item)
        if isinstance(yielded, Generator):
            for name, value in inspect.getgeneratorlocals(yielded).items():
                if isinstance(value, Variable):
                    value.call(name)
    return written


def _read(written: object, state_class: type[State]) -> tuple[Method, Sequence[Variable[Any]]]:
    """The method, and the variables that it mentioned when it was written."""
    if not isinstance(written, WrittenMethod):
        raise BthtnError("BT110", f"{written!r} is not a method", hint=_YIELD)
    condition = condition_from(written.when, state_class)
    function = plain_function(written.body)
    body = PlainBody(function, state_class) if function else written_network(written.body)
    if not isinstance(body, PlainBody):
        check_arguments(body, state_class)
    cost, value = (cost_from(number, state_class) for number in (written.cost, written.value))
    return Method(body, condition, written.name, cost, value), written.variables


def check_arguments(network: Network, state_class: type[State]) -> None:
    """Raise StateError for arguments and promises that mention fluents of another State class."""
    schema = state_class.__schema__
    for inner in networks_in(network):
        if isinstance(inner, TaskCall):
            schema.check(*inner.args)
        elif isinstance(inner, DeferNetwork):
            schema.check(*inner.call.args)
            for effect in inner.ensures:
                if isinstance(effect, Assignment):
                    schema.check(effect.target, effect.value)


def _at(diagnostic: Diagnostic, where: str) -> Diagnostic:
    place = f"{where}: {diagnostic.where}" if diagnostic.where else where
    return replace(diagnostic, where=place)
