"""Sources of reading expressions and of applying effects in a generated function."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from bthtn.domain.effect import Effect
from bthtn.domain.task import PrimitiveTask
from bthtn.planning.htn.expressions import (
    ExpressionSource,
    Names,
    fits,
    is_volatile,
    prototype,
    type_check,
)
from bthtn.planning.htn.fastpath.known_reads import KnownReads
from bthtn.planning.htn.fastpath.layout import FORESEEABLE
from bthtn.planning.htn.fastpath.reachable import NotWritable
from bthtn.world.assignment import Assignment, FluentReference
from bthtn.world.expression import Constant, Parameter
from bthtn.world.fluent import Fluent, MemberOf

MAY_RAISE: Final = "unforeseen()"
"""Source of what is called instead of reading an unknown value: it raises Unforeseen."""


class Reading(ExpressionSource):
    """Writes expressions as source, at one line of a function.

    ``arguments`` are the sources of the values of parameters. ``where`` has the sources of the
    values of fluents that are not in ``S``, ``unsure`` those of them that may be UNKNOWN.
    ``member`` gives the source of a family's member by a parameter a shorter form, ``reads`` that
    of a value in ``S``.
    """

    def __init__(
        self,
        names: Names,
        arguments: Sequence[str],
        where: Mapping[Fluent[Any], str],
        unsure: Collection[str],
        member: Callable[[str], str],
        reads: KnownReads,
    ) -> None:
        super().__init__(names)
        self._arguments = arguments
        self.where = where
        self.unsure = unsure
        self._member = member
        self._reads = reads

    def argument(self, position: int) -> str:
        return self._arguments[position]

    def read(self, reference: FluentReference[Any], depth: int) -> str | None:
        fluent = prototype(reference)
        if fluent in self.where:
            return self._local(fluent)
        place = self.place(reference, depth)
        if place is None or not fluent.volatile:
            return place and self.stored(place, fluent)
        foreseeable = self.where[FORESEEABLE]
        if foreseeable == "False":
            return MAY_RAISE
        return f"({self.stored(place, fluent)} if {foreseeable} else {MAY_RAISE})"

    def _local(self, fluent: Fluent[Any]) -> str:
        """Source of the value of a fluent that is not in ``S``."""
        local = self.where[fluent]
        is_unsure = local in self.unsure
        return f"({local} if {local} is not UNKNOWN else {MAY_RAISE})" if is_unsure else local

    def place(self, reference: FluentReference[Any], depth: int = 0) -> str | None:
        if isinstance(reference, MemberOf) and isinstance(reference.index, Constant):
            return self.names.of(reference.family.member(reference.index.value))
        source = super().place(reference, depth)
        by_parameter = isinstance(reference, MemberOf) and isinstance(reference.index, Parameter)
        return self._member(source) if source and by_parameter else source

    def stored(self, place: str, fluent: Fluent[Any]) -> str:
        """Source of a value in ``S``; ``fluent`` may be the prototype of a family."""
        return self._reads.of(self.lookup(place, fluent), fluent)

    def lookup(self, place: str, fluent: Fluent[Any]) -> str:
        """Source that looks a value up in ``S``."""
        return f"S.get({place}, {self.names.constant(fluent.default)})"


@dataclass(frozen=True, slots=True, eq=False)
class FluentChange:
    """The sources of one effect: of the fluent, its value before, and its value after.

    ``fluent`` is the fluent, or the prototype of the family it is a member of; ``local`` is its
    variable: None if ``S`` has the fluent, "" if nothing reads it. With ``is_unsure`` the value
    after may be UNKNOWN, since the one before may be.
    """

    fluent: Fluent[Any]
    local: str | None
    place: str
    before: str
    after: str
    is_unsure: bool


def changes(
    task: PrimitiveTask[...], effects: Sequence[Effect], reading: Reading, numbers: Iterator[int]
) -> tuple[list[str], list[FluentChange]]:
    """Lines that compute the values these effects of a task write, and the changes to store then.

    ``numbers`` are those of new variables. Raises NotWritable.
    """
    if not all(isinstance(number, Constant | Parameter) for number in (task.duration, task.cost)):
        raise NotWritable
    lines: list[str] = []
    growing: list[str] = []
    made = [_change(effect, reading, next(numbers), lines, growing) for effect in effects]
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
    target, amount = effect.target, effect.value
    fluent, value, place = prototype(target), reading.value(amount), reading.place(target)
    if value is None or place is None:
        raise NotWritable
    if not isinstance(amount, Constant | Parameter) and not value.isidentifier():
        lines.append(f"v{number} = {value}")
        value = f"v{number}"
    if isinstance(target, MemberOf) and not place.isidentifier():
        lines.append(f"x{number} = {place}")
        place = f"x{number}"
    is_int = target.value_type is int and value.strip("()-").isdigit()
    if not is_int and not fits(amount, target):
        lines.append(type_check(reading.names, target, place, value))
    local = reading.where.get(fluent)
    before = reading.stored(place, fluent) if local is None else local
    if local is None and not before.isidentifier():
        growing.append(f"o{number} = {before}")
        before = f"o{number}"
    is_unsure = effect.grows and local in reading.unsure
    if effect.grows and local != "":
        unless = f"UNKNOWN if {before} is UNKNOWN else " if is_unsure else ""
        growing.append(f"n{number} = {unless}{before} + {value}")
        value = f"n{number}"
    return FluentChange(fluent, local, place, before, value, is_unsure)
