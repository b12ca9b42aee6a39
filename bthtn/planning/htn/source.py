"""Compilation of expressions and effects to Python functions, once for each task.

    def f0(S, a, view): …

``S`` holds the projected values by fluent, ``a`` the arguments of the task, ``view`` is the
``ProjectedState`` over ``S``. No text of a domain gets into the source: every object has a
numbered name in the namespace of the function. Expressions that cannot be compiled, plain
functions above all, are evaluated instead.

Reading an unknown value raises ``UnknownOperand``. Each function catches it and leaves the result
to evaluation, which implements three-valued logic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import nan
from types import MappingProxyType
from typing import Any, Final, NoReturn

from bthtn.domain.task import PrimitiveTask, TaskCall
from bthtn.planning.htn.expressions import (
    ExpressionSource,
    Names,
    fits,
    is_volatile,
    prototype,
    type_check,
)
from bthtn.planning.htn.generated import executed
from bthtn.planning.htn.values import ABSENT, WEIGHTS
from bthtn.world.assignment import Assignment, FluentReference
from bthtn.world.expression import Condition, Constant
from bthtn.world.truth import UNKNOWN

Function = Callable[..., Any]


class UnknownOperand(Exception):  # noqa: N818 - a signal: the answer is left to evaluation
    """A compiled expression has read an unknown value."""


def unknown() -> NoReturn:
    """Raise UnknownOperand from inside an expression."""
    raise UnknownOperand


class FunctionSource(ExpressionSource):
    """The source of several functions, with the namespace of the objects that it mentions."""

    def __init__(self) -> None:
        super().__init__(Names())
        self._lines: list[str] = []
        self._functions = 0

    @property
    def text(self) -> str:
        """The source of all functions added so far."""
        return "\n".join(self._lines)

    def made(self) -> dict[str, Function]:
        """Execute the source and return its namespace: the functions by name."""
        return executed(self.text, {**_GIVEN, **self.names.objects})

    def condition(self, condition: Condition) -> str | None:
        """Add a function for the condition's truth; return its name, None if not compilable."""
        truth = self.truth(condition)
        if truth is None:
            return None
        fallback = f"evaluate({self.names.of(condition)}, a, view)"
        return self._function([f"    return {truth}"], fallback)

    def first(self, conditions: Sequence[Condition]) -> str:
        """Add a function for the index of the first condition that holds; return its name.

        The function takes the index to start at. It returns None if none holds, UNKNOWN if one
        before it is unknown. All conditions must be compilable.
        """
        lines: list[str] = []
        for number, condition in enumerate(conditions):
            truth = self.truth(condition)
            asked = f"start <= {number}" if len(conditions) > 1 else "start == 0"
            lines.append(f"    if {asked} and {truth}: return {number}")
        return self._function([*lines, "    return None"], "UNKNOWN", given="S, a, view, start")

    def arguments(self, call: TaskCall) -> str | None:
        """Add a function for a call's arguments; return its name, None if not compilable.

        The function returns None if an argument is unknown.
        """
        values = [self.value(arg) for arg in call.args]
        if None in values:
            return None
        given = ", ".join(map(str, values))
        return self._function([f"    return ({given}{',' if len(values) == 1 else ''})"], "None")

    def step(self, task: PrimitiveTask[...], *, tracks: bool) -> str | None:
        """Add a function that plans a primitive task; return its name, None if not compilable.

        The function applies the effects and returns the values that they overwrote, False if the
        precondition does not hold, None if the task has to be evaluated. With ``tracks``, it
        updates the fingerprint of the state.
        """
        truth = self.truth(task.precondition)
        effects = _Effects(self, (*task.effects, *task.expected), tracks=tracks)
        if truth is None or not effects.are_written:
            return None
        asked = [] if truth == "True" else [f"    if not {truth}: return False"]
        return self._function([*asked, *effects.computed], "None", effects.stored)

    def _function(
        self,
        inside: list[str],
        otherwise: str,
        behind: Sequence[str] = (),
        given: str = "S, a, view",
    ) -> str:
        """Add a function that returns ``otherwise`` if ``inside`` reads an unknown value."""
        name = f"f{self._functions}"
        self._functions += 1
        self._lines.append(f"def {name}({given}):")
        if any("unknown()" in line for line in inside):
            inside = ["    try:", *(f"    {line}" for line in inside)]
            inside.append(f"    except UnknownOperand: return {otherwise}")
        self._lines += [*inside, *behind]
        return name

    def argument(self, position: int) -> str:
        return f"a[{position:d}]"

    def read(self, reference: FluentReference[Any], depth: int) -> str | None:
        fluent = self.place(reference, depth)
        read = f"view.sensed({fluent})" if is_volatile(reference) else f"S[{fluent}]"
        return fluent and f"(r if (r := {read}) is not UNKNOWN else unknown())"


