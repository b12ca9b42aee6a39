"""What can be told about a domain before any state is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.function import Computed, FunctionEffect
from bthtn.domain.method import PlainBody
from bthtn.domain.network import (
    DeferNetwork,
    Network,
    ParallelNetwork,
    ParallelPolicy,
    PriorityNetwork,
    calls_in,
    parts_of,
)
from bthtn.domain.task import CompoundTask, PrimitiveTask
from bthtn.world.expression import Constant, Expression
from bthtn.world.truth import UNKNOWN


@dataclass(frozen=True, slots=True)
class Facts:
    """What generated functions have to be ready for.

    ``recursive`` are the compound tasks that can come to be entered inside themselves.
    ``branches`` tells whether a parallel or priority node can occur, ``forgets`` whether
    planning can come to a fluent that nobody can tell although all are known at the start.
    """

    recursive: frozenset[CompoundTask[Any]]
    branches: bool
    forgets: bool
    volatile: bool


@dataclass(frozen=True, slots=True)
class Features:
    """What a search needs of its functions; what it does not need costs nothing.

    ``unknowns``: some fluent may be unknown. ``horizon``: planning may stop behind so many
    steps. ``guarded``: tasks must not be entered again inside themselves with nothing
    changed. ``max_depth``: how deep tasks may be nested, None where they cannot come to be
    nested deeper. ``branches``: a
    parallel or priority node may occur. ``volatile``: some fluent can be relied on only
    before the first step. ``inlined``: one function may plan several primitive tasks, since
    nobody asks the search to stop between them. ``told``: the machine is told which methods to
    enter, so there is nothing to search for. ``watched``: somebody wants to know what is read.
    ``declared``: what is declared to be of such a type certainly is.
    """

    unknowns: bool
    horizon: bool
    guarded: bool
    max_depth: int | None
    branches: bool
    volatile: bool
    inlined: bool = False
    told: bool = False
    watched: bool = False
    declared: frozenset[type] = frozenset()

    @property
    def paths(self) -> bool:
        """Whether it matters how far the path being planned has come."""
        return self.horizon or self.branches or self.volatile


def facts_about(domain: FrozenDomain) -> Facts:
    """The facts about a domain."""
    bodies = [method.body for methods in domain.methods.values() for method in methods]
    plain = any(isinstance(body, PlainBody) for body in bodies)
    networks = [body for body in bodies if not isinstance(body, PlainBody)]
    volatile = domain.schema.has_volatile
    return Facts(
        _recursive(domain),
        plain or any(map(has_branches, networks)),
        volatile or plain or _forgets(domain, networks),
        volatile,
    )


def has_branches(network: Network) -> bool:
    """Whether a parallel or priority node is part of the network."""
    return any(isinstance(one, ParallelNetwork | PriorityNetwork) for one in _inside(network))


def may_forget(network: Network) -> bool:
    """Whether planning the network itself can make a fluent unknown."""
    return any(
        isinstance(one, PriorityNetwork)
        or (isinstance(one, ParallelNetwork) and one.policy is not ParallelPolicy.ALL)
        or (isinstance(one, DeferNetwork) and bool(one.ensures))
        for one in _inside(network)
    ) or any(_is_open(argument) for call in calls_in(network) for argument in call.args)


def _inside(network: Network) -> Iterator[Network]:
    pending = [network]
    while pending:
        one = pending.pop()
        yield one
        pending.extend(parts_of(one))


def _forgets(domain: FrozenDomain, networks: list[Network]) -> bool:
    declared = [
        *domain.schema.fluents.values(),
        *(family.prototype for family in domain.schema.families.values()),
    ]
    return (
        any(fluent.default is UNKNOWN for fluent in declared)
        or any(map(may_forget, networks))
        or any(
            isinstance(effect, FunctionEffect) or _is_open(effect.value)
            for task in domain.tasks.values()
            if isinstance(task, PrimitiveTask)
            for effect in (*task.effects, *task.expected)
        )
    )


def _is_open(expression: Expression[Any]) -> bool:
    """Whether the value may be unknown though every fluent is known."""
    if isinstance(expression, Constant):
        return expression.value is UNKNOWN
    return isinstance(expression, Computed)


def _recursive(domain: FrozenDomain) -> frozenset[CompoundTask[Any]]:
    """The compound tasks that can be reached from themselves; a plain body may reach any."""
    compounds = set(domain.methods)
    below: dict[CompoundTask[Any], set[CompoundTask[Any]]] = {}
    for task, methods in domain.methods.items():
        below[task] = set()
        for method in methods:
            if isinstance(method.body, PlainBody):
                below[task] = compounds
                break
            below[task].update(
                call.task for call in calls_in(method.body) if isinstance(call.task, CompoundTask)
            )
    return frozenset(task for task in compounds if _reaches(task, below))


def _reaches(
    task: CompoundTask[Any], below: dict[CompoundTask[Any], set[CompoundTask[Any]]]
) -> bool:
    seen: set[CompoundTask[Any]] = set()
    pending = [*below[task]]
    while pending:
        one = pending.pop()
        if one is task:
            return True
        if one not in seen:
            seen.add(one)
            pending.extend(below.get(one, ()))
    return False
