"""Conditions as parts of networks, and several conditions in a list."""

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Planner,
    at_start,
    first_of,
    holds,
    method,
    one_of,
    parallel,
    unordered,
    until,
)
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import normal
from bthtn.errors import BthtnError
from bthtn.studio.testing.playground import World
from tests.reference import Reference


@pytest.fixture
def domain():
    return Domain("conditions", World)


@pytest.fixture
def add(domain):
    return domain.primitive("add", effects=World.count.increases(1))


@pytest.fixture
def double(domain):
    return domain.primitive("double", effects=World.count.becomes(World.count * 2))


def plans(domain, goal, **values):
    asked = request(domain, World(**values), goal)
    search, found = HtnSearch.of(asked), []
    while search.advance() is SearchStatus.SOLVED:
        assert replay(search.plan, asked.state).ok
        found.append(normal(search.plan.tree))
        search.reject()
    assert found == [normal(plan.tree) for plan in Reference(asked).plans()]
    return found


# in networks


def test_what_comes_before_has_to_make_it_true(domain, add, double):
    either = first_of(add(), double())
    found = plans(domain, (either, either, World.count == 4), count=1)
    assert found == ["(add, double)", "(double, double)"]
    assert plans(domain, (either, either, World.count == 9), count=1) == []


def test_it_is_tested_where_it_stands_and_may_mention_variables(domain, add):
    @domain.compound
    def climb():
        height = one_of([1, 2])
        yield method(add(), World.count == height, add())

    assert plans(domain, climb(), count=1) == ["(add, add)"]
    assert plans(domain, climb(), count=2) == []


def test_branches_and_turns_may_have_one(domain, add):
    assert plans(domain, parallel((add(), World.count == 1), World.lit)) != []
    assert plans(domain, (unordered(add(), add()), World.count == 2)) != []


def test_an_unknown_one_suspends(domain, add):
    assert plans(domain, (add(), World.open), open=UNKNOWN) == [
        "(add, suspended(goal.condition_1))"
    ]


def test_it_is_a_condition(domain, add):
    with pytest.raises(BthtnError, match="'count' is int, not a condition") as caught:
        plans(domain, (add(), World.count))
    assert caught.value.code == "BT110"


# in a list


def test_all_conditions_of_a_list_have_to_hold(domain):
    act = domain.primitive("act", precondition=[World.lit, lambda state: state.count > 1])

    @domain.compound
    def do():
        yield method(act(), when=[World.open, at_least(2)])

    def at_least(number):
        return World.count >= number

    assert plans(domain, do(), open=True, count=2) == ["act"]
    for state in ({"count": 2}, {"open": True}, {"open": True, "count": 2, "lit": False}):
        assert plans(domain, do(), **state) == []
    assert holds([], World())
    assert not holds([World.lit, World.open], World())


def test_a_list_says_what_its_conditions_say(domain):
    act = domain.primitive("act", precondition=[at_start(World.lit), World.open & World.armed])
    assert str(act.precondition) == "lit and open and armed"
    assert str(act.watched) == "open and armed"
    assert until([World.lit, World.open], act()).text() == "until(lit and open, act)"


# data beside functions


def calls_noted(log):
    def odd(state):
        log.append(state.count)
        return state.count % 2 == 1

    return odd


def test_a_condition_may_join_functions_to_data(domain):
    odd = calls_noted([])
    act = domain.primitive("act", precondition=(World.lit & odd) | ~(World.open | odd))
    assert plans(domain, act(), count=1) == ["act"]
    assert plans(domain, act(), count=1, lit=False) == []
    assert plans(domain, act(), count=2) == ["act"]
    assert plans(domain, act(), count=2, open=True) == []
    assert str(act.precondition) == "(lit and odd) or not (open or odd)"
    assert str(holds(World.lit & odd, World(count=2))) == "odd is false: count = 2"


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_a_function_is_called_only_where_the_data_beside_it_hold(domain, order):
    log = []
    parts = [World.count > 2, calls_noted(log)]
    act = domain.primitive("act", precondition=[parts[place] for place in order])

    @domain.compound
    def do():
        yield method(lambda state: act() if log.append("body") is None else None, when=World.open)
        yield method(act(), when=[parts[place] for place in order])
        yield method(act())

    planner = Planner(domain, do())
    assert planner.plan(World(count=2)) is None
    assert log == []
    assert planner.plan(World(count=3)) is not None
    assert set(log) == {3}


def test_what_is_joined_to_data_has_to_be_a_function(domain):
    act = domain.primitive("act")
    with pytest.raises(BthtnError, match="<primitive act> is not a condition"):
        domain.primitive("other", precondition=World.lit & act)
    with pytest.raises(BthtnError, match="is no condition"):
        World.lit & World
