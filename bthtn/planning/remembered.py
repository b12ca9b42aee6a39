"""Remembered: answers of a cache as plans and searches, and searches that it will know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bthtn.plan.plan import Plan
from bthtn.plan.walk import copied, leaves
from bthtn.planning.cache import Answer, Answers
from bthtn.planning.protocol import RecordedSearch, SearchStatus
from bthtn.planning.trace import SearchEvent, SearchListener
from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState

MOST_TOLD: Final = 10_000
"""Events of one search that are kept; one that has told more is made anew for a listener."""


class Told:
    """A listener that keeps what it is told, and tells it on."""

    __slots__ = ("_events", "_listener")

    def __init__(self, listener: SearchListener) -> None:
        self._listener = listener
        self._events: list[SearchEvent] = []

    def __call__(self, event: SearchEvent) -> None:
        if len(self._events) <= MOST_TOLD:
            self._events.append(event)
        self._listener(event)

    @property
    def events(self) -> tuple[SearchEvent, ...] | None:
        """All of them, None where there were too many."""
        return tuple(self._events) if len(self._events) <= MOST_TOLD else None


class Known:
    """A plan that was found from another state, as it is from this one.

    Its tree is a copy, made when it is first asked for: the plans of two suspended parts of one
    plan may come from one answer, and a plan that runs tells its nodes apart by identity.
    """

    __slots__ = ("_answer", "_planner", "_start")

    def __init__(self, planner: Any, answer: Answer, start: FrozenState) -> None:
        self._planner = planner
        self._answer = answer
        self._start = start

    def __call__(self, part: str) -> Any:
        """One part of the plan; ``planner`` has what the answer has not."""
        if part == "predicted":
            return self._start.changed(self._answer.written)
        if part in ("tree", "actions"):
            tree = self._answer.tree
            assert tree is not None, "without a tree there is no plan"
            if part == "tree":
                return copied(tree)
            return tuple((step.task, step.args) for step in leaves(tree))
        if part in ("record", "expansions"):
            return getattr(self._answer, part)
        return getattr(self._planner, part)


class Answered:
    """A search that has nothing to do: its answer is known."""

    def __init__(self, plan: Plan | None, reads: Mapping[Fluent[Any], Any]) -> None:
        self.plan = plan
        self.reads = reads
        self.status = SearchStatus.EXHAUSTED if plan is None else SearchStatus.SOLVED
        self.expansions = 0

    @property
    def written(self) -> Mapping[Fluent[Any], Any]:
        raise AssertionError("the cache has what the plan writes")

    def advance(self, expansions: int | None = None) -> SearchStatus:  # noqa: ARG002 - protocol
        return self.status


class Remembered:
    """A search whose answer is kept for those who ask the same."""

    def __init__(self, search: RecordedSearch, answers: Answers, told: Told | None = None) -> None:
        self._search = search
        self._answers = answers
        self._told = told

    @property
    def status(self) -> SearchStatus:
        return self._search.status

    @property
    def plan(self) -> Plan | None:
        return self._search.plan

    @property
    def expansions(self) -> int:
        return self._search.expansions

    @property
    def reads(self) -> Mapping[Fluent[Any], Any]:
        return self._search.reads

    @property
    def written(self) -> Mapping[Fluent[Any], Any]:
        return self._search.written

    def advance(self, expansions: int | None = None) -> SearchStatus:
        if self._search.status is not SearchStatus.RUNNING:
            return self._search.status
        status = self._search.advance(expansions)
        if status in (SearchStatus.SOLVED, SearchStatus.EXHAUSTED):
            self._answers.keep(self._search.reads, self._answer())
        return status

    def _answer(self) -> Answer:
        """What was found. A plan that makes its parts later makes them now."""
        plan = self._search.plan
        events = None if self._told is None else self._told.events
        if plan is None:
            return Answer(None, events=events)
        return Answer(plan.tree, plan.record, self._search.written, plan.expansions, events)
