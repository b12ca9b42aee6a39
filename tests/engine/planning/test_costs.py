"""What methods cost, beside the tasks they lead to (semantics 2.1.5)."""

import json

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Primitive,
    Settings,
    State,
    find_plan,
    fluent,
    method,
    null,
    parallel,
    primitive,
    priority,
    sequence,
)
from bthtn.engine.plan.replay import replay
from bthtn.engine.text.plan_json import encoded
from bthtn.errors import PlanningError


class Traveller(State):
    toll: Fluent[int] = fluent(default=3)
    tired: Fluent[bool] = fluent(default=False)


trip = Domain("trip", Traveller)
rest = trip.primitive("rest", effects=Traveller.tired.becomes(False), cost=0)


@trip.primitive
def walk(far: int) -> Primitive:
    return primitive(effects=Traveller.tired.becomes(True), cost=far)


@trip.compound
def cross(far: int):
    yield method(walk(far), when=Traveller.tired, cost=Traveller.toll)
    yield method(walk(far), rest(), cost=lambda traveller: far + traveller.toll)


@trip.compound
def fail():
    yield method(walk(1), cost=lambda traveller: 1 // (traveller.toll - 3))


def planned(goal, **values):
    plan = find_plan(trip, Traveller(**values), goal)
    seen = replay(plan, Traveller(**values).frozen())
    assert seen.ok
    assert seen.cost == plan.cost
    assert seen.footprint == plan.footprint
    return plan


@pytest.mark.parametrize(
    ("goal", "values", "cost"),
    [
        (cross(5), {"tired": True}, 5 + 3),
        (cross(5), {}, 5 + (5 + 3)),
        (cross(5), {"tired": True, "toll": UNKNOWN}, 5),
        (sequence(cross(5), cross(1)), {"tired": True}, 5 + 3 + 1 + 3),
        (parallel(cross(0), null()), {"tired": True}, 3),
        (priority(cross(1), walk(2), cross(2)), {"tired": True}, 2 + 3),
    ],
)
def test_the_cost_of_a_plan_has_those_of_its_methods(goal, values, cost):
    assert planned(goal, **values).cost == cost


def test_a_cost_is_told_in_the_state_in_which_the_method_was_chosen():
    # Walking makes tired, so the second crossing costs only the toll.
    plan = planned(sequence(walk(0), cross(0)))
    assert plan.cost == 3


def test_what_a_cost_reads_is_read_by_the_method():
    assert planned(cross(5), tired=True).tree.footprint.reads == {Traveller.tired, Traveller.toll}


def test_a_scope_keeps_its_cost_in_json():
    plan = planned(cross(5), tired=True)
    assert json.loads(encoded(plan))["nodes"][0]["cost"] == 3
    assert "cost" not in json.loads(encoded(planned(cross(5), tired=True, toll=0)))["nodes"][0]


def test_a_cost_that_cannot_be_computed_is_an_error():
    with pytest.raises(PlanningError, match="BT201"):
        find_plan(trip, Traveller(), fail())


@pytest.mark.parametrize("which", ["cost", "value", "duration"])
@pytest.mark.parametrize("cheapest", [False, True])
def test_a_number_of_a_task_that_is_none_is_an_error(which, cheapest):
    domain = Domain("trip", Traveller)
    of_a_step = {} if which == "value" else {which: lambda traveller: "far"}
    step = domain.primitive("step", **of_a_step)

    @domain.compound
    def begin():
        yield method(step(), **({"value": lambda traveller: "far"} if which == "value" else {}))

    with pytest.raises(PlanningError, match=r"BT110.* is 'far', not a number"):
        find_plan(domain, Traveller(), begin(), Settings(cheapest=cheapest))
