"""Body: the lines of one function, part after part of what a method is decomposed into.

Values of fluents that stand in local variables are followed through the effects: a variable
is not overwritten while a later method may still be tried, and a condition that is decided by
an effect before it is not asked.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from keyword import iskeyword
from typing import Any, Final, Protocol

from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.planning.htn.compiled import generated
from bthtn.planning.htn.compiled.effects import Effects
from bthtn.planning.htn.compiled.expressions import is_atom, joined, mentioned
from bthtn.planning.htn.compiled.facts import Facts, Features
from bthtn.planning.htn.compiled.known import Known, named, without_naming
from bthtn.planning.htn.compiled.lean.scope import Way
from bthtn.planning.htn.compiled.lean.telling import Question, Telling, depth
from bthtn.planning.htn.compiled.reading import Reading, tuple_source
from bthtn.world.expression import Expression, Junction, Parameter
from bthtn.world.fluent import Fluent

DEEPEST: Final = 6
"""Conditions that are nested before a choice is kept instead."""
MOST_SPLICED: Final = 20
"""Compound tasks with one way only that are written in place of their calls."""


class NotWritable(Exception):  # noqa: N818 - not an error: other functions do it
    """Something in the scope cannot be written as source."""


@dataclass(frozen=True, slots=True)
class Part:
    """A call in a body, with the sources of the arguments of the task that the body is of.

    ``circle`` is the number of that task's circle, if it is on one. ``deeper`` is how much
    deeper than the task of the function it happens.
    """

    call: TaskCall
    binding: tuple[str, ...]
    circle: int | None
    deeper: int


class Callees(Protocol):
    """**Protocol:** what a body has to know of the functions that it calls."""

    names: Any
    features: Features
    facts: Facts
    given: tuple[str, ...]
    scalars: tuple[str, ...]
    circles: Mapping[CompoundTask[Any], int]
    guarded: frozenset[CompoundTask[Any]]
    telling: Telling | None

    def alone(self, task: CompoundTask[Any]) -> Way | None:
        """The only way to do the task, where that may be written in place of a call."""
        ...

    def continued(self, parts: Sequence[Part], names: Sequence[str], *, up: bool) -> str:
        """Name of the function that goes on with these parts."""
        ...

    def function(self, task: CompoundTask[Any]) -> str:
        """Name of the function of a compound task."""
        ...

    def around(self, *, up: bool) -> list[str]:
        """Names that a function has for where it is: how deep, and inside which open call."""
        ...

    def entry(self, task: Task) -> str:
        """Name of the function that plans a task alone."""
        ...


@dataclass(slots=True)
class Body:
    """Writes what is done for some parts, one after the other.

    ``where`` tells where fluents stand, ``known`` what else was read. ``loops`` is the task that
    the function can begin anew, ``near`` tells which others it may call. ``keep`` are the lines
    that keep a choice; they are written before anything is done that has to be taken back. Until
    then what is impossible goes on below with the next method. ``open`` names what is open there.
    ``made`` are the expansions, ``entered`` the methods that are to be noted. What ``happened``
    is to be told; ``tells_of_state`` while it would be told differently once something is done.
    """

    of: Callees
    where: dict[Fluent[Any], str]
    indent: int
    loops: CompoundTask[Any] | None
    near: Callable[[CompoundTask[Any]], bool]
    keep: Sequence[str] | None
    fresh: Callable[[], int]
    known: Known
    made: int = 0
    entered: list[int] = field(default_factory=list)
    happened: list[str] = field(default_factory=list)
    tells_of_state: bool = False
    lines: list[str] = field(default_factory=list)
    nested: int = 0
    spliced: int = 0
    sure: Known | None = None
    asked: list[tuple[Expression[Any], str]] = field(default_factory=list)
    open: str = "up"

    def write(self, *lines: str) -> None:
        """Add lines."""
        self.lines += [f"{'    ' * self.indent}{line}" for line in lines]

    def parts(self, parts: Sequence[Part], rest: str = "rest") -> None:
        """Plan the parts. Raises NotWritable."""
        left = list(parts)
        while left:
            part = left.pop(0)
            reading = self._reading(part.binding)
            values = [reading.value(one) for one in part.call.args]
            if not all(values):
                raise NotWritable(str(part.call))
            given = [value or "" for value in values]
            if isinstance(part.call.task, PrimitiveTask):
                self._primitive(part.call.task, self._named(given), part.deeper)
                continue
            alone = self.of.alone(part.call.task)
            if alone is None or (
                self.spliced >= MOST_SPLICED and part.call.task not in self.of.circles
            ):
                self._call(part, given, left, rest)
                return
            self.made += 1
            self.spliced += 1
            self.entered.append(alone.index)
            binding, circle = self._named(given), self.of.circles.get(part.call.task)
            if self.of.telling is not None:
                told = self.of.telling.entered(part.call.task, alone, binding, part.deeper)
                self.happened.append(told)
            left[:0] = [Part(call, binding, circle, part.deeper + 1) for call in alone.calls]
        self._commit_if(rest)
        self._leave()
        self.write(f"return {self._state(rest)}")

    def truth(self, condition: Expression[Any], binding: Sequence[str]) -> str:
        """Source of a condition. What follows is done only where it holds. Raises NotWritable.

        ``sure`` is then what is known where it does not hold: what its first part has read.
        """
        reading, facts = self._reading(binding), set(self.known.facts)
        told: list[str] = []
        self.asked = []
        for number, part in enumerate(_parts(condition)):
            self.known.names_more = is_atom(part)
            asked = reading.asked(part, "")
            if asked is None:
                raise NotWritable(str(condition))
            if not number:
                self.sure = self.known.copy()
            source = settled(asked[1], self.of.names.strings)
            if without_naming(source) not in self.known.facts:
                told.append(source)
                facts |= {without_naming(source)} if self.known.names_more else set()
            self.asked.append((part, without_naming(source)))
        self.known.names_more = True
        self.known.facts = facts
        return joined(told, decisive=False)

    def _reading(self, binding: Sequence[str], known: Known | None = None) -> Reading:
        given = self.of.features, self.of.names, "", binding, self.where
        return Reading(*given, self.known if known is None else known)

    def question(self, binding: Sequence[str]) -> Question:
        """The condition that was asked last."""
        known = replace(self.known.copy(), names_more=False)
        return Question(self.asked, self._reading(binding, known))

    def _named(self, sources: Sequence[str]) -> tuple[str, ...]:
        """Names for values, or the constants that they are."""
        names, strings = [], self.of.names.strings
        for source in sources:
            name, naming = source, named(source)
            if naming is not None:
                name = naming[0]
                self.write(f"{name} = {naming[1]}")
            elif not is_variable(source) and not is_constant(source, strings):
                name = f"b{self.fresh()}"
                self.write(f"{name} = {source}")
            names.append(name)
        return tuple(names)

    # primitive tasks

    def _primitive(self, task: PrimitiveTask[Any], binding: tuple[str, ...], deeper: int) -> None:
        told, telling = self.truth(task.precondition, binding), self.of.telling
        self.made += 1
        if telling is None:
            self._demand(told)
        else:
            rejected = telling.rejected(task, binding, self.question(binding), deeper)
            self._demand(told, rejected)
            if self.tells_of_state:
                self._tell()
            self.happened.append(telling.planned(task, binding, deeper))
        reading = self._reading(binding)
        first = self.fresh()
        for _ in (*task.effects, *task.expected):
            self.fresh()
        effects = Effects(reading, self.of.facts, self.of.features)
        prepared = effects.prepared(task, "raise Unforeseen", first)
        if prepared is None:
            raise NotWritable(task.name)
        lines, changes = prepared
        self.write(*(line.removeprefix("    ") for line in lines))
        for one in changes:
            if reading.is_kept(one.fluent):
                self._commit()
                self.write(
                    f"T.append(({one.place}, {one.before}))", f"S[{one.place}] = {one.after}"
                )
                source = reading.looked_up(one.place, one.fluent)
                self.known.written(source, one.fluent, one.after)
            elif reading.is_asked_for(one.fluent):
                self.where[one.fluent] = one.after

    def _demand(self, told: str, *otherwise: str) -> None:
        """What follows is done only where this holds; ``otherwise`` that happens."""
        if told == "True":
            return
        unless = told[5:-1] if told.startswith("(not ") else f"not {told}"
        if self.keep is None or self.nested == DEEPEST or self.of.telling is not None:
            self._commit()
            self.write(f"if {unless}:")
            self.indent += 1
            self.fail(*otherwise)
            self.indent -= 1
            return
        self.write(f"if {unless}:", f"    n -= {self.made}", "else:")
        self.indent += 1
        self.nested += 1

    def _commit(self) -> None:
        """Keep the choice: from here on it is returned to."""
        if self.keep is not None:
            self.write(*self.keep)
            self.keep = None

    def _commit_if(self, rest: str) -> None:
        """Keep the choice where anything is left to do; else nobody returns to it."""
        if self.keep:
            self.write(f"if {rest}:", *(f"    {line}" for line in self.keep))
        self.keep = None

    def fail(self, *otherwise: str) -> None:
        """Go on with the latest choice, when that has happened as well."""
        self.write(*_told([*self.happened, *otherwise]))
        self.write(f"return {', '.join(['C.pop()', self._left, *self.of.scalars])}")

    # compound tasks

    def _call(self, part: Part, given: list[str], left: Sequence[Part], rest: str) -> None:
        """Go on with a compound task, and with the other parts behind it."""
        task = part.call.task
        assert isinstance(task, CompoundTask), "primitive tasks are written out"
        looks = task in self.of.guarded
        inside = looks and part.circle is not None and self.of.circles[task] == part.circle
        behind = self._behind(left, rest)
        self._leave()
        around = [depth(part.deeper)] if self.of.telling is not None else []
        around += [self.open if inside else "None"] if looks else []
        values = [behind, *around, *given]
        if task is self.loops:
            names = ["rest", *self.of.around(up=looks), *(f"a{n}" for n in range(len(given)))]
            self._again(names, values)
        elif self.near(task):
            state = [self._left, *self._scalars]
            all_given = ", ".join([*self.of.given, *state, *values])
            self.write(f"return {self.of.function(task)}({all_given})")
        else:
            cell = tuple_source([self.of.entry(task), *given, *around, behind])
            self.write(f"return {self._state(cell)}")

    def _again(self, names: list[str], values: list[str]) -> None:
        """Begin anew with other arguments, in another state."""
        pairs = [
            (name, value)
            for name, value in zip(
                ["n", *self.of.scalars, *names], [self._left, *self._scalars, *values], strict=True
            )
            if name != value
        ]
        if pairs:
            self.write(
                f"{', '.join(name for name, _ in pairs)} = {', '.join(value for _, value in pairs)}"
            )
        self.write("continue")

    def _behind(self, left: Sequence[Part], rest: str) -> str:
        """Source of the cell for the other parts."""
        if not left:
            return rest
        asked = [
            part.binding[one.position]
            for part in left
            for argument in part.call.args
            for one in mentioned(argument)
            if isinstance(one, Parameter)
        ]
        strings = self.of.names.strings
        names = [one for one in dict.fromkeys(asked) if is_variable(one) and one not in strings]
        called = {name: name for name in names if name.startswith("a")}
        called |= {name: f"c{n}" for n, name in enumerate(names) if name not in called}
        up = any(
            part.circle is not None
            and isinstance(part.call.task, CompoundTask)
            and self.of.circles.get(part.call.task) == part.circle
            for part in left
        )
        there = [
            replace(part, binding=tuple(called.get(one, one) for one in part.binding))
            for part in left
        ]
        function = self.of.continued(there, [called[name] for name in names], up=up)
        around = [self.open if one == "up" else one for one in self.of.around(up=up)]
        return f"({', '.join([function, *names, *around, rest])})"

    def _leave(self) -> None:
        """What is noted before planning goes on elsewhere."""
        self._commit()
        if len(self.entered) == 1:
            self.write(f"R.append({self.entered[0]})")
        elif self.entered:
            self.write(f"R += ({', '.join(map(str, self.entered))})")
        self.entered = []
        self._tell()

    def _tell(self) -> None:
        """Tell what has happened so far."""
        self.write(*_told(self.happened))
        self.happened, self.tells_of_state = [], False

    @property
    def _left(self) -> str:
        return f"n - {self.made}" if self.made else "n"

    @property
    def _scalars(self) -> list[str]:
        return [source for source in self.where.values() if source]

    def _state(self, cell: str) -> str:
        return ", ".join([cell, self._left, *self._scalars])


def _told(events: Sequence[str]) -> list[str]:
    """The line that tells of events, if there are any."""
    if not events:
        return []
    return [f"E.append({events[0]})" if len(events) == 1 else f"E += ({', '.join(events)})"]


def _parts(condition: Expression[Any]) -> tuple[Expression[Any], ...]:
    """What has to hold all together."""
    if isinstance(condition, Junction) and not condition.decisive:
        return condition.parts
    return (condition,)


def is_variable(source: str) -> bool:
    """Whether the source is the name of something."""
    return source.isidentifier() and not iskeyword(source)


def is_constant(source: str, strings: Mapping[str, str]) -> bool:
    """Whether the source mentions nothing that has a name, but for constant strings."""
    nodes = ast.walk(ast.parse(source))
    return all(node.id in strings for node in nodes if isinstance(node, ast.Name))


def settled(source: str, strings: Mapping[str, str]) -> str:
    """The truth of a condition in which nothing can change, else the condition."""
    if not is_constant(source, strings):
        return source
    try:
        return repr(bool(generated.evaluated(source, strings)))
    except Exception:  # noqa: BLE001 - then it is raised where it is asked
        return source
