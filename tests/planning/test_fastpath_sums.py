"""Generated functions that look for the cheapest plan, or plan without what is excluded."""

from dataclasses import replace

import pytest

from bthtn import (
    Domain,
    Fluent,
    Planner,
    Settings,
    State,
    find_plan,
    fluent,
    method,
    primitive,
    sequence,
)
from bthtn.errors import PlanningError
from bthtn.examples.domains.brawler.domain import Brawler, battle_main, brawler
from bthtn.planning import planner as planning
from bthtn.planning.exclusions import avoidable
from bthtn.planning.htn.fastpath import accelerated, accelerator
from bthtn.planning.htn.fastpath.items import SearchKind
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus, request

CHEAPEST = Settings(cheapest=True)


class Road(State):
    far: Fluent[int] = fluent(default=0)
    wet: Fluent[bool] = fluent(default=True)


domain = Domain("road", Road)
walk = domain.primitive("walk", effects=Road.far.increases(1), cost=2)
wait = domain.primitive("wait", cost=0)


@domain.primitive
def ride(fare: float):
    return primitive(effects=Road.far.increases(1), cost=fare)


@domain.compound
def travel(fare: float):
    yield method(walk(), walk(), cost=3)
    yield method(walk(), walk(), cost=1)
    yield method(ride(fare), ride(fare))


@domain.compound
def linger():
    yield method(wait(), linger(), when=Road.wet, cost=1)
    yield method(walk())


@domain.compound
def set_out():
    yield method(linger())


def accelerator_of(asked):
    question = (asked.domain, asked.goal, asked.binding, asked.settings)
    return accelerator(*question, SearchKind(avoids=bool(asked.avoiding)))


def answers(asked):
    """Record, cost and expansions of the plan that functions find, and of that of the search."""
    search = HtnSearch(asked)
    search.advance()
    plan = accelerator_of(asked)(asked.state, 1_000, None, asked.avoiding)
    return [(list(one.record), one.cost, one.expansions) for one in (plan, search.plan)]


@pytest.mark.parametrize(("fare", "record"), [(1, [2]), (2.5, [1]), (3, [1])])
def test_functions_find_the_cheapest_plan(fare, record):
    found, expected = answers(request(domain, Road(), travel(fare), CHEAPEST))
    assert found == expected
    assert found[0] == record


@pytest.mark.parametrize(
    ("value", "record"),
    [({}, [1]), ({"Tackle": 3.5}, [0, 2]), ({"Tackle": 9, "Jab": 2}, [0, 0, 1])],
)
def test_values_in_the_beliefs_are_added_up(value, record):
    asked = request(brawler, Brawler(near=False, value=value), battle_main())
    found, expected = answers(asked)
    assert found == expected
    assert found[0] == record


def test_a_round_that_costs_something_and_changes_nothing_is_cut():
    found, expected = answers(request(domain, Road(), linger(), CHEAPEST))
    assert found == expected
    assert found[0] == [1]


@pytest.mark.parametrize("fare", [0.1, -1, float("nan"), float("inf"), 2**41])
def test_what_cannot_be_added_up_exactly_is_left_to_the_search(fare):
    asked = request(domain, Road(), ride(fare), CHEAPEST)
    assert accelerator_of(asked)(asked.state, 1_000) is None


@pytest.mark.parametrize("cost", [0.1, 2**41])
def test_so_is_a_domain_with_such_costs(cost):
    other = Domain("other road", Road)
    step = other.primitive("step", cost=cost)
    assert accelerator_of(request(other, Road(), step(), CHEAPEST)) is None
    assert accelerator_of(request(other, Road(), step())) is not None
    assert find_plan(other, Road(), step(), CHEAPEST).cost == cost


def test_a_cost_below_zero_is_refused_as_by_the_search():
    planner = Planner(domain, travel(-1), CHEAPEST)
    for _ in range(3):
        with pytest.raises(PlanningError, match="a cost is -1"):
            planner.plan(Road())


def test_a_method_is_excluded_where_its_task_has_no_other():
    avoided = {avoidable(domain.freeze(), set_out, (), 0): ""}
    asked = request(domain, Road(), sequence(wait(), set_out()), avoiding=avoided)
    search = HtnSearch(asked)
    assert search.advance() is SearchStatus.EXHAUSTED
    assert accelerator_of(asked)(asked.state, 1_000, None, avoided) == search.expansions == 1


def test_what_is_excluded_with_some_arguments_is_allowed_with_others():
    goal = sequence(ride(1), travel(2))
    asked = request(domain, Road(), goal, CHEAPEST)
    for avoided, record in (({(ride, (2,)): ""}, [1]), ({(ride, (3,)): ""}, [2])):
        found, expected = answers(replace(asked, avoiding=avoided))
        assert found == expected
        assert found[0] == record


def test_the_cheapest_plan_so_far_is_there_between_slices():
    asked = request(domain, Road(), travel(1), CHEAPEST)
    planner = Planner(domain, travel(1), CHEAPEST)
    planner.search(Road()).advance()
    fast, alone = planner.search(Road()), HtnSearch(asked)
    costs = []
    while SearchStatus.RUNNING in {fast.advance(1), alone.advance(1)}:
        costs.append(fast.plan and fast.plan.cost)
        assert costs[-1] == (alone.plan and alone.plan.cost)
    assert (fast.plan.cost, fast.expansions) == (2, alone.expansions)
    assert list(dict.fromkeys(costs)) == [None, 7, 5]


@pytest.mark.parametrize("budget", [None, 1, 3])
@pytest.mark.parametrize("most", range(1, 12))
def test_at_the_limit_the_cheapest_plan_so_far_is_known(most, budget, monkeypatch):
    settings = replace(CHEAPEST, max_expansions=most)
    planner = Planner(domain, travel(1), settings)
    for _ in range(2):
        planner.search(Road()).advance()
    fast, alone = planner.search(Road()), HtnSearch(request(domain, Road(), travel(1), settings))
    while alone.advance(budget) is SearchStatus.RUNNING:
        assert fast.advance(budget) is SearchStatus.RUNNING
    if alone.status is SearchStatus.LIMIT:
        monkeypatch.setattr(accelerated, "HtnSearch", None)
    assert fast.advance(budget) is alone.status
    assert fast.expansions == alone.expansions
    assert (fast.plan and fast.plan.actions) == (alone.plan and alone.plan.actions)
    assert (fast.plan and fast.plan.expansions) == (alone.plan and alone.plan.expansions)


@pytest.mark.parametrize("settings", [Settings(), CHEAPEST])
@pytest.mark.parametrize("avoided", [{}, {(ride, (1,)): ""}])
def test_a_planner_that_is_asked_often_leaves_nothing_to_the_search(settings, avoided, monkeypatch):
    planner = Planner(domain, travel(1), settings)
    first = planner.search(Road(), avoiding=avoided)
    first.advance()
    monkeypatch.setattr(accelerated, "HtnSearch", None)
    search = planner.search(Road(), avoiding=avoided)
    search.advance()
    assert search.plan.actions == first.plan.actions
    assert search.expansions == first.expansions


@pytest.mark.parametrize("avoided", [{}, {(ride, (1,)): ""}])
def test_for_searches_that_are_listened_to_nothing_is_generated(avoided, monkeypatch):
    made = []
    monkeypatch.setattr(planning, "accelerator", lambda *asked, **_: made.append(asked))
    planner = Planner(domain, travel(1))
    for _ in range(3):
        planner.search(Road(), [].append, avoided).advance()
    assert made == []
    for _ in range(3):
        planner.search(Road(), avoiding=avoided).advance()
    assert len(made) == 1
