"""IncrementalCheck: repeats a check of the rest of a plan where a change matters.

    a check of the rest    asks questions: does this condition hold here, what does this step write?
    each question          has read values of fluents: those believed now, those of constant writes,
                           and those that a step increases
    a belief changes       the values that follow from it are followed, step by step, and only who
                           has read one of them is asked again

While all answers and reads stay as they were, so does the result of the check. Otherwise, and where
something else than a question has read a value, the rest is checked anew: ``validity_of`` is the
specification.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, Final, TypeVar, cast

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.effect import Effect
from bthtn.engine.domain.task import PrimitiveTask, Task
from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.replanning.rest import Rest
from bthtn.engine.replanning.step_conditions import writes_nothing
from bthtn.engine.replanning.unconditional import asks_nothing
from bthtn.engine.replanning.validity import Check, Key, Validity, key_for, outcome_of
from bthtn.engine.world.assignment import Assignment
from bthtn.engine.world.expression import (
    ALWAYS,
    Binding,
    Condition,
    Constant,
    Expression,
    Parameter,
    StateView,
)
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.footprint import INCREASE, RecordingView, Write
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import UNKNOWN, Unknown

A = TypeVar("A")
V = TypeVar("V")


class IncrementalCheck:
    """A check of the rest of a plan, which is repeated only where a change makes a difference."""

    def __init__(
        self,
        rest: Rest,
        domain: FrozenDomain,
        now: FrozenState,
        changed: Collection[Expression[Any]] | None = None,
    ) -> None:
        self._start: dict[Fluent[Any], _Value] = {}
        self._whole: Mapping[Any, Any] = {}
        if asks_nothing(rest):
            self.validity = Validity(None, frozenset())
            return
        check = _NotedCheck(rest, domain, now, changed)
        self.validity = outcome_of(check)
        self._start = check.noted.start
        self._whole = check.seen.readings

    def still(self, now: StateView) -> bool:
        """Whether the result is the same in this state; False if only a check can say."""
        if any(now.get(fluent) != value for fluent, value in self._whole.items()):
            return False
        values = {
            value: believed
            for fluent, value in self._start.items()
            if (believed := now.get(fluent)) != value.now
        }
        asked: dict[_Question, None] = {}
        pending = list(values)
        for value in pending:
            if value.is_used_otherwise:
                return False
            asked.update(dict.fromkeys(value.readers))
            for later in value.increased:
                values[later] = _sum(values[value], later.amount)
                pending.append(later)
        if not all(question.has_same_answer(values) for question in asked):
            return False
        for value, new in values.items():
            value.now = new
        return True


class _Value:
    """A value that a fluent has during a check: believed, written, or ``increased`` from another.

    ``readers`` are the questions that have read it.
    """

    __slots__ = ("amount", "increased", "is_used_otherwise", "now", "readers")

    def __init__(self, now: object, amount: Any = None) -> None:
        self.now = now
        self.amount = amount
        self.increased: list[_Value] = []
        self.readers: list[_Question] = []
        self.is_used_otherwise = False


def _sum(before: Any, amount: Any) -> Any:
    return UNKNOWN if before is UNKNOWN else before + amount


class _Question:
    """A question about a place of a plan, the values that were read for it, and the answer."""

    __slots__ = ("answer", "ask", "reads")

    def __init__(self, ask: Callable[[StateView], Any]) -> None:
        self.ask = ask
        self.reads: dict[Expression[Any], _Value] = {}
        self.answer: Any = NotImplemented  # while it is asked, and if users' code has raised

    def has_same_answer(self, values: dict[_Value, Any]) -> bool:
        """Whether the answer and its reads stay, where some values are others now."""
        view = _OtherValues(self.reads, values)
        try:
            answer = self.ask(view)
            same = self.is_failure if isinstance(answer, Failure) else answer == self.answer
        except AssertionError:
            raise
        except Exception:  # noqa: BLE001 - what users' code raises is for a check to tell
            return False
        return bool(same) and view.read == self.reads.keys()

    @property
    def is_failure(self) -> bool:
        """Whether the answer is that something does not work."""
        return isinstance(self.answer, Failure)


class _OtherValues:
    """The state at the place of a question, after changes."""

    def __init__(self, reads: dict[Expression[Any], _Value], values: dict[_Value, Any]) -> None:
        self._reads = reads
        self._values = values
        self.read: set[Expression[Any]] = set()

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent; raises KeyError for one that was not read before."""
        self.read.add(fluent)
        value = self._reads[fluent]
        return cast("V | Unknown", self._values.get(value, value.now))


