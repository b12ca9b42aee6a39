"""Looking only for what beats a record finds what planning and comparing finds, and sooner."""

from dataclasses import replace
from itertools import combinations

from hypothesis import given, note
from hypothesis import strategies as st

from bthtn.engine.plan.nodes import NullNode, SuspendedNode
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import outline, preorder, record_entries
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.studio.testing.strategies import problems
from tests.reference import Reference

SOLVED, EXHAUSTED, LIMIT = SearchStatus.SOLVED, SearchStatus.EXHAUSTED, SearchStatus.LIMIT
MOST_PLANS = 12


def records(problem):
    """The records of the first plans."""
    search, found = HtnSearch.of(problem), []
    while len(found) < MOST_PLANS and search.advance() is SOLVED:
        found.append(search.plan.record)
        search.reject()
    return found


@st.composite
def bounded_problems(draw):
    """A problem, and a record to be beaten: that of one of its plans, often changed a little."""
    problem = draw(problems())
    # With check_rest the record of the whole plan counts; the plan has that of its first part.
    problem = replace(problem, settings=replace(problem.settings, check_rest=False))
    record = list(draw(st.sampled_from(records(problem) or [()])))
    if draw(st.booleans()):
        del record[draw(st.integers(0, len(record))) :]
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, len(record)))
        record[place : place + 1] = [draw(st.integers(0, 3))]
    note(f"bound {record}")
    return replace(problem, bound=MethodTraversalRecord(record))


def planned_and_compared(problem):
    """Plan without the bound until a plan beats it: that plan, the end, and what it took."""
    search = HtnSearch.of(replace(problem, bound=None))
    while search.advance() is SOLVED:
        entries = record_entries(search.plan.tree, open_branches=False)
        if MethodTraversalRecord(entries).beats(problem.bound):
            break
        search.reject()
    return search


def compared(problem):
    """Assert that both agree, and return them."""
    slow, fast = planned_and_compared(problem), HtnSearch.of(problem)
    fast.advance()
    assert fast.expansions <= slow.expansions
    if slow.status is not LIMIT:
        assert fast.status is slow.status
        assert bool(fast.plan) is bool(slow.plan)
    if slow.plan:
        assert fast.plan.record == slow.plan.record
        assert outline(fast.plan.tree) == outline(slow.plan.tree)
    return slow, fast


@given(bounded_problems())
def test_a_bounded_search_finds_the_first_plan_that_beats_the_bound(problem):
    compared(problem)


@given(bounded_problems())
def test_the_reference_knows_bounds_too(problem):
    slow = planned_and_compared(problem)
    if slow.status is SOLVED:
        assert next(Reference(problem).plans()).record == slow.plan.record


def suspended(plan):
    """Whether a part of the plan is left open; a pause leaves a null node with a cause."""
    return any(isinstance(node, SuspendedNode | NullNode) for _, node in preorder(plan.tree))


@given(problems())
def test_plans_without_open_parts_are_found_in_the_order_of_their_records(problem):
    search, complete = HtnSearch.of(problem), []
    for _ in range(MOST_PLANS):
        if search.advance() is not SOLVED:
            break
        complete += [] if suspended(search.plan) else [search.plan.record]
        search.reject()
    assert all(one.beats(other) for one, other in combinations(complete, 2))
