"""Source for the effects of a primitive task: all right sides first, then the writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

from bthtn.domain.task import PrimitiveTask
from bthtn.planning.htn.compiled.expressions import is_int
from bthtn.planning.htn.compiled.facts import Facts, Features
from bthtn.planning.htn.compiled.reading import Reading, counts_by_value, fixed, tuple_source
from bthtn.world.assignment import Assignment, Reference
from bthtn.world.expression import Constant, Expression, Parameter
from bthtn.world.fluent import Fluent, MemberOf
from bthtn.world.truth import UNKNOWN

_CHECKED_BY_TYPE: Final = (bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Carried:
    """Source that carries effects out, and of what they overwrote."""

    lines: list[str]
    overwritten: str


@dataclass(frozen=True, slots=True)
class Change:
    """One effect: names of the fluent's variable, the value before and the value after.

    ``fluent`` is the fluent, or the prototype of the family it is a member of. ``added`` is the
    source of what it adds to the fingerprint.
    """

    fluent: Fluent[Any]
    place: str
    before: str
    after: str
    is_fixed: bool
    added: str


@dataclass(frozen=True, slots=True)
class _Target:
    """Where an effect writes: names of the fluent and its weight, source of its value.

    ``fluent`` is the fluent, or the prototype of the family it is a member of.
    """

    fluent: Fluent[Any]
    place: str
    stored: str
    weight: str
    is_fixed: bool


@dataclass(slots=True)
class _Lines:
    """What comes before anything is written, and what then stores the values."""

    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)


class Effects:
    """Writes the source of effects for one set of features."""

    def __init__(self, reading: Reading, facts: Facts, features: Features) -> None:
        self._reading = reading
        self._features = features
        self._fingerprints = features.guarded and bool(facts.recursive)

    def of(self, task: PrimitiveTask[Any], generic: str) -> Carried | None:
        """The source of a task's effects; None when they have to be evaluated.

        ``generic`` is the statement that plans the task by evaluation.
        """
        prepared = self.prepared(task, generic)
        if prepared is None:
            return None
        lines, changes = prepared
        stores = [f"    S[{one.place}] = {one.after}" for one in changes]
        moved = self._moved(task, changes)
        overwritten = [name for one in changes for name in (one.place, one.before)]
        return Carried([*lines, *moved, *stores], tuple_source(overwritten))

    def prepared(
        self, task: PrimitiveTask[Any], generic: str, first: int = 0
    ) -> tuple[list[str], list[Change]] | None:
        """Lines that work out all right sides, and what is then to be stored.

        Variables are numbered from ``first`` on. None when it has to be evaluated.
        """
        lines = _Lines()
        changes: list[Change] = []
        numbers = (task.duration, task.cost)
        if not all(isinstance(one, Constant | Parameter) for one in numbers):
            return None
        for number, effect in enumerate((*task.effects, *task.expected), first):
            change = self._change(effect, number, lines, generic)
            if change is None:
                return None
            changes.append(change)
        if lines.unsure:
            told = " or ".join(f"{name} is UNKNOWN" for name in lines.unsure)
            lines.before.append(f"    if {told}: {generic}")
        same = _same(changes)
        if same is None:
            return None
        if same:
            lines.before.append(f"    if {same}: {generic}")
        return [*lines.before, *lines.after], changes

    def _change(self, effect: Any, number: int, lines: _Lines, generic: str) -> Change | None:
        if not isinstance(effect, Assignment) or _is_volatile(effect.target):
            return None
        value = self._value(effect, number, lines)
        target = self._target(effect, number, lines)
        if value is None or target is None:
            return None
        place, stored, is_fixed = target.place, target.stored, target.is_fixed
        if not fits(effect.value, effect.target, self._features.declared):
            lines.before.append(f"    {_check(effect.target, place, value)}")
        before = stored
        if self._reading.is_kept(target.fluent) and not stored.isidentifier():
            before = f"o{number}"
            lines.after.append(f"    {before} = {stored}")
        if not effect.grows or not self._reading.is_asked_for(target.fluent):
            added = self._print(effect, target, before, value)
            return Change(target.fluent, place, before, value, is_fixed, added)
        after = f"n{number}"
        if self._features.unknowns:
            lines.after.append(f"    if {before} is UNKNOWN: {generic}")
        lines.after.append(f"    {after} = {before} + {value}")
        added = self._print(effect, target, before, after)
        return Change(target.fluent, place, before, after, is_fixed, added)

    def _print(self, effect: Assignment, target: _Target, before: str, after: str) -> str:
        """Source of what the effect adds to the fingerprint, as ``reading.change`` has it."""
        if not self._fingerprints:
            return ""
        if self._features.unknowns:
            return f"change({target.place}, {before}, {after})"
        if not counts_by_value(target.fluent):
            return f"{target.weight} * (hash({after}) - hash({before}))"
        if effect.grows and isinstance(effect.value, Constant):
            return f"{target.weight} * {self._reading.value(effect.value)}"
        return f"{target.weight} * ({after} - {before})"

    def _value(self, effect: Assignment, number: int, lines: _Lines) -> str | None:
        """Name or source of the value; None when it has to be evaluated."""
        value, name = effect.value, f"v{number}"
        if isinstance(value, Constant) and value.value is UNKNOWN and effect.grows:
            return None
        if isinstance(value, Constant | Parameter):
            return self._reading.value(value)
        if not self._features.unknowns:
            source = self._reading.value(value)
            if source is None:
                return None
            lines.before.append(f"    {name} = {source}")
            return name
        computed = self._reading.computed(value, name)
        if computed is None:
            return None
        lines.before += computed
        lines.unsure.append(name)
        return name

    def _target(self, effect: Assignment, number: int, lines: _Lines) -> _Target | None:
        """Where the effect writes; None when that has to be evaluated."""
        target, grows = effect.target, effect.grows
        if not isinstance(target, MemberOf) or isinstance(target.index, Constant):
            fluent = fixed(target)
            weight = self._reading.weight(fluent) if self._fingerprints else ""
            place = self._reading.fluent(fluent)
            if self._reading.is_sparse and self._reading.is_kept(fluent):
                stored = self._reading.overwritten(place, fluent, grows=grows)
            else:
                stored = self._reading.stored(fluent) or ""
            return _Target(fluent, place, stored, weight, is_fixed=True)
        if self._features.unknowns and not isinstance(target.index, Parameter):
            return None
        member, placed = target.family.prototype, self._reading.placed(target, f"x{number}")
        if placed is None:
            return None
        told, place = placed
        lines.before += told
        stored = self._reading.overwritten(place, member, grows=grows)
        return _Target(member, place, stored, f"weight({place})", is_fixed=False)

    def _moved(self, task: PrimitiveTask[Any], changes: list[Change]) -> list[str]:
        """Lines that note that the path is a step longer, and the state another one."""
        lines = []
        if self._features.paths:
            duration = ""
            if self._features.horizon:
                duration = f" + {self._reading.value(task.duration)}"
            lines += ["    n, t, fr = at", f"    m.at = (n + 1, t{duration}, fr)"]
        if self._fingerprints and changes:
            lines.append(f"    m.h += {' + '.join(one.added for one in changes)}")
        return lines


def _same(changes: list[Change]) -> str | None:
    """Source that tells whether two effects write one fluent; None when they always do."""
    pairs: list[str] = []
    for one, other in combinations(changes, 2):
        if one.fluent.name != other.fluent.name:
            continue  # members of different families, or not members of one
        if not one.is_fixed or not other.is_fixed:
            pairs.append(f"{one.place} is {other.place}")
        elif one.place == other.place:
            return None
    return " or ".join(pairs)


def fits(value: Expression[Any], target: Reference[Any], declared: frozenset[type]) -> bool:
    """Whether the target may have every value, as long as fluents have values of their types.

    So have parameters of ``declared`` types.
    """
    match value:
        case Constant():
            return True
        case MemberOf(family=family):
            return fits(family.prototype, target, declared)
        case Parameter(type=kind):
            return kind in declared and kind is target.value_type
        case Fluent():
            return value.value_type is target.value_type and value.default is not None
        case _:
            return target.value_type is int and is_int(value)


def _check(target: Reference[Any], place: str, value: str) -> str:
    """Source that raises StateError for a value of a wrong type."""
    kind = target.value_type
    if kind in _CHECKED_BY_TYPE:
        return f"if type({value}) is not {kind.__name__}: {place}.check({value})"
    return f"{place}.check({value})"


def _is_volatile(reference: Reference[Any]) -> bool:
    if isinstance(reference, MemberOf):
        return reference.family.prototype.volatile
    return bool(getattr(reference, "volatile", False))
