"""Reliance: checks the rest of a plan again, as far as a change makes a difference.

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

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from bthtn.domain.domain import FrozenDomain
from bthtn.plan.failure import Failure
from bthtn.replanning.progress import Progress
from bthtn.replanning.validity import Check, Key, Validity, outcome_of
from bthtn.world.expression import Expression, StateView
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Write, WriteKind
from bthtn.world.recording import RecordingState
from bthtn.world.state import FrozenState
from bthtn.world.trail import WorkingState
from bthtn.world.truth import UNKNOWN, Unknown

A = TypeVar("A")
V = TypeVar("V")


class Reliance:
    """A check of the rest of a plan, which is repeated only where a change makes a difference."""

    def __init__(self, progress: Progress, domain: FrozenDomain, now: FrozenState) -> None:
        check = _NotedCheck(progress, domain, now)
        self.validity: Final[Validity] = outcome_of(check)
        self._start = check.noted.start
        self._whole = check.seen.readings

    def still(self, now: StateView) -> bool:
        """Whether the result is the same in this state; False if that takes a check to tell."""
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
    """What was asked at a place of a plan, the values that were read for it, and the answer."""

    __slots__ = ("answer", "ask", "reads")

    def __init__(self, ask: Callable[[StateView], Any]) -> None:
        self.ask = ask
        self.reads: dict[Expression[Any], _Value] = {}
        self.answer: Any = NotImplemented  # while it is asked, and if users' code has raised

    def has_same_answer(self, values: dict[_Value, Any]) -> bool:
        """Whether the answer and what is read for it stay, where some values are others now."""
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

    def __init__(self, base: FrozenState) -> None:
        super().__init__(base)
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
        reads = question.reads.items()
        return all(self.value(cast("Fluent[Any]", fluent)) is value for fluent, value in reads)

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent, with the writes made so far."""
        value = self.value(cast("Fluent[V]", fluent))
        if self._reading is None:
            value.is_used_otherwise = True
        else:
            self._reading.reads[fluent] = value
        return cast("V | Unknown", value.now)

    def value(self, fluent: Fluent[Any]) -> _Value:
        """The value that the fluent has here."""
        written: _Value | None = self._values.get(fluent)
        if written is not None:
            return written
        if not self.foreseeable and fluent.volatile:
            return self._unforeseeable
        value = self.start.get(fluent)
        if value is None:
            value = self.start[fluent] = _Value(self._base.get(fluent))
        return value

    def put(self, fluent: Fluent[Any], value: Any) -> None:
        """Write a value."""
        self._swap(fluent, _Value(value))

    def apply(self, fluent: Fluent[Any], write: Write) -> None:
        """Apply a write of a task, or of a whole branch."""
        if write.kind is not WriteKind.INCREASE:
            self.put(fluent, write.value)
            return
        before = self.value(fluent)
        after = _Value(_sum(before.now, write.value), write.value)
        before.increased.append(after)
        self._swap(fluent, after)

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

    def __init__(self, progress: Progress, domain: FrozenDomain, now: FrozenState) -> None:
        self.seen = RecordingState(now)
        super().__init__(progress, domain, now, seen=self.seen)
        self.state = self.noted = _NotedState(self.start)
        self._latest: dict[Key, _Question] = {}

    def asked(self, key: Key, ask: Callable[[StateView], A]) -> A:
        """The answer to a question about the state that the plan leads to here."""
        known = self._latest.get(key)
        if known is None or known.is_failure or not self.noted.is_asked_again(known):
            known = _Question(ask)
            self.noted.ask(known)
            self._latest[key] = known
        return cast("A", known.answer)
