"""Source for the effects of a primitive task: all right sides first, then the writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from bthtn.domain.task import PrimitiveTask
from bthtn.planning.htn.compiled.facts import Facts, Features
from bthtn.planning.htn.compiled.reading import Reading, fixed, tuple_source
from bthtn.world.assignment import Assignment, Reference
from bthtn.world.expression import Constant, Parameter
from bthtn.world.fluent import MemberOf
from bthtn.world.truth import UNKNOWN

_CHECKED_BY_TYPE: Final = (bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Carried:
    """Source that carries effects out, and of what they overwrote."""

    lines: list[str]
    overwritten: str


@dataclass(frozen=True, slots=True)
class _Change:
    """One effect: names of the fluent, the value before and the value after."""

    place: str
    before: str
    after: str
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
        lines = _Lines()
        changes: list[_Change] = []
        numbers = (task.duration, task.cost)
        if not all(isinstance(one, Constant | Parameter) for one in numbers):
            return None
        for number, effect in enumerate((*task.effects, *task.expected)):
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
        stores = [f"    S[{one.place}] = {one.after}" for one in changes]
        moved = self._moved(task, changes)
        overwritten = [name for one in changes for name in (one.place, one.before)]
        return Carried(
            [*lines.before, *lines.after, *moved, *stores],
            tuple_source(overwritten),
        )

    def _change(self, effect: Any, number: int, lines: _Lines, generic: str) -> _Change | None:
        if not isinstance(effect, Assignment) or _is_volatile(effect.target):
            return None
        value = self._value(effect, number, lines)
        target = self._target(effect.target, number, lines)
        if value is None or target is None:
            return None
        place, stored, weight, is_fixed = target
        if not isinstance(effect.value, Constant):
            lines.before.append(f"    {_check(effect.target, place, value)}")
        before = f"o{number}"
        lines.after.append(f"    {before} = {stored}")
        if not effect.grows:
            return _Change(place, before, value, weight, is_fixed)
        after = f"n{number}"
        if self._features.unknowns:
            lines.after.append(f"    if {before} is UNKNOWN: {generic}")
        lines.after.append(f"    {after} = {before} + {value}")
        return _Change(place, before, after, weight, is_fixed)

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

    def _target(
        self, target: Reference[Any], number: int, lines: _Lines
    ) -> tuple[str, str, str, bool] | None:
        """Names of the fluent, of the value it has, and its weight; whether it is fixed."""
        if not isinstance(target, MemberOf) or isinstance(target.index, Constant):
            fluent = fixed(target)
            name = self._reading.fluent(fluent)
            return name, self._reading.stored(fluent) or "", self._reading.weight(fluent), True
        if self._features.unknowns and not isinstance(target.index, Parameter):
            return None
        index = self._reading.value(target.index)
        if index is None:
            return None
        place = f"x{number}"
        lines.before.append(f"    {place} = {self._reading.family(target)}[{index}]")
        default = self._reading.default(target.family.prototype)
        return place, f"S.get({place}, {default})", f"weight({place})", False

    def _moved(self, task: PrimitiveTask[Any], changes: list[_Change]) -> list[str]:
        """Lines that note that the path is a step longer, and the state another one."""
        lines = []
        if self._features.paths:
            duration = ""
            if self._features.horizon:
                duration = f" + {self._reading.value(task.duration)}"
            lines += ["    n, t, fr = at", f"    m.at = (n + 1, t{duration}, fr)"]
        if self._fingerprints and changes:
            terms = [f"{one.weight} * ({_hash(one.after)} - hash({one.before}))" for one in changes]
            lines.append(f"    m.h += {' + '.join(terms)}")
        return lines


def _same(changes: list[_Change]) -> str | None:
    """Source that tells whether two effects write one fluent; None when they always do."""
    pairs: list[str] = []
    for number, one in enumerate(changes):
        for other in changes[number + 1 :]:
            if one.is_fixed and other.is_fixed:
                if one.place == other.place:
                    return None
            else:
                pairs.append(f"{one.place} is {other.place}")
    return " or ".join(pairs)


def _check(target: Reference[Any], place: str, value: str) -> str:
    """Source that raises StateError for a value of a wrong type."""
    kind = target.value_type
    if kind in _CHECKED_BY_TYPE:
        return f"if type({value}) is not {kind.__name__}: {place}.check({value})"
    return f"{place}.check({value})"


def _hash(value: str) -> str:
    """Source of a value's hash; those of the two truths are known."""
    return {"True": "1", "False": "0"}.get(value, f"hash({value})")


def _is_volatile(reference: Reference[Any]) -> bool:
    if isinstance(reference, MemberOf):
        return reference.family.prototype.volatile
    return bool(getattr(reference, "volatile", False))
