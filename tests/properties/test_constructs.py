"""What a construct means, said with nothing but sequences and methods."""

from collections import Counter
from dataclasses import replace
from itertools import permutations
from types import MappingProxyType

import networkx as nx
from hypothesis import assume, given
from hypothesis import strategies as st

from bthtn import (
    Domain,
    Primitive,
    Settings,
    any_order,
    first_of,
    method,
    one_of,
    optional,
    partial_order,
    repeat,
    sequence,
    with_cleanup,
)
from bthtn.engine.domain.method import Method
from bthtn.engine.domain.task import CompoundTask
from bthtn.engine.plan.nodes import SuspendedNode
from bthtn.engine.plan.replay import replay
from bthtn.engine.plan.walk import outline, preorder
from bthtn.engine.planning import trace
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import normal
from bthtn.studio.testing.playground import MEMBERS, World, conditions, effects
from bthtn.studio.testing.strategies import problems, states
from tests.reference import Reference

LIMITS = Settings(max_depth=30, max_expansions=3_000)
NAMES = "abcd"


def every_plan(domain, state, goal):
    """All plans for a goal, first to last; what only a limit brings to an end is given up."""
    found, cut = [], []

    def listen(event):
        if isinstance(event, trace.RecursionCut) and "nested deeper" in event.reason:
            cut.append(event)

    search = ListenedSearch(request(domain, state, goal, LIMITS), listen)
    while search.advance() is SearchStatus.SOLVED:
        found.append(search.plan)
        search.reject()
    assume(search.status is SearchStatus.EXHAUSTED and not cut)
    return found


def is_complete(plan):
    return not any(isinstance(node, SuspendedNode) for _, node in preorder(plan.tree))


def told(plan):
    """What a plan does, and where it leads; suspended parts have other names in each form."""
    return (*map(str, plan.steps), repr(plan.predicted))


@st.composite
def some_parts(draw, most=4):
    """A random domain, and some of its tasks, now and then two in a row."""
    problem = draw(problems())
    calls = [
        task(*(draw(st.sampled_from("ab")) for _ in task.parameters))
        for task in map(problem.domain.task, problem.domain.authored)
    ]
    block = st.lists(st.sampled_from(calls), min_size=1, max_size=2).map(lambda b: sequence(*b))
    return problem, draw(st.lists(block, min_size=2, max_size=most))


@st.composite
def simple_parts(draw):
    """Primitive tasks of which some only work behind others."""
    author = Domain("simple", World)
    calls = []
    for number in range(draw(st.integers(2, 4))):
        needs = draw(st.sampled_from([None, *range(len(conditions("a")))]))
        does = draw(st.lists(st.sampled_from(range(len(effects("a")))), max_size=2))
        task = author.primitive(
            f"act_{number}",
            precondition=None if needs is None else conditions("a")[needs],
            effects=[effects("a")[one] for one in does],
        )
        calls.append(task())
    return author, draw(states()), calls


# orders


@given(some_parts(most=3))
def test_an_order_is_found_if_there_is_one(drawn):
    problem, parts = drawn
    found = every_plan(problem.domain, problem.state, any_order(*parts))
    by_hand = [
        plan
        for order in permutations(parts)
        for plan in every_plan(problem.domain, problem.state, sequence(*order))
    ]
    assert set(map(told, found)) == set(map(told, by_hand))
    if all(map(is_complete, by_hand)):
        assert Counter(map(told, found)) == Counter(map(told, by_hand)), "each order is tried once"


@given(some_parts(most=3))
def test_with_a_cleanup_is_planned_like_a_sequence(drawn):
    problem, parts = drawn
    guarded = with_cleanup(*parts, finally_=parts[0])
    found = every_plan(problem.domain, problem.state, guarded)
    by_hand = every_plan(problem.domain, problem.state, sequence(*parts, parts[0]))
    assert list(map(told, found)) == list(map(told, by_hand))


@given(simple_parts())
def test_of_parts_without_choices_the_first_order_that_works_is_found(drawn):
    domain, state, parts = drawn
    found = every_plan(domain, state, any_order(*parts))
    orders = (every_plan(domain, state, sequence(*order)) for order in permutations(parts))
    first = next((plans[0] for plans in orders if plans), None)
    assert bool(found) is (first is not None)
    if first:
        assert told(found[0]) == told(first)


@st.composite
def partly_ordered(draw):
    problem, parts = draw(some_parts())
    named = dict(zip(NAMES, parts, strict=False))
    rank = draw(st.permutations(list(named)))
    pairs = [(a, b) for i, a in enumerate(rank) for b in rank[i + 1 :]]
    return problem, named, draw(st.lists(st.sampled_from(pairs), max_size=3))


