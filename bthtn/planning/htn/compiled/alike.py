"""Alike: what is touched, worked out once where every state gives the same.

A condition that is not false has read all that it mentions, unless it is a choice: ``a & b`` reads
both where it is true or unknown, ``a | b`` may read one. What is written is the same where
nothing of it is computed from the state. So such a footprint is that of the first time, for
equal arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any, Final, Generic, TypeVar

from bthtn.domain.task import PrimitiveTask
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

V = TypeVar("V")

_MOST: Final = 1_000
"""Arguments for which something is remembered; then it is forgotten, and begun anew."""
_PLAIN: Final = frozenset({bool, int, str, type(None)})


class Alike(Generic[V]):
    """What is known for the arguments that something was called with."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[Any, V] = {}

    def find(self, args: tuple[Any, ...]) -> V | None:
        """What is known for these arguments, if anything is."""
        return self._known.get((args, *map(type, args)))

    def keep(self, args: tuple[Any, ...], value: V) -> None:
        """Know it from now on, where equal arguments of equal types are the same."""
        if len(self._known) >= _MOST:
            self._known = {}
        if all(type(one) in _PLAIN or isinstance(one, Enum) for one in args):
            self._known[args, *map(type, args)] = value


def task_alike(task: PrimitiveTask[Any]) -> bool:
    """Whether equal arguments give equal projections, wherever the task is not impossible."""
    fixed = (task.duration, task.cost, *_written((*task.effects, *task.expected)))
    return condition_alike(task.precondition) and all(
        isinstance(one, Constant | Parameter) for one in fixed
    )


def condition_alike(condition: Expression[Any]) -> bool:
    """Whether the condition reads the same wherever it is not false."""
    if isinstance(condition, Junction) and not condition.decisive:
        return all(map(condition_alike, condition.parts))
    return reads_all(condition)


def reads_all(expression: Expression[Any]) -> bool:
    """Whether all that it mentions is read, whatever comes out."""
    match expression:
        case Constant() | Parameter() | Fluent() | MemberOf(index=Constant() | Parameter()):
            return True
        case Comparison(left=left, right=right) | Arithmetic(left=left, right=right):
            return reads_all(left) and reads_all(right)
        case Negation(operand=operand):
            return reads_all(operand)
        case _:
            return False


def _written(effects: Iterable[Any]) -> Iterable[Any]:
    """What effects depend on; None for what is no assignment."""
    for effect in effects:
        if not isinstance(effect, Assignment):
            yield None
            return
        yield effect.value
        if isinstance(effect.target, MemberOf):
            yield effect.target.index
