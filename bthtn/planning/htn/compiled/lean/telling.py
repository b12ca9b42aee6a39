"""Telling: the source of what a listener hears, in functions that somebody listens to.

An event is made with what it tells of, and its texts are made when somebody reads them. Why a
condition does not hold is told by what it has read: ``(S[f_ammo],)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from bthtn.domain.condition import why
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, call_text
from bthtn.planning import trace
from bthtn.planning.htn.compiled.expressions import Names, is_atom, joined, mentioned
from bthtn.planning.htn.compiled.lean.scope import Way
from bthtn.planning.htn.compiled.lean.seen import ABSENT, Seen, View
from bthtn.planning.htn.compiled.reading import Reading, tuple_source
from bthtn.world.assignment import Reference
from bthtn.world.expression import Binding, Condition, Constant, Expression, Parameter, StateView
from bthtn.world.fluent import Fluent, MemberOf
from bthtn.world.state import FrozenState

KINDS: Final = {
    one.__name__: one
    for one in (
        trace.TaskPlanned,
        trace.TaskRejected,
        trace.MethodEntered,
        trace.MethodRejected,
        trace.RecursionCut,
        trace.Backtracked,
    )
}


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """Why a condition did not hold, from what it has read.

    ``task`` begins the text where it is the precondition of one. What was not asked is ABSENT.
    """

    condition: Condition
    references: tuple[Reference[Any], ...]
    task: Task | None = None

    def __call__(self, *given: Any) -> str:
        """``given`` are the arguments of the task, and then what was read."""
        split = len(given) - len(self.references)
        binding, values = given[:split], given[split:]
        readings: dict[Fluent[Any], Any] = {}
        for reference, value in zip(self.references, values, strict=True):
            if value is ABSENT:
                continue
            fluent: Any = reference
            if isinstance(reference, MemberOf):
                fluent = reference.ground(FrozenState(readings), binding)
            readings[fluent] = value
        return self._text(FrozenState(readings), binding)

    def told(self, values: Seen, binding: Binding) -> str:
        """The same at once, where the condition was asked just now."""
        return self._text(View(values), binding)

    def _text(self, view: StateView, binding: Binding) -> str:
        reason = why(self.condition, view, binding)
        return reason if self.task is None else f"{call_text(self.task, binding)}: {reason}"


@dataclass(frozen=True, slots=True)
class Question:
    """A condition that was asked: its parts with their sources, of which all have to hold.

    ``reading`` knows the names that were given to what was read.
    """

    parts: Sequence[tuple[Expression[Any], str]]
    reading: Reading

    def values(self) -> dict[Reference[Any], str | None]:
        """The source of what was read, for everything that is mentioned.

        A part was not asked where one before it does not hold: then it is ABSENT. None
        where only asking again can tell.
        """
        found: dict[Reference[Any], str | None] = {}
        before: list[str] = []
        for part, source in self.parts:
            asked: list[Any] = [one for one in mentioned(part) if not isinstance(one, Parameter)]
            for reference in reversed(asked):
                if reference not in found:
                    found[reference] = self._value(reference, joined(before, decisive=False), part)
            before.append(source)
        return found

    def _value(self, reference: Reference[Any], when: str, part: Expression[Any]) -> str | None:
        source = self.reading.stored(reference)
        if source is not None and not is_atom(part) and source.startswith("S["):
            index = reference.index if isinstance(reference, MemberOf) else None
            is_plain = index is None or isinstance(index, Constant | Parameter)
            source = f"S.get({source[2:-1]}, ABSENT)" if is_plain else None
        if source is None or when == "True":
            return source
        return f"{source} if {when} else ABSENT"


class Telling:
    """Writes the source of events. ``deeper`` is how much deeper than the function they are."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._calls: dict[Task, Any] = {}
        self._refusals: dict[tuple[int, Task | None], Refusal] = {}

    def planned(self, task: PrimitiveTask[Any], args: tuple[str, ...], deeper: int) -> str:
        """A task was put into the plan."""
        return _event("TaskPlanned", self._called(task, args), depth(deeper))

    def entered(self, task: CompoundTask[Any], way: Way, args: tuple[str, ...], deeper: int) -> str:
        """A method was chosen."""
        which = str(way.index), self._names.string(way.method.name)
        return _event("MethodEntered", self._called(task, args), *which, depth(deeper))

    def rejected(
        self, task: PrimitiveTask[Any], args: tuple[str, ...], question: Question, deeper: int
    ) -> str:
        """A task is not possible."""
        reason = self._refused(task.precondition, task, args, question)
        return _event("TaskRejected", self._called(task, args), reason, depth(deeper))

    def unusable(
        self, task: CompoundTask[Any], way: Way, args: tuple[str, ...], question: Question
    ) -> str:
        """A method may not be used."""
        which = str(way.index), self._names.string(way.method.name)
        reason = self._refused(way.method.condition, None, args, question)
        return _event("MethodRejected", self._called(task, args), *which, reason, depth(0))

    def cut(self, task: CompoundTask[Any], args: tuple[str, ...]) -> str:
        """A task goes round in circles."""
        return _event(
            "RecursionCut", self._called(task, args), self._names.string(trace.GOES_ROUND), depth(0)
        )

    def returned(self, task: CompoundTask[Any], args: tuple[str, ...]) -> str:
        """The search went back to a task."""
        return _event("Backtracked", self._called(task, args))

    def _called(self, task: Task, args: tuple[str, ...]) -> str:
        if not args:
            return self._names.string(task.name)
        says = self._calls.setdefault(task, partial(_said, task))
        return tuple_source([self._names.of("says", task.name, says), *args])

    def _refused(
        self, condition: Condition, task: Task | None, args: tuple[str, ...], question: Question
    ) -> str:
        """Source of the reason."""
        values = question.values()
        refusal = self._refusals.get((id(condition), task))
        if refusal is None:
            refusal = Refusal(condition, tuple(values), task)
            self._refusals[id(condition), task] = refusal
        name = self._names.of("why", "", refusal)
        if not all(values.values()):
            return f"{name}.told(S, {tuple_source([*args])})"
        return tuple_source([name, *args, *map(str, values.values())])


def _said(task: Task, *args: Any) -> str:
    return call_text(task, args)


def depth(deeper: int) -> str:
    """Source of how deep something happens."""
    return f"d + {deeper}" if deeper else "d"


def _event(kind: str, *values: str) -> str:
    return f"event({kind}, {tuple_source([*values])})"
