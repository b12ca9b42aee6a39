"""The Python source of a domain: one function for every task.

    def c_fight(S, L, C, m, cell, i=0):     # decompose: enter the first usable method from i on
        _, sc, rest = cell
        if i < 1 and S[f_ammo] > 0:
            C.append((c_fight, cell, 1, len(L), m.at))
            s = (k_fight_0, sc, (), ...)
            L.append(s)
            return (p_shoot, s, rest)
        ...

``S`` holds the values by fluent, ``L`` is the log (tasks and scopes, with what they
overwrote), ``C`` the choices that are open, ``m`` the machine. A cell is what is left to
do: a function, the scope it is in, the values of its arguments, and the cell behind it. A
function answers with the next cell, or with None where nothing is possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import Network, NullNetwork, SequenceNetwork
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.planning.htn.compiled.expressions import (
    Names,
    condition_source,
    literal,
    once,
    reads_when,
    references,
    value_source,
)
from bthtn.planning.htn.compiled.facts import Facts
from bthtn.planning.htn.compiled.kinds import PlannedWrite, PrimitiveKind, ScopeKind
from bthtn.world.assignment import Assignment, Reference
from bthtn.world.expression import Constant, Expression, Parameter
from bthtn.world.fluent import Fluent, FluentFamily, MemberOf
from bthtn.world.footprint import WriteKind
from bthtn.world.truth import UNKNOWN

_INLINE_PARTS: Final = 30
"""Longer sequences are linked by a loop: Python nests only so many brackets."""
_CHECKED_BY_TYPE: Final = (bool, int, float, str)


@dataclass(frozen=True, slots=True)
class Features:
    """What a search needs of its functions; what it does not need costs nothing.

    ``unknowns``: some fluent may be unknown. ``horizon``: planning may stop behind so many
    steps. ``guarded``: tasks must not be entered again inside themselves with nothing
    changed. ``shallow``: tasks may come to be nested deeper than allowed. ``branches``: a
    parallel or priority node may occur.
    """

    unknowns: bool
    horizon: bool
    guarded: bool
    shallow: bool
    branches: bool


class Source:
    """Writes the source of one domain for one set of features."""

    def __init__(self, domain: FrozenDomain, facts: Facts, features: Features) -> None:
        self._domain = domain
        self._facts = facts
        self._features = features
        self._fingerprints = features.guarded and bool(facts.recursive)
        self._stateful = (
            features.horizon or facts.volatile or features.branches or self._fingerprints
        )
        self.names = Names()
        self.functions: dict[Task, str] = {
            task: self.names.new("p" if isinstance(task, PrimitiveTask) else "c", task.name, task)
            for task in domain.tasks.values()
        }

    def text(self) -> str:
        """The whole source."""
        functions = [
            "\n".join(self._primitive(task) if isinstance(task, PrimitiveTask)
                      else self._compound(task))
            for task in self._domain.tasks.values()
        ]
        return "\n\n\n".join(functions) + "\n"

    # primitive tasks

    def _primitive(self, task: PrimitiveTask[Any]) -> Iterator[str]:
        name = self.functions[task]
        yield f"def {name}(S, L, C, m, cell):"
        yield f"    # {_signature(task)}"
        generic = f"m.primitive({self.names.of('t', task.name, task)}, cell)"
        lines = self._inlined(task, generic)
        if lines is None:
            yield f"    return {generic}"
            return
        yield f"    {_unpacked(task)} = cell"
        yield from lines

    def _inlined(self, task: PrimitiveTask[Any], generic: str) -> list[str] | None:
        """The function's lines, None when the task has to be evaluated."""
        planned = self._planned_writes(task)
        simple = all(
            isinstance(one, Constant | Parameter) for one in (task.duration, task.cost)
        )
        if planned is None or not simple:
            return None
        asked = self._asked(task.precondition, f"m.asks({self._of(task.precondition)}, {_args(task)})")
        if asked is None:
            return None
        lines, told = asked
        if told == "ok":
            lines.append(f"    if ok is UNKNOWN: return {generic}")
        if told != "True":
            lines.append(f"    if not {told}:")
            if self._features.branches:
                lines.append(
                    f"        m.no_task({self.names.of('t', task.name, task)}, {_args(task)})"
                )
            lines.append("        return None")
        written = self._written(task, planned, generic)
        reads = once([reads_when(task.precondition, truth=True), *_read_by(task)])
        logged = [value for value, one in zip(written.values, planned, strict=True) if one.value is None]
        if reads is None:
            lines.append(f"    reads = m.reads_of({self.names.of('t', task.name, task)}, {_args(task)})")
            logged.append("reads")
        lines += written.lines
        kind = PrimitiveKind(task, None if reads is None else tuple(reads), tuple(planned))
        entry = ["sc", _args(task), _tuple(written.overwritten), *logged]
        lines.append(f"    L.append(({self.names.of('k', task.name, kind)}, {', '.join(entry)}))")
        lines.append("    return rest")
        return lines

    def _planned_writes(self, task: PrimitiveTask[Any]) -> list[PlannedWrite] | None:
        """What the task's effects write, None when that is not told by the effects as data."""
        planned = []
        for effect in (*task.effects, *task.expected):
            if not isinstance(effect, Assignment):
                return None
            read = references(effect.value)
            target = references(effect.target)
            volatile = target is not None and _is_volatile(target[0])
            if target is None or volatile or read is None:
                return None
            if value_source(effect.value, self.names, self._read) is None:
                return None
            if isinstance(effect.value, Constant) and effect.value.value is UNKNOWN and effect.grows:
                return None
            kind = WriteKind.COMPUTED if read else WriteKind.CONSTANT
            told = effect.value if isinstance(effect.value, Constant | Parameter) else None
            planned.append(
                PlannedWrite(effect.target, WriteKind.INCREASE if effect.grows else kind, told)
            )
        fixed = [one.target for one in planned if isinstance(one.target, Fluent)]
        return planned if len(set(map(id, fixed))) == len(fixed) else None

    def _written(
        self, task: PrimitiveTask[Any], planned: list[PlannedWrite], generic: str
    ) -> _Written:
        """Lines that work out the writes and carry them out."""
        effects = [e for e in (*task.effects, *task.expected) if isinstance(e, Assignment)]
        before: list[str] = []
        after: list[str] = []
        values: list[str] = []
        overwritten: list[str] = []
        changes: list[tuple[str, str, str]] = []
        members: list[tuple[str, Reference[Any]]] = []
        unsure: list[str] = []
        for number, (effect, one) in enumerate(zip(effects, planned, strict=True)):
            place, stored = self._target(effect.target, number, before, members)
            value = self._value(effect.value, number, before, unsure)
            if one.value is None or isinstance(effect.value, Parameter):
                before.append(f"    {self._check(effect.target, place, value)}")
            values.append(value)
            old, new = f"o{number}", value
            after.append(f"    {old} = {stored}")
            if one.kind is WriteKind.INCREASE:
                new = f"n{number}"
                if self._features.unknowns:
                    after.append(f"    if {old} is UNKNOWN: return {generic}")
                after.append(f"    {new} = {old} + {value}")
            overwritten += (place, old)
            changes.append((place, old, new))
        if unsure:
            told = " or ".join(f"{name} is UNKNOWN" for name in unsure)
            before.append(f"    if {told}: return {generic}")
        before += self._distinct(members, changes, generic)
        after += [f"    S[{place}] = {new}" for place, _, new in changes]
        after += self._moved(task, changes)
        return _Written(before + after, values, overwritten)

    def _target(
        self,
        target: Reference[Any],
        number: int,
        lines: list[str],
        members: list[tuple[str, Reference[Any]]],
    ) -> tuple[str, str]:
        """Names of the written fluent and source of the value it has."""
        if isinstance(target, MemberOf) and isinstance(target.index, Parameter):
            place = f"x{number}"
            lines.append(f"    {place} = {self._family(target.family)}[a{target.index.position}]")
            members.append((place, target))
            return place, f"S.get({place}, {self._default(target.family.prototype)})"
        fixed = _fixed(target)
        return self._fluent(fixed), self._read(fixed)

    def _value(
        self, value: Expression[Any], number: int, lines: list[str], unsure: list[str]
    ) -> str:
        if not self._features.unknowns or not references(value):
            source = value_source(value, self.names, self._read)
            assert source is not None, "it was looked at before"
            if isinstance(value, Constant | Parameter):
                return source
            lines.append(f"    v{number} = {source}")
            return f"v{number}"
        known: dict[str, str] = {}
        for reference in references(value) or ():
            known.setdefault(self._read_known(reference), f"q{number}_{len(known)}")
        lines += [f"    {name} = {source}" for source, name in known.items()]
        told = " or ".join(f"{name} is UNKNOWN" for name in known.values())
        source = value_source(value, self.names, lambda one: known[self._read_known(one)])
        lines.append(f"    v{number} = UNKNOWN if {told} else {source}")
        unsure.append(f"v{number}")
        return f"v{number}"

    def _check(self, target: Reference[Any], place: str, value: str) -> str:
        """Source that raises StateError for a value of a wrong type."""
        kind = target.value_type
        if kind in _CHECKED_BY_TYPE:
            return f"if type({value}) is not {kind.__name__}: {place}.check({value})"
        return f"{place}.check({value})"

    def _distinct(
        self,
        members: list[tuple[str, Reference[Any]]],
        changes: list[tuple[str, str, str]],
        generic: str,
    ) -> Iterator[str]:
        """Lines for effects that turn out to write the same fluent: they are evaluated."""
        places = [place for place, _, _ in changes]
        named = [place for place, _ in members]
        pairs = [
            f"{one} is {other}"
            for number, one in enumerate(places)
            for other in places[number + 1 :]
            if one in named or other in named
        ]
        if pairs:
            yield f"    if {' or '.join(pairs)}: return {generic}"

    def _moved(self, task: PrimitiveTask[Any], changes: list[tuple[str, str, str]]) -> list[str]:
        """Lines that note that the path is a step longer, and the state another one."""
        if not self._stateful:
            return []
        duration = "0"
        if self._features.horizon:
            duration = value_source(task.duration, self.names, self._read) or "0"
        state = "h"
        if self._fingerprints:
            state = " ^ ".join(
                ["h", *(f"hash(({p}, {o})) ^ hash(({p}, {n}))" for p, o, n in changes)]
            )
        return ["    n, t, h, fr = m.at", f"    m.at = (n + 1, t + {duration}, {state}, fr)"]

    # compound tasks

    def _compound(self, task: CompoundTask[Any]) -> Iterator[str]:
        name = self.functions[task]
        methods = self._domain.methods[task]
        yield f"def {name}(S, L, C, m, cell, i=0):"
        yield f"    # {_signature(task)}"
        yield f"    {_unpacked(task)} = cell"
        guarded = self._features.guarded and task in self._facts.recursive
        key = "None"
        if guarded:
            key = "key"
            foreseeable = ", m.foreseeable" if self._facts.volatile else ""
            yield f"    key = ({self.names.of('t', task.name, task)}, {_args(task)}, m.at[2]{foreseeable})"
        deep = "" if guarded else "sc[6] >= m.max_depth and "
        if guarded or self._features.shallow:
            thing = self.names.of("t", task.name, task)
            yield f"    if i == 0 and {deep}m.cuts({thing}, {_args(task)}, sc, {key}): return None"
        for index, method in enumerate(methods):
            yield f"    if i < {index + 1}:"
            last = index + 1 == len(methods)
            for line in self._method(task, index, method, key, last=last):
                yield f"    {line}"
        yield "    m.free += 1"
        yield "    return None"

    def _method(
        self, task: CompoundTask[Any], index: int, method: Method, key: str, *, last: bool
    ) -> Iterator[str]:
        if isinstance(method.body, PlainBody):
            yield f"    body = m.body({self.names.of('v', f'{task.name}_{index}', method)}, {_args(task)})"
            yield "    if body is UNKNOWN: return m.undecided(sc)"
            yield "    if body is not None:"
            yield from self._entered(task, index, method, key, "m.view.reads", last=last)
        else:
            condition = method.condition
            generic = f"m.asks({self._of(condition)}, {_args(task)})"
            lines, told = self._asked(condition, generic) or ([f"    ok = {generic}"], "ok")
            yield from lines
            if told == "ok":
                yield "    if ok is UNKNOWN: return m.undecided(sc)"
            yield f"    if {told}:"
            reads = "None"
            if reads_when(condition, truth=True) is None:
                yield f"        m.asks({self._of(condition)}, {_args(task)})"
                reads = "m.view.reads"
            yield from self._entered(task, index, method, key, reads, last=last)
            if told == "True":
                return
        if self._features.branches:
            yield f"    m.no_method({self.names.of('t', task.name, task)}, {index}, {_args(task)})"

    def _entered(
        self,
        task: CompoundTask[Any],
        index: int,
        method: Method,
        key: str,
        reads: str,
        *,
        last: bool,
    ) -> Iterator[str]:
        if not last:
            yield f"        C.append(({self.functions[task]}, cell, {index + 1}, len(L), m.at))"
        static = None if reads != "None" else tuple(reads_when(method.condition, truth=True) or ())
        kind = self.names.of("k", f"{task.name}_{index}", ScopeKind(task, index, method, static))
        plain = isinstance(method.body, PlainBody)
        body = "body" if plain else "None"
        yield (
            f"        s = ({kind}, sc, {_args(task)}, (), {reads}, {body},"
            f" sc[6] + 1, {key}, len(L))"
        )
        yield "        L.append(s)"
        yield f"        return {self._cell(method.body)}"

    def _cell(self, body: Network | PlainBody) -> str:
        """Source of the cell for a method's body."""
        if isinstance(body, PlainBody):
            return "m.link(body, s, rest)"
        parts = body.parts if isinstance(body, SequenceNetwork) else (body,)
        if self._features.horizon or len(parts) > _INLINE_PARTS:
            return f"m.link({self.names.of('n', 'body', body)}, s, rest)"
        cell = "rest"
        for part in reversed(parts):
            if isinstance(part, TaskCall) and is_ground(part):
                values = [value_source(one, self.names, self._read) or "" for one in part.args]
                cell = f"({', '.join([self.functions[part.task], 's', *values, cell])})"
            elif not isinstance(part, NullNetwork):
                cell = f"(m.expand, s, {self.names.of('n', 'part', part)}, {cell})"
        return cell

    # fluents

    def _asked(self, condition: Expression[Any], generic: str) -> tuple[list[str], str] | None:
        """Lines that prepare the answer to a condition, and the source that tells it.

        Where something unknown may be read the answer is ``ok``, which may be UNKNOWN; then
        ``generic`` is the source of the same by evaluation. None when the condition cannot
        be written as source.
        """
        mentioned = references(condition)
        if mentioned is None:
            return None
        if not self._features.unknowns:
            told = condition_source(condition, self.names, self._read)
            return None if told is None else ([], told)
        known: dict[str, str] = {}
        for reference in mentioned:
            known.setdefault(self._read_known(reference), f"r{len(known)}")
        told = condition_source(condition, self.names, lambda one: known[self._read_known(one)])
        if told is None or not known:
            return None if told is None else ([], told)
        lines = [f"    {name} = {source}" for source, name in known.items()]
        unsure = " or ".join(f"{name} is UNKNOWN" for name in known.values())
        lines.append(f"    ok = {generic} if {unsure} else {told}")
        return lines, "ok"

    def _read(self, reference: Reference[Any]) -> str:
        """Source that reads a fluent of which the value is known."""
        if isinstance(reference, MemberOf) and isinstance(reference.index, Parameter):
            default = self._default(reference.family.prototype)
            member = f"{self._family(reference.family)}[a{reference.index.position}]"
            return f"S.get({member}, {default})"
        fluent = _fixed(reference)
        if fluent.index is None:
            return f"S[{self._fluent(fluent)}]"
        return f"S.get({self._fluent(fluent)}, {self._default(fluent)})"

    def _read_known(self, reference: Reference[Any]) -> str:
        """Source that reads a fluent, gives UNKNOWN for an unknown one, and never raises."""
        if isinstance(reference, MemberOf) and isinstance(reference.index, Parameter):
            return f"m.member({self._family(reference.family)}, a{reference.index.position})"
        fluent = _fixed(reference)
        return f"m.sensed({self._fluent(fluent)})" if fluent.volatile else self._read(fluent)

    def _fluent(self, fluent: Fluent[Any]) -> str:
        return self.names.of("f", str(fluent), fluent)

    def _family(self, family: FluentFamily[Any, Any]) -> str:
        return self.names.of("m", family.name, family)

    def _default(self, fluent: Fluent[Any]) -> str:
        return literal(fluent.default, self.names)

    def _of(self, condition: Expression[Any]) -> str:
        if isinstance(condition, Fluent):
            return self._fluent(condition)
        return self.names.of("when", "", condition)


