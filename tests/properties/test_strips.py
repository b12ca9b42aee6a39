"""Goal-directed search against replay, and against a search that tries everything."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from bthtn.engine.plan.nodes import SuspendedNode
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.engine.planning.strips.strips_search import StripsSearch
from bthtn.engine.text.notation import normal
from tests.engine.planning.exhaustive import cheapest
from tests.engine.planning.goals import problem, pursuit_of
from tests.reference import Reference
from tests.sizes import seeds, size

PROBLEMS = seeds(quick=100, thorough=2_000)
FEWER = range(size(quick=80, thorough=400))
HOW = {
    "hff": {},
    "unmet": {"heuristic": "unmet"},
    "optimal": {"optimal": True},
    "zero": {"heuristic": "zero"},
    "forward": {"forward": True},
    "forward, optimal": {"forward": True, "optimal": True},
}


def searched(asked):
    search = StripsSearch(asked)
    status = search.advance()
    assert status in (SearchStatus.SOLVED, SearchStatus.EXHAUSTED)
    return search.plan


@cache
def cheapest_of(seed, *, unknown=False):
    """The cheapest plan for a problem, however it is searched for."""
    asked = problem(seed, unknown=unknown)
    return cheapest(pursuit_of(asked), asked.state)


def check(plan, asked):
    """Assert that the plan leads to its goal by actions that are possible."""
    seen = replay(plan, asked.state)
    assert seen.ok, f"{seen.where}: {seen.reason}"
    assert seen.final == plan.predicted
    assert seen.record == plan.record
    assert seen.footprint == plan.footprint
    assert seen.cost == plan.cost
    assert pursuit_of(asked).holds(plan.predicted, ()) is True


def test_a_plan_is_found_where_there_is_one_and_can_be_carried_out():
    count = Counter()
    for seed in PROBLEMS:
        asked = problem(seed)
        plan, known = searched(asked), cheapest_of(seed)
        assert (plan is None) == (known is None), seed
        if plan is not None:
            check(plan, asked)
        count["none" if plan is None else min(len(plan.steps), 4)] += 1
    assert min(count.values()) >= 1, count


@pytest.mark.parametrize("how", ["optimal", "zero", "forward, optimal"])
def test_an_admissible_search_finds_the_cheapest_plan(how):
    dearer = 0
    for seed in FEWER:
        asked = problem(seed, **HOW[how])
        plan, known = searched(asked), cheapest_of(seed)
        assert (plan is None) == (known is None), seed
        if plan is not None and known is not None:
            check(plan, asked)
            assert plan.cost == known[0], seed
            dearer += known[0] != len(plan.steps)
    assert dearer, "costs other than one step, one unit make a difference"


@pytest.mark.parametrize("how", ["unmet", "forward"])
def test_every_other_search_finds_some_plan_too(how):
    for seed in FEWER:
        asked = problem(seed, **HOW[how])
        plan, known = searched(asked), cheapest_of(seed)
        assert (plan is None) == (known is None), seed
        if plan is not None:
            check(plan, asked)


@pytest.mark.parametrize("most", [0, 1, 5])
def test_a_search_that_turns_round_finds_some_plan_too(most, monkeypatch):
    monkeypatch.setattr("bthtn.engine.planning.strips.both_ways.MOST_BACK", most)
    for seed in FEWER:
        asked = problem(seed)
        plan, known = searched(asked), cheapest_of(seed)
        assert (plan is None) == (known is None), seed
        if plan is not None:
            check(plan, asked)


@pytest.mark.parametrize("how", HOW)
def test_decomposing_a_goal_finds_what_the_search_for_it_finds(how):
    for seed in seeds(quick=25, thorough=150):
        asked = problem(seed, unknown=seed % 2 == 0, **HOW[how])
        alone, inside = searched(asked), HtnSearch.of(asked)
        inside.advance()
        first = next(Reference(asked).plans(), None)
        assert (alone is None) == (inside.plan is None) == (first is None), seed
        if alone is not None:
            assert normal(alone.tree) == normal(inside.plan.tree) == normal(first.tree)
            assert alone.record == inside.plan.record == first.record
            assert alone.footprint == inside.plan.footprint == first.footprint
            assert alone.predicted == inside.plan.predicted == first.predicted


def test_however_the_budget_is_sliced_the_search_does_the_same():
    longest = 0
    for seed in FEWER:
        asked = problem(seed, heuristic="unmet")
        told: list = []
        whole = StripsSearch(asked, told.append)
        whole.advance()
        for slice_ in (1, 3):
            again: list = []
            search = StripsSearch(asked, again.append)
            while search.advance(slice_) is SearchStatus.RUNNING:
                pass
            assert (search.status, search.expansions) == (whole.status, whole.expansions)
            assert again == told
        longest = max(longest, whole.expansions)
    assert longest >= 15


@pytest.mark.parametrize("how", ["hff", "optimal", "forward"])
def test_what_is_unknown_is_waited_for_only_where_nothing_else_will_do(how):
    count = Counter()
    for seed in FEWER:
        asked = problem(seed, unknown=True, **HOW[how])
        plan, known = searched(asked), cheapest_of(seed, unknown=True)
        if known is not None:
            assert plan is not None, seed
            check(plan, asked)
            count["plan"] += asked.state.has_unknown
        elif plan is None:
            count["none"] += asked.state.has_unknown
        else:
            assert isinstance(plan.tree, SuspendedNode), seed
            assert plan.tree.cause.fluent in ("a", "c")
            count["suspended"] += 1
    assert min(count.values()) >= 5, count
    assert len(count) == 3, count


def test_where_something_is_waited_for_its_value_can_make_a_difference():
    worth = waited = 0
    for seed in FEWER:
        asked = problem(seed, unknown=True)
        plan = searched(asked)
        if plan is not None and isinstance(plan.tree, SuspendedNode):
            worlds = [asked.state]
            for fluent in (asked.domain.schema.fluents[name] for name in ("a", "c")):
                worlds = [
                    world.changed({fluent: value} if not _known(world, fluent) else {})
                    for world in worlds
                    for value in (False, True)
                ]
            waited += 1
            pursuit = pursuit_of(asked)
            worth += any(cheapest(pursuit, world) is not None for world in worlds)
    assert waited >= 5
    assert worth >= waited / 2


def _known(world, fluent):
    return isinstance(world.get(fluent), bool)


def test_a_search_at_its_limit_has_no_plan():
    asked = problem(next(s for s in FEWER if StripsSearch(problem(s)).advance(2).name == "RUNNING"))
    few = replace(asked, settings=replace(asked.settings, max_expansions=2))
    search = StripsSearch(few)
    assert search.advance() is SearchStatus.LIMIT
    assert search.plan is None
    assert search.expansions == 2
