"""The search and the page of recursion that specifies it give the same answers to any problem."""

import pytest
from hypothesis import event, example, given
from hypothesis import strategies as st

from bthtn import (
    UNKNOWN,
    Domain,
    Primitive,
    Settings,
    defer,
    method,
    parallel,
    primitive,
    priority,
    sequence,
)
from bthtn.engine.domain.network import (
    NULL,
    DeferNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
    network_text,
)
from bthtn.engine.plan.nodes import ScopeNode, TaskNode
from bthtn.engine.plan.walk import outline, preorder
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.errors import PlanningError
from bthtn.studio.testing.playground import World
from bthtn.studio.testing.strategies import problems
from tests.properties import branching, plain
from tests.reference import Reference

MOST_PLANS = 5


class RunawayError(AssertionError):
    """The reference did more than the search needed for the same answers."""


class BoundedReference(Reference):
    """The reference, which by itself knows no limit, with one."""

    limit = 0
    spent = 0

    @property
    def expansions(self):
        return self.spent

    @expansions.setter
    def expansions(self, spent):
        self.spent = spent
        if spent > self.limit:
            raise RunawayError(f"more than {self.limit} expansions")


def description(plan):
    """Everything that a plan says, in a form that can be compared."""
    nodes = [node for _, node in preorder(plan.tree)]
    return {
        "tree": outline(plan.tree),
        "actions": plan.actions,
        "record": plan.record,
        "predicted": plan.predicted,
        "reads and writes": (plan.footprint.reads, plan.footprint.writes, plan.footprint.uses),
        "footprints": [node.footprint for node in nodes if isinstance(node, ScopeNode | TaskNode)],
        "suspended": [
            (node.rest, node.binding, node.cause, node.ensures, node.reads)
            for node in plan.suspended
        ],
        "steps": [(node.duration, node.cost) for node in nodes if isinstance(node, TaskNode)],
        "methods": [
            (node.name, node.cost, node.value) for node in nodes if isinstance(node, ScopeNode)
        ],
        "cost": plan.cost,
        "expansions": plan.expansions,
    }


def answers(search):
    """The first plans of a search, and how it came to an end."""
    found = []
    while len(found) < MOST_PLANS and search.advance() is SearchStatus.SOLVED:
        found.append(description(search.plan))
        search.reject()
    return found, search.status


def agree(problem):
    """Assert that both find the same, and say how much that was."""
    search = HtnSearch.of(problem)
    found, status = answers(search)
    reference = BoundedReference(problem)
    reference.limit = search.expansions
    plans = reference.plans()
    expected = [description(plan) for _, plan in zip(found, plans, strict=False)]
    assert found == expected
    if status is SearchStatus.EXHAUSTED:
        assert next(plans, None) is None
        assert reference.expansions == search.expansions
    return f"{len(found)} plans, then {status.value}"


def agree_about_the_best(problem):
    """Assert that both find the plan of the least sum, where the search comes to an end."""
    search = HtnSearch.of(problem)
    try:
        if search.advance() is SearchStatus.LIMIT:
            return "over the limit"
    except PlanningError as error:  # of a cost below zero
        return error.code
    found = search.plan
    try:
        best = Reference(problem).best()
    except RecursionError:  # it goes on below what costs more, however deep that is
        return "too deep for the reference"
    assert (found and alike(found)) == (best and alike(best))
    return search.status.value


def alike(plan):
    """What a plan is, however many others were looked at."""
    return description(plan) | {"expansions": None}


def drawn(data):
    """What chooses among several, as Hypothesis draws it."""
    return lambda among: among[data.draw(st.integers(0, len(among) - 1))]


@given(problems())
def test_the_search_finds_what_the_reference_finds_in_the_same_order_at_the_same_cost(problem):
    event(agree(problem))


@given(st.data())
def test_they_agree_about_problems_with_choices_alone(data):
    event(agree(plain.problem(drawn(data))))


@given(st.data())
def test_they_agree_about_problems_with_branches_sensors_and_pauses(data):
    event(agree(branching.problem(drawn(data))))


@given(st.data(), st.sampled_from(("cost", "value")), st.booleans())
def test_they_agree_about_the_best_plan_also_without_what_is_excluded(data, sums, excludes):
    choose = drawn(data)
    problem = plain.problem(choose, sums, is_easy=True)
    event(agree_about_the_best(plain.excluding(problem, choose) if excludes else problem))


RARE = Domain("what random problems seldom show", World)
idle = RARE.primitive("idle")


@RARE.primitive
def visit(who: str) -> Primitive:
    return primitive(precondition=World.at[who])


@RARE.compound
def attend(who: str):
    yield method(visit(who))
    yield method(idle())


@pytest.mark.parametrize(
    "goal",
    [
        sequence(visit(World.place), idle()),
        sequence(attend(World.place), idle()),
        priority(visit(World.place), idle()),
        sequence(defer(idle(), ensures=World.at[World.place].becomes(True)), idle()),
        parallel(defer(idle(), ensures=World.lit.becomes(World.open)), idle()),
    ],
    ids=network_text,
)
def test_the_two_agree_about_calls_and_promises_of_which_nobody_can_tell_the_object(goal):
    for place in (UNKNOWN, "a"):
        assert (
            agree(request(RARE, World(place=place, at={"a": True}), goal))
            != "0 plans, then exhausted"
        )


NOTHING = SequenceNetwork(())
"""``sequence`` makes no such network, and none with a sequence inside another."""


@RARE.compound
def tidy():
    yield method(SequenceNetwork((idle(), SequenceNetwork((NULL, NOTHING)))))


def networks():
    """Networks of which every part may be anything."""
    calls = (idle(), tidy(), visit(World.place))
    ensuring = DeferNetwork(idle(), ensures=(World.lit.becomes(True),))
    return st.recursive(
        st.sampled_from((*calls, NULL, PauseNetwork(), DeferNetwork(tidy()), ensuring)),
        lambda inside: st.one_of(
            st.lists(inside, max_size=3).map(tuple).map(SequenceNetwork),
            st.lists(inside, min_size=1, max_size=2).map(tuple).map(ParallelNetwork),
            st.lists(inside, min_size=1, max_size=2).map(tuple).map(PriorityNetwork),
        ),
        max_leaves=6,
    )


@given(
    networks(),
    st.builds(Settings, horizon=st.sampled_from((None, 1, 2)), check_rest=st.booleans()),
)
@example(SequenceNetwork((NOTHING,)), Settings())
@example(SequenceNetwork((tidy(), idle())), Settings(horizon=1))
@example(SequenceNetwork((PauseNetwork(), tidy(), PauseNetwork())), Settings(check_rest=True))
def test_the_two_agree_about_networks_that_nobody_would_write(goal, settings):
    event(agree(request(RARE, World(place=UNKNOWN), goal, settings)))