@dataclass(frozen=True, slots=True)
class _Written:
    """Lines that carry out writes, the source of each value, and what the log has to keep."""

    lines: list[str]
    values: list[str]
    overwritten: list[str]


def is_ground(call: TaskCall) -> bool:
    """Whether the values of the arguments are told by those of the enclosing task alone."""
    return all(
        isinstance(one, Parameter) or (isinstance(one, Constant) and one.value is not UNKNOWN)
        for one in call.args
    )


def _read_by(task: PrimitiveTask[Any]) -> Iterator[list[Reference[Any]] | None]:
    for effect in (*task.effects, *task.expected):
        yield references(effect.value) if isinstance(effect, Assignment) else None


def _fixed(reference: Reference[Any]) -> Fluent[Any]:
    """The fluent that a reference without a parameter names."""
    if isinstance(reference, MemberOf):
        assert isinstance(reference.index, Constant), "other indices are not written as source"
        return reference.family.member(reference.index.value)
    assert isinstance(reference, Fluent), "there are no other references"
    return reference


def _is_volatile(reference: Reference[Any]) -> bool:
    if isinstance(reference, MemberOf):
        return reference.family.prototype.volatile
    return isinstance(reference, Fluent) and reference.volatile


def _signature(task: Task) -> str:
    return f"{task.name}({', '.join(parameter.name for parameter in task.parameters)})"


def _args(task: Task) -> str:
    return _tuple([f"a{position}" for position in range(len(task.parameters))])


def _unpacked(task: Task) -> str:
    return ", ".join(["_", "sc", *(f"a{n}" for n in range(len(task.parameters))), "rest"])


def _tuple(sources: list[str]) -> str:
    return f"({sources[0]},)" if len(sources) == 1 else f"({', '.join(sources)})"