class _Effects:
    """The source for the effects of one task: all right sides first, then the writes."""

    def __init__(self, source: FunctionSource, effects: tuple[Any, ...], *, tracks: bool) -> None:
        self._source = source
        self.computed: list[str] = []
        self.stored: list[str] = []
        places = [self._effect(number, effect) for number, effect in enumerate(effects)]
        self.are_written = None not in places
        for numbers in _possibly_same(effects):
            # Two effects on one fluent have a meaning together that evaluation knows.
            named = ", ".join(f"p{number}" for number in numbers)
            self.computed.append(f"    if len({{{named}}}) < {len(numbers)}: return None")
        indices = range(len(effects))
        self.stored += [f"    b{n} = S.get(p{n}, ABSENT)" for n in indices]
        if tracks and effects:
            moved = " + ".join(
                f"hash(p{n}) % {WEIGHTS} *"
                f" (hash(v{n}) - hash(S.unread(p{n}) if b{n} is ABSENT else b{n}))"
                for n in indices
            )
            self.stored.append(f"    view.fingerprint += {moved}")
        self.stored += [f"    S[p{n}] = v{n}" for n in indices]
        self.stored.append(f"    return ({' '.join(f'p{n}, b{n},' for n in indices)})")

    def _effect(self, number: int, effect: Any) -> str | None:
        """Add the source for fluent and value of one effect; None if it has to be evaluated."""
        if not isinstance(effect, Assignment) or is_volatile(effect.target):
            return None
        target, place, value = effect.target, self._source.place(effect.target), None
        value = self._source.value(effect.value)
        if place is None or value is None:
            return None
        self.computed.append(f"    p{number} = {place}")
        self.computed.append(f"    v{number} = {value}")
        if not fits(effect.value, target):
            check = type_check(self._source.names, target, f"p{number}", f"v{number}")
            self.computed.append(f"    {check}")
        if effect.grows:
            before = f"(r if (r := S[p{number}]) is not UNKNOWN else unknown())"
            self.computed.append(f"    v{number} = {before} + v{number}")
        if target.value_type in (float, object) and not isinstance(effect.value, Constant):
            self.computed.append(
                f"    if type(v{number}) is float and v{number} != v{number}: v{number} = NAN"
            )
        return place


def evaluate(condition: Condition, args: tuple[Any, ...], view: Any) -> Any:
    """Return the condition's truth, three-valued."""
    return condition.evaluate(view, args)


_GIVEN: Final = MappingProxyType(
    {
        "UNKNOWN": UNKNOWN,
        "ABSENT": ABSENT,
        "NAN": nan,
        "UnknownOperand": UnknownOperand,
        "unknown": unknown,
        "evaluate": evaluate,
    }
)
"""The names available to every generated source."""


def _possibly_same(effects: tuple[Any, ...]) -> Iterator[list[int]]:
    """Return the indices of effects on one fluent, or on members of one family."""
    named: dict[str, list[int]] = {}
    for number, effect in enumerate(effects):
        if isinstance(effect, Assignment):
            named.setdefault(prototype(effect.target).name, []).append(number)
    return (numbers for numbers in named.values() if len(numbers) > 1)
