"""The conditions, effects and methods of a task, with functions as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.effect import Effect
from bthtn.engine.domain.function import Computed, FunctionEffect
from bthtn.engine.domain.method import Method, PlainBody
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask
from bthtn.engine.planning.htn.translation.effects import assignments
from bthtn.engine.planning.htn.translation.meaning import Assumption, Meaning
from bthtn.engine.planning.htn.translation.path_results import PathResult, PathResults
from bthtn.engine.planning.htn.translation.paths import truth
from bthtn.engine.planning.htn.translation.terms import Terms
from bthtn.engine.planning.htn.translation.written import Definition, NotTranslatable, written
from bthtn.engine.world.expression import ALWAYS, Condition, Junction, Negation, always_holds

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Translation(Generic[T]):
    """Data that means the same as functions, under these assumptions."""

    data: T
    assumed: tuple[Assumption, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether it still means the same."""
        return all(assumption.holds for assumption in self.assumed)


def step(task: PrimitiveTask[...]) -> Translation[PrimitiveTask[...]] | None:
    """The task as planning sees it, all of whose effects are its ``effects``; None if unsure."""
    translator, effects = _Translator(len(task.parameters)), list[Effect]()
    try:
        for effect in (*task.effects, *task.expected):
            if isinstance(effect, FunctionEffect):
                effects += translator.of(effect, assignments)
            else:
                effects.append(effect)
        condition = translator.condition(task.precondition)
    except NotTranslatable:
        return None
    planned = replace(task, precondition=condition, effects=tuple(effects), expected=())
    return Translation(planned, translator.assumed)


def method(
    domain: FrozenDomain, task: CompoundTask[...], of: Method
) -> Translation[tuple[PathResult, ...]] | None:
    """The results of a method, in order; None if unsure.

    One whose condition alone is a function has one result, without its calls.
    """
    body, translator = of.body, _Translator(len(task.parameters))
    found: tuple[PathResult, ...] = (PathResult(ALWAYS),)
    try:
        condition = translator.condition(of.condition)
        if type(body) is PlainBody:
            found = translator.of(body, PathResults(domain, task, body.tasks).of)
        elif isinstance(body, PlainBody):
            return None
    except NotTranslatable:
        return None
    if not always_holds(condition):
        if not found:
            return None  # the function is called, and may fail, wherever it holds
        found = tuple(
            replace(result, condition=Junction((condition, result.condition), decisive=False))
            for result in found
        )
    return Translation(found, translator.assumed)


class _Translator:
    """Translates functions of one task, and gathers the assumptions on which that rests."""

    def __init__(self, arity: int) -> None:
        self._arity = arity
        self._assumed: dict[Any, Assumption] = {}

    @property
    def assumed(self) -> tuple[Assumption, ...]:
        """The assumptions so far, each once."""
        return tuple(self._assumed.values())

    def condition(self, condition: Condition) -> Condition:
        """The condition without functions. Raises NotTranslatable."""
        match condition:
            case Computed():
                return self.of(condition, truth)
            case Negation(operand=operand):
                return Negation(self.condition(operand))
            case Junction(parts=parts, decisive=decisive) if type(condition) is Junction:
                return Junction(tuple(map(self.condition, parts)), decisive=decisive)
            case _:
                return condition

    def of(
        self,
        item: Computed[Any] | FunctionEffect | PlainBody,
        translate: Callable[[Definition, Terms], T],
    ) -> T:
        """The translation of one function. Raises NotTranslatable."""
        try:
            meaning = Meaning(item.function, self._arity)
            data = translate(written(meaning.function), Terms(meaning, item.state_class))
        except NotTranslatable:
            raise
        except Exception as error:
            raise NotTranslatable from error  # whatever is in it, it can still be called
        self._assumed.update((assumption.key, assumption) for assumption in meaning.assumed)
        return data
