"""Translator: the conditions, effects and methods of a domain, with functions as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.effect import Effect
from bthtn.domain.function import Computed, FunctionEffect
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.task import CompoundTask, PrimitiveTask
from bthtn.planning.htn.by_arguments import has_fixed_projection, has_fixed_reads
from bthtn.planning.htn.translation.effects import assignments
from bthtn.planning.htn.translation.meaning import Assumption, Meaning
from bthtn.planning.htn.translation.path_results import PathResult, PathResults
from bthtn.planning.htn.translation.paths import truth
from bthtn.planning.htn.translation.terms import Terms
from bthtn.planning.htn.translation.written import Definition, NotTranslatable, Sources
from bthtn.world.expression import (
    Condition,
    Junction,
    Negation,
    always_holds,
    leaves_of,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Translation(Generic[T]):
    """A function as data, and the assumptions under which it means the same.

    It ``varies`` if not always the same fluents are read for one of its variables.
    """

    data: T
    assumed: tuple[Assumption, ...]
    relies_on_ints: bool
    varies: bool


def translations(_domain: FrozenDomain) -> dict[tuple[int, int], Translation[Any] | None]:
    """The translations of a domain's functions, None where there is none; empty at first.

    They go by the id of the condition, effect or body that holds the function, which the domain
    holds, and by the number of its task's parameters. ``domain.derived(translations)`` always
    returns the same ones.
    """
    return {}


class Translator:
    """Translates the functions that some tasks of a domain need.

    ``relies_on_ints`` becomes true when that means the same only while parameters that are declared
    as ``int`` are never anything else.
    """

    def __init__(self, domain: FrozenDomain) -> None:
        self._domain = domain
        self._known = domain.derived(translations)
        self._sources = Sources()
        self._assumed: dict[Any, Assumption] = {}
        self.relies_on_ints = False

    @property
    def assumed(self) -> tuple[Assumption, ...]:
        """The assumptions on which all translations so far rest."""
        return tuple(self._assumed.values())

    def condition(self, condition: Condition, arity: int) -> Condition:
        """The condition of a task with so many parameters. Raises NotTranslatable."""
        match condition:
            case Computed():
                return self._translated(condition, arity, truth)
            case Negation(operand=operand):
                return Negation(self.condition(operand, arity))
            case Junction(parts=parts, decisive=decisive) if type(condition) is Junction:
                conditions = tuple(self.condition(part, arity) for part in parts)
                return Junction(conditions, decisive=decisive)
            case _:
                return condition

    def path_results(self, task: CompoundTask[...], method: Method) -> tuple[PathResult, ...]:
        """The results of a method that is a function. Raises NotTranslatable."""
        body, arity = method.body, len(task.parameters)
        if type(body) is not PlainBody:
            raise NotTranslatable
        condition = self.condition(method.condition, arity)
        translate = PathResults(self._domain, task, body.tasks).of
        found: tuple[PathResult, ...] = self._translated(body, arity, translate)
        if always_holds(condition):
            return found
        if not found:
            raise NotTranslatable  # the function is called, and may fail, wherever it holds
        is_fixed = self.has_fixed_reads(method.condition, arity)
        return tuple(
            replace(
                result,
                condition=Junction((condition, result.condition), decisive=False),
                is_fixed=is_fixed and result.is_fixed,
            )
            for result in found
        )

    def has_fixed_reads(self, condition: Condition, arity: int) -> bool:
        """Whether it reads the same fluents in every state where it is not false.

        Raises NotTranslatable.
        """
        functions = [leaf for leaf in leaves_of(condition) if isinstance(leaf, Computed)]
        return has_fixed_reads(self.condition(condition, arity)) and not any(
            self._varies(function, arity) for function in functions
        )

    def step(self, task: PrimitiveTask[...]) -> tuple[PrimitiveTask[...], bool]:
        """The task as planning sees it; whether equal arguments give equal projections of it.

        All effects that planning applies are its ``effects``. Raises NotTranslatable.
        """
        arity, effects, varies = len(task.parameters), list[Effect](), False
        for effect in (*task.effects, *task.expected):
            if isinstance(effect, FunctionEffect):
                made = self._translated(effect, arity, assignments)
                effects += made
                # What a function adds to a fluent is written as the sum.
                varies |= self._varies(effect, arity) or any(write.grows for write in made)
            else:
                effects.append(effect)
        condition = self.condition(task.precondition, arity)
        planned = replace(task, precondition=condition, effects=tuple(effects), expected=())
        is_fixed = not varies and self.has_fixed_reads(task.precondition, arity)
        return planned, is_fixed and has_fixed_projection(planned)

    def _varies(self, item: Computed[Any] | FunctionEffect, arity: int) -> bool:
        known = self._known.get((id(item), arity))
        return known is None or known.varies

    def _translated(
        self,
        item: Computed[Any] | FunctionEffect | PlainBody,
        arity: int,
        translate: Callable[[Definition, Terms], T],
    ) -> T:
        key = id(item), arity
        if key not in self._known:
            self._known[key] = self._translation(item, arity, translate)
        known = self._known[key]
        if known is None:
            raise NotTranslatable
        self._assumed.update((assumption.key, assumption) for assumption in known.assumed)
        self.relies_on_ints |= known.relies_on_ints
        data: T = known.data
        return data

    def _translation(
        self,
        item: Computed[Any] | FunctionEffect | PlainBody,
        arity: int,
        translate: Callable[[Definition, Terms], T],
    ) -> Translation[T] | None:
        try:
            meaning = Meaning(item.function, arity)
            terms = Terms(meaning, item.state_class)
            data = translate(self._sources.written(meaning.function), terms)
        except NotTranslatable:
            return None
        except Exception:  # noqa: BLE001 - whatever is in it, the function can still be called
            return None
        return Translation(data, tuple(meaning.assumed), terms.relies_on_ints, terms.varies)
