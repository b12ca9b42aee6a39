"""Why a plan is as it is, and what would change it: in texts, and as plain data."""

import json
from dataclasses import replace

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Settings,
    State,
    achieve,
    find_plan,
    fluent,
    fluents,
    method,
    one_of,
    parallel,
    priority,
)
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning import request
from bthtn.errors import DomainError, PlanningError
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.studio.explanation import (
    MethodOutcome,
    better_plan,
    changes_for,
    decomposition_table,
    methods_of,
    table_text,
    why,
    why_not,
)


def texts(several):
    return "\n".join(map(str, several)).splitlines()


class House(State):
    open: Fluent[bool] = fluent(default=False)
    lit: Fluent[bool] = fluent(default=False)
    coins: Fluent[int] = fluent(default=0)
    near: Fluent[bool] = fluent(default=True, volatile=True)


house = Domain("house", House)
unlock = house.primitive("unlock", effects=House.open.becomes(True))
switch = house.primitive("switch", effects=House.lit.becomes(True))
enter = house.primitive("enter", precondition=House.open & House.lit)
pay = house.primitive("pay", precondition=House.coins > 2)
knock, ring = house.primitive("knock"), house.primitive("ring")


@house.compound
def visit():
    yield method(pay(), enter(), name="as a guest")
    yield method(prepare(), enter(), name="as a friend")
    yield method(priority(knock(), ring()))


@house.compound
def prepare():
    yield method(parallel(unlock(), switch()), when=House.near)


def asked(state, goal=None):
    return request(house, state, goal or visit())


def test_a_step_relies_on_what_steps_before_it_bring_about():
    state = Soldier(target=True, ammo=False, magazine=True)
    plan = find_plan(combat, state, fight())
    assert texts(why(plan, state, "shoot")) == [
        "fight, method 2",
        "  fight_at_distance, method 0",
        "    shoot",
        "      relies on target: target = true (the initial state)",
        "      relies on ammo: ammo = true (after reload)",
    ]


def test_what_parallel_branches_bring_about_comes_from_their_steps():
    state = House()
    plan = find_plan(house, state, visit())
    assert texts(why(plan, state)) == [
        "visit, method 1 'as a friend'",
        "  prepare, method 0",
        "    relies on near: near = true (the initial state)",
        "    unlock",
        "    switch",
        "  enter",
        "    relies on open: open = true (after unlock)",
        "    relies on lit: lit = true (after switch)",
    ]


def test_a_step_is_found_by_its_text_its_task_or_its_node():
    state = House()
    plan = find_plan(house, state, visit())
    node = plan.steps[-1]
    assert why(plan, state, node) == why(plan, state, "enter")
    with pytest.raises(DomainError, match=r"(?s)has no step 'enterr'.*did you mean 'enter'"):
        why(plan, state, "enterr")


def test_a_method_before_the_chosen_one_says_where_it_failed():
    first, second, third = [one for one in methods_of(asked(House())) if one.depth == 0]
    assert first.outcome is MethodOutcome.FAILED
    assert texts([first]) == [
        "visit, method 0 'as a guest': failed",
        "  pay: coins > 2 is false: coins = 0",
    ]
    assert second.is_chosen
    assert third.outcome is MethodOutcome.LATER


def test_a_method_behind_the_chosen_one_says_whether_it_would_work():
    answers = methods_of(asked(House(coins=3, open=True, lit=True)))
    assert [one.outcome for one in answers] == [
        MethodOutcome.CHOSEN,
        MethodOutcome.LATER,
        MethodOutcome.LATER,
    ]
    away = methods_of(asked(House(coins=3, open=True, lit=True, near=False)))
    assert away[1].outcome is MethodOutcome.LATER_AND_FAILS
    assert texts(away[1:2])[1:] == ["  prepare, method 0: near is false: near = false"]


def test_without_a_plan_every_method_that_was_tried_says_why():
    answers = methods_of(asked(House(near=False), prepare()))
    assert texts(answers) == ["prepare, method 0: failed", "  near is false: near = false"]


def test_the_smallest_changes_for_a_method_are_proved_by_planning():
    answer, changes = why_not(asked(House()), visit(), 0)
    assert answer.outcome is MethodOutcome.FAILED
    assert changes.is_complete
    assert str(changes) == "no change that was tried helps"
    of_three = changes_for(asked(House()), lambda plan: plan.record == (0,), most=3)
    assert {
        frozenset((str(one), value) for one, value in several) for several in of_three.sets
    } == {frozenset({("coins", 3), ("open", True), ("lit", True)})}


class Town(State):
    place: Fluent[str] = fluent(default="home")
    speed: Fluent[float] = fluent(default=3.0)
    coins: Fluent[int] = fluent(default=0)
    is_open: FluentFamily[str, bool] = fluents(default=False, index=str)


town = Domain("town", Town)
walk, rest, shop = town.primitive("walk"), town.primitive("rest"), town.primitive("shop")


@town.compound
def stay(where: str):
    yield method(walk(), when=Town.place == where)
    yield method(rest())


@town.compound
def guard():
    yield method(stay("gate"))


@town.compound
def haggle():
    yield method(walk(), when=(Town.speed >= 1.0) & (Town.coins >= 1))
    yield method(rest())


@town.compound
def buy():
    market = one_of(("square", "harbour"))
    yield method(shop(), when=Town.place == market)
    yield method(rest())


@town.compound
def enter_here():
    yield method(walk(), when=Town.is_open[Town.place])
    yield method(rest())


