"""The compiled search does what the interpreter does: same plans, in as many expansions."""

from copy import copy
from unittest.mock import patch

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from bthtn.plan.nodes import PriorityNode, ScopeNode, TaskNode
from bthtn.plan.walk import footprint, outline, preorder
from bthtn.planning.htn.compiled import branches
from bthtn.planning.htn.compiled.kinds import footprint_of, tree
from bthtn.planning.htn.compiled.search import CompiledQuestion, is_compiled
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus
from bthtn.testing.strategies import problems

MOST_PLANS = 5


def description(plan):
    """Everything that a plan says, in a form that can be compared."""
    actions = plan.actions  # before there is a tree
    nodes = [node for _, node in preorder(plan.tree)]
    assert actions == tuple((step.task, step.args) for step in plan.steps)
    footprints = [node.footprint for node in nodes if hasattr(node, "footprint")]
    return {
        "actions": actions,
        "tree": outline(plan.tree),
        "record": plan.record,
        "predicted": plan.predicted,
        "footprints": footprints,
        "dropped": [node.dropped for node in nodes if isinstance(node, PriorityNode)],
        "suspended": [
            (node.rest, node.binding, node.cause, node.ensures, node.reads)
            for node in nodes
            if hasattr(node, "rest")
        ],
        "numbers": [(node.duration, node.cost) for node in nodes if isinstance(node, TaskNode)],
        "scopes": [(node.name, node.cost) for node in nodes if isinstance(node, ScopeNode)],
        "expansions": plan.expansions,
    }


def answers(search):
    """The first plans of a search, and how it came to an end."""
    found = []
    while len(found) < MOST_PLANS and search.advance() is SearchStatus.SOLVED:
        found.append(description(search.plan))
        search.reject()
    return found, search.status, search.expansions


@given(problems())
def test_the_compiled_search_finds_what_the_interpreter_finds(problem):
    assume(is_compiled(problem.domain, problem.settings))
    interpreted = answers(HtnSearch(problem))
    assert answers(CompiledQuestion.of(problem).search(problem.state)) == interpreted
    event(f"{len(interpreted[0])} plans, then {interpreted[1].value}")


@given(problems(), st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_slicing_the_budget_changes_nothing(problem, slices):
    assume(is_compiled(problem.domain, problem.settings))
    whole, sliced = (
        CompiledQuestion.of(problem).search(problem.state),
        CompiledQuestion.of(problem).search(problem.state),
    )
    whole.advance()
    while sliced.status is SearchStatus.RUNNING:
        for budget in slices:
            before = sliced.expansions
            sliced.advance(budget)
            assert sliced.expansions - before <= budget
    assert (sliced.status, sliced.expansions) == (whole.status, whole.expansions)
    if whole.plan is not None:
        assert description(sliced.plan) == description(whole.plan)


def entry_by_entry(problem):
    """Search once; of each branch on the way, whether its entries could tell what it touches.

    Then its tree has to tell the same.
    """
    told = []

    def both(log, past):
        again = copy(past)
        again.values = past.values.copy()
        touched = footprint_of(log, past)
        whole = footprint(tree(reversed(log[1:]), log[0], again).node)
        assert touched is None or touched == whole
        told.append(touched is not None)
        return touched

    with patch.object(branches, "footprint_of", both):
        CompiledQuestion.of(problem).search(problem.state).advance()
    return told


@given(problems())
def test_what_the_entries_of_a_branch_touch_is_what_its_tree_touches(problem):
    assume(is_compiled(problem.domain, problem.settings))
    entry_by_entry(problem)


@pytest.mark.slow
def test_of_most_branches_the_entries_can_tell_what_they_touch():
    told = []

    @settings(max_examples=150, derandomize=True, database=None, deadline=None)
    @given(problems())
    def look(problem):
        if is_compiled(problem.domain, problem.settings):
            told.extend(entry_by_entry(problem))

    look()
    assert told.count(True) >= 100
    assert told.count(False) >= 20
