"""Listening to generated functions: what is heard, when, and that it is heard once."""

from itertools import pairwise

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Planner,
    Primitive,
    Settings,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    optional,
    sequence,
)
from bthtn.errors import PlanningError, StateError
from bthtn.plan.notation import normal
from bthtn.planning import planner as planner_module
from bthtn.planning.htn.compiled.lean.watch import AT_ONCE
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import SearchStatus, request
from bthtn.planning.trace import (
    Backtracked,
    MethodEntered,
    MethodRejected,
    PlanningSuspended,
    RecursionCut,
    TaskPlanned,
)


class Walker(State):
    here: Fluent[str] = fluent(default="a")
    steps: Fluent[int] = fluent(default=0)
    tired: Fluent[bool] = fluent(default=False)
    sure: Fluent[bool] = fluent(default=False)
    aim: Fluent[str] = fluent(default="c")
    next: FluentFamily[str, str] = fluents(default="a")
    open: FluentFamily[str, bool] = fluents(default=True)


walking = Domain("walking", Walker)


@walking.primitive
def step(to: str) -> Primitive:
    return Primitive(
        precondition=Walker.open[to] & ~Walker.tired,
        effects=[Walker.here.becomes(to), Walker.steps.increases(1)],
    )


@walking.compound
def reach(place: str):
    yield method(when=Walker.here == place)
    yield method(step(Walker.next[Walker.here]), reach(place), when=Walker.steps < 3)
    yield method(look_around(), reach(place))


look_around = walking.primitive("look_around", effects=Walker.sure.becomes(True))


@walking.compound
def count(left: int):
    yield method(when=left == 0)
    yield method(walking_on(), count(left - 1))


walking_on = walking.primitive("walking_on", effects=Walker.steps.increases(1))
arrived = walking.primitive("arrived", precondition=Walker.open[Walker.aim])
rested = walking.primitive("rested", precondition=Walker.tired & Walker.open["nowhere"])

ROUND = {"a": "b", "b": "c", "c": "a"}


def interpreted(goal, settings=None, **values):
    """What the interpreter tells, and what it comes to."""
    heard = []
    asked = request(walking, Walker(**values), goal, settings or Settings())
    search = HtnSearch(asked, heard.append)
    search.advance()
    return heard, search


@pytest.fixture
def alone(monkeypatch):
    """No search but that of generated functions."""

    def search(*given):
        pytest.fail("the interpreter was asked")

    monkeypatch.setattr(planner_module, "HtnSearch", search)


def test_everything_is_heard_in_the_order_in_which_it_happens(alone):
    expected, search = interpreted(reach("x"), next=ROUND)
    assert {type(event) for event in expected} == {
        Backtracked,
        MethodEntered,
        MethodRejected,
        RecursionCut,
        TaskPlanned,
    }
    heard = []
    planner = Planner(walking, reach("x"))
    assert planner.plan(Walker(next=ROUND), heard.append) is search.plan is None
    assert heard == expected


def test_reasons_tell_the_values_of_their_moment():
    heard = []
    Planner(walking, reach("c")).plan(Walker(next=ROUND), heard.append)
    assert [event.reason for event in heard if isinstance(event, MethodRejected)] == [
        "here == 'c' is false: here = 'a'",
        "here == 'c' is false: here = 'b'",
    ]


def test_a_reason_stays_when_the_next_method_changes_what_it_tells_of(alone):
    domain = Domain("resting", Walker)

    @domain.compound
    def go_on():
        yield method(when=Walker.tired | Walker.sure)
        yield method(decide())

    decide = domain.primitive("decide", effects=Walker.sure.becomes(True))
    heard = []
    Planner(domain, go_on()).plan(Walker(), heard.append)
    assert heard[0].reason == "tired or sure is false: tired = false, sure = false"


def test_what_is_done_in_the_same_words_elsewhere_is_told_at_its_own_depth(alone):
    domain = Domain("levels", Walker)

    @domain.compound
    def both():
        yield method(near(), far())

    @domain.compound
    def near():
        yield method(pair(), when=~Walker.tired)

    @domain.compound
    def far():
        yield method(pairs(), when=~Walker.tired)

    @domain.compound
    def pairs():
        yield method(pair())

    @domain.compound
    def pair():
        yield method(choice(), last())

    @domain.compound
    def choice():
        yield method(when=Walker.sure)
        yield method()

    last = domain.primitive("last")
    heard, expected = [], []
    Planner(domain, both()).plan(Walker(), heard.append)
    HtnSearch(request(domain, Walker(), both()), expected.append).advance()
    assert heard == expected
    assert [event.depth for event in heard if isinstance(event, TaskPlanned)] == [3, 4]


def test_what_a_reason_did_not_ask_for_is_not_told():
    heard = []
    planner = Planner(walking, rested())
    assert planner.plan(Walker(), heard.append) is None
    assert planner.plan(Walker(tired=True, open={"nowhere": False}), heard.append) is None
    assert [event.reason for event in heard] == [
        "rested: tired and open[nowhere] is false: tired = false",
        "rested: tired and open[nowhere] is false: tired = true, open[nowhere] = false",
    ]


def test_a_long_search_is_told_from_beginning_to_end(alone):
    goal = count(3 * AT_ONCE)
    expected, _ = interpreted(goal)
    heard = []
    assert Planner(walking, goal).plan(Walker(), heard.append)
    assert heard == expected
    assert len(heard) > 6 * AT_ONCE


