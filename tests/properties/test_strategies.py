"""The random problems are worth solving: the properties here are not true of nothing.

Counted over a fixed thousand of them. A share that drops below its line means that the
strategies, not the planner, have changed: mend them before you believe any property.
"""

import re

import pytest
from hypothesis import given

from bthtn import UNKNOWN, Fluent, FluentFamily, State, fluent, fluents
from bthtn.domain.function import Computed, FunctionEffect
from bthtn.domain.method import PlainBody
from bthtn.domain.network import NullNetwork
from bthtn.domain.task import CompoundTask
from bthtn.plan import leaves
from bthtn.plan.nodes import ParallelNode, PriorityNode, ScopeNode, SuspendedNode
from bthtn.plan.walk import preorder
from bthtn.planning import trace
from bthtn.planning.htn.listened import ListenedSearch
from bthtn.testing.strategies import problem_text, problems, states
from tests.occurrences import assert_occurs

MANY = 1_500


class Soldier(State):
    """A state class that the strategies have never seen."""

    rank: Fluent[tuple] = fluent(default=("private",))
    health: Fluent[int] = fluent(default=5)
    spotted: FluentFamily[int, bool] = fluents(default=False, index=int)


def steps_behind_retries(events):
    """For every return to an earlier choice, the number of steps that stay in the plan."""
    alive = []
    for event in events:
        if isinstance(event, trace.Backtracked):
            while alive and not returns_to(alive.pop(), event.to):
                pass
            yield sum(isinstance(one, trace.TaskPlanned) for one in alive)
        else:
            alive.append(event)


def returns_to(event, task):
    return isinstance(event, trace.MethodEntered) and event.task == task


def node_features(problem, node):
    match node:
        case ScopeNode(task=CompoundTask(origin=word)) if word:
            return {word: True, f"{word}, not as wanted most": node.method > lowest(node)}
        case ScopeNode():
            body = problem.domain.methods[node.task][node.method].body
            return {
                "a task is decomposed": True,
                "a method is a plain function": isinstance(body, PlainBody),
                "a method has an empty body": isinstance(body, NullNetwork),
                "a task has an argument": bool(node.args),
            }
        case ParallelNode():
            return {f"parallel, {node.policy.value}": True}
        case PriorityNode():
            return {
                "priority": True,
                "priority, reactive": node.reactive,
                "priority, something dropped": bool(node.dropped),
                "priority, something to choose": len(node.children) > 1,
            }
        case SuspendedNode():
            return {
                f"suspended, {node.cause.kind.value}": True,
                "deferred, but something is ensured": bool(node.ensures),
            }
    return {}


def lowest(node):
    """The first method that an anonymous task could have had in this place."""
    if node.task.origin == "any_order":
        return next(place for place in range(99) if not node.args[-1] >> place & 1)
    return node.method if node.task.origin in ("partial_order", "repeat") else 0


def plan_features(problem, plan):
    for _, node in preorder(plan.tree):
        yield from (name for name, shown in node_features(problem, node).items() if shown)
    touched = [*plan.footprint.reads, *plan.footprint.writes]
    if any(fluent.index is not None for fluent in touched):
        yield "a member of a family is read or written"
    if any(fluent.volatile for fluent in touched):
        yield "a volatile fluent is read or written"
    if any(task.footprint.uses for task in leaves(plan.tree)):
        yield "a resource is used"
    if any(task.task.expected for task in leaves(plan.tree)):
        yield "an effect is expected"
    if any(isinstance(e, FunctionEffect) for task in leaves(plan.tree) for e in task.task.effects):
        yield "an effect is a plain function"
    if any(isinstance(task.task.precondition, Computed) for task in leaves(plan.tree)):
        yield "a condition is a plain function"
    told = {
        fluent
        for task in leaves(plan.tree)
        for fluent, write in task.footprint.writes.items()
        if write.value is UNKNOWN
    }
    guessed = {f for f, value in plan.predicted.items() if value is UNKNOWN} - told
    if any(problem.state.get(fluent) is not UNKNOWN for fluent in guessed):
        yield "outcomes are merged into an unknown"


def features(problem):
    events = []
    search = ListenedSearch(problem, events.append)
    yield f"search {search.advance().value}"
    kinds = {type(event) for event in events}
    yield from (f"event {kind.__name__}" for kind in kinds)
    returned = [event.to for event in events if isinstance(event, trace.Backtracked)]
    yield from (
        f"return to {word}" for to in returned for word in re.findall(r"\.([a-z_]+)_\d", to)
    )
    kept = list(steps_behind_retries(events))
    if any(kept):
        yield "a retry keeps steps"
    if search.plan:
        yield from plan_features(problem, search.plan)
        if any(kept):
            yield "a retry keeps steps and succeeds"
    if problem.settings.seed:
        yield "a seed"
    if problem.settings.horizon_time is not None:
        yield "horizon in time"


LEAST = {
    "search solved": 100,
    "search exhausted": 30,
    "a task is decomposed": 100,
    "event Backtracked": 30,
    "a retry keeps steps and succeeds": 8,
    "event TaskRejected": 30,
    "event MethodRejected": 40,
    "event RecursionCut": 6,
    "event BranchesConflict": 8,
    "event AlternativeDropped": 10,
    "parallel, all": 8,
    "parallel, any": 2,
    "parallel, primary": 2,
    "priority": 16,
    "priority, reactive": 8,
    "priority, something dropped": 8,
    "priority, something to choose": 12,
    "outcomes are merged into an unknown": 10,
    "suspended, pause": 5,
    "suspended, defer": 5,
    "suspended, horizon": 5,
    "suspended, unknown": 12,
    "deferred, but something is ensured": 5,
    "horizon in time": 5,
    "first_of": 6,
    "first_of, not as wanted most": 1,
    "return to first_of": 2,
    "optional": 2,
    "optional, not as wanted most": 1,
    "return to optional": 1,
    "repeat": 2,
    "any_order": 2,
    "any_order, not as wanted most": 1,
    "return to any_order": 1,
    "partial_order": 1,
    "return to partial_order": 1,
    "with_cleanup": 1,
    "random_of": 5,
    "random_of, not as wanted most": 1,
    "return to random_of": 2,
    "one_of": 8,
    "one_of, not as wanted most": 2,
    "return to one_of": 4,
    "a seed": 40,
    "a task has an argument": 30,
    "a method has an empty body": 10,
    "a method is a plain function": 6,
    "a condition is a plain function": 4,
    "an effect is a plain function": 2,
    "an effect is expected": 6,
    "a resource is used": 16,
    "a member of a family is read or written": 20,
    "a volatile fluent is read or written": 8,
}


@pytest.mark.slow
def test_random_problems_often_show_every_feature():
    assert_occurs(problems(), lambda problem: set(features(problem)), LEAST, most=MANY)


@given(states(Soldier, members=(1, 2, "a")))
def test_states_of_any_schema_hold_values_of_the_right_types(state):
    for variable, value in state.items():
        assert variable.accepts(value)
        assert variable.index in (None, 1, 2)
        assert variable.value_type is not tuple or value is UNKNOWN, "others keep their default"


@given(problems())
def test_a_problem_can_be_read(problem):
    text = problem_text(problem)
    assert all(name in text for name in problem.domain.tasks)
    assert repr(problem.state) in text
