"""Remembering what was tried in vain changes nothing but the work."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bthtn import Domain, Primitive, method, parallel, pause, primitive, priority, sequence
from bthtn.plan.walk import outline
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus, Settings, request
from bthtn.testing.playground import World
from bthtn.testing.strategies import problems
from tests.occurrences import assert_occurs

SOLVED, EXHAUSTED, LIMIT = SearchStatus.SOLVED, SearchStatus.EXHAUSTED, SearchStatus.LIMIT


def with_memory(problem):
    return replace(problem, domain=replace(problem.domain, prunes_duplicates=True))


def description(plan):
    return plan and (outline(plan.tree), plan.record, plan.predicted, plan.cost)


def compared(problem):
    """Assert that both find the same, and return both."""
    plain, pruned = HtnSearch(problem), HtnSearch(with_memory(problem))
    plain.advance()
    pruned.advance()
    assert pruned.expansions <= plain.expansions
    if plain.status is not LIMIT:
        assert pruned.status is plain.status
        assert description(pruned.plan) == description(plain.plan)
    return plain, pruned


@st.composite
def tangles(draw):
    """Problems in which many ways lead to one state: small sums, tasks that call each other."""
    domain = Domain("tangle", World)

    @domain.primitive
    def add(amount: int) -> Primitive:
        return primitive(effects=World.count.increases(amount))

    @domain.primitive
    def toggle() -> Primitive:
        return primitive(effects=World.open.becomes(~World.open))

    @domain.primitive
    def reach(count: int) -> Primitive:
        return primitive(precondition=World.count == count)

    conditions = [True, True, True, World.open, World.count < 3, World.count > 1, World.seen]
    compounds = []

    def networks():
        calls = [one() for one in compounds]
        rare = [toggle(), reach(2), parallel(add(1), add(2)), pause(), priority(add(1), toggle())]
        often = [add(1), add(1), add(2), add(3), toggle(), *calls, *calls]
        among = rare if draw(st.integers(0, 9)) == 0 else often
        return draw(st.lists(st.sampled_from(among), min_size=1, max_size=2))

    def define(number):
        def task():
            for _ in range(draw(st.integers(2, 3))):
                yield method(*networks(), when=draw(st.sampled_from(conditions)))
            yield method()

        task.__name__ = f"task_{number}"
        return domain.compound(task)

    compounds += [define(number) for number in range(draw(st.integers(1, 3)))]
    several = draw(st.lists(st.sampled_from(compounds), min_size=2, max_size=4))
    goal = [*(one() for one in several), reach(draw(st.integers(0, 9)))]
    limits = Settings(
        max_expansions=3_000,
        max_depth=draw(st.sampled_from([3, 4, 6])),
        strict_recursion=draw(st.booleans()),
        horizon=draw(st.sampled_from([None] * 7 + [4])),
    )
    return request(domain, World(), sequence(*goal), limits)


@given(problems())
def test_the_same_plan_is_found_without_trying_anything_twice(problem):
    compared(problem)


@given(tangles())
def test_the_same_plan_is_found_where_many_ways_lead_to_one_state(problem):
    compared(problem)


@given(tangles())
def test_after_a_rejection_nothing_is_taken_for_known(problem):
    plain, pruned = compared(problem)
    if plain.status is SOLVED:
        for search in (plain, pruned):
            search.reject()
            search.advance()
        if plain.status is not LIMIT:  # else the one that tries less comes further
            assert description(plain.plan) == description(pruned.plan)


@pytest.mark.slow
def test_much_is_not_tried_twice():
    def kinds(problem):
        plain, pruned = compared(problem)
        if pruned.expansions < plain.expansions:
            yield "saved"
            yield from ["saved, and a plan"] * bool(pruned.plan)
            yield from ["saved, with the guard"] * problem.settings.strict_recursion
        if plain.status is LIMIT is not pruned.status:
            yield "answered sooner than the limit"

    least = {
        "saved": 12,
        "saved, and a plan": 3,
        "saved, with the guard": 3,
        "answered sooner than the limit": 2,
    }
    assert_occurs(tangles(), kinds, least, most=1_500)
