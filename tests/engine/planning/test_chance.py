"""Draws: by weight, with a way back, and the same for everybody who asks the same."""

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from enum import Enum, IntEnum
from itertools import product

import pytest
from py_trees.common import Status

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Settings,
    State,
    any_order,
    defer,
    find_plan,
    fluent,
    method,
    random_of,
    repeat,
)
from bthtn.behaviours import PlanGoal
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.events import LeafStarted
from bthtn.engine.domain.chance import SEED, drawn_order, stable_text
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import normal
from bthtn.studio.testing.doubles import RecordingListener

MANY = 2_000


class Table(State):
    round: Fluent[int] = fluent(default=0)
    luck: Fluent[int] = fluent(default=1)
    open: Fluent[bool] = fluent(default=True)


table = Domain("table", Table)
heads = table.primitive("heads", effects=Table.round.increases(1))
tails = table.primitive("tails", precondition=Table.open, effects=Table.round.increases(1))
edge = table.primitive("edge", precondition=~Table.open)


@table.compound
def toss():
    yield method(random_of((3, heads()), (1, tails())))


@table.compound
def toss_anew():
    yield method(random_of((1, heads()), (1, tails()), by=Table.round))


@table.compound
def toss_for(who: str):
    yield method(random_of((1, heads()), (1, tails())))


def seeded(seed):
    return Settings(seed=seed)


def steps(goal, seed=0, **values):
    plan = find_plan(table, Table(**values), goal, seeded(seed))
    return plan and " ".join(str(step) for step in plan.steps)


def plans(goal, seed=0, **values):
    search, found = HtnSearch.of(request(table, Table(**values), goal, seeded(seed))), []
    while search.advance() is SearchStatus.SOLVED:
        found.append((normal(search.plan.tree), tuple(search.plan.record)))
        search.reject()
    return found


# what is drawn


def test_the_heavier_is_drawn_more_often():
    count = Counter(steps(toss(), seed) for seed in range(MANY))
    assert count["heads"] + count["tails"] == MANY
    assert 1420 <= count["heads"] <= 1580


def test_what_is_drawn_second_is_drawn_from_the_rest():
    count = Counter(drawn_order((6, 3, 1), str(text)) for text in range(MANY))
    expected = {}
    weights = (6, 3, 1)
    for one, two in product(range(3), repeat=2):
        if one != two:
            share = weights[one] / 10 * weights[two] / (10 - weights[one])
            expected[one, two, 3 - one - two] = MANY * share
    assert set(count) == set(expected)
    for order, number in expected.items():
        assert abs(count[order] - number) < 90, order


def test_the_same_seed_gives_the_same_plan_and_another_may_give_another():
    assert [steps(toss(), 5) for _ in range(3)] == [steps(toss(), 5)] * 3
    assert {steps(toss(), seed) for seed in range(20)} == {"heads", "tails"}


def test_when_what_was_drawn_cannot_be_planned_the_others_are_tried_in_drawn_order():
    for seed in range(20):
        assert steps(toss(), seed, open=False) == "heads"
        assert plans(random_of((1, edge()), (1, edge())), seed) == []


def test_the_record_counts_the_order_that_was_drawn():
    first, second = (
        next(s for s in range(20) if steps(toss(), s) == one) for one in ("heads", "tails")
    )
    assert plans(toss(), first) == [("heads", (0, 0)), ("tails", (0, 1))]
    assert plans(toss(), second) == [("tails", (0, 0)), ("heads", (0, 1))]


# what a draw depends on


def test_the_same_place_draws_the_same_again_unless_something_varies_it():
    again = {tuple(steps(repeat(6, toss()), seed).split()) for seed in range(20)}
    assert again == {("heads",) * 6, ("tails",) * 6}
    varied = {steps(repeat(6, toss_anew()), seed) for seed in range(20)}
    assert len(varied) > 10


def test_other_arguments_and_other_places_draw_for_themselves():
    by_argument = {tuple(steps(toss_for(who), seed) for who in "abcdef") for seed in range(9)}
    assert any(len(set(one)) == 2 for one in by_argument)
    places = random_of((1, heads()), (1, tails())), random_of((1, heads()), (1, tails()))
    assert any(len(set(steps(places, seed).split())) == 2 for seed in range(9))


def test_the_state_matters_only_where_it_is_named():
    assert len({steps(toss(), 3, round=number) for number in range(20)}) == 1
    assert len({steps(toss_anew(), 3, round=number) for number in range(20)}) == 2


