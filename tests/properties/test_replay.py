"""Every plan that a search returns can be carried out on paper by somebody who did not search."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import first_reads, leaves
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.studio.testing.strategies import problems


def check(plan, problem):
    """Assert that the plan leads to where it says."""
    seen = replay(plan, problem.state)
    assert seen.ok, f"{seen.where}: {seen.reason}"
    assert seen.final == plan.predicted
    assert seen.record == plan.record
    assert seen.footprint == plan.footprint
    assert seen.cost == plan.cost


@given(problems())
def test_every_plan_replays_to_the_state_and_the_record_it_promises(problem):
    search = HtnSearch.of(problem)
    for _ in range(4):
        if search.advance() is not SearchStatus.SOLVED:
            return
        check(search.plan, problem)
        search.reject()


@given(problems())
def test_what_a_plan_has_read_before_its_first_step_the_search_has_read_in_its_start(problem):
    search = HtnSearch.of(problem)
    if search.advance() is SearchStatus.SOLVED:
        assert search.reads.keys() >= frozenset().union(*first_reads(search.plan.tree))


@given(problems(), st.integers(1, 15))
def test_what_is_left_of_a_plan_at_the_limit_replays_too(problem, limit):
    few = replace(problem.settings, anytime=True, max_expansions=limit)
    search = HtnSearch.of(replace(problem, settings=few))
    search.advance()
    assert search.expansions <= limit
    if search.plan is not None:
        check(search.plan, problem)
        has_steps = any(True for _ in leaves(search.plan.tree))
        assert has_steps or search.status is SearchStatus.SOLVED
