"""Whatever order, choice or abort run time comes up with, a plan keeps what it promises."""

from dataclasses import replace

from hypothesis import given, note, settings
from hypothesis import strategies as st

from bthtn import UNKNOWN, parallel, sequence
from bthtn.engine.domain.network import network_text
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, Settings
from bthtn.studio.testing.strategies import problems
from tests.properties.interleavings import (
    carried_out,
    interleavings,
    is_complete,
    is_fixed,
)


@st.composite
def side_by_side(draw, policies=("all",)):
    """A random domain, and for a goal some of its tasks side by side."""
    problem = draw(problems())
    calls = [
        task(*(draw(st.sampled_from("ab")) for _ in task.parameters))
        for task in map(problem.domain.task, problem.domain.authored)
    ]
    branch = st.lists(st.sampled_from(calls), min_size=1, max_size=2).map(lambda b: sequence(*b))
    branches = draw(st.lists(branch, min_size=2, max_size=3))
    goal = parallel(*branches, policy=draw(st.sampled_from(policies)))
    note(f"Side by side: {network_text(goal)}")
    return replace(problem, goal=goal, settings=Settings(max_depth=6, max_expansions=2_000))


until_one_is_done = side_by_side(("any", "primary"))


def first_plans(problem, suits):
    """Those of the first few plans of a problem whose tree suits."""
    search = HtnSearch.of(problem)
    for _ in range(4):
        if search.advance() is not SearchStatus.SOLVED:
            return
        if suits(search.plan.tree):
            yield search.plan
        search.reject()


@settings(max_examples=3 * settings().max_examples)  # one in four admits its branches
@given(side_by_side(), st.randoms(use_true_random=False))
def test_admitted_branches_may_take_turns_in_any_order(problem, random):
    for plan in first_plans(problem, is_fixed):
        for order in interleavings(plan.tree, random):
            assert carried_out(problem, order) == plan.predicted, order


@settings(max_examples=3 * settings().max_examples)
@given(st.one_of(problems(), side_by_side(), until_one_is_done), st.randoms(use_true_random=False))
def test_whatever_is_chosen_or_aborted_what_is_predicted_comes_true(problem, random):
    for plan in first_plans(problem, is_complete):
        for order in interleavings(plan.tree, random):
            final = carried_out(problem, order)
            touched = plan.footprint.writes if final is not None else ()
            for fluent in touched:
                predicted = plan.predicted.get(fluent)
                assert predicted in (UNKNOWN, final.get(fluent)), (fluent, order)
