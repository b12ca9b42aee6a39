"""A cache of results by arguments, and tests whether a result depends on nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.plan.nodes import Suspension
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import (
    Arithmetic,
    Comparison,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
    Related,
    leaves_of,
)
from bthtn.engine.world.fluent import Fluent, MemberOf

V = TypeVar("V")

_MOST: Final = 10_000
"""Number of entries at which a cache is emptied: more than even a long plan has of one task."""
_SIMPLE: Final = frozenset({bool, int, str, type(None), Suspension})


class ByArguments(Generic[V]):
    """A cache from arguments to a result that depends on nothing else."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Any, V] = {}

    def find(self, args: tuple[Any, ...]) -> V | None:
        """Return the cached result for these arguments, or None."""
        return self._known.get((args, *map(type, args)) if args else args)

    def keep(self, args: tuple[Any, ...], answer: V) -> None:
        """Cache the answer, if equal arguments of the same types are interchangeable."""
        if len(self._known) >= _MOST:
            self._known = {}
        if are_interchangeable(args):
            self._known[(args, *map(type, args)) if args else args] = answer


def are_interchangeable(args: Iterable[Any]) -> bool:
    """Whether arguments that are equal to these and of the same types can stand for them."""
    others = set(map(type, args)) - _SIMPLE
    return not others or all(issubclass(kind, Enum) for kind in others)


def has_fixed_projection(task: PrimitiveTask[...]) -> bool:
    """Whether equal arguments give equal projections in every state where the task is possible."""
    effects = (*task.effects, *task.expected)
    return (
        all(isinstance(number, Constant | Parameter) for number in (task.duration, task.cost))
        and has_fixed_reads(task.precondition)
        and all(isinstance(effect, Assignment) and is_given(effect) for effect in effects)
    )


def is_given(effect: Assignment) -> bool:
    """Whether the arguments alone decide which value is written, and to which fluent."""
    index = effect.target.index if isinstance(effect.target, MemberOf) else effect.value
    return all(isinstance(part, Constant | Parameter) for part in (effect.value, index))


def has_fixed_reads(condition: Expression[Any], *, unless: bool = False) -> bool:
    """Whether the condition reads the same fluents in every state where it is not ``unless``."""
    match condition:
        case Junction(parts=parts, decisive=decisive) if decisive is unless:
            return all(has_fixed_reads(part, unless=unless) for part in parts)
        case Negation(operand=operand):
            return has_fixed_reads(operand, unless=not unless)
        case _:
            return reads_all(condition)


def reads_all(expression: Expression[Any]) -> bool:
    """Whether every evaluation reads all fluents that the expression mentions."""
    match expression:
        case Constant() | Parameter() | Fluent() | MemberOf(index=Constant() | Parameter()):
            return True
        case Comparison(left=left, right=right) | Arithmetic(left=left, right=right):
            return reads_all(left) and reads_all(right)
        case Negation(operand=operand):
            return reads_all(operand)
        case Related(values=values):
            return all(map(reads_all, values))
        case Junction(parts=(first, *_)):
            always = set(map(id, leaves_of(first)))
            return reads_all(first) and always.issuperset(map(id, _read(expression)))
        case _:
            return False


def _read(expression: Expression[Any]) -> Iterator[Expression[Any]]:
    """Yield the leaves of the expression that are neither constants nor parameters."""
    for leaf in leaves_of(expression):
        if not isinstance(leaf, Constant | Parameter):
            yield leaf
