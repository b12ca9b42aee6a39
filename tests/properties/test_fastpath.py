"""Where all is plain data generated functions search, and find what the search finds."""

from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import cycle, product
from random import Random
from types import MappingProxyType

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bthtn import Settings
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import PlainBody
from bthtn.domain.network import (
    NULL,
    DeferNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
    network_text,
)
from bthtn.errors import BthtnError, PlanningError
from bthtn.plan.nodes import PriorityNode, ScopeNode, TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.walk import outline, preorder
from bthtn.planning.htn.fastpath import accelerator
from bthtn.planning.htn.fastpath.accelerated import AcceleratedSearch
from bthtn.planning.htn.fastpath.excess import EXACT
from bthtn.planning.htn.fastpath.items import SearchKind
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus
from bthtn.testing.playground import World
from bthtn.testing.strategies import problems
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN
from tests.occurrences import assert_occurs
from tests.properties import branching
from tests.properties.plain import excluding, from_seed, problem, source_of
from tests.reference import Reference
from tests.sizes import seeds, size


def description(plan):
    """Everything that a plan says, in a form that can be compared."""
    actions = plan.actions  # before there is a tree
    nodes = [node for _, node in preorder(plan.tree)]
    assert actions == tuple((step.task, step.args) for step in plan.steps)
    return {
        "actions": actions,
        "tree": outline(plan.tree),
        "record": plan.record,
        "predicted": plan.predicted,
        "footprints": [node.footprint for node in nodes if hasattr(node, "footprint")],
        "dropped": [node.dropped for node in nodes if isinstance(node, PriorityNode)],
        "suspended": [
            (node.rest, node.binding, node.cause, node.ensures, node.reads)
            for node in nodes
            if hasattr(node, "rest")
        ],
        "numbers": [(node.duration, node.cost) for node in nodes if isinstance(node, TaskNode)],
        "scopes": [
            (node.name, node.cost, node.value, node.body and network_text(node.body))
            for node in nodes
            if isinstance(node, ScopeNode)
        ],
        "expansions": plan.expansions,
        "question": (plan.domain, plan.goal, plan.binding),
    }


def calls(plan):
    """The calls with arguments that the parts of a plan are planned for; the reference has none."""
    nodes = [node for _, node in preorder(plan.tree) if isinstance(node, ScopeNode | TaskNode)]
    return [(node.call.text(), node.binding) for node in nodes if node.call and node.call.args]


def searched(asked):
    search = HtnSearch(asked)
    with suppress(BthtnError):
        search.advance()
    return search


def improves(asked, plan):
    """Whether the search for the best plan found another one before."""
    search = HtnSearch(asked)
    while search.plan is None:
        search.advance(1)
    return search.plan.expansions < plan.expansions


def asking(asked):
    """The accelerator for what is asked, None if there is none."""
    question = (asked.domain, asked.goal, asked.binding, asked.settings)
    kind = SearchKind(bool(asked.avoiding), asked.bound is not None)
    ask = accelerator(*question, kind, shares=True)
    return ask and partial(ask, avoiding=asked.avoiding, bound=asked.bound)


def compare_from(state, asked, ask, most):
    """Hold another plan for the same goal against the search: parts of its tree are known."""
    answer = ask(state, most)
    if isinstance(answer, Plan):
        found = searched(replace(asked, state=state)).plan
        assert description(answer) == description(found)
        assert calls(answer) == calls(found)


