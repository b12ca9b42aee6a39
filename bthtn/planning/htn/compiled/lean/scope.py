"""Scope: the tasks that a goal can come to, as far as they are plain data in a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import Network, NullNetwork, SequenceNetwork
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.planning.htn.compiled.expressions import is_sure, mentioned
from bthtn.world.assignment import Assignment
from bthtn.world.expression import Constant, Expression
from bthtn.world.fluent import Fluent, MemberOf
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN

NOWHERE: Final = FrozenState({})


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """A method, with the calls of its body in order."""

    index: int
    method: Method
    calls: tuple[TaskCall, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Tasks in the order of the domain, and the ways to do the compound ones.

    ``roots`` are those that the goal itself calls.
    """

    tasks: tuple[Task, ...]
    ways: Mapping[CompoundTask[Any], tuple[Way, ...]]
    roots: frozenset[Task]

    @property
    def primitives(self) -> Iterator[PrimitiveTask[Any]]:
        """The primitive tasks."""
        return (task for task in self.tasks if isinstance(task, PrimitiveTask))

    @property
    def calls(self) -> Iterator[tuple[CompoundTask[Any], Way, int, TaskCall]]:
        """All calls in bodies: by which task, in which way, in which place."""
        for task, ways in self.ways.items():
            for way in ways:
                for place, call in enumerate(way.calls):
                    yield task, way, place, call

    @property
    def effects(self) -> Iterator[Assignment]:
        """What is done while planning."""
        for task in self.primitives:
            for effect in (*task.effects, *task.expected):
                if isinstance(effect, Assignment):
                    yield effect

    @property
    def expressions(self) -> Iterator[Expression[Any]]:
        """Conditions, arguments and values; and indices of what is written."""
        for ways in self.ways.values():
            yield from (way.method.condition for way in ways)
        yield from (task.precondition for task in self.primitives)
        for effect in self.effects:
            yield effect.value
            if isinstance(effect.target, MemberOf):
                yield effect.target.index
        for _, _, _, call in self.calls:
            yield from call.args

    @property
    def declared(self) -> frozenset[type]:
        """Types that parameters may rely on: what is declared so is called with nothing else.

        That holds for calls in bodies, and for those of a goal if it has looked.
        """
        given = [
            (parameter.type, argument)
            for _, _, _, call in self.calls
            for parameter, argument in zip(call.task.parameters, call.args, strict=True)
        ]
        return frozenset(
            kind
            for kind in (int, str)
            if all(is_sure(one, kind, declared=True) for own, one in given if own is kind)
        )

    @property
    def is_known(self) -> bool:
        """Whether all that is mentioned is known, in states in which nothing is set to unknown."""
        targets: list[Expression[Any]] = [effect.target for effect in self.effects]
        return not any(
            fluent.volatile or fluent.default is UNKNOWN
            for asked in (*self.expressions, *targets)
            for one in mentioned(asked)
            for fluent in ([one.family.prototype] if isinstance(one, MemberOf) else [one])
            if isinstance(fluent, Fluent)
        )


def scope_of(domain: FrozenDomain, roots: frozenset[Task]) -> Scope | None:
    """The scope of a goal that calls these tasks; None where not all of it is plain calls."""
    ways: dict[Task, tuple[Way, ...]] = {}
    pending = [*roots]
    while pending:
        task = pending.pop()
        if task in ways:
            continue
        ways[task] = ()
        if isinstance(task, CompoundTask):
            found = _ways(domain, task)
            if found is None:
                return None
            ways[task] = found
            pending += [call.task for way in found for call in way.calls]
    tasks = tuple(task for task in domain.tasks.values() if task in ways)
    compound = {task: ways[task] for task in tasks if isinstance(task, CompoundTask)}
    return Scope(tasks, compound, roots)


def _ways(domain: FrozenDomain, task: CompoundTask[Any]) -> tuple[Way, ...] | None:
    ways: list[Way] = []
    for index, method in enumerate(domain.methods[task]):
        plain = not isinstance(method.body, PlainBody) and isinstance(method.cost, Constant)
        calls = calls_of(method.body) if plain else None
        if calls is None or task.choice is not None:
            return None
        ways.append(Way(index, method, calls))
    return tuple(ways)


def is_single(ways: tuple[Way, ...]) -> bool:
    """Whether there is only one way, possible whatever the state."""
    always = [isinstance(one.method.condition, Constant) for one in ways]
    return always == [True] and ways[0].method.condition.evaluate(NOWHERE) is True


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


def scalar(reference: Expression[Any]) -> Fluent[Any] | None:
    """The fluent that is meant, where it is one alone and no member of a family."""
    if isinstance(reference, Fluent) and reference.index is None:
        return reference
    return None