def test_a_weight_may_be_asked_of_the_state():
    by_luck = random_of((Table.luck, tails()), (1, heads()))
    count = Counter(steps(by_luck, seed, luck=9) for seed in range(300))
    assert 240 <= count["tails"] <= 299
    by_function = random_of((lambda state: state.luck * 9, tails()), (1, heads()))
    assert Counter(steps(by_function, seed) for seed in range(300))["tails"] >= 240


def test_a_draw_may_vary_with_a_function_of_the_state():
    def steps_of(by, number):
        return steps(random_of((1, heads()), (1, tails()), by=by), 3, round=number)

    rounds = range(20)
    by_function = [steps_of(lambda state: state.round, one) for one in rounds]
    assert by_function == [steps_of(Table.round, one) for one in rounds]
    assert len(set(by_function)) == 2
    assert steps_of((Table.luck, lambda state: state.round), 3) in {"heads", "tails"}


@pytest.mark.parametrize("weight", [0, -1])
def test_what_weighs_nothing_comes_last(weight):
    goal = random_of((Table.luck, tails()), (1, heads()))
    for seed in range(20):
        assert [one for one, _ in plans(goal, seed, luck=weight)] == ["heads", "tails"]


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -1.0, 0])
def test_odd_weights_come_last_in_the_order_given(odd):
    assert drawn_order((odd, 1, odd), "any") == (1, 0, 2)
    assert drawn_order((), "any") == ()


def test_an_unknown_weight_or_variation_suspends():
    goal = random_of((Table.luck, tails()), (1, heads()))
    assert plans(goal, luck=UNKNOWN) == [("suspended(goal.random_of_1)", ())]
    assert plans(toss_anew(), round=UNKNOWN) == [("suspended(toss_anew.random_of_1)", (0,))]


# the same for everybody


def test_replay_draws_what_was_drawn_from_beliefs_that_know_no_seed():
    for seed in range(12):
        plan = find_plan(table, Table(), any_order(toss_anew(), toss()), seeded(seed))
        assert replay(plan, Table().frozen()).ok
        assert replay(plan, Table().frozen()).final == plan.predicted


def test_the_seed_is_in_the_state_that_is_planned_from_and_in_no_schema():
    assert request(table, Table(), toss(), seeded(7)).state.get(SEED) == 7
    plain = request(table, Table(), toss())
    assert plain.state == Table().frozen()
    assert str(SEED) not in table.freeze().schema.fluents


def test_a_suspended_part_draws_with_the_seed_of_its_goal():
    done = []
    for seed in range(12):
        heard = RecordingListener()
        agent = Agent("a", table, Table(), body=None, listener=heard)
        goal = PlanGoal("g", agent, (heads(), defer(toss_anew())), settings=seeded(seed))
        while goal.status is not Status.SUCCESS:
            goal.tick_once()
        done.append(" ".join(event.task for event in heard.of(LeafStarted)))
    assert done == [f"heads {steps(toss_anew(), seed, round=1)}" for seed in range(12)]
    assert len(set(done)) == 2


class Colour(Enum):
    RED = 1


class Number(IntEnum):
    ONE = 1


@dataclass(frozen=True)
class Squad:
    members: frozenset[str]
    size: float = 1
    seen: int = field(default=0, compare=False)


def function():
    """A value whose text has an address."""


class Word(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (True, "1"),
        (1.0, "1"),
        (Number.ONE, "1"),
        (1.5, "1.5"),
        ("a'b", '"a\'b"'),
        (Word("a"), "'a'"),
        (Colour.RED, "Colour.RED"),
        (None, "None"),
        ((1.0, ("b",)), "(1 ('b'))"),
        (frozenset({"b", "a", "c"}), "{'a' 'b' 'c'}"),
        (object(), "object"),
        (function, "<function function>"),
        (Squad(frozenset({"b", "a"}), 2.0, 7), "Squad({'a' 'b'} 2)"),
    ],
)
def test_values_have_a_text_that_does_not_depend_on_the_process(value, text):
    assert stable_text(value) == text


def test_a_draw_is_the_same_in_another_process():
    program = (
        "from bthtn.engine.domain.chance import drawn_order, stable_text;"
        "print(drawn_order((1, 2, 3, 4), stable_text(frozenset('abc'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "11"},
    )
    assert done.stdout.strip() == str(drawn_order((1, 2, 3, 4), stable_text(frozenset("abc"))))
    assert done.stdout.strip() == "(1, 3, 2, 0)"
