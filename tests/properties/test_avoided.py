"""Avoiding something is planning in the domain in which its condition is false."""

from dataclasses import replace
from types import MappingProxyType

from hypothesis import assume, event, given
from hypothesis import strategies as st

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.plan.nodes import PriorityNode, ScopeNode
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import leaves, outline, preorder
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.planner import Planner
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.engine.world.expression import Expression
from bthtn.studio.testing.strategies import problems
from tests.reference import Reference

MOST_PLANS = 4


class Except(Expression):
    """A condition, but false for calls with these values."""

    def __init__(self, condition, values):
        self.condition = condition
        self.values = values

    def evaluate(self, view, binding=()):
        return False if binding in self.values else self.condition.evaluate(view, binding)

    def text(self, binding=None):
        return f"not avoided and {self.condition.text(binding)}"


def occurrences(problem):
    """What the first plan uses that can be avoided, in the order of the plan."""
    search = HtnSearch.of(problem)
    if search.advance() is not SearchStatus.SOLVED:
        return []
    found = []
    for _, node in preorder(search.plan.tree):
        if isinstance(node, ScopeNode) and node.task.choice is None:
            found.append((problem.domain.methods[node.task][node.method], node.args))
    found.extend((node.task, node.args) for node in leaves(search.plan.tree))
    return list(dict.fromkeys(found))


@st.composite
def questions(draw):
    """A problem, and some of what its plan, or the plan without that, would use."""
    problem = draw(problems())
    avoided = {}
    for _ in range(draw(st.integers(1, 3))):
        used = occurrences(replace(problem, avoiding=avoided))
        if used:
            avoided[draw(st.sampled_from(used))] = "it failed"
    assume(avoided)
    return replace(problem, avoiding=avoided)


def without(problem):
    """The same question, to a domain in which what is avoided is forbidden by its author."""
    domain, values = problem.domain, {}
    for what, args in problem.avoiding:
        values.setdefault(what, set()).add(args)
    methods = {
        task: tuple(
            replace(one, condition=Except(one.condition, values[one])) if one in values else one
            for one in of_task
        )
        for task, of_task in domain.methods.items()
    }
    for task in domain.tasks.values():
        if task in values:  # networks name the task itself, so it is the task that is changed
            object.__setattr__(task, "precondition", Except(task.precondition, values[task]))
    forbidding = FrozenDomain(
        domain.name, domain.state_class, domain.tasks, MappingProxyType(methods)
    )
    return replace(problem, domain=forbidding, avoiding={})


def answers(search):
    """The first plans of a search, and how it came to an end."""
    found = []
    while len(found) < MOST_PLANS and search.advance() is SearchStatus.SOLVED:
        found.append(description(search.plan))
        search.reject()
    return found, search.status, search.expansions


def description(plan):
    """What a plan says."""
    dropped = [
        [one.alternative for one in node.dropped]
        for _, node in preorder(plan.tree)
        if isinstance(node, PriorityNode)
    ]
    return (outline(plan.tree), plan.record, plan.predicted, plan.footprint, dropped)


@given(questions())
def test_avoiding_is_planning_in_the_domain_where_its_condition_is_false(problem):
    found = answers(HtnSearch.of(problem))
    expected = answers(HtnSearch.of(without(problem)))
    assert found == expected
    event(f"{len(problem.avoiding)} avoided, {len(found[0])} plans")


@given(questions())
def test_the_reference_avoids_the_same(problem):
    search = HtnSearch.of(problem)
    if search.advance() is SearchStatus.LIMIT:
        return
    first = next(Reference(problem).plans(), None)
    assert (first is None) is (search.plan is None)
    if first is not None:
        assert outline(first.tree) == outline(search.plan.tree)
        assert first.expansions == search.expansions
        assert replay(search.plan, problem.state).ok


@given(questions())
def test_a_planner_avoids_the_same_and_remembers_nothing_of_it(problem):
    search, plain = HtnSearch.of(problem), HtnSearch.of(replace(problem, avoiding={}))
    search.advance()
    plain.advance()
    planner = Planner(problem.domain, problem.goal, problem.settings)
    for expected in (plain, search, plain):
        avoiding = problem.avoiding if expected is search else {}
        answer = planner.search(problem.state, avoiding=avoiding)
        answer.advance()
        assert answer.status is expected.status
        assert (answer.plan is None) is (expected.plan is None)
        if answer.plan is not None:
            assert outline(answer.plan.tree) == outline(expected.plan.tree)
