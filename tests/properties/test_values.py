"""With values, the plan is the first of those with the least sum, found without looking at all."""

from dataclasses import replace
from types import MappingProxyType

from hypothesis import assume, given
from hypothesis import strategies as st

from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import outline
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.engine.world.expression import Constant
from bthtn.studio.testing.strategies import problems
from tests.reference import Reference

MOST_PLANS = 60


@st.composite
def problems_with_values(draw):
    """Random problems whose methods have random values, and the same ones without."""
    plain = draw(problems())
    number = st.sampled_from((0, 0, 1, 2, 5))
    methods = {
        task: tuple(replace(one, value=Constant(draw(number))) for one in several)
        for task, several in plain.domain.methods.items()
    }
    valued = replace(plain.domain, methods=MappingProxyType(methods))
    return replace(plain, domain=valued), plain


def is_small(problem):
    search = HtnSearch.of(problem)
    for _ in range(MOST_PLANS):
        if search.advance() is not SearchStatus.SOLVED:
            break
        search.reject()
    return search.status is SearchStatus.EXHAUSTED


def description(plan):
    return plan and (outline(plan.tree), plan.record, plan.predicted, plan.value)


def compared(pair):
    """Assert that nothing has a smaller sum; the plan, and the first one without values."""
    problem, plain = pair
    assume(is_small(plain))
    search, first = HtnSearch.of(problem), HtnSearch.of(plain)
    search.advance()
    first.advance()
    assert description(search.plan) == description(Reference(problem).best())
    assert search.plan is None or replay(search.plan, problem.state).ok
    return search.plan, first.plan


@given(problems_with_values())
def test_the_plan_is_the_first_of_those_with_the_least_sum_of_values(pair):
    compared(pair)
