"""Sources of reading expressions and of applying effects in a generated function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from bthtn.domain.task import PrimitiveTask
from bthtn.planning.htn.expressions import ExpressionSource, Names, fits, is_volatile, prototype
from bthtn.planning.htn.fastpath.known import ReadNames, named
from bthtn.planning.htn.fastpath.reachable import NotWritable, effects_of
from bthtn.world.assignment import Assignment, FluentReference
from bthtn.world.expression import Constant, Parameter
from bthtn.world.fluent import Fluent, MemberOf


class Reading(ExpressionSource):
    """Writes expressions as source, at one line of a function.

    ``arguments`` are the sources of the values of parameters. ``where`` has the sources of the
    values of fluents that are not in ``S``. ``known`` names the values that are read.
    """

    def __init__(
        self,
        names: Names,
        arguments: Sequence[str],
        where: Mapping[Fluent[Any], str],
        known: ReadNames,
    ) -> None:
        super().__init__(names)
        self._arguments = arguments
        self._where = where
        self._known = known

    def argument(self, position: int) -> str:
        return self._arguments[position]

    def read(self, reference: FluentReference[Any], depth: int) -> str | None:
        local = self._where.get(prototype(reference))
        if local is not None:
            return local
        place = self.place(reference, depth)
        if place is None:
            return None
        fluent = prototype(reference)
        return self._known.value(self.stored(place, fluent), fluent)

    def place(self, reference: FluentReference[Any], depth: int = 0) -> str | None:
        if isinstance(reference, MemberOf) and isinstance(reference.index, Constant):
            return self.names.of(reference.family.member(reference.index.value))
        source = super().place(reference, depth)
        return source and (self._known.member(source) if "[" in source else source)

    def stored(self, place: str, fluent: Fluent[Any]) -> str:
        """Source of a value in ``S``; ``fluent`` may be the prototype of a family."""
        return f"S.get({place}, {self.names.constant(fluent.default)})"

    def is_kept(self, fluent: Fluent[Any]) -> bool:
        """Whether ``S`` has the fluent, or each member of the family it is the prototype of."""
        return fluent not in self._where

    def is_asked_for(self, fluent: Fluent[Any]) -> bool:
        """Whether the fluent is ever read."""
        return self._where.get(fluent) != ""

    def before(self, place: str, fluent: Fluent[Any]) -> str:
        """Source of the fluent's value before an effect overwrites it."""
        if not self.is_kept(fluent):
            return self._where[fluent]
        source = self.stored(place, fluent)
        return self._known.names.get(source, source)


@dataclass(frozen=True, slots=True)
class FluentChange:
    """The sources of one effect: of the fluent, its value before, and its value after.

    ``fluent`` is the fluent, or the prototype of the family it is a member of.
    """

    fluent: Fluent[Any]
    place: str
    before: str
    after: str


def changes(
    task: PrimitiveTask[Any], reading: Reading, first: int
) -> tuple[list[str], list[FluentChange]]:
    """Lines that compute the values a task's effects write, and the changes to store then.

    Variables are numbered from ``first`` on. Raises NotWritable.
    """
    if not all(isinstance(one, Constant | Parameter) for one in (task.duration, task.cost)):
        raise NotWritable
    lines: list[str] = []
    made: list[FluentChange] = []
    growing: list[str] = []
    for number, effect in enumerate(effects_of(task), first):
        made.append(_change(effect, reading, number, lines, growing))
    for one, other in combinations(made, 2):
        if one.fluent.name == other.fluent.name:
            if one.place == other.place:
                raise NotWritable  # two effects on one fluent have a meaning that evaluation knows
            lines.append(f"if {one.place} is {other.place}: raise Unforeseen")
    return [*lines, *growing], made


def _change(
    effect: Any, reading: Reading, number: int, lines: list[str], growing: list[str]
) -> FluentChange:
    if not isinstance(effect, Assignment) or is_volatile(effect.target):
        raise NotWritable
    target, value, place = effect.target, reading.value(effect.value), None
    fluent = prototype(target)
    if value is not None and not isinstance(effect.value, Constant | Parameter):
        lines.append(f"v{number} = {value}")
        value = f"v{number}"
    place = reading.place(target)
    if value is None or place is None:
        raise NotWritable
    naming = named(place)
    if naming is not None:
        place = naming[0]
        lines.append(f"{place} = {naming[1]}")
    elif isinstance(target, MemberOf) and not place.isidentifier():
        lines.append(f"x{number} = {place}")
        place = f"x{number}"
    is_int = target.value_type is int and value.strip("()-").isdigit()
    if not is_int and not fits(effect.value, target):
        lines.append(_check(reading, target, place, value))
    before = reading.before(place, fluent)
    if reading.is_kept(fluent) and not before.isidentifier():
        growing.append(f"o{number} = {before}")
        before = f"o{number}"
    if effect.grows and reading.is_asked_for(fluent):
        growing.append(f"n{number} = {before} + {value}")
        value = f"n{number}"
    return FluentChange(fluent, place, before, value)


def _check(reading: Reading, target: FluentReference[Any], place: str, value: str) -> str:
    """Source that raises StateError for a value of a wrong type."""
    kind = target.value_type
    if prototype(target).plain_type is None:
        return f"{place}.check({value})"
    return f"if type({value}) is not {reading.names.of(kind)}: {place}.check({value})"