def compare(asked):
    """Hold the generated functions against the search; what it was like."""
    search = searched(asked)
    settings, expansions = asked.settings, search.expansions
    ask = asking(asked)
    if ask is None:
        return ["not plain"]
    most = min(settings.max_expansions, settings.max_depth)
    answer = ask(asked.state, most)
    if search.status is SearchStatus.ERROR:
        assert answer is None
        return ["a cost below zero"]
    if answer is None:
        over = search.status is SearchStatus.LIMIT or expansions >= most
        return ["over the limit" if over else "given up"]
    if isinstance(answer, Plan):
        assert search.status is SearchStatus.SOLVED
        assert description(answer) == description(search.plan)
        assert calls(answer) == calls(search.plan)
        for state in (answer.predicted, asked.state) * 2:  # the second time, trees are shared
            compare_from(state, asked, ask, most)
    else:
        assert (search.status, expansions) == (SearchStatus.EXHAUSTED, answer)
    # Where nothing is left at the limit itself, the search has to say whether there was more to do.
    sums = settings.cheapest or asked.domain.has_values
    least = expansions if isinstance(answer, Plan) and not sums else expansions + 1
    assert ask(asked.state, least) is not None
    assert ask(asked.state, least - 1) is None
    tree = answer.tree if isinstance(answer, Plan) else None
    kinds = {type(node).__name__ for _, node in (preorder(tree) if tree else ())}
    return [
        search.status.value,
        *(["sensing"] if asked.domain.schema.has_volatile else []),
        *(["asked without knowing"] if asked.state.has_unknown else []),
        *sorted(kinds & {"ParallelNode", "PriorityNode"}),
        *(["improved"] if sums and search.plan and improves(asked, search.plan) else []),
        *sorted({one.cause.kind.value for one in (answer.suspended if tree else ())}),
        *(["back"] if expansions > 2 * len(search.plan.record if search.plan else ()) + 10 else []),
    ]


def written(asked):
    """What the source of the generated functions is like."""
    text = source_of(asked)
    marks = {"guarded": "repeats(", "members": "T.append(", "computed": f" % {EXACT}"}
    return [kind for kind, mark in marks.items() if mark in text]


@given(st.data())
def test_generated_functions_find_what_the_search_finds(data):
    def choose(among):
        return among[data.draw(st.integers(0, len(among) - 1))]

    event(str(compare(problem(choose))))


SUMS = (None, "cost", "value")
COMPUTED = 10


@given(st.data(), st.sampled_from(SUMS), st.booleans())
def test_they_find_the_best_plan_and_plans_without_what_is_excluded(data, sums, excludes):
    def choose(among):
        return among[data.draw(st.integers(0, len(among) - 1))]

    asked = problem(choose, sums, is_easy=True)
    event(str(compare(excluding(asked, choose) if excludes else asked)))


@pytest.mark.parametrize("sums", SUMS)
@pytest.mark.parametrize("excludes", [False, True])
def test_they_do_so_for_many_problems(sums, excludes):
    seen = Counter()
    for seed in seeds(quick=100, thorough=400):
        asked = from_seed(seed, sums, is_easy=True)
        if excludes:
            asked = excluding(asked, Random(seed).choice)  # noqa: S311 - to be the same everywhere
        answered = compare(asked)
        seen.update([*answered, *(["excluding"] if asked.avoiding else [])])
        if sums and seen["computed"] < COMPUTED and answered[0] in {"solved", "exhausted"}:
            seen.update(written(asked))
        if sums == "cost":  # of which the first plan tells, too
            compare(replace(asked, settings=replace(asked.settings, cheapest=False)))
    assert seen["solved"] >= (2 if excludes else 10)
    assert seen["excluding"] >= (20 if excludes else 0)
    assert seen["improved"] >= (3 if sums and not excludes else 0)
    assert seen["computed"] >= (COMPUTED if sums else 0)


def accelerated(asked, ask):
    """The search with this accelerator, if there is one."""
    if ask is None:
        return HtnSearch(asked)
    most = min(asked.settings.max_expansions, asked.settings.max_depth)
    least = asked.settings.cheapest or asked.domain.has_values
    return AcceleratedSearch(ask, asked.state, most, lambda _: asked, least)


