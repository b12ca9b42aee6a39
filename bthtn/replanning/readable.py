"""What a search may read: all that the domain mentions below a goal.

A change of anything else cannot bring another plan, and there is no need to look for one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import PlainBody
from bthtn.domain.network import DeferNetwork, Network, parts_of
from bthtn.domain.task import CompoundTask, Task, TaskCall
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


@dataclass(frozen=True, slots=True)
class Readable:
    """Single fluents, and the names of families of which any member may be read."""

    fluents: frozenset[Fluent[Any]] = frozenset()
    families: frozenset[str] = frozenset()

    def __contains__(self, fluent: Fluent[Any]) -> bool:
        return fluent in self.fluents or fluent.name in self.families

    def __or__(self, other: Readable) -> Readable:
        return Readable(self.fluents | other.fluents, self.families | other.families)


def readable(domain: FrozenDomain, goal: Network) -> Readable | None:
    """What a search for the goal may read, from whatever state.

    None where that cannot be told, because plain functions are asked.
    """
    found = Readable()
    seen: set[Task] = set()
    networks = [goal]
    while networks:
        network = networks.pop()
        networks.extend(parts_of(network))
        call = network.call if isinstance(network, DeferNetwork) else network
        parts: list[object] = list(network.ensures) if isinstance(network, DeferNetwork) else []
        if isinstance(call, TaskCall):
            parts += call.args
            if call.task not in seen:
                seen.add(call.task)
                asked, bodies = _contents(domain, call.task)
                parts += asked
                networks += bodies
        for part in parts:
            mentioned = _mentioned(part)
            if mentioned is None:
                return None
            found |= mentioned
    return found


def _contents(domain: FrozenDomain, task: Task) -> tuple[list[object], list[Network]]:
    """What a search asks of a task, and the networks of its methods."""
    if not isinstance(task, CompoundTask):
        numbers = (task.duration, task.cost)
        return [task.precondition, *numbers, *task.effects, *task.expected], []
    asked: list[object] = [] if task.choice is None else list(task.choice.asks)
    bodies: list[Network] = []
    for method in domain.methods[task]:
        asked += (method.condition, method.cost)
        if isinstance(method.body, PlainBody):
            asked.append(method.body)
        else:
            bodies.append(method.body)
    return asked, bodies


def _mentioned(thing: object) -> Readable | None:
    """What is in expressions and effects; None when a function is among them."""
    fluents: set[Fluent[Any]] = set()
    families: set[str] = set()
    pending = [thing]
    while pending:
        one = pending.pop()
        match one:
            case Constant() | Parameter() | None:
                pass
            case Fluent():
                fluents.add(one)
            case MemberOf():
                families.add(one.family.name)
                pending.append(one.index)
            case _:
                parts = tuple(_parts(one))
                if not parts:
                    return None
                pending.extend(parts)
    return Readable(frozenset(fluents), frozenset(families))


def _parts(thing: object) -> Iterable[Expression[Any]]:
    """What is directly inside; nothing for what nobody can look into."""
    match thing:
        case Comparison(left=left, right=right) | Arithmetic(left=left, right=right):
            return (left, right)
        case Negation(operand=operand):
            return (operand,)
        case Junction(parts=parts):
            return parts
        case Assignment(target=target, value=value):
            return (target, value)
        case _:
            return ()