class _NotedState(WorkingState):
    """The state of a check; it notes who reads which value of a fluent."""

    __slots__ = ("_reading", "_unforeseeable", "start")

    def __init__(self, base: FrozenState, view: StateView) -> None:
        super().__init__(base, view)
        self._reading: _Question | None = None
        self._unforeseeable = _Value(UNKNOWN)
        self.start: dict[Fluent[Any], _Value] = {}

    def ask(self, question: _Question) -> None:
        """Ask a question, in whose name values are read meanwhile."""
        self._reading = question
        try:
            question.answer = question.ask(self)
        finally:
            self._reading = None
            for value in question.reads.values():
                value.readers.append(question)

    def is_asked_again(self, question: _Question) -> bool:
        """Whether all that was read for the question has the same values here."""
        for fluent, value in question.reads.items():  # noqa: SIM110 - `all` takes twice as long
            if self.value(fluent) is not value:
                return False
        return True

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent, with the writes made so far."""
        value = self.value(fluent)
        if self._reading is None:
            value.is_used_otherwise = True
        else:
            self._reading.reads[fluent] = value
        return cast("V | Unknown", value.now)

    def value(self, fluent: Any) -> _Value:
        written: _Value | None = self._values.get(fluent)
        if written is not None:
            return written
        if not self.foreseeable and fluent.volatile:
            return self._unforeseeable
        value = self.start.get(fluent)
        if value is None:
            value = self.start[fluent] = _Value(self._view.get(fluent))
        return value

    def put(self, fluent: Fluent[Any], value: Any) -> None:
        super().put(fluent, _Value(value))

    def apply(self, fluent: Fluent[Any], write: Write) -> None:
        """Apply a write of a task, or of a whole branch."""
        if write.kind is not INCREASE:
            self.put(fluent, write.value)
            return
        before = self.value(fluent)
        after = _Value(_sum(before.now, write.value), write.value)
        before.increased.append(after)
        super().put(fluent, after)

    def written_since(self, mark: int) -> dict[Fluent[Any], Any]:
        """The fluents written since the save point, with their values now."""
        return {fluent: _used(value) for fluent, value in super().written_since(mark).items()}

    def written(self) -> dict[Fluent[Any], Any]:
        """Every fluent that was written and not reverted, with its value now."""
        return {fluent: _used(value) for fluent, value in super().written().items()}


def _used(value: _Value) -> Any:
    """The value of a fluent, for another use than to answer a question."""
    value.is_used_otherwise = True
    return value.now


class _NotedCheck(Check):
    """A check that notes its questions, and asks the same about the same values only once."""

    def __init__(
        self,
        rest: Rest,
        domain: FrozenDomain,
        now: FrozenState,
        changed: Collection[Expression[Any]] | None,
    ) -> None:
        start, self.seen = RecordingView(now), RecordingView(now)
        self.noted = _NotedState(now, start)
        super().__init__(rest, domain, start, self.noted, self.seen, changed)
        self._steady = domain.derived(_steady_tasks)
        self._latest: dict[Key, _Question] = {}
        self._refusals: dict[Key, _Question] = {}
        self._started: dict[Task, object] = {}
        """The latest write where a call without arguments could start, and still can."""

    def task(self, node: TaskNode) -> None:
        """Apply the effects of a step; for most steps, those that were planned are the same now."""
        if self.is_ahead and self._starts_as_planned(node):
            self.write(node.footprint)
            path = self.path
            path.steps += 1
            path.elapsed += node.duration
        else:
            super().task(node)

    def precondition_ended(self, node: TaskNode) -> Failure | None:
        """The failure of a part of a running step's precondition, or None.

        Where it is to hold as it stands, steps ahead often ask the same.
        """
        watched = node.task.watched
        if writes_nothing(node) and not self._is_refused(watched, node.args):
            return None
        return super().precondition_ended(node)

    def asked(self, key: Key, ask: Callable[[StateView], A]) -> A:
        """The answer to a question about the state that the plan leads to here."""
        known = self._latest.get(key)
        if known is None or known.is_failure or not self.noted.is_asked_again(known):
            known = _Question(ask)
            self.noted.ask(known)
            self._latest[key] = known
        return cast("A", known.answer)

    def _does_as_planned(self, node: TaskNode) -> bool:
        """Whether neither the arguments nor the writes of a step depend on the state."""
        if node.task not in self._steady:
            return False
        if node.args:
            context = self.rely_on_context()
            is_steady = node.call is None or all(map(_is_steady, node.call.args))
            return is_steady and not (context.values or context.calls)
        return True

    def _starts_as_planned(self, node: TaskNode) -> bool:
        """Whether a step does as planned, and its precondition is not false here."""
        task, here = node.task, self.noted.latest
        if self._started.get(task, _NOWHERE) is here:
            return True
        if not self._does_as_planned(node):
            return False
        if task.precondition is not ALWAYS:
            self.sense()
            if self._is_refused(task.precondition, node.args):
                return False
        if not (node.args or self.senses):
            self._started[task] = here
        return True

    def _is_refused(self, condition: Condition, args: Binding) -> bool:
        """Whether a condition is false here, or raises."""
        key = key_for(condition, args)
        known = self._refusals.get(key)
        if known is None or not self.noted.is_asked_again(known):
            known = self._refusals[key] = _Question(partial(_is_false, condition, args))
            try:
                self.noted.ask(known)
            except AssertionError:
                raise
            except Exception:  # noqa: BLE001 - it is asked again, by who knows what to do with it
                return True
        return known.answer is not False


_NOWHERE: Final = object()
"""No write of a plan: the place where a task starts of which nothing is known yet."""


def _is_false(condition: Condition, args: Binding, view: StateView) -> bool:
    return condition.evaluate(view, args) is False


def _steady_tasks(domain: FrozenDomain) -> frozenset[Task]:
    """The primitive tasks whose effects write the same in every state."""
    tasks = (task for task in domain.tasks.values() if isinstance(task, PrimitiveTask))
    return frozenset(
        task for task in tasks if all(map(_writes_the_same, (*task.effects, *task.expected)))
    )


def _writes_the_same(effect: Effect) -> bool:
    if not isinstance(effect, Assignment):
        return False
    return isinstance(effect.target, Fluent) and _is_steady(effect.value)


def _is_steady(expression: Expression[Any]) -> bool:
    """Whether an expression has the same value in every state."""
    return isinstance(expression, Constant | Parameter)
