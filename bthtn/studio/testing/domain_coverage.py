"""Coverage of a domain: the outcomes of its methods and conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Method
from bthtn.engine.domain.network import with_tasks
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task
from bthtn.engine.plan.nodes import ScopeNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.engine.planning.trace import MethodEntered, MethodRejected, SearchEvent
from bthtn.engine.world.expression import (
    Binding,
    Condition,
    Constant,
    Expression,
    Junction,
    Negation,
    StateView,
    always_holds,
)
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.truth import Truth
from bthtn.errors import BthtnError
from bthtn.studio.testing.coverage import Coverage
from bthtn.studio.views.domain_drawing import domain_dot, method_appearance

MOST_EXPANSIONS: Final = 1_000
"""Expansions after which the conditions of a search are not counted any more."""
AT_RUN_TIME: Final = ("precondition", "exec_only")
"""The conditions of a step when it starts."""

Count = Callable[[str, StateView, Condition, Binding], None]


class DomainCoverage:
    """Counts the methods and conditions of a domain in a ``Coverage``, under a name.

    Methods of anonymous tasks are left out. Domains of one name share their rows: methods with the
    same task, index, name and condition count as one.
    """

    def __init__(self, coverage: Coverage, name: str, domain: FrozenDomain) -> None:
        self._coverage = coverage
        self._name = name
        self._methods = dict(_methods(domain))
        for label in self._methods.values():
            coverage.row(name, "method", label)
        for label, condition in _conditions(domain):
            for row, _ in parts_of(label, condition):
                coverage.row(name, "condition", row)

    def planned(self, asked: PlanRequest) -> None:
        """Plan once more, and count each method and condition once for its outcome.

        A method is chosen when it is in the plan, entered when the search decomposed a task with
        it, and rejected when its condition was false, or a bound cut it.
        """
        events: list[SearchEvent] = []
        watched = asked.domain.derived(_WatchedDomain)
        search = ListenedSearch(watched.request(asked), events.append)
        truths = watched.truths_in(search)
        with suppress(BthtnError):  # a user's function raises: what came before it counts
            search.advance()
        found = set(_chosen(search.plan))
        for event in events:
            if isinstance(event, MethodEntered | MethodRejected):
                column = "entered" if isinstance(event, MethodEntered) else "rejected"
                found.add((column, event.task.partition("(")[0], event.method))
        for column, task, index in sorted(found):
            if (task, index) in self._methods:
                self._coverage.add(self._name, "method", self._methods[task, index], column)
        for label, truth in sorted(truths):
            self._count(label, truth)

    def asked(self, label: str, condition: Condition, view: StateView, args: Binding) -> None:
        """Count a condition of a step, and its parts, for their values at run time."""
        for row, truth in truths_of(label, condition, view, args):
            self._count(row, truth)

    def _count(self, row: str, truth: bool) -> None:  # noqa: FBT001 - a column of the row
        if row in self._coverage.counts[self._name].get("condition", {}):
            self._coverage.add(self._name, "condition", row, "true" if truth else "false")


def coverage_dot(coverage: Coverage, name: str, domain: FrozenDomain) -> str:
    """The domain in dot.

    Green methods were chosen, and their conditions true and false in every part; blue ones were
    chosen; red ones never were.
    """
    kinds = coverage.counts.get(name, {})
    methods, conditions = kinds.get("method", {}), kinds.get("condition", {})
    statuses = {}
    for (task, index), label in _methods(domain):
        of_method = [
            row for name, row in conditions.items() if name.startswith(f"{task}, method {index}: ")
        ]
        is_whole = all(true and false for true, false in of_method)
        is_chosen = methods.get(label, [0])[0] > 0
        status = "SUCCESS" if is_whole else "RUNNING"
        statuses[task, index] = status if is_chosen else "FAILURE"
    return domain_dot(domain, statuses=statuses)


def parts_of(label: str, condition: Condition) -> Iterator[tuple[str, Condition]]:
    """The rows of a condition: itself, and its parts if it has several."""
    if isinstance(condition, Constant) or always_holds(condition):
        return
    yield f"{label}: {condition}", condition
    parts = list(_leaves(condition))
    if len(parts) > 1:
        yield from ((f"{label}: {part}", part) for part in parts)


def truths_of(
    label: str, condition: Condition, view: StateView, args: Binding
) -> Iterator[tuple[str, bool]]:
    """The rows of a condition with their values; without those that are unknown, or raise."""
    for row, part in parts_of(label, condition):
        with suppress(Exception):  # a user's function, of which only the whole need not raise
            truth = part.evaluate(RecordingView(view), args)
            if isinstance(truth, bool):
                yield row, truth


class _WatchedDomain:
    """A domain with conditions in it that note their values whenever a search asks them.

    The events of a search have no states, in which the parts of a condition could be evaluated.
    Conditions belong to tasks, so it has other primitive tasks, which have the same names.
    """

    def __init__(self, domain: FrozenDomain) -> None:
        self.truths: set[tuple[str, bool]] | None = None
        """The rows of conditions with the values that they had; None while none are noted."""
        self._tasks: dict[Task, Task] = {
            task: self._step(task)
            for task in domain.tasks.values()
            if isinstance(task, PrimitiveTask)
        }
        labels = {method: f"{task}, method {index}" for task, index, method in _authored(domain)}
        self._methods = {
            method: self._method(method, labels.get(method))
            for methods in domain.methods.values()
            for method in methods
        }
        self._domain = replace(
            domain,
            tasks={name: self._tasks.get(task, task) for name, task in domain.tasks.items()},
            methods={
                task: tuple(self._methods[method] for method in methods)
                for task, methods in domain.methods.items()
            },
            base=None,
        )

    def request(self, asked: PlanRequest) -> PlanRequest:
        instead: dict[Any, Any] = {**self._tasks, **self._methods}
        avoiding = {(instead[what], args): why for (what, args), why in asked.avoiding.items()}
        goal = with_tasks(asked.goal, self._tasks)
        return replace(asked, domain=self._domain, goal=goal, avoiding=avoiding)

    def truths_in(self, search: ListenedSearch) -> set[tuple[str, bool]]:
        """The values of the conditions that the beginning of a search asks."""
        truths: set[tuple[str, bool]] = set()
        self.truths = truths
        with suppress(BthtnError):
            search.advance(MOST_EXPANSIONS + 1)  # up to the expansion that would be too many
        self.truths = None
        return truths

    def _step(self, task: PrimitiveTask[...]) -> PrimitiveTask[...]:
        label = f"{task.name}, precondition"
        return replace(task, precondition=self._watched(label, task.precondition))

    def _method(self, method: Method, label: str | None) -> Method:
        made = method.with_tasks(self._tasks)
        if label is None:
            return made
        return replace(made, condition=self._watched(label, method.condition))

    def _watched(self, label: str, condition: Condition) -> Condition:
        return condition if isinstance(condition, Constant) else _Watched(self, label, condition)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Watched(Expression[bool]):
    """A condition of a watched domain, which has rows that begin with the label."""

    domain: _WatchedDomain
    label: str
    condition: Condition

    def evaluate(self, view: StateView, binding: Binding = ()) -> Truth:
        if self.domain.truths is not None:
            # Other parts of the condition may read more than it does, on which no plan depends.
            below = getattr(view, "below", view)
            self.domain.truths.update(truths_of(self.label, self.condition, below, binding))
        return self.condition.evaluate(view, binding)

    def text(self, binding: Binding | None = None) -> str:
        return self.condition.text(binding)


def _leaves(condition: Condition) -> Iterator[Condition]:
    """The parts of a condition that are no conjunctions and disjunctions."""
    match condition:
        case Junction(parts):
            for part in parts:
                yield from _leaves(part)
        case Negation(Junction() as operand):
            yield from _leaves(operand)
        case _:
            yield condition


def _authored(domain: FrozenDomain) -> Iterator[tuple[str, int, Method]]:
    """The methods that the author wrote, with their tasks and indices."""
    for task in domain.tasks.values():
        if isinstance(task, CompoundTask) and not task.origin:
            yield from (
                (task.name, index, method) for index, method in enumerate(domain.methods[task])
            )


def _methods(domain: FrozenDomain) -> Iterator[tuple[tuple[str, int], str]]:
    """The methods that the author wrote, by task and index, with the texts of their rows."""
    for task, index, method in _authored(domain):
        yield (task, index), f"{task}, method {method_appearance(index, method)[1]}"


def _conditions(domain: FrozenDomain) -> Iterator[tuple[str, Condition]]:
    for task, index, method in _authored(domain):
        yield f"{task}, method {index}", method.condition
    for step in domain.tasks.values():
        if isinstance(step, PrimitiveTask):
            for name in (*AT_RUN_TIME, "during"):
                yield f"{step.name}, {name}", getattr(step, name)


def _chosen(plan: Plan | None) -> Iterator[tuple[str, str, int]]:
    for _, node in preorder(plan.tree) if plan is not None else ():
        if isinstance(node, ScopeNode):
            yield "chosen", node.task.name, node.method
