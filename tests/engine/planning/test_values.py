"""Values: what is preferred beside the order of methods (semantics 2.10)."""

import json

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
    priority,
)
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import request
from bthtn.engine.text.plan_json import encoded
from bthtn.errors import DomainError, PlanningError
from tests.reference import Reference


class Fighter(State):
    slash: Fluent[int] = fluent(default=10_000)
    bash: Fluent[int] = fluent(default=10_000)
    has_blade: Fluent[bool] = fluent(default=True)


fighting = Domain("fighting", Fighter)
slash = fighting.primitive("slash", precondition=Fighter.has_blade, cost=3)
bash = fighting.primitive("bash")
wait = fighting.primitive("wait")


@fighting.compound
def battle():
    """Whatever is wanted most; waiting is better than what nobody drew."""
    yield method(attack())
    yield method(wait(), value=200)


@fighting.compound
def attack():
    yield method(slash(), value=Fighter.slash)
    yield method(bash(), value=lambda fighter: fighter.bash)


def done(**values):
    state = Fighter(**values)
    plan = find_plan(fighting, state, battle())
    assert replay(plan, state.frozen()).ok
    return [str(step) for step in plan.steps], plan.value


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"slash": 0, "bash": 5}, (["slash"], 0)),
        ({"slash": 0, "bash": 5, "has_blade": False}, (["bash"], 5)),
        ({}, (["wait"], 200)),
        # Sorting each task's own methods would enter the attack, and find the blow of 10,000.
        ({"slash": 0, "has_blade": False}, (["wait"], 200)),
        # Ties go to what is written first.
        ({"slash": 200}, (["slash"], 200)),
        ({"slash": 5, "bash": 5}, (["slash"], 5)),
    ],
)
def test_the_sum_of_the_values_on_the_way_decides(values, expected):
    assert done(**values) == expected


def test_every_planner_prefers_the_same():
    asked = request(fighting, Fighter(slash=7, bash=3), battle())
    search = HtnSearch.of(asked)
    search.advance()
    record = Planner(fighting, battle()).plan(Fighter(slash=7, bash=3)).record
    assert search.plan.record == Reference(asked).best().record == record


def test_values_and_costs_are_added_up_apart():
    plan = find_plan(fighting, Fighter(slash=7), battle())
    assert (plan.value, plan.cost) == (7, 3)
    cheap = find_plan(fighting, Fighter(slash=7), battle(), Settings(cheapest=True))
    assert (cheap.value, cheap.cost) == (10_000, 1)


def test_of_alternatives_left_open_the_largest_value_counts():
    plan = find_plan(fighting, Fighter(slash=7, bash=3), priority(battle(), wait()))
    assert plan.value == 3


def test_where_all_values_are_zero_the_order_alone_decides_and_nothing_more_is_tried():
    plain = Domain("plain", Fighter)
    first = plain.primitive("first")
    second = plain.primitive("second")

    @plain.compound
    def choose():
        yield method(first(), value=lambda fighter: 0)
        yield method(second(), value=lambda fighter: 0)

    search = HtnSearch.of(request(plain, Fighter(), choose()))
    search.advance()
    assert [str(step) for step in search.plan.steps] == ["first"]
    # The second method is entered, and given up at once: nothing in it can be better.
    assert search.expansions <= 3


def test_a_domain_has_values_where_a_method_has_one():
    plain = Domain("plain", Fighter)
    plain.primitive("first")
    assert not plain.freeze().has_values
    assert fighting.freeze().has_values


def test_the_value_of_a_method_is_written_down_with_the_plan():
    plan = find_plan(fighting, Fighter(slash=7), battle())
    assert json.loads(encoded(plan))["nodes"][1]["value"] == 7


def test_values_below_zero_are_refused():
    debts = Domain("debts", Fighter)
    rest = debts.primitive("rest")

    @debts.compound
    def dream():
        yield method(rest(), value=-1)

    with pytest.raises(DomainError, match="a value is -1") as caught:
        find_plan(debts, Fighter(), dream())
    assert [one.code for one in caught.value.diagnostics] == ["BT204"]

    late = Domain("late", Fighter)
    sleep = late.primitive("sleep")

    @late.compound
    def nap():
        yield method(sleep(), value=lambda fighter: -2)

    with pytest.raises(PlanningError, match="a value is -2"):
        find_plan(late, Fighter(), nap())
