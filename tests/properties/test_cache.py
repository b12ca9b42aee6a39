"""A cached answer is the answer that a search would have found, whoever asked before."""

from dataclasses import fields, replace

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bthtn.plan.walk import children_of, outline, preorder
from bthtn.planning.cache import PlanCache, exact
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.planner import Planner
from bthtn.planning.protocol import SearchStatus, seeded
from bthtn.testing.playground import World
from bthtn.testing.strategies import problems, states
from bthtn.world.state import FrozenState
from tests.occurrences import assert_occurs

VARIABLES = [*World.__schema__.fluents.values(), World.at["a"], World.at["b"]]
ANSWERED = (SearchStatus.SOLVED, SearchStatus.EXHAUSTED)


def details(node):
    """Everything that a node holds, without the nodes below it."""
    hold = {field.name: getattr(node, field.name) for field in fields(node)}
    hold.pop("children", None)
    hold.pop("child", None)
    shown = repr([hold.get(name) for name in ("args", "binding", "duration", "cost")])
    return (type(node), len(children_of(node)), shown, hold)


def description(search):
    """Everything that the end of a search says, in a form that tells 1 from True and from 1.0."""
    plan = search.plan
    if plan is None:
        return (search.status,)
    return (
        search.status,
        [details(node) for _, node in preorder(plan.tree)],
        outline(plan.tree),
        plan.record,
        plan.predicted,
        repr(plan.predicted),
        plan.footprint,
        plan.cost,
        plan.expansions,
        plan.goal,
        plan.binding,
    )


def fresh(problem, state):
    """The answer of a search that knows nothing of others."""
    search = HtnSearch(replace(problem, state=state))
    search.advance()
    return description(search)


def asked(planner, state):
    """The answer of a planner."""
    search = planner.search(state)
    search.advance()
    return description(search)


questions = st.lists(states(), min_size=2, max_size=5).flatmap(
    lambda starts: st.lists(st.sampled_from(starts), min_size=2, max_size=12)
)


def kept_problems():
    """Problems whose answers are kept: not those with checked parts."""
    return problems().filter(lambda problem: not problem.settings.check_rest)


@given(kept_problems(), questions)
def test_who_listens_hears_what_a_search_tells(problem, starts):
    cache = PlanCache()
    planner = Planner(problem.domain, problem.goal, problem.settings, cache=cache)
    for number, start in enumerate(starts):
        heard, expected = [], []
        if number % 3:
            planner.search(start, heard.append).advance()
            HtnSearch(replace(problem, state=start), expected.append).advance()
            assert heard == expected
        else:
            asked(planner, start)


@given(kept_problems(), questions, st.sampled_from([1, 2, 3, 100]))
def test_a_cached_answer_is_the_answer_of_a_search(problem, starts, entries):
    cache = PlanCache(entries)
    planner = Planner(problem.domain, problem.goal, problem.settings, cache=cache)
    for start in starts:
        assert asked(planner, start) == fresh(problem, start)
    known = cache.statistics
    assert known.entries <= entries
    assert known.hits + known.misses == len(starts)
    event(f"hits: {known.hits > 0}, forgotten: {known.misses > len(set(starts))}")


@given(kept_problems(), states(), st.data())
def test_what_was_not_read_does_not_change_the_answer_and_does_not_split_the_tree(
    problem, start, data
):
    search = HtnSearch(replace(problem, state=seeded(start, problem.settings.seed)))
    if search.advance() not in ANSWERED:
        return
    other = data.draw(states())
    unread = {one: other.get(one) for one in VARIABLES if one not in search.reads}
    changed = start.changed(unread)
    cache = PlanCache()
    planner = Planner(problem.domain, problem.goal, problem.settings, cache=cache)
    assert asked(planner, start) == fresh(problem, start)
    assert asked(planner, changed) == fresh(problem, changed)
    assert cache.statistics.hits == 1
    event(f"unread and changed: {changed != start}")


@given(kept_problems(), states())
def test_from_nothing_but_what_it_has_read_a_search_comes_to_the_same(problem, start):
    search = HtnSearch(replace(problem, state=seeded(start, problem.settings.seed)))
    search.advance()
    again = HtnSearch(replace(problem, state=FrozenState(search.reads)))
    assert (again.advance(), again.expansions) == (search.status, search.expansions)
    assert again.reads == search.reads
    if search.plan is not None:
        assert outline(again.plan.tree) == outline(search.plan.tree)
        assert again.plan.record == search.plan.record


@given(kept_problems(), states(), st.integers(1, 5))
def test_a_search_that_was_sliced_is_remembered_as_well(problem, start, budget):
    cache = PlanCache()
    planner = Planner(problem.domain, problem.goal, problem.settings, cache=cache)
    search = planner.search(start)
    while search.advance(budget) is SearchStatus.RUNNING:
        assert cache.statistics.entries == 0
    assert cache.statistics.entries == (search.status in ANSWERED)
    assert asked(planner, start) == fresh(problem, start)


values = st.recursive(
    st.sampled_from([0, 1, False, True, 0.0, -0.0, 1.0, "", "a", None, float("nan")]),
    lambda inner: st.one_of(st.tuples(inner, inner), st.frozensets(inner, max_size=2)),
    max_leaves=4,
)


def alike(one, other):
    """Whether nothing but its identity tells one value from the other."""
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return all(map(alike, one, other))
    if isinstance(one, frozenset):
        return all(any(alike(member, twin) for twin in other) for member in one)
    return one is other or (one == other and repr(one) == repr(other))


@given(values, values)
def test_two_values_have_one_key_when_nothing_tells_them_apart(one, other):
    assert (exact(one) == exact(other)) is (alike(one, other) and alike(other, one))


@pytest.mark.slow
def test_the_problems_are_not_vacuous():
    """There are problems whose answer a different start state gets from the cache, unsearched."""

    def kinds(drawn):
        problem, one, other = drawn
        cache = PlanCache()
        planner = Planner(problem.domain, problem.goal, problem.settings, cache=cache)
        search = planner.search(one)
        if one == other or search.advance() is not SearchStatus.SOLVED:
            return
        asked(planner, other)
        yield from ["shared"] * (cache.statistics.hits == 1 and len(search.plan.steps) > 1)

    drawn = st.tuples(kept_problems(), states(), states())
    assert_occurs(drawn, kinds, {"shared": 1}, most=500)
