"""Plans and searches answered from a cache, and searches whose answer goes into one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bthtn.domain.goal import Action
from bthtn.plan.nodes import Node
from bthtn.plan.plan import Plan, put_derived, put_record, put_tree
from bthtn.plan.walk import copied, preferred_steps
from bthtn.planning.cache import Answer, Answers, Readings
from bthtn.planning.protocol import RecordedSearch, SearchStatus
from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState


def found_again(planner: Any, answer: Answer, start: FrozenState) -> Plan | None:
    """The plan of an answer, for a start state that may differ from the original one.

    Whole plans share the tree of the answer. That of a suspended part is a copy, made on first
    use: several parts of one plan may come from one answer, and a running plan distinguishes its
    nodes by identity.
    """
    if answer.tree is None:
        return None
    plan = Plan.found((_part_of, _actions, planner, answer, answer.tree, start))
    put_record(plan, answer.record)
    if not planner.resumes:
        put_tree(plan, answer.tree)
        put_derived(plan, answer.derived)
    return plan


_Source = tuple[Any, Any, Any, Answer, Node, FrozenState]


def _part_of(source: _Source, part: str) -> Any:
    """One part of a cached plan by name; those that the answer lacks come from the planner."""
    *_, planner, answer, tree, start = source
    match part:
        case "predicted":
            return start.changed(answer.written)
        case "tree":
            return copied(tree)
        case "expansions":
            return answer.expansions
        case _:
            return getattr(planner, part)


def _actions(source: _Source) -> tuple[Action, ...]:
    """The actions of a cached plan, for which no copy of the tree is needed."""
    tree = source[-2]
    return tuple((step.task, step.args) for step in preferred_steps(tree))


class Answered:
    """A search that is over from the start, since the cache has its answer."""

    expansions = 0

    def __init__(self, plan: Plan | None, reads: Readings) -> None:
        self.plan = plan
        self.status = SearchStatus.EXHAUSTED if plan is None else SearchStatus.SOLVED
        self.reads = reads

    def advance(self, expansions: int | None = None) -> SearchStatus:  # noqa: ARG002 - protocol
        return self.status


class CachedSearch:
    """A search that puts its answer into the cache when it ends."""

    def __init__(self, search: RecordedSearch, answers: Answers) -> None:
        self._search = search
        self._answers = answers

    @property
    def saved_as(self) -> RecordedSearch:
        """The part to save in its place: caches are not saved."""
        return self._search

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

    def advance(self, expansions: int | None = None) -> SearchStatus:
        if self._search.status is not SearchStatus.RUNNING:
            return self._search.status
        status = self._search.advance(expansions)
        if status in (SearchStatus.SOLVED, SearchStatus.EXHAUSTED):
            self._answers.keep(self._answer())
        return status

    def _answer(self) -> Answer:
        """The answer to cache; the parts of a lazily made plan are made now."""
        plan, reads = self._search.plan, self._search.reads
        if plan is None:
            return Answer(reads, None)
        written = {fluent: plan.predicted.get(fluent) for fluent in plan.footprint.writes}
        return Answer(reads, plan.tree, plan.record, written, plan.expansions)
