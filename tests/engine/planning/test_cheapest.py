"""The plan that costs least, and what is given up on the way to it (semantics 2.6.4, 2.6.5)."""

import math

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Settings,
    State,
    defer,
    find_plan,
    fluent,
    method,
    null,
    parallel,
    pause,
    priority,
    sequence,
)
from bthtn.behaviours import Agent, PlanGoal
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.least_cost import LeastCosts
from bthtn.engine.planning.planner import search_for
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.errors import DomainError, PlanningError
from tests.reference import Reference

RUNNING, SOLVED, EXHAUSTED, LIMIT = (
    SearchStatus.RUNNING,
    SearchStatus.SOLVED,
    SearchStatus.EXHAUSTED,
    SearchStatus.LIMIT,
)
CHEAPEST = Settings(cheapest=True)


class Traveller(State):
    money: Fluent[int] = fluent(default=10)
    legs: Fluent[int] = fluent(default=4)
    rain: Fluent[bool] = fluent(default=False)


world = Domain("world", Traveller)
fly = world.primitive("fly", cost=9)
ride = world.primitive("ride", cost=4)
walk = world.primitive("walk", cost=1)
swim = world.primitive("swim", cost=lambda traveller: 3 if traveller.rain else 1)
never = world.primitive("never", precondition=Traveller.rain)
step = world.primitive("step", effects=Traveller.legs.decreases(1), cost=2)
leap = world.primitive("leap", effects=Traveller.legs.decreases(2), cost=5)


@world.compound
def travel():
    yield method(fly())
    yield method(ride(), name="by train")
    yield method(walk(), walk(), walk(), walk(), walk(), walk())
    yield method(walk(), cost=2)


@world.compound
def march():
    yield method(when=Traveller.legs <= 0)
    yield method(leap(), march(), when=Traveller.legs > 0)
    yield method(step(), march(), when=Traveller.legs > 0)


@world.compound
def wander():
    yield method(walk(), wander())


def asked(goal, settings=CHEAPEST, **values):
    return request(world, Traveller(**values), goal, settings)


def search(goal, listener=None, settings=CHEAPEST, **values):
    return search_for(asked(goal, settings, **values), listener)


def cheapest(goal, **values):
    one = search(goal, **values)
    assert one.advance() is SOLVED
    assert one.plan.record == Reference(asked(goal, **values)).best().record
    return one.plan


# what is found


def test_the_cheapest_plan_is_found_instead_of_the_first():  # R000-06
    assert find_plan(world, Traveller(), travel()).cost == 9
    assert find_plan(world, Traveller(), travel(), CHEAPEST).cost == 3


@pytest.mark.parametrize(
    ("goal", "record", "cost"),
    [
        (sequence(travel(), travel()), [3, 3], 6),
        (parallel(travel(), travel()), [3, 3], 6),
        # The train is not the cheapest way, but cheap enough where the other one costs five.
        (priority(travel(), sequence(ride(), walk())), [0, 1, 0], 5),
        (priority(sequence(travel(), walk()), fly()), [0, 1, 0], 9),
        (march(), [2, 2, 2, 2, 0], 8),
    ],
)
def test_costs_are_added_up_and_of_alternatives_the_dearest_counts(goal, record, cost):
    plan = cheapest(goal)
    assert plan.cost == cost
    assert list(plan.record) == record


def test_of_plans_that_cost_the_same_the_most_preferred_is_returned():
    @(domain := Domain("ties", Traveller)).compound
    def choose():
        yield method(cost=2)
        yield method(cost=1)
        yield method(cost=1)

    assert list(find_plan(domain, Traveller(), choose(), CHEAPEST).record) == [1]


def test_nothing_to_do_is_as_cheap_as_can_be():
    plan = find_plan(world, Traveller(), null(), CHEAPEST)
    assert plan.cost == 0


def test_without_a_plan_there_is_no_cheapest_one():
    assert search(never()).advance() is EXHAUSTED


# on the way


def test_the_first_plan_is_there_at_once_and_better_ones_replace_it():
    one, costs = search(travel()), []
    while one.advance(1) is RUNNING:
        costs.append(one.plan and one.plan.cost)
    assert costs == [None, 9, 9, 4, 4, 4]
    assert (one.status, one.plan.cost) == (SOLVED, 3)


def test_when_the_limit_is_reached_the_cheapest_so_far_is_the_answer():
    few = Settings(cheapest=True, max_expansions=4)
    one = search(travel(), settings=few)
    assert one.advance() is LIMIT
    assert one.plan.cost == 4
    assert find_plan(world, Traveller(), travel(), few).cost == 4


def test_without_any_plan_the_limit_is_no_answer():
    with pytest.raises(PlanningError, match="BT203"):
        find_plan(world, Traveller(legs=99), march(), Settings(cheapest=True, max_expansions=20))


def test_the_cheapest_plan_can_be_rejected_but_nothing_comes_behind_it():
    one = search(travel())
    one.advance()
    one.reject()
    assert one.advance() is EXHAUSTED
    assert one.plan is None


# what is given up


