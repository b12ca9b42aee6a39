"""Generated functions look for what beats a record, and find what the search finds."""

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bthtn.errors import PlanningError
from bthtn.plan.plan import Plan
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus
from tests.properties import branching, plain
from tests.properties.test_fastpath import accelerated, answers, asking, compare, description
from tests.reference import Reference
from tests.sizes import seeds

MOST_PLANS = 8


def easy(seed):
    """A random problem without branches, which often has a plan."""
    return plain.from_seed(seed, is_easy=True)


BOTH = (easy, branching.from_seed)


def records(asked):
    """The records of the first plans."""
    search, found = HtnSearch(asked), []
    while len(found) < MOST_PLANS and search.advance() is SearchStatus.SOLVED:
        found.append(search.plan.record)
        search.reject()
    return found


def bounded(asked, choose):
    """The problem with a record to be beaten: that of one of its plans, often changed a little."""
    record = [*choose(records(asked) or [()])]
    if choose((True, False, False)):
        del record[choose(range(len(record) + 1)) :]
    for _ in range(choose((0, 1, 2))):
        place = choose(range(len(record) + 1))
        record[place : place + 1] = [choose(range(4))]
    return replace(asked, bound=MethodTraversalRecord(record))


@cache
def from_seed(make, seed):
    """A random problem with a bound, every third one with exclusions, too."""
    choose = Random(seed).choice  # noqa: S311 - to be the same everywhere is its purpose
    asked = make(seed)
    return bounded(plain.excluding(asked, choose) if seed % 3 == 0 else asked, choose)


def kinds(asked):
    """How the bound is to the first plan, and what else there is in what is asked."""
    first = next(iter(records(replace(asked, bound=None))), None)
    if first is not None:
        yield "equal" if first == asked.bound else "another"
        yield from ["below the first plan"] * asked.bound.beats(first)
        yield from ["above the first plan"] * first.beats(asked.bound)
        yield "shorter" if len(asked.bound) < len(first) else "as long or longer"
    yield from ["excluding"] * bool(asked.avoiding)


@given(st.data(), st.sampled_from((plain.problem, branching.problem)), st.booleans())
def test_generated_functions_find_what_a_bounded_search_finds(data, make, excludes):
    def choose(among):
        return among[data.draw(st.integers(0, len(among) - 1))]

    asked = make(choose)
    event(str(compare(bounded(plain.excluding(asked, choose) if excludes else asked, choose))))


@pytest.mark.parametrize("make", BOTH)
def test_they_do_so_for_many_problems(make):
    seen = Counter()
    for seed in seeds(quick=300, thorough=1_500):
        asked = from_seed(make, seed)
        answered = compare(asked)
        if answered[0] in {"solved", "exhausted"}:
            seen.update([*answered, *(f"{answered[0]}, {one}" for one in kinds(asked))])
    wanted = {
        "exhausted, equal": 5,
        "exhausted, below the first plan": 2,
        "exhausted, shorter": 2,
        "exhausted, excluding": 5,
        "solved, above the first plan": 10,
        "solved, excluding": 2,
    }
    if make is branching.from_seed:
        wanted |= {"ParallelNode": 3, "PriorityNode": 3, "pause": 5, "defer": 5, "unknown": 1}
        wanted |= {"solved, below the first plan": 0}
    assert {one: seen[one] for one in wanted if seen[one] < wanted[one]} == {}


@pytest.mark.parametrize("make", BOTH)
def test_after_every_slice_they_are_where_a_bounded_search_is(make):
    seen = Counter()
    for seed in seeds(quick=100, thorough=400):
        asked = from_seed(make, seed)
        alone, fast = HtnSearch(asked), accelerated(asked, asking(asked))
        for turn in range(40):
            for search in (alone, fast):
                with suppress(PlanningError):
                    search.advance(3)
            assert (fast.status, fast.expansions) == (alone.status, alone.expansions)
            if turn == seed % 40:
                assert list(fast.reads.items()) == list(alone.reads.items())
        assert (fast.plan and description(fast.plan)) == (alone.plan and description(alone.plan))
        seen[alone.status] += 1
    assert seen[SearchStatus.SOLVED] >= 3
    assert seen[SearchStatus.EXHAUSTED] >= 3


@pytest.mark.parametrize("make", BOTH)
def test_a_bounded_search_that_goes_on_behind_its_plan_is_carried_out(make):
    for seed in seeds(quick=60, thorough=300):
        asked = from_seed(make, seed)
        expected = answers(HtnSearch(asked), [None])
        assert (
            answers(accelerated(asked, asking(asked)), [[None], [3], [50, 1]][seed % 3]) == expected
        )


@pytest.mark.parametrize("make", BOTH)
def test_the_plan_that_beats_a_record_is_that_of_the_specification(make):
    compared = 0
    for seed in seeds(quick=150, thorough=600):
        asked = from_seed(make, seed)
        ask = asking(asked)
        answer = ask and ask(asked.state, asked.settings.max_expansions)
        if isinstance(answer, Plan):
            expected = next(Reference(asked).plans())
            assert (answer.record, answer.predicted) == (expected.record, expected.predicted)
            compared += 1
    assert compared >= 5
