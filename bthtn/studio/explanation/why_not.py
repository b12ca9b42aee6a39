"""Why a method was chosen or not: an answer for each method in a plan.

A method that comes before the chosen one was tried, and the trace of the search says where it
failed. One that comes after it was not; it is planned alone, from the state in which its task is
decomposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import Any

from bthtn.checked import checked
from bthtn.engine.domain.condition import held
from bthtn.engine.domain.decompositions import Decompositions
from bthtn.engine.domain.method import numbered
from bthtn.engine.domain.task import CompoundTask, TaskCall, call_text
from bthtn.engine.plan.nodes import Node, ScopeNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.projection import Projection
from bthtn.engine.plan.walk import Visit, preorder
from bthtn.engine.planning.explain import Explanation, Reason
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import PlanRequest
from bthtn.engine.world.fluent import UnknownRead
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.trail import WorkingState
from bthtn.errors import BthtnError, DomainError
from bthtn.studio.explanation.changes import Changes, Wanted, changes_for


class MethodOutcome(Enum):
    """The outcome of a method."""

    CHOSEN = "chosen"
    """The plan decomposes the task by it."""
    FAILED = "failed"
    """It comes before the chosen one, or none was chosen: it was tried in vain."""
    LATER = "comes later"
    """It works in this state, and a method that comes before it does, too."""
    LATER_AND_FAILS = "comes later, and does not work"
    """It does not work in this state, and a method that comes before it does."""
    WORSE = "worse"
    """It works, and the plan with the chosen one costs less or has a smaller value."""
    NOT_REACHED = "not reached"
    """The search came to an end without a look at it."""


@dataclass(frozen=True, slots=True)
class MethodAnswer:
    """The outcome of one method of a task, and why.

    ``method`` is its index among those of the task, as in records. ``reasons`` are the conditions
    that failed, with values, each as deep as the search was. ``depth`` is that of the task.
    """

    task: str
    method: int
    name: str
    outcome: MethodOutcome
    reasons: tuple[Reason, ...] = ()
    depth: int = 0

    @property
    def is_chosen(self) -> bool:
        """Whether the plan decomposes the task by this method."""
        return self.outcome is MethodOutcome.CHOSEN

    def __str__(self) -> str:
        room, method = "  " * self.depth, numbered(self.method, self.name)
        head = f"{room}{self.task}, {method}: {self.outcome.value}"
        below = [f"{room}{'  ' * (reason.depth + 1)}{reason.text}" for reason in self.reasons]
        return "\n".join([head, *below])

    def data(self) -> dict[str, Any]:
        """The answer as a dictionary for JSON."""
        reasons = [{"depth": reason.depth, "text": reason.text} for reason in self.reasons]
        method = {"task": self.task, "method": self.method, "name": self.name}
        return {**method, "depth": self.depth, "outcome": self.outcome.value, "reasons": reasons}


@checked
def methods_of(asked: PlanRequest) -> tuple[MethodAnswer, ...]:
    """An answer for every method of every compound task in the plan for a request, in its order.

    Where there is no plan, an answer for every method that was tried. Constructs, which no author
    has named, are left out. Raises PlanningError where planning raises.
    """
    plan, explanation = _planned(asked)
    if plan is None:
        return tuple(_tried(explanation.reasons(), asked))
    scopes = _Scopes(plan, asked.state)
    scopes.project(plan.tree)
    found: list[MethodAnswer] = []
    for scope in scopes.found:
        if not scope.node.task.origin:
            is_whole = scope.node is plan.tree
            found += _answers(scope, explanation.reasons(), asked, is_whole=is_whole)
    return tuple(found)


@checked
def why_not(asked: PlanRequest, task: TaskCall, method: int) -> tuple[MethodAnswer, Changes]:
    """Why the plan for a request decomposes a task by another method, and the changes that help.

    The answer is that for the first scope in the plan where this task stands. The changes are the
    smallest ones after which some scope of the plan decomposes the task by this method; none are
    looked for if it is chosen. Raises DomainError for a method that the task does not have.
    """
    answers = [answer for answer in methods_of(asked) if answer.task == str(task)]
    known = [answer for answer in answers if answer.method == method]
    if known and known[0].is_chosen:
        return known[0], Changes((), 0, is_complete=True)
    count = _count(asked, task)
    if not 0 <= method < count:
        message = f"'{task}' has no method {method}"
        raise DomainError("BT110", message, hint=f"it has 0 to {count - 1}")
    answer = known[0] if known else MethodAnswer(str(task), method, "", MethodOutcome.NOT_REACHED)
    return answer, changes_for(asked, chooses(task, method))


def chooses(task: TaskCall, method: int) -> Wanted:
    """Whether a plan decomposes a task by this method somewhere."""
    text = str(task)

    def wanted(plan: Plan | None) -> bool:
        scopes = () if plan is None else preorder(plan.tree)
        return any(
            isinstance(node, ScopeNode)
            and node.method == method
            and call_text(node.task, node.args) == text
            for _, node in scopes
        )

    return wanted


def _count(asked: PlanRequest, task: TaskCall) -> int:
    if not isinstance(task.task, CompoundTask):
        hint = "explain() says why a step is not possible"
        raise DomainError("BT110", f"'{task}' is a primitive task: it has no methods", hint=hint)
    return len(asked.domain.methods.get(task.task, ()))


def _planned(asked: PlanRequest) -> tuple[Plan | None, Explanation]:
    explanation = Explanation()
    search = search_for(asked, explanation.add)
    search.advance()
    return search.plan, explanation


@dataclass(frozen=True, slots=True)
class _Scope:
    """A scope of a plan, the scopes above it, and the state in which its task is decomposed."""

    node: ScopeNode
    above: tuple[ScopeNode, ...]
    state: FrozenState
    decompositions: Decompositions


class _Scopes(Projection):
    """Projects a plan, and notes the state at each of its scopes whose methods are known there."""

    def __init__(self, plan: Plan, start: FrozenState) -> None:
        super().__init__(WorkingState(start))
        self.found: list[_Scope] = []
        self._domain = plan.domain
        self._above: tuple[ScopeNode, ...] = ()

    def visit(self, node: Node) -> Visit[None]:
        if not isinstance(node, ScopeNode):
            return super().visit(node)
        self.sense()
        view = RecordingView(self.state)
        with suppress(UnknownRead):
            methods = self._domain.decompositions(node.task, node.args, view)
            self.found.append(_Scope(node, self._above, self.state.freeze(), methods))
        return self._below(node)

    def _below(self, node: ScopeNode) -> Visit[None]:
        above, self._above = self._above, (*self._above, node)
        yield super().visit(node)
        self._above = above


def _answers(
    scope: _Scope, reasons: Sequence[Reason], asked: PlanRequest, *, is_whole: bool
) -> Iterator[MethodAnswer]:
    """An answer for each method of the task at one scope of the plan.

    Where the least sum is wanted, the trace has failures inside of methods that work, too. A method
    of the ``is_whole`` scope works if it does alone; in others what comes later may be the reason.
    """
    node, methods = scope.node, scope.decompositions
    task, depth = call_text(node.task, node.args), len(scope.above)
    for index in range(len(methods)):
        answer = MethodAnswer(task, index, methods.name(index), MethodOutcome.CHOSEN, depth=depth)
        if index == node.method:
            yield answer
            continue
        tried = () if index > node.method else _traced(answer, scope, reasons)
        if tried and not (is_whole and _is_cut_by_sums(asked)):
            yield replace(answer, outcome=MethodOutcome.FAILED, reasons=tried)
        else:
            yield _alone(answer, scope, asked, tried)


def _is_cut_by_sums(asked: PlanRequest) -> bool:
    """Whether a method that works is not chosen where another plan has a smaller sum."""
    return asked.settings.cheapest or asked.domain.has_values


def _alone(
    answer: MethodAnswer, scope: _Scope, asked: PlanRequest, tried: tuple[Reason, ...]
) -> MethodAnswer:
    """The answer for a method of which the trace does not say whether it works.

    Its network is planned alone; ``tried`` are the lines that the trace has of it.
    """
    is_better = _is_cut_by_sums(asked)
    is_later = answer.method > scope.node.method
    reasons = _obstacles(scope, answer.method, asked)
    if reasons is None and (is_later or not is_better):
        return replace(answer, outcome=MethodOutcome.LATER if is_later else MethodOutcome.FAILED)
    if reasons is None:
        return replace(answer, outcome=MethodOutcome.WORSE)
    outcome = MethodOutcome.LATER_AND_FAILS if is_later else MethodOutcome.FAILED
    return replace(answer, outcome=outcome, reasons=tried or reasons)


def _obstacles(scope: _Scope, index: int, asked: PlanRequest) -> tuple[Reason, ...] | None:
    """Why a method does not work in the state of its scope; None if it does."""
    method, binding = scope.decompositions.method(index), scope.decompositions.binding(index)
    holds = held(method.condition, scope.state, binding)
    if holds.truth is False:
        return (Reason(0, holds.why),)
    recorder = RecordingView(scope.state)
    try:
        network = method.network(recorder, binding)
    except UnknownRead as unknown:
        return (Reason(0, str(unknown)),)
    if network is None:
        return (Reason(0, f"{method.body} does not apply"),)
    alone = replace(asked, state=scope.state, goal=network, binding=binding, bound=None)
    try:
        plan, explanation = _planned(alone)
    except BthtnError as error:
        return (Reason(0, str(error)),)
    return None if plan is not None else explanation.reasons()


def _traced(answer: MethodAnswer, scope: _Scope, reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """The reasons that the trace has for a method at this scope, or at one with equal tasks."""
    path = [(call_text(line.task, line.args), line.method) for line in scope.above]
    path.append((answer.task, answer.method))
    around: list[Reason] = []
    found: dict[Reason, None] = {}
    for index, reason in enumerate(reasons):
        del around[reason.depth :]
        around.append(reason)
        if [(line.task, line.method) for line in around] == path:
            found |= dict.fromkeys(_inside(reasons, index))
    return tuple(found)


def _inside(reasons: Sequence[Reason], index: int) -> Iterator[Reason]:
    """Why the method of the line with this index was not entered, and all lines inside of it."""
    line = reasons[index]
    if line.reason:
        yield Reason(0, line.reason)
    for reason in islice(reasons, index + 1, None):
        if reason.depth <= line.depth:
            return
        yield replace(reason, depth=reason.depth - line.depth - 1)


def _tried(reasons: Sequence[Reason], asked: PlanRequest) -> Iterator[MethodAnswer]:
    """An answer for each method in the explanation of a search without a plan."""
    for index, line in enumerate(reasons):
        task = asked.domain.tasks.get(line.task.partition("(")[0])
        if line.method is not None and isinstance(task, CompoundTask) and not task.origin:
            below = tuple(_inside(reasons, index))
            yield MethodAnswer(line.task, line.method, "", MethodOutcome.FAILED, below, line.depth)