def answers(search, budgets, most=5):
    """The first plans of a search that is advanced by so much at a time, and all that it tells."""
    found = []
    while len(found) < most:
        for budget in cycle(budgets):
            before = search.expansions
            if search.advance(budget) is not SearchStatus.RUNNING:
                break
            assert budget is None or search.expansions - before <= budget
        found.append(
            (
                search.status,
                search.expansions,
                search.plan and description(search.plan),
                list(search.reads.items()) if most > 1 else None,
            )
        )
        if search.status is not SearchStatus.SOLVED:
            break
        search.reject()
    return found


@given(st.data(), st.lists(st.integers(1, 30), max_size=3))
def test_a_search_with_an_accelerator_answers_as_one_without(data, budgets):
    def choose(among):
        return among[data.draw(st.integers(0, len(among) - 1))]

    asked = problem(choose)
    ask = accelerator(asked.domain, asked.goal, asked.binding, asked.settings)
    expected = answers(HtnSearch(asked), [None])
    assert answers(accelerated(asked, ask), budgets or [None]) == expected
    assert answers(accelerated(asked, ask), budgets or [None], 1) == [(*expected[0][:3], None)]


@pytest.mark.parametrize("sums", SUMS)
@pytest.mark.parametrize("excludes", [False, True])
def test_after_every_slice_a_search_with_an_accelerator_is_where_one_without_is(sums, excludes):
    for seed in seeds(quick=30, thorough=100):
        asked = from_seed(seed, sums, is_easy=bool(sums))
        if excludes:
            asked = excluding(asked, Random(seed).choice)  # noqa: S311 - to be the same everywhere
        alone, fast = HtnSearch(asked), accelerated(asked, asking(asked))
        slices = (0, 3, 1, 3, 0, 3)[seed % 3 :]  # none is what may be left of a budget
        for turn, expansions in zip(range(40), cycle(slices), strict=False):
            for search in (alone, fast):
                with suppress(PlanningError):
                    search.advance(expansions)
            assert fast.status is alone.status
            assert fast.expansions == alone.expansions
            if turn == seed % 38 + 2:
                assert fast.plan == alone.plan or description(fast.plan) == description(alone.plan)
                assert list(fast.reads.items()) == list(alone.reads.items())
        assert (fast.plan and description(fast.plan)) == (alone.plan and description(alone.plan))


def test_searches_with_and_without_an_accelerator_agree_on_many_problems():
    for seed in seeds(quick=150, thorough=450):
        asked = [from_seed, branching.from_seed][seed % 2](seed)
        ask = accelerator(asked.domain, asked.goal, asked.binding, asked.settings)
        budgets = [[None], [3], [50, 1]][seed % 3]
        expected = answers(HtnSearch(asked), [None])
        assert answers(accelerated(asked, ask), budgets) == expected


def test_at_the_limits_of_expansions_and_depth_they_agree_whether_the_search_is_over():
    for seed in seeds(quick=40, thorough=300):
        problem = [from_seed, branching.from_seed][seed % 2](seed)
        search = HtnSearch(problem)
        search.advance()
        for depth, most in product((0, 1, 2, 1_000), (-1, 0, 1)):
            limits = {"max_depth": max(1, search.expansions + depth)}
            limits |= {"max_expansions": max(1, search.expansions + most)}
            asked = replace(problem, settings=replace(problem.settings, **limits))
            ask = accelerator(asked.domain, asked.goal, asked.binding, asked.settings)
            expected = answers(HtnSearch(asked), [None])
            assert answers(accelerated(asked, ask), [None]) == expected
            assert answers(accelerated(asked, ask), [3]) == expected


@given(st.data())
def test_generated_functions_find_what_the_search_finds_of_branches_and_sensors(data):
    def choose(among):
        return among[data.draw(st.integers(0, len(among) - 1))]

    event(str(compare(branching.problem(choose))))


