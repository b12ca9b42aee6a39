"""The cheapest plan is the cheapest of all, found without looking at all."""

from dataclasses import replace

from hypothesis import assume, given

from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import outline
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.least_cost import LeastCosts
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.studio.testing.strategies import problems
from tests.reference import Reference

SOLVED, EXHAUSTED = SearchStatus.SOLVED, SearchStatus.EXHAUSTED
MOST_PLANS = 60


def cheapest(problem):
    return replace(problem, settings=replace(problem.settings, cheapest=True))


def is_small(problem):
    """Whether everything that the problem can become can be looked at, and what that takes."""
    search = HtnSearch.of(problem)
    for _ in range(MOST_PLANS):
        if search.advance() is not SOLVED:
            break
        search.reject()
    return search.status is EXHAUSTED, search.expansions


def improved(problem):
    """The finished search for the cheapest plan, and what was the cheapest on the way."""
    found = []

    def look(_=None):
        if search.plan is not None and search.plan not in found:
            found.append(search.plan)

    search = ListenedSearch(cheapest(problem), look)
    search.advance()
    look()
    return search, found


def description(plan):
    return plan and (outline(plan.tree), plan.record, plan.predicted, plan.cost)


def compared(problem):
    """Assert that nothing is cheaper, and say what was found and what that took."""
    small, everything = is_small(problem)
    assume(small)
    search, found = improved(problem)
    expected = Reference(cheapest(problem)).best()
    assert description(search.plan) == description(expected)
    assert search.status is (EXHAUSTED if expected is None else SOLVED)
    value = problem.domain.derived(LeastCosts).value
    values = [value(plan) for plan in found]
    if not problem.settings.check_rest:  # there the plans differ in what was cut off, too
        assert values == sorted(set(values), reverse=True)
    if found:
        first = HtnSearch.of(problem)
        first.advance()
        assert description(found[0]) == description(first.plan)
    assert search.expansions <= everything
    return found, everything - search.expansions


@given(problems())
def test_the_cheapest_plan_is_the_first_of_those_that_cost_least(problem):
    compared(problem)


@given(problems())
def test_no_part_of_a_plan_costs_less_than_was_thought_possible(problem):
    search = HtnSearch.of(problem)
    least = problem.domain.derived(LeastCosts)
    for _ in range(3):
        if search.advance() is not SOLVED:
            return
        assert least.of(problem.goal) <= least.value(search.plan)
        assert search.plan.cost <= least.value(search.plan)
        search.reject()


@given(problems())
def test_when_the_budget_ends_the_cheapest_so_far_is_there(problem):
    search = HtnSearch.of(cheapest(problem))
    search.advance()
    if search.plan is not None:
        seen = replay(search.plan, problem.state)
        assert seen.ok
        assert seen.cost == search.plan.cost
