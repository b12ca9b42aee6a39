"""BodyWriter: writes the lines of one function, call after call of a method's body.

The writer follows the values of local variables through the effects: a variable is not
overwritten while a later method may still be tried, and a condition that an earlier effect
decides is not evaluated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bthtn.domain.method import Method
from bthtn.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.plan.nodes import cause_of
from bthtn.planning.htn.expressions import mentioned
from bthtn.planning.htn.fastpath.bound import EQUAL
from bthtn.planning.htn.fastpath.excess import EXACT, EXCESS
from bthtn.planning.htn.fastpath.items import Node, Part
from bthtn.planning.htn.fastpath.layout import FORESEEABLE
from bthtn.planning.htn.fastpath.lines import LineWriter, is_literal, is_name, tuple_source
from bthtn.planning.htn.fastpath.reachable import (
    Branches,
    Compound,
    NotWritable,
    PlainMethod,
    calls_in,
)
from bthtn.planning.htn.fastpath.reading import MAY_RAISE, changes
from bthtn.world.expression import Expression, Parameter

MOST_INLINED: Final = 20
"""Limit of calls of single-method tasks that are inlined into one body."""


@dataclass(slots=True)
class BodyWriter(LineWriter):
    """Writes the lines that plan some parts, one after the other.

    ``may_call`` says whether the function of a task may be called directly; by default every one
    may, as the loop alone calls the function. ``open`` is the variable with the innermost open
    call.
    """

    may_call: Callable[[Compound], bool] = lambda _: True
    open: str = "up"
    _inlined: int = 0

    def parts(self, parts: Sequence[Part], rest: str = "rest") -> None:
        """Write the lines that plan the parts and return the rest. Raises NotWritable."""
        left = deque(parts)
        while left:
            part = left.popleft()
            call = part.item
            if isinstance(call, Branches):
                self._open_branches(part, call, left, rest)
                return
            if not isinstance(call, TaskCall):
                if self.of.excess is not None:
                    raise NotWritable  # what is suspended costs, too
                self.stop(self.of.names.of(cause_of(call)), rest)
                return
            task, given = call.task, self._given(call, part.binding, rest)
            if isinstance(task, PrimitiveTask):
                self._primitive(task, self._named(given), rest)
                continue
            method = self.of.inlined.get(task)
            if method is None or self._inlined >= MOST_INLINED:
                self._call(call, part.cycle, given, left, rest)
                return
            self._inlined += 1
            binding = self._named(given)
            self._demand(self.allowed(method.method, binding))
            self.choose(method.index)
            left.extendleft(reversed(self.enter(method, binding)))
        self.leave()
        self.write(f"return {self.state(rest)}")

    def enter(
        self, method: PlainMethod, binding: tuple[str, ...], *, again: bool = False
    ) -> list[Part]:
        """Add a method to the entries of the plan, count it as an expansion, return its parts.

        It is entered ``again`` if the search has gone back to its task.
        """
        self.made += 1
        reading = self.reading(binding)
        values = [reading.value(value) for value in method.values]
        given = [value for value in values if value is not None]
        if len(given) < len(values):
            raise NotWritable
        binding = (*binding, *self._named(given))
        self.entries.append((method, binding))
        for parameter, wanted in method.typed:
            self._check_type(binding[parameter.position], wanted)
        if self.of.excess is not None:
            self._exceed(*self.of.excess.of_method(method), binding, again=again)
        cycle = self.of.cycles.get(method.task)
        return [Part(item, binding, cycle) for item in method.items]

    def _given(self, call: TaskCall, binding: tuple[str, ...], rest: str) -> list[str]:
        """Sources of the arguments of a call; it is suspended if one is unknown."""
        reading = self.reading(binding)
        values = [reading.value(arg) for arg in call.args]
        given = [value for value in values if value is not None]
        if len(given) < len(values):
            raise NotWritable
        if self.of.excess is not None or not any(MAY_RAISE in source for source in given):
            return given
        with self.block("try:"):
            names = self._named(given)
        asked = {
            parameter.position
            for arg in call.args
            for parameter in mentioned(arg)
            if type(parameter) is Parameter
        }
        handed = tuple(name if n in asked else "None" for n, name in enumerate(binding))
        with self.block("except Unforeseen:"):
            self.stop(self.answer(call, handed, rest), rest)
        return [*names]

    def _check_type(self, value: str, wanted: Parameter[Any]) -> None:
        """Write a test that gives up unless the value is one that the parameter may have."""
        unfit = f"type({value}) is not {self.of.names.of(wanted.type)}"
        if wanted.literals:
            unfit += f" or {value} not in {self.of.names.of(wanted.literals)}"
        self.write(f"if {unfit}: raise Unforeseen")

    def usable(self, method: PlainMethod, args: tuple[str, ...]) -> str:
        """Source of whether a method is usable, which is asked only if it is not excluded."""
        whole = method.method
        if self.of.kind.avoids:
            self.write(f"if {self.allowed(whole, args)}:")
            self.indent += 1
        return self.decided(method.condition, whole, args, "rest")

    def allowed(self, what: PrimitiveTask[...] | Method, binding: Sequence[str]) -> str:
        """Source of a test whether a task or method is not excluded with these arguments."""
        if not self.of.kind.avoids:
            return "True"
        return f"(({self.of.names.of(what)}, {tuple_source(binding)}) not in X)"

    def choose(self, choice: int, *, goes_on: bool = False) -> None:
        """Write the lines that count a choice, if there is a bound.

        They fail if no record with it beats the bound, or the function ``goes_on`` behind them.
        """
        equal = self.where.get(EQUAL)
        if equal is None:
            return
        may_beat = f"{choice} <= Y[{equal}]"
        if goes_on:
            self.write(f"if {may_beat}:")
            self.indent += 1
        else:
            self._demand(f"({may_beat})")
        self.where[EQUAL] = f"v{next(self.numbers)}"
        self.write(f"{self.where[EQUAL]} = {equal} + 1 if Y[{equal}] == {choice} else -1")

    def _exceed(
        self,
        more: float,
        varying: Expression[Any] | None,
        binding: Sequence[str],
        *,
        again: bool = False,
    ) -> None:
        """Write the lines that add to the excess, and fail unless it is below that of the best."""
        added = [self.where[EXCESS], *([repr(more)] if more else [])]
        if varying is not None:
            price = self.reading(binding).value(varying)
            if price is None:
                raise NotWritable
            added += self._named([price])
            self.write(f"if not 0 <= {added[-1]} or {added[-1]} % {EXACT}: raise Unforeseen")
        if len(added) > 1:
            self.where[EXCESS] = f"v{next(self.numbers)}"
            self.write(f"{self.where[EXCESS]} = {' + '.join(added)}")
        if len(added) > 1 or again:
            self._demand(f"({self.where[EXCESS]} < B[0])")

    def _named(self, sources: Sequence[str]) -> tuple[str, ...]:
        """Names for the values; assignments are written for those that have none."""
        names = []
        for source in sources:
            is_bound = is_name(source) or is_literal(source)
            names.append(source if is_bound else f"b{next(self.numbers)}")
            if not is_bound:
                self.write(f"{names[-1]} = {source}")
                self.reads.assign(names[-1], source)
        return tuple(names)

    # primitive tasks

    def _primitive(self, task: PrimitiveTask[...], binding: tuple[str, ...], rest: str) -> None:
        step = self.of.steps[task]
        self.made += 1
        self._demand(self.allowed(task, binding))
        self._demand(self.decided(step.precondition, task, binding, rest))
        reading = self.reading(binding)
        lines, made = changes(task, step.effects, reading, self.numbers)
        if self.of.excess is None and any(MAY_RAISE in line for line in lines):
            self._written_if_known(lines, task, binding, rest)
        else:
            self.write(*lines)
        self.unsure |= {write.after for write in made if write.is_unsure}
        for write in made:
            if write.local is None:
                self.write(
                    f"T.append(({write.place}, {write.before}))",
                    f"S[{write.place}] = {write.after}",
                )
                is_bound = is_name(write.after) or is_literal(write.after)
                read = reading.lookup(write.place, write.fluent)
                self.reads.put(read, write.fluent, write.after if is_bound else None)
            elif write.local:
                self.where[write.fluent] = write.after
        if FORESEEABLE in self.where:
            self.where[FORESEEABLE] = "False"
        self.entries.append((task, binding))
        if self.of.excess is not None:
            self._exceed(0, self.of.excess.of_task(task), binding)

    def _written_if_known(
        self, lines: Sequence[str], task: PrimitiveTask[...], binding: tuple[str, ...], rest: str
    ) -> None:
        """Write the lines of effects; the step is suspended if a target is unknown."""
        known = f"u{next(self.numbers)}"
        with self.block("try:"):
            self.write(*lines)
        with self.block("except Unforeseen:"):
            self.write(f"{known} = {self.answer(task, binding, rest)}")
            self.stop_if(f"type({known}) is Suspension", known, rest)
            self.write("raise")

    def _demand(self, condition: str) -> None:
        """Write a test that fails unless the source is true."""
        if condition == "True":
            return
        unless = condition[5:-1] if condition.startswith("(not ") else f"not {condition}"
        with self.block(f"if {unless}:"):
            self.fail()

    # compound tasks

    def _call(
        self,
        call: TaskCall,
        cycle: int | None,
        given: list[str],
        left: Sequence[Part],
        rest: str,
    ) -> None:
        """Write the return that continues with a compound task, then with the parts left."""
        task = call.task
        assert isinstance(task, CompoundTask), "primitive tasks are written out"
        looks = task in self.of.guarded
        inside = looks and cycle is not None and self.of.cycles[task] == cycle
        behind = self._behind(left, rest)
        self.leave()
        around = [self.open if inside else "None"] if looks else []
        if self.may_call(task):
            state = [self.expansions, *self.scalars, behind, *around, *given]
            self.write(f"return {self.of.function(task)}({', '.join([*self.of.given, *state])})")
        else:
            cell = tuple_source([self.of.alone(task), *given, *around, behind])
            self.write(f"return {self.state(cell)}")

    def _behind(self, left: Sequence[Part], rest: str) -> str:
        """Source of the cell that holds the parts left and ``rest``."""
        if not left:
            return rest
        up = any(
            part.cycle is not None and self.of.cycles.get(task) == part.cycle
            for part in left
            for task in (call.task for call in calls_in(part.item))
            if isinstance(task, CompoundTask)
        )
        names, called = self._handed(left)
        there = [_renamed(part, called) for part in left]
        function = self.of.continued(there, [called[name] for name in names], up=up)
        return tuple_source([function, *names, *([self.open] if up else []), rest])

    def _handed(self, parts: Sequence[Part]) -> tuple[list[str], dict[str, str]]:
        """The variables that these parts need, and their names in another function."""
        asked = [
            part.binding[parameter.position]
            for part in parts
            for call in calls_in(part.item)
            for argument in call.args
            for parameter in mentioned(argument)
            if isinstance(parameter, Parameter)
        ]
        constants = self.of.names.constants
        names = [name for name in dict.fromkeys(asked) if is_name(name) and name not in constants]
        called = {name: name for name in names if name.startswith("a")}
        called |= {name: f"c{n}" for n, name in enumerate(names) if name not in called}
        return names, called

    # branches

    def _open_branches(self, part: Part, opened: Branches, left: Sequence[Part], rest: str) -> None:
        """Write the lines that plan the first branch of a node; the others follow at its end.

        A variable keeps the length of the plan and the variables of fluents: where the node begins,
        and at the end of each branch.
        """
        names, called = self._handed([part, *left])
        there, *behind = (_renamed(other, called) for other in (part, *left))
        node = Node(opened, there.binding, tuple(behind), tuple(called[name] for name in names))
        self.entries.append((self.of.mark(opened, 0), ()))
        self.leave()
        moments = f"w{next(self.numbers)}"
        self.write(f"{moments} = ({self.moment},)")
        self.branch(node, 0, part.binding, [*names, moments], rest)

    def branch(
        self, node: Node, number: int, binding: tuple[str, ...], names: Sequence[str], rest: str
    ) -> None:
        """Write the lines that plan a branch, with these arguments; its end is given ``names``."""
        planned = [f"p{next(self.numbers)}"] if node.node.is_choice else []
        for start in planned:
            bound = [] if EQUAL not in self.where else [f"Y[{self.where[EQUAL]}] < 1"]
            self.choose(0)
            cell = tuple_source(["without_plan", start, *bound])
            self.write(f"{start} = []", f"C.append({cell})")
            if FORESEEABLE in self.where:
                self.where[FORESEEABLE] = "False"
        function, name = self.of.ended(node, number), self.of.names.of(node.node)
        *others, moments = names
        cell = tuple_source([function, *others, *planned, moments, name, rest])
        self.parts([Part(branch, binding, None) for branch in node.node.branches[number]], cell)


def _renamed(part: Part, called: Mapping[str, str]) -> Part:
    return replace(part, binding=tuple(called.get(name, name) for name in part.binding))