def test_what_is_too_dear_already_is_given_up():
    @(domain := Domain("shops", Traveller)).compound
    def shop():
        yield method(cheap())
        yield method(dear(), *[look() for _ in range(100)])

    cheap, dear = domain.primitive("cheap"), domain.primitive("dear", cost=2)
    look = domain.primitive("look", cost=0)
    one = HtnSearch.of(request(domain, Traveller(), shop(), CHEAPEST))
    one.advance()
    assert one.expansions == 3  # a method and its task, and the other method


def test_what_is_still_to_come_counts_with_the_least_that_it_can_cost():
    """Twelve roads of two ways each; at none of them the other way can pay."""
    domain = Domain("roads", Traveller)
    short, long = domain.primitive("short", cost=1), domain.primitive("long", cost=2)

    @domain.compound
    def road():
        yield method(short())
        yield method(long())

    one = HtnSearch.of(request(domain, Traveller(), sequence(*[road()] * 12), CHEAPEST))
    one.advance()
    assert one.plan.cost == 12
    assert one.expansions == 12 * 2 + 12  # the first plan, and one method more at each road


def test_beside_other_branches_their_least_cost_counts_too():
    domain = Domain("teams", Traveller)
    light, heavy = domain.primitive("light", cost=1), domain.primitive("heavy", cost=5)

    @domain.compound
    def carry():
        yield method(light())
        yield method(heavy())

    goal = sequence(parallel(carry(), carry(), carry()), carry())
    one = HtnSearch.of(request(domain, Traveller(), goal, CHEAPEST))
    one.advance()
    assert (one.plan.cost, one.expansions) == (4, 4 * 2 + 4)


# the least costs of a domain


@pytest.mark.parametrize(
    ("goal", "least"),
    [
        (walk(), 1),
        (swim(), 0),  # computed while planning: nobody knows before
        (travel(), 3),
        (march(), 0),
        (wander(), math.inf),
        (sequence(travel(), ride()), 7),
        (parallel(travel(), ride()), 7),
        (priority(travel(), ride()), 3),
        (defer(ride()), 4),
        (pause(), 0),
        (null(), 0),
    ],
)
def test_every_network_has_a_least_cost(goal, least):
    assert world.freeze().derived(LeastCosts).of(goal) == least


def test_recursion_costs_what_its_cheapest_end_costs():
    domain = Domain("loops", Traveller)
    one, two = domain.primitive("one", cost=1), domain.primitive("two", cost=20)

    @domain.compound
    def first():
        yield method(one(), second())
        yield method(two())

    @domain.compound
    def second():
        yield method(one(), first())
        yield method(third(), cost=3)

    @domain.compound
    def third():
        yield method(third(), one())
        yield method(one(), one())

    costs = LeastCosts(domain.freeze())
    assert [costs.of(task()) for task in (first, second, third)] == [6, 5, 2]


def test_a_part_left_open_counts_with_the_least_that_it_will_cost():
    """Otherwise the cheapest plan would be to plan nothing."""

    @(domain := Domain("weather", Traveller)).compound
    def go():
        yield method(dry(), look(), later())
        yield method(wet())

    dry = domain.primitive("dry", cost=1)
    wet = domain.primitive("wet", cost=4)
    look = domain.primitive("look", precondition=Traveller.rain, cost=2)
    later = domain.primitive("later", cost=3)
    question = request(domain, Traveller(rain=UNKNOWN), go(), CHEAPEST)
    one = HtnSearch.of(question)
    one.advance()
    assert list(one.plan.record) == [1]
    assert Reference(question).best().record == one.plan.record
    assert [plan.cost for plan in Reference(question).plans()] == [1, 4]


# costs below zero


def test_constant_costs_below_zero_are_found_before_the_search():
    domain = Domain("debts", Traveller)
    earn = domain.primitive("earn", cost=-3)

    @domain.compound
    def work():
        yield method(earn())
        yield method(earn(), cost=-1)

    assert find_plan(domain, Traveller(), work()).cost == -3
    with pytest.raises(DomainError) as caught:
        find_plan(domain, Traveller(), work(), CHEAPEST)
    assert [one.code for one in caught.value.diagnostics] == ["BT204", "BT204"]
    assert [one.where for one in caught.value.diagnostics] == [
        "compound 'work', method 1",
        "primitive 'earn'",
    ]
    with pytest.raises(DomainError, match="BT204"):
        PlanGoal("work", Agent("ann", domain, Traveller(), body=None), work(), settings=CHEAPEST)


@pytest.mark.parametrize("where", ["task", "method"])
def test_a_computed_cost_below_zero_is_found_when_it_is_met(where):
    domain = Domain("debts", Traveller)
    earn = domain.primitive("earn", cost=Traveller.money if where == "task" else 1)

    @domain.compound
    def work(hours: int):
        yield method(earn(), cost=Traveller.money if where == "method" else 1)

    assert find_plan(domain, Traveller(money=2), work(3), CHEAPEST).cost == 3
    with pytest.raises(PlanningError, match="BT204") as caught:
        find_plan(domain, Traveller(money=-2), work(3), CHEAPEST)
    assert caught.value.diagnostics[0].message == "a cost is -2"
    assert caught.value.diagnostics[0].where == ("earn" if where == "task" else "work(3)")