def ordered_by_hand(problem, named, before):
    """The plans of every sequence that keeps to the constraints."""
    graph = nx.DiGraph(before)
    graph.add_nodes_from(named)
    return [
        plan
        for order in nx.all_topological_sorts(graph)
        for plan in every_plan(problem.domain, problem.state, sequence(*(named[n] for n in order)))
    ]


def ordered(problem, named, before):
    goal = partial_order(*(f"{one} < {two}" for one, two in before), **named)
    return every_plan(problem.domain, problem.state, goal)


@given(partly_ordered())
def test_a_partial_order_has_the_plans_of_all_its_sequences(drawn):
    found, by_hand = ordered(*drawn), ordered_by_hand(*drawn)
    assert set(map(told, found)) == set(map(told, by_hand))
    if all(map(is_complete, by_hand)):
        assert Counter(map(told, found)) == Counter(map(told, by_hand))


# choices and repetitions


@given(some_parts())
def test_a_choice_is_a_compound_task_without_a_name(drawn):
    problem, parts = drawn
    either = CompoundTask("either", (), lambda: iter(()))
    by_hand = replace(
        problem.domain,
        tasks=MappingProxyType({**problem.domain.tasks, "either": either}),
        methods=MappingProxyType({**problem.domain.methods, either: tuple(map(Method, parts))}),
    )
    found = every_plan(problem.domain, problem.state, first_of(*parts))
    expected = every_plan(by_hand, problem.state, either())
    assert [
        (normal(plan.tree), plan.record, plan.expansions, plan.predicted) for plan in found
    ] == [(normal(plan.tree), plan.record, plan.expansions, plan.predicted) for plan in expected]


@given(some_parts(), st.integers(-1, 3))
def test_a_repetition_is_so_many_copies(drawn, times):
    problem, (part, *_) = drawn
    copies = sequence(*[part] * times)
    by_hand = every_plan(problem.domain, problem.state, copies)
    unrolled = every_plan(problem.domain, problem.state, repeat(times, part))
    assert [outline(plan.tree) for plan in unrolled] == [outline(plan.tree) for plan in by_hand]
    counted = every_plan(problem.domain, problem.state, repeat(lambda state: times, part))
    if all(map(is_complete, by_hand)):
        assert [told(plan) for plan in counted] == [told(plan) for plan in by_hand]


@given(some_parts())
def test_what_is_optional_is_planned_with_it_first_and_then_without(drawn):
    problem, (part, behind, *_) = drawn
    found = every_plan(problem.domain, problem.state, (optional(part), behind))
    both = every_plan(problem.domain, problem.state, (part, behind))
    alone = every_plan(problem.domain, problem.state, behind)
    assert [told(plan) for plan in found] == [told(plan) for plan in (*both, *alone)]


@given(
    st.lists(st.sampled_from([*MEMBERS, "c"]), min_size=1, max_size=4),
    st.integers(0, 13),
    st.integers(0, 16),
    st.sampled_from([None, lambda who: World.at[who], lambda who: World.place != who]),
    states(),
)
def test_a_variable_is_a_choice_among_its_values(values, needs, does, when, state):
    author = Domain("both", World)

    @author.primitive
    def act(who: str) -> Primitive:
        return Primitive(precondition=conditions(who)[needs], effects=effects(who)[does])

    @author.compound
    def varied():
        one = one_of(values)
        yield method(act(one), optional(act("a")), when=True if when is None else when(one))

    @author.compound
    def act_if(who: str):
        yield method(act(who), optional(act("a")), when=True if when is None else when(who))

    @author.compound
    def chosen():
        yield method(first_of(*map(act_if, values)))

    found = every_plan(author, state, varied())
    by_hand = every_plan(author, state, chosen())
    if all(map(is_complete, by_hand)):
        assert [normal(plan.tree) for plan in found] == [normal(plan.tree) for plan in by_hand]
        assert [tuple(plan.record) for plan in found] == [
            (*plan.record[:2], *plan.record[3:]) for plan in by_hand
        ]


# the problems here are worth solving


@given(some_parts(most=3))
def test_the_search_and_the_reference_plan_the_same_with_a_cleanup(drawn):
    problem, parts = drawn
    guarded = (with_cleanup(*parts, finally_=parts[0]), parts[-1])
    asked = request(problem.domain, problem.state, guarded, LIMITS)
    first = HtnSearch.of(asked)
    first.advance()
    if first.status is SearchStatus.LIMIT:
        return
    reference = Reference(asked).best()
    plans = [first.plan, reference]
    if first.plan is None:
        assert plans == [None, None]
        return
    assert len({(outline(one.tree), one.record, repr(one.predicted)) for one in plans}) == 1
    assert replay(first.plan, problem.state).ok
