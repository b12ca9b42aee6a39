"""Listening to a search: what is heard, when, and that it is heard once."""

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
)
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.planning.trace import (
    Backtracked,
    MethodEntered,
    MethodRejected,
    PlanningSuspended,
    RecursionCut,
    TaskPlanned,
)
from bthtn.engine.text.notation import normal
from bthtn.errors import PlanningError, StateError


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


def test_everything_is_heard_in_the_order_in_which_it_happens():
    heard = []
    assert Planner(walking, reach("x")).plan(Walker(next=ROUND), heard.append) is None
    assert {type(event) for event in heard} == {
        Backtracked,
        MethodEntered,
        MethodRejected,
        RecursionCut,
        TaskPlanned,
    }
    assert [event for event in heard if isinstance(event, TaskPlanned)][:4] == [
        TaskPlanned("step('b')", 1),
        TaskPlanned("step('c')", 2),
        TaskPlanned("step('a')", 3),
        TaskPlanned("look_around", 4),
    ]


def test_what_happened_before_the_limit_and_before_something_raises_is_heard_once():
    domain = Domain("strict", Walker)

    @domain.primitive
    def turn(way: str) -> Primitive:
        return Primitive(effects=Walker.steps.becomes(Walker.next[way] + "!"))

    @domain.compound
    def keep(left: int):
        yield method(turn("a"), when=left == 0)
        yield method(rest(), keep(left - 1))

    rest = domain.primitive("rest", effects=Walker.steps.increases(1))
    for most, error in ((100, "BT106"), (3, "BT203")):
        heard, planner = [], Planner(domain, keep(2), Settings(max_expansions=most))
        for _ in range(3):
            heard.clear()
            with pytest.raises((PlanningError, StateError), match=error):
                planner.plan(Walker(), heard.append)
        planned = [event for event in heard if isinstance(event, TaskPlanned)]
        assert len(planned) == (2 if most > 3 else 1)


@pytest.mark.parametrize("goal", [count(2), optional(rested())])
def test_find_plan_tells_what_a_planner_tells(goal):
    heard, expected = [], []
    assert find_plan(walking, Walker(), goal, listener=heard.append)
    Planner(walking, goal).plan(Walker(), expected.append)
    assert heard == expected != []


def test_reasons_tell_the_values_of_their_moment():
    heard = []
    Planner(walking, reach("c")).plan(Walker(next=ROUND), heard.append)
    assert [event.reason for event in heard if isinstance(event, MethodRejected)] == [
        "here == 'c' is false: here = 'a'",
        "here == 'c' is false: here = 'b'",
    ]


def test_a_reason_stays_when_the_next_method_changes_what_it_tells_of():
    domain = Domain("resting", Walker)

    @domain.compound
    def go_on():
        yield method(when=Walker.tired | Walker.sure)
        yield method(decide())

    decide = domain.primitive("decide", effects=Walker.sure.becomes(True))
    heard = []
    Planner(domain, go_on()).plan(Walker(), heard.append)
    assert heard[0].reason == "tired or sure is false: tired = false, sure = false"


def test_what_is_done_in_the_same_words_elsewhere_is_told_at_its_own_depth():
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
    ListenedSearch(request(domain, Walker(), both()), expected.append).advance()
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


def test_a_listener_hears_of_a_search_while_it_goes_on():
    heard = []

    def hear(event):
        heard.append(event)
        if len(heard) == 100:
            raise TimeoutError("enough")

    with pytest.raises(PlanningError, match=r"TimeoutError: enough\n.*a listener raises"):
        Planner(walking, count(10**6), Settings(max_expansions=10**7)).plan(Walker(), hear)
    assert len(heard) == 100


def test_a_listener_that_cannot_find_something_is_no_reason_to_search_again():
    heard = []

    def hear(event):
        heard.append(event)
        raise KeyError("mine")

    with pytest.raises(PlanningError, match="KeyError: 'mine'"):
        Planner(walking, count(1)).plan(Walker(), hear)
    assert len(heard) == 1


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


def test_a_trace_tells_what_was_read_and_not_what_was_only_written():
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
