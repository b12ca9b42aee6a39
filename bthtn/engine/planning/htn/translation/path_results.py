"""Functions that are methods, as data: which calls they return on each of their paths."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.engine.planning.htn.translation.paths import Due, End, Path, paths
from bthtn.engine.planning.htn.translation.terms import Terms, kind_of, may_raise
from bthtn.engine.planning.htn.translation.written import Definition, NotTranslatable
from bthtn.engine.world.expression import (
    ALWAYS,
    Condition,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
)
from bthtn.errors import BthtnError


@dataclass(frozen=True, slots=True, eq=False)
class PathResult:
    """The network that a method which is a function returns on one path, while ``condition`` holds.

    The condition takes it for granted that no earlier result's holds. ``values`` are computed when
    the method is entered; in the arguments of the calls they are parameters behind those of the
    task. ``typed`` are parameters with those of a called task whose type their values must have.
    """

    condition: Condition
    calls: tuple[TaskCall, ...] = ()
    values: tuple[Expression[Any], ...] = ()
    typed: tuple[tuple[Parameter[Any], Parameter[Any]], ...] = ()


class PathResults:
    """Works out the results of one method of a task; ``tasks`` replace others in its calls."""

    def __init__(
        self, domain: FrozenDomain, task: CompoundTask[...], tasks: Mapping[Task, Task]
    ) -> None:
        self._domain = domain
        self._arity = len(task.parameters)
        self._tasks = tasks

    def of(self, definition: Definition, terms: Terms) -> tuple[PathResult, ...]:
        """The results in order. Raises NotTranslatable."""
        found = self._through(paths(definition, terms), terms)
        return tuple(result for result in found if result is not None)

    def _through(self, path: Path, terms: Terms) -> list[PathResult | None]:
        """The results on the paths from here, None for one where the method does not apply."""
        if isinstance(path, End):
            return [self._end(path, terms)]
        then, other = self._through(path.then, terms), self._through(path.other, terms)
        if not any((*then, *other)) and may_raise(path.condition):
            raise NotTranslatable  # nothing evaluates it
        condition = path.condition
        unless = Negation(condition) if None in then else ALWAYS
        return [_while(condition, result) for result in then] + [
            _while(unless, result) for result in other
        ]

    def _end(self, end: End, terms: Terms) -> PathResult | None:
        terms.variables = end.variables
        if end.returned is None:
            if end.due:
                raise NotTranslatable
            return None
        answer = end.returned
        nodes = answer.elts if isinstance(answer, ast.Tuple | ast.List) else [answer]
        entered = _MethodEntry(terms, self._arity, end.due)
        calls = tuple(self._call(node, entered) for node in nodes)
        return PathResult(ALWAYS, calls, tuple(entered.values), tuple(entered.typed.values()))

    def _call(self, node: ast.expr, entered: _MethodEntry) -> TaskCall:
        if not isinstance(node, ast.Call):
            raise NotTranslatable
        task = entered.terms.named(node.func)
        if not isinstance(task, PrimitiveTask | CompoundTask):
            raise NotTranslatable
        args = [entered.argument(arg) for arg in node.args]
        named = {str(keyword.arg): entered.argument(keyword.value) for keyword in node.keywords}
        if None in {keyword.arg for keyword in node.keywords}:
            raise NotTranslatable
        try:
            call = task(*args, **named)
        except BthtnError:
            raise NotTranslatable from None
        entered.check(call)
        call = call.with_tasks(self._tasks) if self._tasks else call
        if self._domain.tasks.get(call.task.name) is not call.task:
            raise NotTranslatable
        return call


class _MethodEntry:
    """The values computed when the method is entered, on one path: first those that are due."""

    def __init__(self, terms: Terms, arity: int, due: Due) -> None:
        self.terms = terms
        self._arity = arity
        self.values: list[Expression[Any]] = [*due]
        self.typed: dict[Any, tuple[Parameter[Any], Parameter[Any]]] = {}

    def argument(self, node: ast.expr) -> Any:
        """An argument of a call: a plain value, or a parameter."""
        value = self.terms.value(node)
        if isinstance(value, Constant):
            return value.value
        if isinstance(value, Parameter):
            return value
        known = [place for place, known_value in enumerate(self.values) if known_value is value]
        place = known[0] if known else len(self.values)
        if not known:
            self.values.append(value)
        kind = int if kind_of(value) is int else None
        return Parameter(f"value {place}", self._arity + place, kind)

    def check(self, call: TaskCall) -> None:
        """Note the arguments whose type is known only when the function runs."""
        for parameter, given in zip(call.task.parameters, call.args, strict=True):
            if isinstance(given, Parameter) and parameter.type not in (None, object):
                place = given.position - self._arity
                kind = kind_of(self.values[place]) if place >= 0 else None
                if kind is not parameter.type or parameter.literals:
                    self.typed[given.position, parameter.type, parameter.literals] = (
                        given,
                        parameter,
                    )


def _while(condition: Condition, outcome: PathResult | None) -> PathResult | None:
    """The outcome with a condition in front of its own."""
    if outcome is None:
        return None
    if condition is ALWAYS:
        condition = outcome.condition
    elif outcome.condition is not ALWAYS:
        condition = Junction((condition, outcome.condition), decisive=False)
    return replace(outcome, condition=condition)
