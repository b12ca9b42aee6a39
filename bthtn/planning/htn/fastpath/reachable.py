"""Reachable: the tasks and methods below a goal, if all of them suit the fast path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import Network, NullNetwork, SequenceNetwork
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.planning.htn.exclusion import excluding_later
from bthtn.planning.htn.expressions import mentioned, prototype
from bthtn.world.assignment import Assignment
from bthtn.world.expression import Constant, Expression, Parameter, always_holds
from bthtn.world.fluent import Fluent, MemberOf
from bthtn.world.truth import UNKNOWN

MOST_CALLS: Final = 200
"""Calls in one body; the functions for longer bodies take too long to generate."""
MOST_CALLED: Final = 50
"""Calls of compound tasks in one body; each needs a function for the calls after it."""
MOST_EFFECTS: Final = 50
"""Effects of one task; each is compared with all others."""

Compound = CompoundTask[Any]


class NotWritable(Exception):  # noqa: N818 - not an error: the search does without functions
    """A task, method or expression below the goal cannot be written as source."""


@dataclass(frozen=True, slots=True, eq=False)
class PlainMethod:
    """A method with the calls of its body in order; ``index`` is its place in the task."""

    task: Compound
    index: int
    method: Method
    calls: tuple[TaskCall, ...]
    excludes_later: bool

    @property
    def called(self) -> list[Compound]:
        """The compound tasks among its calls."""
        return [call.task for call in self.calls if isinstance(call.task, CompoundTask)]


@dataclass(frozen=True, slots=True, eq=False)
class Reachable:
    """The tasks below a goal in the order of the domain, with the methods of compound ones.

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
        """All calls in bodies, each as method, index in its body, and call."""
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
        """All planned effects of the primitive tasks that are assignments."""
        for task in self.primitives:
            for effect in effects_of(task):
                if isinstance(effect, Assignment):
                    yield effect

    @property
    def expressions(self) -> Iterator[Expression[Any]]:
        """All conditions, arguments and assigned values, and indices of assigned members."""
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
    def is_plain(self) -> bool:
        """Whether all is data, and every fluent mentioned is known by default and not volatile.

        What it does not see, writing the functions of a task does.
        """
        targets: list[Expression[Any]] = [effect.target for effect in self.effects]
        return all(
            isinstance(one, Parameter)
            or (isinstance(one, Fluent | MemberOf) and _is_known(prototype(one)))
            for asked in (*self.expressions, *targets)
            for one in mentioned(asked)
        ) and all(
            isinstance(one, Assignment) for task in self.primitives for one in effects_of(task)
        )


def reachable(domain: FrozenDomain, roots: frozenset[Task]) -> Reachable:
    """The tasks and methods below a goal that calls these tasks.

    Raises NotWritable if the fast path does not cover one of them: a body that is no sequence of
    calls, a computed cost, a choice, a fluent that is volatile or unknown, or too many calls.
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
    if not found.is_plain or any(len(effects_of(task)) > MOST_EFFECTS for task in found.primitives):
        raise NotWritable
    return found


def _is_known(fluent: Fluent[Any]) -> bool:
    return not fluent.volatile and fluent.default is not UNKNOWN


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
    """The calls of a network in order; None if it is not a sequence of calls."""
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
    """Whether there is only one method, and its condition is always true."""
    return len(methods) == 1 and always_holds(methods[0].method.condition)


def effects_of(task: PrimitiveTask[Any]) -> tuple[Any, ...]:
    """The effects that planning applies: the task's effects, then its expected ones."""
    return (*task.effects, *task.expected)


def scalar(reference: Expression[Any]) -> Fluent[Any] | None:
    """The referenced fluent, or None for a member of a family or another expression."""
    if isinstance(reference, Fluent) and reference.index is None:
        return reference
    return None