def path(length):
    """A way of so many steps, on which nothing but the place tells one step from the next."""
    domain = Domain("path", Walker)

    @domain.compound
    def go():
        yield method(when=Walker.here == Walker.aim)
        yield method(move(), go())

    move = domain.primitive("move", effects=Walker.here.becomes(Walker.next[Walker.here]))
    places = ["a", *(f"p{n}" for n in range(length - 1)), "c"]
    return domain, Walker(next=dict(pairwise(places))), go()


def heard_on(domain, state, goal):
    expected, heard = [], []
    HtnSearch(request(domain, state, goal), expected.append).advance()
    assert Planner(domain, goal).plan(state, heard.append)
    assert heard == expected
    return heard


def test_a_task_is_compared_with_all_the_calls_that_it_is_in(monkeypatch):
    domain, state, goal = path(100)
    heard = heard_on(domain, state, goal)
    assert sum(isinstance(event, TaskPlanned) for event in heard) == 100
    monkeypatch.setattr(planner_module, "HtnSearch", None)
    assert Planner(domain, goal).plan(state, heard.append)


def test_where_these_are_too_many_others_compare_them():
    assert sum(isinstance(event, TaskPlanned) for event in heard_on(*path(300))) == 300


def test_a_listener_hears_of_a_search_while_it_goes_on():
    heard = []

    def hear(event):
        heard.append(event)
        if len(heard) == AT_ONCE:
            raise TimeoutError("enough")

    with pytest.raises(PlanningError, match=r"TimeoutError: enough\n.*a listener raises"):
        Planner(walking, count(10**6), Settings(max_expansions=10**7)).plan(Walker(), hear)
    assert len(heard) == AT_ONCE


def test_a_listener_that_cannot_find_something_is_no_reason_to_search_again():
    heard = []

    def hear(event):
        heard.append(event)
        raise KeyError("mine")

    with pytest.raises(PlanningError, match="KeyError: 'mine'"):
        Planner(walking, count(1)).plan(Walker(), hear)
    assert len(heard) == 1


def test_members_that_come_up_late_are_no_reason_to_tell_anything_twice(alone):
    goal = sequence(count(AT_ONCE), arrived())
    for place in ("b", "one that no planner has met"):
        expected, _ = interpreted(goal, aim=place)
        planner, heard = Planner(walking, goal), []
        assert planner.plan(Walker(aim=place), heard.append)
        assert heard == expected
        again = []
        assert planner.plan(Walker(aim=place), again.append)
        assert again == heard


@pytest.mark.parametrize("most", [1, 7, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE - 1])
def test_what_happened_before_the_limit_is_heard_once(most):
    settings = Settings(max_expansions=most)
    expected, search = interpreted(count(2 * AT_ONCE), settings)
    assert search.status is SearchStatus.LIMIT
    heard = []
    with pytest.raises(PlanningError, match="BT203"):
        Planner(walking, count(2 * AT_ONCE), settings).plan(Walker(), heard.append)
    assert heard == expected


def test_from_a_state_with_unknowns_everything_is_heard_as_well():
    domain = Domain("signposts", Walker)

    @domain.compound
    def follow():
        yield method(left(), when=Walker.aim == "b")
        yield method(right())

    left, right = domain.primitive("left"), domain.primitive("right")
    heard = []
    plan = Planner(domain, follow()).plan(Walker(aim=UNKNOWN), heard.append)
    assert heard == [PlanningSuspended("follow", "unknown aim", 0)]
    assert normal(plan.tree) == "suspended(follow)"


def test_what_was_told_before_something_raises_is_heard_once():
    domain = Domain("strict", Walker)

    @domain.primitive
    def turn(way: str) -> Primitive:
        return Primitive(effects=Walker.steps.becomes(Walker.next[way] + "!"))

    @domain.compound
    def keep(left: int):
        yield method(turn("a"), when=left == 0)
        yield method(rest(), keep(left - 1))

    rest = domain.primitive("rest", effects=Walker.steps.increases(1))
    heard = []
    with pytest.raises(StateError, match="BT106"):
        Planner(domain, keep(2 * AT_ONCE)).plan(Walker(), heard.append)
    expected = []
    search = HtnSearch(request(domain, Walker(), keep(2 * AT_ONCE)), expected.append)
    with pytest.raises(StateError, match="BT106"):
        search.advance()
    assert heard == expected


def test_a_trace_tells_what_was_read_and_not_what_was_only_written(alone):
    trace = Planner(walking, reach("b")).trace(Walker(next=ROUND, aim="a"))
    assert trace.reads == {
        Walker.here: "a",
        Walker.steps: 0,
        Walker.next["a"]: "b",
        Walker.open["b"]: True,
        Walker.tired: False,
    }
    assert trace.status is SearchStatus.SOLVED
    assert trace.expansions == trace.plan.expansions
    assert Planner(walking, look_around()).trace(Walker()).reads == {}


@pytest.mark.parametrize("goal", [count(2), optional(rested())])
def test_find_plan_tells_the_same(goal):
    heard, expected = [], []
    assert find_plan(walking, Walker(), goal, listener=heard.append)
    HtnSearch(request(walking, Walker(), goal), expected.append).advance()
    assert heard == expected != []
