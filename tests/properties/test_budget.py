"""However its budget is sliced, a search does the same."""

from itertools import cycle

from hypothesis import given
from hypothesis import strategies as st

from bthtn.engine.plan.walk import outline
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus
from bthtn.studio.testing.strategies import problems


def story(problem, slices):
    """What happened in the search, and how it ended, when it is advanced so many at a time."""
    events = []
    search = ListenedSearch(problem, events.append)
    for budget in slices:
        before = search.expansions
        search.advance(budget)
        assert search.expansions - before <= (search.expansions if budget is None else budget)
        if search.status is not SearchStatus.RUNNING:
            break
    plan = search.plan and (outline(search.plan.tree), search.plan.record, search.plan.predicted)
    return events, search.status, search.expansions, plan


@given(problems(), st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_slicing_the_budget_changes_nothing(problem, slices):
    assert story(problem, cycle(slices)) == story(problem, [None])


@given(problems(), st.integers(0, 20))
def test_a_search_never_uses_more_than_it_is_given(problem, budget):
    search = HtnSearch.of(problem)
    status = search.advance(budget)
    assert search.expansions <= budget
    assert search.expansions == budget or status is not SearchStatus.RUNNING


@given(problems())
def test_nobody_has_to_listen(problem):
    deaf, heard = HtnSearch.of(problem), ListenedSearch(problem, lambda event: None)
    assert deaf.advance() is heard.advance()
    assert deaf.expansions == heard.expansions
    assert bool(deaf.plan) is bool(heard.plan)
    if deaf.plan:
        assert outline(deaf.plan.tree) == outline(heard.plan.tree)


@given(problems())
def test_two_searches_that_take_turns_do_not_disturb_each_other(problem):
    one, other = HtnSearch.of(problem), HtnSearch.of(problem)
    while SearchStatus.RUNNING in (one.status, other.status):
        one.advance(1)
        other.advance(2)
    assert one.status is other.status
    assert one.expansions == other.expansions
    if one.plan:
        assert outline(one.plan.tree) == outline(other.plan.tree)