@town.compound
def sleep():
    yield method(achieve(Town.place == "inn", actions=[shop]), rest())
    yield method(rest())


@pytest.mark.parametrize(
    ("goal", "task", "change"),
    [
        pytest.param(guard(), stay("gate"), "place = 'gate'", id="argument in a method"),
        pytest.param(stay("mill"), stay("mill"), "place = 'mill'", id="argument of the goal"),
        pytest.param(haggle(), haggle(), "coins = 1; or coins = 2", id="1 beside 1.0"),
        pytest.param(
            enter_here(), enter_here(), "place = 'tavern'; or is_open[home] = true", id="index"
        ),
        pytest.param(sleep(), sleep(), "place = 'inn'", id="goal of a search"),
    ],
)
def test_values_that_a_domain_names_anywhere_are_tried(goal, task, change):
    state = Town(is_open={"tavern": True})
    _, changes = why_not(request(town.freeze(), state, goal), task, 0)
    assert str(changes) == change


def test_the_values_of_a_choice_are_tried():
    changes = changes_for(request(town.freeze(), Town(), buy()), lambda plan: len(plan.record) > 1)
    assert str(changes) == "place = 'square'; or place = 'harbour'"


def test_a_method_that_is_chosen_needs_no_change():
    answer, changes = why_not(asked(House()), visit(), 1)
    assert answer.is_chosen
    assert (changes.sets, changes.plannings) == ((), 0)


def test_a_budget_that_ends_is_said():
    changes = changes_for(asked(House()), lambda plan: plan.record == (0,), most=3, budget=3)
    assert changes.plannings == 3
    assert not changes.is_complete
    assert str(changes) == "no change that was tried helps, and not all were tried"


def test_a_method_that_there_is_not_is_refused():
    with pytest.raises(DomainError, match="'visit' has no method 3"):
        why_not(asked(House()), visit(), 3)
    with pytest.raises(DomainError, match="'knock' is a primitive task"):
        why_not(asked(House()), knock(), 0)


def test_a_task_that_the_search_did_not_come_to_is_said_to_be_that():
    answer, changes = why_not(asked(House(coins=3, open=True, lit=True)), prepare(), 0)
    assert answer.outcome is MethodOutcome.NOT_REACHED
    assert changes.sets, "a change brings the search to it"


def test_what_is_unknown_stops_a_method_too():
    answers = methods_of(asked(House(near=UNKNOWN, coins=UNKNOWN)))
    assert answers[0].is_chosen, "planning is suspended there"


def test_r001_08_the_table_has_a_row_for_each_step_of_the_decomposition():
    """R001-08: the tasks to process, the plan and the record, iteration by iteration."""
    plan = find_plan(house, House(), visit())
    assert table_text(decomposition_table(plan)).splitlines() == [
        "it  tasks to process       plan                   record",
        "0   visit                  -                      -",
        "1   prepare, enter         -                      1",
        "2   unlock, switch, enter  -                      1,0",
        "3   switch, enter          unlock                 1,0",
        "4   enter                  unlock, switch         1,0",
        "5   -                      unlock, switch, enter  1,0",
    ]


def test_everything_is_plain_data():
    answer, changes = why_not(asked(House(open=True)), visit(), 0)
    plan = find_plan(house, House(), visit())
    data = {
        "answer": answer.data(),
        "changes": changes.data(),
        "why": [one.data() for one in why(plan, House())],
        "table": [row.data() for row in decomposition_table(plan)],
    }
    assert json.loads(json.dumps(data)) == data
    assert data["changes"]["sets"] == [{"coins": "3", "lit": "true"}]
    assert data["why"][-1]["relies_on"][0] == {
        "condition": "open",
        "values": [{"fluent": "open", "value": "true", "origin": "after unlock"}],
    }


def test_a_better_plan_beats_the_record_of_the_running_one():
    rich = House(coins=3, open=True, lit=True)
    better = better_plan(asked(rich), MethodTraversalRecord((1, 0)))
    assert better.plan is not None
    assert better.plan.record.beats(better.record)
    assert str(better) == "(pay, enter) is better, record [0]"
    assert better.data() == {
        "beats": [1, 0],
        "plan": {"plan": "(pay, enter)", "record": [0]},
        "reasons": [],
    }


def test_nothing_beats_the_record_of_the_first_plan_and_the_bound_is_a_reason():
    plan = find_plan(house, House(), visit())
    better = better_plan(asked(House()), plan.record)
    assert better.plan is None
    assert any("beats the record [1,0]" in reason.text for reason in better.reasons)
    assert str(better).startswith("nothing beats the record [1,0]\n  visit, method 0 'as a guest'")


def test_a_search_for_a_better_plan_that_reaches_its_limit_is_no_answer():
    limited = replace(asked(House()), settings=Settings(max_expansions=1))
    with pytest.raises(PlanningError, match="BT203"):
        better_plan(limited, MethodTraversalRecord((1, 0)))


def test_a_method_that_works_and_costs_more_is_worse_even_if_something_in_it_failed():
    shop = Domain("shop", State)
    locked = shop.primitive("locked", precondition=lambda _: False)
    walk, buy = shop.primitive("walk", cost=5), shop.primitive("buy", cost=1)

    @shop.compound
    def enter():
        yield method(locked())
        yield method(walk())

    @shop.compound
    def get():
        yield method(enter())
        yield method(buy())

    asked = request(shop, State(), get(), Settings(cheapest=True))
    first = next(iter(methods_of(asked)))
    assert (first.method, first.outcome, first.reasons) == (0, MethodOutcome.WORSE, ())
