"""Improvement: the search for a plan that is better than the running one, and unexpected.

    1  search from the actual state for a plan that beats the record of the running one; its
       result is ignored if it has read none of the changed fluents
    2  if there is one, search from the predicted state, too, which has only the effects of the
       running plan; a plan that is also found there is no surprise

Both searches can be advanced in slices. The result of the first depends only on the fluents that
it has read: until one of these changes, there is no need to search again. ``static_reads`` are the
fluents that any search for a goal could read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import PlainBody
from bthtn.domain.network import DeferNetwork, Network, parts_of
from bthtn.domain.task import CompoundTask, Task, TaskCall
from bthtn.errors import BthtnError
from bthtn.plan.failure import Failure
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.planner import Planner, search_for
from bthtn.planning.protocol import PlanRequest, RecordedSearch, SearchStatus
from bthtn.replanning.policy import Interrupt, SearchOutcome
from bthtn.replanning.schedule import Budget
from bthtn.world.assignment import Assignment
from bthtn.world.expression import (
    Arithmetic,
    Comparison,
    Constant,
    Junction,
    Negation,
    Parameter,
)
from bthtn.world.fluent import Fluent, MemberOf
from bthtn.world.state import FrozenState


class Improvement:
    """A search for a better plan than the running one, advanced in slices.

    ``changed`` are the fluents whose changes caused the search. ``planners`` are that of the
    running plan and the one that searches for a better plan; they differ if the agent has another
    domain by now, which is a surprise in itself. ``interrupt`` is the policy for the
    result: only "surprise" needs the second search, and only "surprise" and "mtr" are
    restricted to strictly better plans. When it is done, ``plan`` and ``found`` have the result,
    or ``failure`` the exception that a user's function has raised.
    """

    def __init__(
        self,
        planners: tuple[Planner[Any], Planner[Any]],
        actual: FrozenState,
        predicted: FrozenState,
        bound: MethodTraversalRecord,
        changed: frozenset[Fluent[Any]],
        interrupt: Interrupt,
    ) -> None:
        self._planner, finder = planners
        self._predicted = predicted
        self._bound = bound
        self._changed = changed
        self._interrupt = interrupt
        self._has_other_domain = finder is not self._planner
        self._search = self._first = self._search_from(actual, finder)
        self._is_second = False
        self.plan: Plan | None = None
        self.is_surprising = False
        self.expansions = 0
        self.failure: Failure | None = None

    def advance(self, budget: Budget) -> bool:
        """Search within the rest of a budget. Returns True when the search is done."""
        try:
            if not self._advance(budget):
                return False
            if self._is_second or self.plan is None or self._interrupt != "surprise":
                return True
            if not self.matters:
                return True
            self._is_second = True
            self._search = self._search_from(self._predicted, self._planner)
            return self._advance(budget)
        except BthtnError as error:
            self.plan, self.failure = None, Failure(str(error), error=error)
            return True

    @property
    def found(self) -> SearchOutcome:
        """How the new plan, if there is one, compares with the running one."""
        if self.plan is None:
            return SearchOutcome.NOTHING
        if self.plan.record.beats(self._bound):
            return SearchOutcome.BETTER
        return SearchOutcome.WORSE if self._bound.beats(self.plan.record) else SearchOutcome.EQUAL

    @property
    def matters(self) -> bool:
        """Whether the result depends on the changed fluents; True for other policies."""
        return (
            self._interrupt != "surprise"
            or self._has_other_domain
            or not self._changed.isdisjoint(self._first.reads)
        )

    @property
    def reads(self) -> frozenset[Fluent[Any]]:
        """The fluents that the first search has read; none where it looked for any plan at all."""
        return frozenset(self._first.reads) if self._interrupt in _STRICT else frozenset()

    def _advance(self, budget: Budget) -> bool:
        before = self._search.expansions
        try:
            status = budget.advance(self._search)
        finally:
            self.expansions += self._search.expansions - before
        if status is SearchStatus.RUNNING:
            return False
        plan = self._search.plan if status is SearchStatus.SOLVED else None
        if not self._is_second:
            self.plan = plan
        elif self.plan is not None:
            self.is_surprising = plan is None or self.plan.record.beats(plan.record)
        return True

    def _search_from(self, state: FrozenState, planner: Planner[Any]) -> RecordedSearch:
        bound = self._bound if self._interrupt in _STRICT else None
        return search_for(
            PlanRequest(
                planner.domain, state, planner.goal, planner.binding, planner.settings, bound
            )
        )


_STRICT: Final[tuple[Interrupt, ...]] = ("mtr", "surprise")


@dataclass(frozen=True, slots=True)
class StaticReads:
    """Single fluents, and the names of families of which any member may be read."""

    fluents: frozenset[Fluent[Any]] = frozenset()
    families: frozenset[str] = frozenset()

    def __contains__(self, fluent: Fluent[Any]) -> bool:
        return fluent in self.fluents or fluent.name in self.families

    def __or__(self, other: StaticReads) -> StaticReads:
        return StaticReads(self.fluents | other.fluents, self.families | other.families)


def static_reads(domain: FrozenDomain, goal: Network) -> StaticReads | None:
    """The fluents that a search for the goal could read, from any state.

    These are all fluents that the domain mentions in the goal's tasks and methods; a change of
    another one cannot lead to another plan. None if there are plain functions, whose reads are
    not known.
    """
    reads = StaticReads()
    seen: set[Task] = set()
    networks = [goal]
    while networks:
        network = networks.pop()
        networks.extend(parts_of(network))
        call = network.call if isinstance(network, DeferNetwork) else network
        expressions: list[object] = []
        if isinstance(network, DeferNetwork):
            expressions += network.ensures
        if isinstance(call, TaskCall):
            expressions += call.args
            if call.task not in seen:
                seen.add(call.task)
                evaluated, bodies = _contents(domain, call.task)
                expressions += evaluated
                networks += bodies
        for expression in expressions:
            mentioned = _mentioned(expression)
            if mentioned is None:
                return None
            reads |= mentioned
    return reads


def _contents(domain: FrozenDomain, task: Task) -> tuple[list[object], list[Network]]:
    """The expressions that a search evaluates for a task, and the networks of its methods."""
    if not isinstance(task, CompoundTask):
        numbers = (task.duration, task.cost)
        return [task.precondition, *numbers, *task.effects, *task.expected], []
    evaluated: list[object] = [] if task.choice is None else list(task.choice.asks)
    bodies: list[Network] = []
    for method in domain.methods[task]:
        evaluated += (method.condition, method.cost)
        if isinstance(method.body, PlainBody):
            evaluated.append(method.body)
        else:
            bodies.append(method.body)
    return evaluated, bodies


def _mentioned(thing: object) -> StaticReads | None:
    """The fluents in an expression or effect, None if it is a function or contains one."""
    fluents: set[Fluent[Any]] = set()
    families: set[str] = set()
    pending = [thing]
    while pending:
        match pending.pop():
            case Constant() | Parameter() | None:
                pass
            case Fluent() as fluent:
                fluents.add(fluent)
            case MemberOf(family=family, index=index):
                families.add(family.name)
                pending.append(index)
            case Comparison(left=left, right=right) | Arithmetic(left=left, right=right):
                pending += (left, right)
            case Negation(operand=operand):
                pending.append(operand)
            case Junction(parts=parts):
                pending += parts
            case Assignment(target=target, value=value):
                pending += (target, value)
            case _:
                return None
    return StaticReads(frozenset(fluents), frozenset(families))
