"""Where all is plain data the search finds what the reference finds."""

from collections import Counter
from dataclasses import replace
from random import Random

from hypothesis import event, given
from hypothesis import strategies as st

from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.errors import PlanningError
from tests.properties.plain import excluding, from_seed, problem
from tests.properties.test_search_and_reference import agree
from tests.sizes import seeds, size


def compared(asked):
    """Hold a search within its limit against the reference, which knows none, nor of depth."""
    asked = replace(asked, settings=replace(asked.settings, max_depth=100_000))
    search = HtnSearch.of(asked)
    try:
        search.advance()
        if search.status is SearchStatus.LIMIT:
            return "limit"
        return agree(asked)
    except PlanningError:
        return "a cost below zero"


@given(st.data())
def test_a_search_finds_what_the_reference_finds(data):
    def choose(among):
        return among[data.draw(st.integers(0, len(among) - 1))]

    event(compared(problem(choose)))


def test_so_it_does_for_many_problems_with_and_without_exclusions():
    seen = Counter()
    for seed in seeds(quick=60, thorough=1_500):
        choose = Random(seed).choice  # noqa: S311 - to be the same everywhere is its purpose
        asked = from_seed(seed, is_easy=choose((True, False)))
        seen[compared(asked)] += 1
        seen[compared(excluding(asked, choose))] += 1
    assert seen["limit"] < sum(seen.values()) / 2
    assert len(seen) >= size(quick=3, thorough=6)
