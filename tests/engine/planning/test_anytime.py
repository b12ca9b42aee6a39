"""What a search answers whose budget ends in the middle of a plan (semantics 2.6.6)."""

import re

import pytest

from bthtn import Domain, Fluent, Settings, State, find_plan, fluent, method, parallel, priority
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import normal
from bthtn.errors import PlanningError


class Miner(State):
    ore: Fluent[int] = fluent(default=0)
    lamp: Fluent[bool] = fluent(default=False)


mine = Domain("mine", Miner)
dig = mine.primitive("dig", effects=Miner.ore.increases(1))
sing = mine.primitive("sing")
light = mine.primitive("light", effects=Miner.lamp.becomes(True))
sell = mine.primitive("sell", precondition=Miner.ore >= 50, effects=Miner.ore.becomes(0))
blast = mine.primitive("blast", precondition=Miner.lamp & (Miner.ore >= 50))


@mine.compound
def work():
    yield method(dig(), work(), when=Miner.ore < 50)
    yield method(sell())


@mine.compound
def rest():
    yield method(sing())


@mine.compound
def try_things():
    yield method(dig(), blast(), name="a dead end")
    yield method(sing())


@mine.compound
def choose():
    yield method(sing(), dig())
    yield method(sing())


def shown(plan):
    """The plan, with a question mark behind what is left open."""
    return re.sub(r"suspended\((\w+)\)", r"\1?", normal(plan.tree))


def cut_short(goal, expansions, **values):
    settings = Settings(anytime=True, max_expansions=expansions)
    search = HtnSearch.of(request(mine, Miner(**values), goal, settings))
    assert search.advance() is SearchStatus.LIMIT
    assert search.expansions <= expansions
    if search.plan is None:
        return None
    seen = replay(search.plan, Miner(**values).frozen())
    assert seen.ok, seen.reason
    assert seen.record == search.plan.record
    return shown(search.plan)


@pytest.mark.parametrize(
    ("goal", "expansions", "plan"),
    [
        (work(), 1, None),
        (work(), 2, "(dig, work?)"),
        (work(), 3, "(dig, dig?, work?)"),
        (work(), 4, "(dig, dig, work?)"),
        ((work(), rest()), 4, "(dig, dig, work?, rest?)"),
        (parallel(work(), rest()), 2, "parallel((dig, work?), rest?)"),
        (priority(work(), rest()), 2, "priority((dig, work?), rest?)"),
        (priority(blast(), work()), 3, "(dig, work?)"),
        ((rest(), parallel(work(), rest())), 2, "(sing, parallel(work?, rest?))"),
    ],
)
def test_what_is_planned_is_kept_and_the_rest_left_open(goal, expansions, plan):
    assert cut_short(goal, expansions) == plan


def test_a_search_that_is_stuck_leaves_the_latest_choice_open():
    assert cut_short((light(), try_things(), work()), 4) == "(light, try_things?, work?)"


def test_stuck_before_the_first_step_there_is_nothing_to_keep():
    assert cut_short((try_things(), work()), 3) is None


def test_an_alternative_that_was_not_tried_to_the_end_is_not_dropped():
    goal = (light(), rest(), priority((dig(), try_things(), sell()), sing()))
    # Stuck in the first alternative with the last expansion: its task is left open.
    assert cut_short(goal, 7) == "(light, sing, priority((dig, try_things?, sell?), sing?))"


def test_the_limit_is_only_told_where_nothing_can_be_done():
    few = Settings(anytime=True, max_expansions=1)
    with pytest.raises(PlanningError, match="BT203"):
        find_plan(mine, Miner(), work(), few)
    plan = find_plan(mine, Miner(), work(), Settings(anytime=True, max_expansions=2))
    assert str(plan.tree.child.children[1].cause) == "budget"


def test_within_the_limit_nothing_is_left_open():
    settings = Settings(anytime=True, max_expansions=200)
    search = HtnSearch.of(request(mine, Miner(), work(), settings))
    assert search.advance() is SearchStatus.SOLVED
    assert len(search.plan.steps) == 51


def test_the_cheapest_plan_so_far_comes_before_the_beginning_of_another():
    settings = Settings(anytime=True, cheapest=True, max_expansions=6)
    search = HtnSearch.of(request(mine, Miner(), (choose(), rest()), settings))
    assert search.advance() is SearchStatus.LIMIT
    assert normal(search.plan.tree) == "(sing, dig, sing)"


def test_however_the_budget_is_sliced_the_same_is_left_open():
    settings = Settings(anytime=True, max_expansions=6)
    search = HtnSearch.of(request(mine, Miner(), (light(), work()), settings))
    while search.advance(1) is SearchStatus.RUNNING:
        assert search.plan is None
    assert search.status is SearchStatus.LIMIT
    assert shown(search.plan) == cut_short((light(), work()), 6)
