"""A plan that is remembered is the plan that a search would have found, whoever asked before."""

from dataclasses import fields, replace

from hypothesis import given
from hypothesis import strategies as st

from bthtn.engine.plan.walk import children_of, outline, preorder
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.planner import Planner
from bthtn.engine.planning.protocol import Settings, request, seeded
from bthtn.engine.planning.question import exact
from bthtn.engine.world.state import FrozenState
from bthtn.studio.testing.strategies import problems, states
from tests.properties.scenes import LIMITS, authored


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
    search = HtnSearch.of(replace(problem, state=state))
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


@st.composite
def data(draw):
    """A problem without plain functions."""
    domain, goals = draw(authored())
    horizon = draw(st.sampled_from([None, None, 1, 2]))
    return request(domain, draw(states()), goals[0], Settings(horizon=horizon, **LIMITS))


def remembered():
    """Problems whose plans may be remembered, and some others: not those with checked parts."""
    others = problems().filter(lambda problem: not problem.settings.check_rest)
    return st.one_of(data(), data(), others)


@given(remembered(), questions)
def test_who_listens_hears_what_a_search_tells(problem, starts):
    planner = Planner(problem.domain, problem.goal, problem.settings)
    for number, start in enumerate(starts):
        heard, expected = [], []
        if number % 3:
            planner.search(start, heard.append).advance()
            ListenedSearch(replace(problem, state=start), expected.append).advance()
            assert heard == expected
        else:
            asked(planner, start)


@given(remembered(), questions)
def test_a_remembered_answer_is_the_answer_of_a_search(problem, starts):
    planner = Planner(problem.domain, problem.goal, problem.settings)
    for start in starts:
        assert asked(planner, start) == fresh(problem, start)


@given(remembered(), questions, st.lists(st.integers(0, 9), min_size=1))
def test_a_remembered_answer_takes_as_many_expansions_and_slices(problem, starts, budgets):
    planner = Planner(problem.domain, problem.goal, problem.settings)
    for start in starts:
        search, expected = planner.search(start), HtnSearch.of(replace(problem, state=start))
        for budget in budgets:
            assert search.advance(budget) is expected.advance(budget)
            assert search.expansions == expected.expansions
            assert (search.plan is None) is (expected.plan is None)
        assert (search.advance(), expected.advance()) == (expected.status,) * 2
        assert search.reads == expected.reads
        assert description(search) == description(expected)


@given(remembered(), questions, st.data())
def test_with_a_bound_the_answer_is_that_of_a_search_as_well(problem, starts, data):
    planner = Planner(problem.domain, problem.goal, problem.settings)
    bounds = [None]
    for start in starts:
        bound = data.draw(st.sampled_from(bounds))
        search = planner.search(start, bound=bound)
        expected = HtnSearch.of(replace(problem, state=start, bound=bound))
        assert search.advance() is expected.advance()
        assert search.expansions == expected.expansions
        assert description(search) == description(expected)
        if search.plan is not None:
            bounds.append(search.plan.record)


@given(problems().filter(lambda problem: not problem.settings.check_rest), states())
def test_from_nothing_but_what_it_has_read_a_search_comes_to_the_same(problem, start):
    search = HtnSearch.of(replace(problem, state=seeded(start, problem.settings.seed)))
    search.advance()
    again = HtnSearch.of(replace(problem, state=FrozenState(search.reads)))
    assert (again.advance(), again.expansions) == (search.status, search.expansions)
    assert again.reads == search.reads
    if search.plan is not None:
        assert outline(again.plan.tree) == outline(search.plan.tree)
        assert again.plan.record == search.plan.record


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
