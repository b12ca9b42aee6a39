"""Functions that look something up outside of the state: they are called, and asked every time."""

from collections import defaultdict
from types import MappingProxyType

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Planner,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    primitive,
)
from bthtn.behaviours import Agent, PlanGoal
from bthtn.engine.domain.task import call_text
from bthtn.errors import BthtnError
from tests.translated import is_translated


class Trip(State):
    at: Fluent[str] = fluent(default="home")
    zone: Fluent[int] = fluent(default=1)
    cash: Fluent[int] = fluent(default=20)
    fuel: Fluent[float] = fluent(default=1.0)
    visits: FluentFamily[str, int] = fluents(default=0)


FARE = {"home": 3, "park": 30}
BY_ZONE = [7, 3]
MISSING = defaultdict(int, {"home": 3})
FIXED = MappingProxyType({"home": 3})
PAIRS = (7, 3)
LETTERS = "hp"
AT, VISITS = Trip.at, Trip.visits


class Town:
    fare = 3
    fares = MappingProxyType({"home": 3})

    def __contains__(self, place):
        return place == "home"

    def __getitem__(self, place):
        return 3


TOWN = Town()


def fare_of(place, fares=FARE):
    return fares[place]


CONDITIONS = {
    "a dict": lambda s: s.cash >= FARE[s.at],
    "a list": lambda s: s.cash >= BY_ZONE[s.zone],
    "a defaultdict": lambda s: s.cash >= MISSING[s.at],
    "a mappingproxy": lambda s: s.cash >= FIXED[s.at],
    "a tuple": lambda s: s.cash >= PAIRS[s.zone],
    "a text": lambda s: LETTERS[0] == s.at[0],
    "a slice": lambda s: s.at[:2] == "ho" and BY_ZONE[1:],
    "an object that looks up": lambda s: s.cash >= TOWN[s.at],
    "an attribute": lambda s: s.cash >= TOWN.fare,
    "a table of an object": lambda s: s.cash >= TOWN.fares[s.at],
    "a helper": lambda s: s.cash >= fare_of(s.at),
    "a default": lambda s, fares=FARE: s.cash >= fares[s.at],
    "in a dict": lambda s: s.at in FARE,
    "in an object": lambda s: s.at in TOWN,
    "a comprehension": lambda s: {one for one in FARE if FARE[one] <= s.cash} == {"home"},
    "a method of a value": lambda s: s.at.startswith("h") and FARE.get(s.at, 50) < 4,
    "an f-string": lambda s: f"{s.at}-{s.zone}" == "home-1",
    "an assignment expression": lambda s: (fare := FARE[s.at]) and s.cash >= fare,
    "a table in a table": lambda s: s.cash >= BY_ZONE[PAIRS.index(3)],
}


def by_try(s):
    try:
        return s.cash >= FARE[s.at]
    except KeyError:
        return False


def by_loop(s):
    for place in FARE:  # noqa: SIM110 - it is about loops
        if place == s.at:
            return True
    return False


CONDITIONS |= {"try": by_try, "a loop": by_loop}


def possible(condition):
    domain = Domain("trip", Trip)
    ride = domain.primitive("ride", precondition=condition, effects=Trip.at.becomes("park"))

    @domain.compound
    def go():
        yield method(ride())

    return domain.freeze(), go()


def entered(condition):
    domain = Domain("trip", Trip)
    ride = domain.primitive("ride", effects=Trip.at.becomes("park"))

    @domain.compound
    def go():
        yield method(ride(), when=condition)

    return domain.freeze(), go()


def decomposed(condition):
    domain = Domain("trip", Trip)
    ride = domain.primitive("ride", effects=Trip.at.becomes("park"))

    @domain.compound
    def go():
        yield method(lambda s: ride() if condition(s) else None)

    return domain.freeze(), go()


def actions(plan):
    return plan and [call_text(*action) for action in plan.actions]


def in_slices(planner, state):
    search = planner.search(state)
    while search.status.value == "running":
        search.advance(1)
    return search.plan


def adopted(domain, goal, state):
    agent = Agent("somebody", domain, state, body=None)
    root = PlanGoal("goal", agent, goal)
    root.tick_once()
    return root.plan


def all_answers(domain, goal, state, times=3):
    """The actions that everybody answers with, each three times."""
    planner = Planner(domain, goal)
    return [
        answer
        for _ in range(times)
        for answer in (
            actions(find_plan(domain, state, goal)),
            actions(planner.plan(state)),
            actions(in_slices(planner, state)),
            actions(adopted(domain, goal, state)),
        )
    ]


@pytest.mark.parametrize("made", [possible, entered, decomposed])
@pytest.mark.parametrize("name", CONDITIONS)
def test_a_function_that_looks_something_up_answers_every_time(name, made):
    domain, goal = made(CONDITIONS[name])
    assert all_answers(domain, goal, Trip()) == [["ride"]] * 12


def looked_up(s):
    s.cash -= FARE[s.at]
    s.visits[s.at] = BY_ZONE[s.zone]


def test_so_does_an_effect_that_looks_something_up():
    domain = Domain("trip", Trip)
    pay = domain.primitive("pay", effects=looked_up)
    frozen = domain.freeze()
    assert all_answers(frozen, pay(), Trip()) == [["pay"]] * 12
    predicted = [find_plan(frozen, Trip(), pay()).predicted for _ in range(3)]
    assert [one.get(Trip.cash) for one in predicted] == [17] * 3
    assert [one.get(Trip.visits["home"]) for one in predicted] == [3] * 3


def test_so_does_an_array():
    np = pytest.importorskip("numpy")
    fares = np.array([7, 3])
    domain, goal = possible(lambda s: s.cash >= fares[s.zone])
    assert all_answers(domain, goal, Trip()) == [["ride"]] * 12


def test_a_table_is_read_as_it_is_when_the_question_is_asked():
    fares = {"home": 3}
    domain, goal = possible(lambda s: s.cash >= fares[s.at])
    planner = Planner(domain, goal)
    for fare, found in ((3, ["ride"]), (50, None), (4, ["ride"])):
        fares["home"] = fare
        assert [actions(find_plan(domain, Trip(), goal)) for _ in range(3)] == [found] * 3
        assert [actions(planner.plan(Trip())) for _ in range(3)] == [found] * 3
        assert actions(adopted(domain, goal, Trip())) == found


def test_a_function_is_called_no_more_often_than_planning_needs_it():
    missing = defaultdict(int)
    domain, goal = possible(lambda s: missing[s.at] == 0)
    for _ in range(3):
        find_plan(domain, Trip(), goal)
    assert missing == {"home": 0}


@pytest.mark.parametrize(
    "condition", [lambda s: AT == "home", lambda s: VISITS["home"] == 0, lambda s: AT != "x"]
)
def test_a_fluent_by_its_name_is_an_expression_however_often_one_asks(condition):
    domain, goal = possible(condition)
    assert not is_translated(domain)
    for _ in range(3):
        with pytest.raises(BthtnError, match="BT107"):
            find_plan(domain, Trip(), goal)


def test_an_expression_in_a_call_is_evaluated_where_the_call_is_however_often_one_asks():
    domain = Domain("trip", Trip)
    leave = domain.primitive("leave", effects=Trip.at.becomes("zoo"))

    @domain.primitive
    def tell(_place: str):
        return primitive()

    @domain.compound
    def go():
        yield method(lambda s: (leave(), tell(AT), tell(s.at)))

    expected = ["leave", "tell('zoo')", "tell('home')"]
    assert all_answers(domain.freeze(), go(), Trip()) == [expected] * 12
