"""The Python source of a domain: one function for every task.

    def c_fight(S, L, C, m, cell):          # decompose: enter the first usable method
        _, sc, rest = cell
        if S[f_ammo] > 0:
            C.append((c_fight_from_1, cell, len(L), ...))
            s = (k_fight_0, sc, (), ...)
            L.append(s)
            return (p_shoot, s, rest)
        ...

``S`` holds the values by fluent, ``L`` is the log (``kinds``), ``C`` the choices that are
open, ``m`` the machine. A cell is what is left to do: a function, the scope it is in, the
values of its arguments, and the cell behind it. A function answers with the next cell, or
with None where nothing is possible. The names are numbered in fact, ``c_4`` for ``c_fight``:
nothing of a domain's texts reaches the source.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import Network, NullNetwork, SequenceNetwork
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.planning.htn.compiled.calls import Site, bound_lines, is_ground, unpacked
from bthtn.planning.htn.compiled.effects import Effects
from bthtn.planning.htn.compiled.exclusion import exclude_each_other
from bthtn.planning.htn.compiled.expressions import Names
from bthtn.planning.htn.compiled.facts import Facts, Features
from bthtn.planning.htn.compiled.kinds import ComputedKind, ScopeKind, TaskKind
from bthtn.planning.htn.compiled.reading import Reading, args_source
from bthtn.world.expression import Constant, Expression

_SALT: Final = 1_000_003
_INLINE_PARTS: Final = 30
"""Longer sequences are linked by a loop: Python nests only so many brackets."""


class Source:
    """Writes the source of one domain for one set of features."""

    def __init__(self, domain: FrozenDomain, facts: Facts, features: Features) -> None:
        self._domain = domain
        self._facts = facts
        self._features = features
        self.names = Names()
        self._reading = Reading(features, self.names)
        self._effects = Effects(self._reading, facts, features)
        self._inner_reading = Reading(features, self.names, prefix="b")
        self._inner_effects = Effects(self._inner_reading, facts, features)
        self._sites: dict[int, Site] = {}
        self._calls: dict[int, str] = {}
        self._kinds: dict[tuple[Task, int], str] = {}
        self._later: dict[tuple[Task, int], str] = {}
        self._at = "at" if features.paths else "None"
        self._prints = features.guarded and bool(facts.recursive)
        self.functions: dict[Task, str] = {
            task: self.names.new("p" if isinstance(task, PrimitiveTask) else "c", task.name, task)
            for task in domain.tasks.values()
        }

    def text(self) -> str:
        """The whole source."""
        functions = [
            "\n".join(
                self._primitive(task) if isinstance(task, PrimitiveTask) else self._compound(task)
            )
            for task in self._domain.tasks.values()
        ]
        return "\n\n\n".join([*functions, *(site.lines for site in self._sites.values())]) + "\n"

    # primitive tasks

    def _primitive(self, task: PrimitiveTask[Any]) -> Iterator[str]:
        yield f"def {self.functions[task]}(S, L, C, m, cell):"
        kind = self._kind(task)
        generic = f"return m.primitive({kind}, cell)"
        lines = self._inlined(task, kind, generic)
        if lines is None:
            yield f"    {generic}"
            return
        yield f"    {unpacked(task)} = cell"
        yield from lines

    def _inlined(self, task: PrimitiveTask[Any], kind: str, generic: str) -> list[str] | None:
        """The function's lines, None when the task has to be evaluated."""
        args = args_source(task)
        asked = self._asked(task.precondition, args)
        effects = self._effects.of(task, generic)
        if asked is None or effects is None:
            return None
        lines, told = asked
        if told == "ok":
            lines.append(f"    if ok is UNKNOWN: {generic}")
        if told != "True":
            lines.append(f"    if not {told}:")
            if self._features.branches:
                lines.append(f"        m.no_task({kind}, {args})")
            lines.append("        return None")
        if self._features.paths:
            lines.append("    at = m.at")
        lines += effects.lines
        lines.append(f"    L.append(({kind}, sc, {args}, {effects.overwritten}, {self._at}))")
        lines.append("    return rest")
        return lines

    def _kind(self, task: PrimitiveTask[Any]) -> str:
        """Name of the kind of the task's entries in the log."""
        kind = self._kinds.get((task, 0))
        if kind is None:
            kind = self._kinds[task, 0] = self.names.new("k", task.name, TaskKind(task))
        return kind

    def _inside(self, call: Network, made: int) -> list[str] | None:
        """Lines that plan a primitive task in the middle of a function.

        ``made`` is how many expansions more than one the function has made with it. None
        where the task needs its own function.
        """
        if not isinstance(call, TaskCall) or not isinstance(call.task, PrimitiveTask):
            return None
        task, generic = call.task, "return m.primitive"
        values = [self._reading.value(one) for one in call.args]
        asked = self._inner_reading.asked(task.precondition, "")
        effects = self._inner_effects.of(task, generic)
        ground = is_ground(call)
        if not all(values) or asked is None or effects is None or (not ground and not call.args):
            return None
        if any(generic in line for line in effects.lines) or "UNKNOWN" in values:
            return None
        lines = [f"b{number} = {value}" for number, value in enumerate(values)]
        if not ground:
            lines.append(f"L.append(({self._computed(call)}, s, s[2], (), None))")
        if asked[1] != "True":
            lines += [f"if not {asked[1]}:"]
            lines += [f"    m.free -= {made}"] if made else []
            lines.append("    return None")
        args = args_source(task, "b")
        lines += [line.removeprefix("    ") for line in effects.lines]
        lines.append(f"L.append(({self._kind(task)}, s, {args}, {effects.overwritten}, None))")
        return lines

    # compound tasks

    def _compound(self, task: CompoundTask[Any]) -> Iterator[str]:
        """The function of a compound task, and those that go on with its later methods."""
        priced = any(not isinstance(one.cost, Constant) for one in self._domain.methods[task])
        if task.choice is not None or priced:
            yield from self._chosen(task)
            return
        methods = self._domain.methods[task]
        if self._features.told:
            yield from self._told(task)
            return
        starts = [0]
        for index, method in enumerate(methods):
            if not self._never_returns(method, methods[index + 1 :]):
                starts.append(index + 1)
        for start in starts:
            if start:
                yield ""
            yield f"def {self._function(task, start)}(S, L, C, m, cell):"
            yield f"    {unpacked(task)} = cell"
            if self._features.paths:
                yield "    at = m.at"
            yield from self._guard(task, first=not start)
            for index in range(start, len(methods)):
                lines, always = self._method(task, index)
                yield from lines
                if always:
                    break
            else:
                yield "    m.free += 1"
                yield "    return None"

    def _told(self, task: CompoundTask[Any]) -> Iterator[str]:
        """The function of a task that enters the method that is told."""
        yield f"def {self.functions[task]}(S, L, C, m, cell):"
        yield f"    {unpacked(task)} = cell"
        yield "    index = next(m.told)"
        for index, method in enumerate(self._domain.methods[task]):
            if not isinstance(method.body, PlainBody):
                yield f"    if index == {index}:"
                yield from (f"        {line}" for line in self._entered(task, index, method))

    def _chosen(self, task: CompoundTask[Any]) -> Iterator[str]:
        """The function of a task that is decomposed in ways which only the state tells."""
        yield f"def {self.functions[task]}(S, L, C, m, cell):"
        yield f"    {unpacked(task)} = cell"
        yield from self._guard(task, first=True)
        key = "key" if self._is_guarded(task) else "None"
        yield f"    return choose(m, {self.names.of('t', task.name, task)}, cell, {key})"

    def _function(self, task: CompoundTask[Any], start: int) -> str:
        """Name of the function that tries a task's methods from one on."""
        if start == 0:
            return self.functions[task]
        name = self._later.get((task, start))
        if name is None:
            name = self.names.new("c", f"{task.name}_from_{start}", task)
            self._later[task, start] = name
        return name

    def _is_guarded(self, task: CompoundTask[Any]) -> bool:
        return self._features.guarded and task in self._facts.recursive

    def _guard(self, task: CompoundTask[Any], *, first: bool) -> Iterator[str]:
        """Lines that let a call fail that would go round in circles, or is nested too deep."""
        thing, args = self.names.of("t", task.name, task), args_source(task)
        if self._is_guarded(task):
            given = "".join(f"a{n}, " for n in range(len(task.parameters)))
            foreseeable = "m.foreseeable, " if self._facts.volatile else ""
            salt = 1 + list(self._domain.tasks.values()).index(task)
            yield (
                f"    key = hash(({given}{foreseeable}m.h, {salt}))"
                if given or foreseeable
                else f"    key = m.h * {_SALT} + {salt}"
            )
            if first:
                yield "    seen = m.seen"
                yield "    known = len(seen)"
                yield "    seen.add(key)"
                yield f"    if len(seen) == known and m.repeats({thing}, {args}, sc, key):"
                yield "        return None"
        if first and self._features.max_depth is not None:
            yield f"    if sc[6] >= {self._features.max_depth}:"
            yield f"        return m.too_deep({thing}, {args})"

    def _method(self, task: CompoundTask[Any], index: int) -> tuple[list[str], bool]:
        """Lines that enter a method if it may be used; whether it always may."""
        method = self._domain.methods[task][index]
        args = args_source(task)
        entered = self._entered(task, index, method)
        if isinstance(method.body, PlainBody):
            lines = [
                f"    body = m.body({self.names.of('method', task.name, method)}, {args})",
                "    if body is UNKNOWN: return m.undecided(sc)",
                "    if body is not None:",
            ]
        else:
            lines, told = self._asked(method.condition, args) or (
                [f"    ok = {self._generic(method.condition, args)}"],
                "ok",
            )
            if told == "True":
                return [f"    {line}" for line in entered], True
            if told == "ok":
                lines.append("    if ok is UNKNOWN: return m.undecided(sc)")
            lines.append(f"    if {told}:")
        lines += [f"        {line}" for line in entered]
        if self._features.branches:
            thing = self.names.of("t", task.name, task)
            lines.append(f"    m.no_method({thing}, {index}, {args})")
        return lines, False

    def _entered(self, task: CompoundTask[Any], index: int, method: Method) -> list[str]:
        """Lines that note the choice and the scope, and answer with what is to be done in it."""
        lines = []
        if not self._features.told and not self._never_returns(
            method, self._domain.methods[task][index + 1 :]
        ):
            prints = "m.h" if self._prints else "0"
            function = self._function(task, index + 1)
            lines.append(f"C.append(({function}, cell, len(L), {self._at}, {prints}))")
        body = "body" if isinstance(method.body, PlainBody) else "None"
        plain = self._asked(method.condition, "()") is None or body == "body"
        reads = "m.view.reads" if plain else "None"
        key, place = ("key", "len(L)") if self._is_guarded(task) else ("None", "0")
        depth = "0" if self._features.max_depth is None else "sc[6] + 1"
        args = args_source(task)
        kind = self._kinds.get((task, index))
        if kind is None:
            kind = self.names.new("k", f"{task.name}_{index}", ScopeKind(task, index, method))
            self._kinds[task, index] = kind
        return [
            *lines,
            f"s = ({kind}, sc, {args}, (), {self._at}, {body}, {depth}, {key}, {place}, {reads})",
            "L.append(s)",
            *self._done(task, method.body),
        ]

    def _never_returns(self, method: Method, later: tuple[Method, ...]) -> bool:
        """Whether no later method can apply in a state in which this one does.

        Where alternatives may be dropped, the later ones are asked all the same: the last
        reason for an impossibility is what is told about the alternative.
        """
        if self._features.unknowns or self._features.branches:
            return not later
        return all(exclude_each_other(method.condition, one.condition) for one in later)

    def _done(self, task: CompoundTask[Any], body: Network | PlainBody) -> list[str]:
        """Lines that plan the first parts of a method's body, and answer with the others."""
        if isinstance(body, PlainBody):
            return ["return m.link(body, s, rest)"]
        parts = body.parts if isinstance(body, SequenceNetwork) else (body,)
        if self._features.horizon or len(parts) > _INLINE_PARTS:
            return [f"return m.link({self.names.of('n', task.name, body)}, s, rest)"]
        runs = self._runs(parts)
        leads = self._features.inlined and bool(runs) and self._inside(runs[0][0], 0) is not None
        cell = "rest"
        for run in reversed(runs[1:] if leads else runs):
            cell = self._cell(task, run, cell)
        if not leads:
            return [f"return {cell}"]
        lines = [
            line
            for number, part in enumerate(runs[0])
            for line in self._inside(part, number + 1) or ()
        ]
        return [*lines, f"m.free -= {len(runs[0])}", f"return {cell}"]

    def _runs(self, parts: tuple[Network, ...]) -> list[list[Network]]:
        """The parts; those in a row that one function can plan are together."""
        runs: list[list[Network]] = []
        joins = False
        for part in parts:
            if isinstance(part, NullNetwork):
                continue
            inside = self._features.inlined and self._inside(part, 0) is not None
            if inside and joins:
                runs[-1].append(part)
            else:
                runs.append([part])
            joins = inside
        return runs

    def _cell(self, task: CompoundTask[Any], run: list[Network], rest: str) -> str:
        """Source of the cell for some parts of a method's body."""
        part = run[0]
        if len(run) > 1:
            return f"({self._run(task, run)}, s, {rest})"
        if isinstance(part, TaskCall) and is_ground(part):
            values = [self._reading.value(one) or "" for one in part.args]
            return f"({', '.join([self.functions[part.task], 's', *values, rest])})"
        return f"({self._site(task, part)}, s, {self.names.of('n', task.name, part)}, {rest})"

    def _run(self, task: CompoundTask[Any], run: list[Network]) -> str:
        """Name of the function for several primitive tasks in a row."""
        if id(run[0]) not in self._sites:
            name = self.names.new("q", task.name, run)
            lines = [
                f"def {name}(S, L, C, m, cell):",
                "    _, s, rest = cell",
                *bound_lines(task, "s"),
                *(
                    f"    {line}"
                    for number, part in enumerate(run)
                    for line in self._inside(part, number) or ()
                ),
                f"    m.free -= {len(run) - 1}",
                "    return rest",
            ]
            self._sites[id(run[0])] = Site(name, "\n".join(lines))
        return self._sites[id(run[0])].name

    def _site(self, task: CompoundTask[Any], part: Network) -> str:
        """Name of the function for a part of a body that is no call with ground arguments."""
        if not isinstance(part, TaskCall) or self._features.unknowns:
            return "expand"
        values = [self._reading.value(argument) for argument in part.args]
        if not all(values):
            return "expand"
        if id(part) not in self._sites:
            name = self.names.new("g", f"{task.name}_{part.task.name}", part)
            function = self.functions[part.task]
            given = ", ".join([function, "sc", *(value or "" for value in values), "rest"])
            at = "m.at" if self._features.paths else "None"
            lines = [
                f"def {name}(S, L, C, m, cell):",
                "    _, sc, _, rest = cell",
                *bound_lines(task, "sc"),
                f"    cell = ({given})",
                f"    L.append(({self._computed(part)}, sc, sc[2], (), {at}))",
                f"    return {function}(S, L, C, m, cell)",
            ]
            self._sites[id(part)] = Site(name, "\n".join(lines))
        return self._sites[id(part)].name

    def _computed(self, call: TaskCall) -> str:
        """Name of the kind of entry that says that the call's arguments are computed."""
        if id(call) not in self._calls:
            self._calls[id(call)] = self.names.new("n", "", ComputedKind(call))
        return self._calls[id(call)]

    # conditions

    def _asked(self, condition: Expression[Any], args: str) -> tuple[list[str], str] | None:
        return self._reading.asked(condition, self._generic(condition, args))

    def _generic(self, condition: Expression[Any], args: str) -> str:
        return f"m.asks({self._reading.named(condition)}, {args})"
