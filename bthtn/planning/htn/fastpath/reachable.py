"""The tasks that a goal can come to, as far as they are plain data in a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import Network, NullNetwork, SequenceNetwork
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.planning.htn.exclusion import excluding_later
from bthtn.planning.htn.expressions import prototype
from bthtn.world.assignment import Assignment
from bthtn.world.expression import (
    Arithmetic,
    Comparison,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
)
from bthtn.world.fluent import Fluent, MemberOf
from bthtn.world.truth import UNKNOWN

MOST_CALLS: Final = 200
"""Calls in one body; the functions for longer ones would take too long to make."""
MOST_CALLED: Final = 50
"""Calls of compound tasks in one body, since a function goes on behind each."""
MOST_EFFECTS: Final = 50
"""Effects of one task, since each is held against all others."""

Compound = CompoundTask[Any]


class NotWritable(Exception):  # noqa: N818 - not an error: the search does without functions
    """Something that the goal can come to cannot be written as source."""


@dataclass(frozen=True, slots=True, eq=False)
class PlainMethod:
    """A method, with the calls of its body in order."""

    task: Compound
    index: int
    method: Method
    calls: tuple[TaskCall, ...]
    excludes_later: bool

    @property
    def called(self) -> list[Compound]:
        """The compound tasks among its calls."""
        return [call.task for call in self.calls if isinstance(call.task, CompoundTask)]

    @property
    def is_certain(self) -> bool:
        """Whether it may be used in every state."""
        condition = self.method.condition
        return isinstance(condition, Constant) and condition.value is True


@dataclass(frozen=True, slots=True, eq=False)
class Reachable:
    """Tasks in the order of the domain, with the methods of compound ones.

    ``roots`` are those that the goal itself calls.
    """

    tasks: tuple[Task, ...]
    methods: Mapping[Compound, tuple[PlainMethod, ...]]
    roots: frozenset[Task]

    @property
    def primitives(self) -> Iterator[PrimitiveTask[Any]]:
        """The primitive tasks."""
        return (task for task in self.tasks if isinstance(task, PrimitiveTask))

    @property
    def calls(self) -> Iterator[tuple[PlainMethod, int, TaskCall]]:
        """All calls in bodies: of which method, in which place."""
        for methods in self.methods.values():
            for method in methods:
                for place, call in enumerate(method.calls):
                    yield method, place, call

    @property
    def called(self) -> dict[Compound, list[Compound]]:
        """The compound tasks that each one calls."""
        return {
            task: [one for method in methods for one in method.called]
            for task, methods in self.methods.items()
        }

    @property
    def effects(self) -> Iterator[Assignment]:
        """What is done while planning."""
        for task in self.primitives:
            for effect in effects_of(task):
                if isinstance(effect, Assignment):
                    yield effect

    @property
    def expressions(self) -> Iterator[Expression[Any]]:
        """Conditions, arguments and values; and indices of what is written."""
        for methods in self.methods.values():
            yield from (one.method.condition for one in methods)
        yield from (task.precondition for task in self.primitives)
        for effect in self.effects:
            yield effect.value
            if isinstance(effect.target, MemberOf):
                yield effect.target.index
        for _, _, call in self.calls:
            yield from call.args

    @property
    def is_known(self) -> bool:
        """Whether all that is mentioned is known, in states in which nothing is set to unknown."""
        targets: list[Expression[Any]] = [effect.target for effect in self.effects]
        return not any(
            prototype(one).volatile or prototype(one).default is UNKNOWN
            for asked in (*self.expressions, *targets)
            for one in mentioned(asked)
            if isinstance(one, Fluent | MemberOf)
        )


def reachable(domain: FrozenDomain, roots: frozenset[Task]) -> Reachable:
    """What a goal can come to that calls these tasks.

    Raises NotWritable where not all of it is calls in a row, in states that are known.
    """
    methods: dict[Task, tuple[PlainMethod, ...]] = {}
    pending = [*roots]
    while pending:
        task = pending.pop()
        if task not in methods:
            own = _methods(domain, task) if isinstance(task, CompoundTask) else ()
            methods[task] = own
            pending += [call.task for one in own for call in one.calls]
    tasks = tuple(task for task in domain.tasks.values() if task in methods)
    compound = {task: methods[task] for task in tasks if isinstance(task, CompoundTask)}
    found = Reachable(tasks, compound, roots)
    if not found.is_known or any(len(effects_of(task)) > MOST_EFFECTS for task in found.primitives):
        raise NotWritable
    return found


def _methods(domain: FrozenDomain, task: Compound) -> tuple[PlainMethod, ...]:
    methods = domain.methods[task]
    if task.choice is not None:
        raise NotWritable
    made = []
    exclusive = excluding_later([one.condition for one in methods])
    for index, (method, excludes) in enumerate(zip(methods, exclusive, strict=True)):
        numbers = (method.cost, method.value)
        calls = calls_of(method.body)
        if calls is None or not all(isinstance(one, Constant) for one in numbers):
            raise NotWritable
        plain = PlainMethod(task, index, method, calls, excludes)
        if len(calls) > MOST_CALLS or len(plain.called) > MOST_CALLED:
            raise NotWritable
        made.append(plain)
    return tuple(made)


def calls_of(network: Network | PlainBody) -> tuple[TaskCall, ...] | None:
    """The calls of a network in order; None where it has other parts."""
    found: list[TaskCall] = []
    pending: list[Network | PlainBody] = [network]
    while pending:
        match pending.pop():
            case TaskCall() as call:
                found.append(call)
            case SequenceNetwork(parts):
                pending.extend(reversed(parts))
            case NullNetwork():
                pass
            case _:
                return None
    return tuple(found)


def is_single(methods: tuple[PlainMethod, ...]) -> bool:
    """Whether there is only one method, to be used whatever the state."""
    return len(methods) == 1 and methods[0].is_certain


def effects_of(task: PrimitiveTask[Any]) -> tuple[Any, ...]:
    """The effects of a task that are planned."""
    return (*task.effects, *task.expected)


def scalar(reference: Expression[Any]) -> Fluent[Any] | None:
    """The fluent that is meant, where it is one alone and no member of a family."""
    if isinstance(reference, Fluent) and reference.index is None:
        return reference
    return None


def mentioned(expression: Expression[Any]) -> Iterator[Expression[Any]]:
    """Parameters, fluents and members in an expression, in no order that matters."""
    pending = [expression]
    while pending:
        one = pending.pop()
        match one:
            case Parameter() | Fluent():
                yield one
            case MemberOf(index=index):
                yield one
                pending.append(index)
            case Comparison(left=left, right=right) | Arithmetic(left=left, right=right):
                pending += (right, left)
            case Negation(operand=operand):
                pending.append(operand)
            case Junction(parts=parts):
                pending.extend(parts)