def test_generated_functions_and_the_search_agree_on_many_problems_with_branches():
    seen = Counter()
    for seed in seeds(quick=200, thorough=1_000):
        seen.update(compare(branching.from_seed(seed)))
    assert seen["ParallelNode"] >= 5
    assert seen["PriorityNode"] >= 5
    assert seen["asked without knowing"] >= 10
    assert seen["exhausted"] >= 5
    assert seen["pause"] >= 4
    assert seen["defer"] >= 4
    assert seen["unknown"] >= 3


def test_plans_with_branches_and_pauses_are_those_of_the_specification():
    seen = Counter()
    for seed in seeds(quick=100, thorough=500):
        asked = branching.from_seed(seed)
        ask = accelerator(asked.domain, asked.goal, asked.binding, asked.settings)
        answer = ask and ask(asked.state, asked.settings.max_expansions)
        if isinstance(answer, Plan):
            plan = next(Reference(asked).plans())
            assert outline(answer.tree) == outline(plan.tree)
            assert (answer.record, answer.predicted) == (plan.record, plan.predicted)
            seen[answer.is_partial] += 1
    assert seen[True] >= 5
    assert seen[False] >= 5


@pytest.mark.slow
def test_enough_of_these_problems_are_such_that_generated_functions_answer():
    seen = Counter()
    for asked in map(from_seed, range(400)):
        answered = compare(asked)
        is_answered = answered[0] in {"solved", "exhausted"}
        seen.update([*answered, *(written(asked) if is_answered else [])])
    assert seen["solved"] >= 10
    assert seen["exhausted"] >= 80
    assert seen["guarded"] >= 30
    assert seen["members"] >= 50
    assert seen["back"] >= 9
    assert seen["sensing"] >= 30
    assert seen["given up"] <= 4  # where two effects meet in one member


def test_the_first_plan_is_that_of_the_specification():
    compared = 0
    for seed in range(1_000, size(quick=1_060, thorough=1_200)):
        asked = from_seed(seed)
        search = searched(asked)
        if search.status is SearchStatus.LIMIT:
            continue  # the specification knows no limit
        plan = next(Reference(asked).plans(), None)
        assert (plan and description(plan)) == (search.plan and description(search.plan))
        compared += plan is not None
    assert compared >= 3


@contextmanager
def nothing_volatile():
    """While it lasts, no fluent of the playground is driven by sensors."""
    prototypes = [family.prototype for family in World.__schema__.families.values()]
    driven = [one for one in (*World.__schema__.fluents.values(), *prototypes) if one.volatile]
    for one in driven:
        one.volatile = False
    try:
        yield
    finally:
        for one in driven:
            one.volatile = True


def plainly(network):
    """The network with everything in it one after the other, now."""
    match network:
        case PlainBody() | PauseNetwork():
            return NULL
        case DeferNetwork(call):
            return call
        case SequenceNetwork(parts) | ParallelNetwork(parts) | PriorityNetwork(parts):
            return SequenceNetwork(tuple(map(plainly, parts)))
        case _:
            return network


def settled(problem):
    domain = problem.domain
    methods = {
        task: tuple(replace(one, body=plainly(one.body)) for one in several)
        for task, several in domain.methods.items()
    }
    known = {f: value for f, value in problem.state.items() if value is not UNKNOWN}
    return replace(
        problem,
        domain=FrozenDomain(
            domain.name, domain.state_class, domain.tasks, MappingProxyType(methods)
        ),
        state=FrozenState(known),
        goal=plainly(problem.goal),
        settings=Settings(max_expansions=5_000, seed=problem.settings.seed),
    )


def compare_settled(played):
    with nothing_volatile():
        return compare(settled(played))


@given(problems())
def test_generated_functions_find_what_the_search_finds_in_the_playground(played):
    event(str(compare_settled(played)))


@pytest.mark.slow
def test_enough_problems_of_the_playground_are_answered_by_generated_functions():
    assert_occurs(problems(), compare_settled, {"solved": 3, "exhausted": 2}, most=2_000)
