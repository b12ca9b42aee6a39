"""What a listener hears where generated functions would find the plan: that of the search."""

import pytest

from bthtn import Domain, Fluent, Planner, State, fluent, method, sequence
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.protocol import request
from bthtn.errors import PlanningError


class House(State):
    open: Fluent[bool] = fluent(default=False)
    wet: Fluent[bool] = fluent(default=True, volatile=True)


domain = Domain("house", House)
push = domain.primitive("push", effects=House.open.becomes(True))
enter = domain.primitive("enter", precondition=House.open)


@domain.compound
def go_in():
    yield method(enter(), when=House.open, name="walk")
    yield method(push(), enter(), when=~House.open, name="push")


@domain.compound
def try_in():
    yield method(enter(), name="try")
    yield method(go_in(), name="do")


@domain.compound
def hurry():
    yield method(when=lambda state: not state.wet)
    yield method(go_in())


def planner_for(goal):
    planner = Planner(domain, goal)
    for _ in range(2):
        planner.search(House()).advance()
    return planner


def expected(goal):
    events = []
    ListenedSearch(request(domain, House(), goal), events.append).advance()
    return events


@pytest.mark.parametrize("goal", [sequence(go_in(), go_in()), try_in(), hurry()])
def test_a_listener_hears_all_that_the_search_tells(goal):
    heard = []
    plan = planner_for(goal).plan(House(), heard.append)
    assert heard == expected(goal)
    assert heard
    assert plan is not None


def test_a_listener_that_raises_ends_it():
    def raises(_):
        raise ValueError("not now")

    planner = planner_for(go_in())
    with pytest.raises(PlanningError, match="not now"):
        planner.plan(House(), raises)
    assert list(planner.plan(House()).record) == [1]
