"""Choices, orders and repetitions inside a network, decided while planning."""

from dataclasses import replace

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    Primitive,
    Settings,
    State,
    any_order,
    defer,
    find_plan,
    first_of,
    fluent,
    method,
    null,
    optional,
    parallel,
    partial_order,
    pause,
    primitive,
    priority,
    random_of,
    repeat,
    sequence,
)
from bthtn.engine.domain.network import network_text
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import call_from, node_from, normal
from bthtn.engine.text.plan_json import encoded
from bthtn.errors import DomainError, PlanningError
from tests.reference import Reference


class Site(State):
    wood: Fluent[int] = fluent(default=2)
    roof: Fluent[bool] = fluent(default=False)
    open: Fluent[bool] = fluent(default=True)
    at: Fluent[str] = fluent(default="gate")


site = Domain("site", Site)
saw = site.primitive("saw", precondition=Site.wood > 0, effects=Site.wood.decreases(1))
fetch = site.primitive("fetch", effects=Site.wood.becomes(1))
cover = site.primitive("cover", effects=[Site.roof.becomes(True), Site.open.becomes(False)])
paint = site.primitive("paint", precondition=Site.roof)
air = site.primitive("air", precondition=Site.open)
rest = site.primitive("rest")


@site.primitive
def walk(to: str) -> Primitive:
    return primitive(precondition=Site.at != to, effects=Site.at.becomes(to))


@site.compound
def work():
    yield method(saw(), name="by hand")
    yield method(rest())


@site.compound
def visit(who: str):
    yield method(walk("hall"), first_of(walk(who), rest()), rest())


@site.compound
def nested():
    yield method(
        parallel(
            first_of(saw(), rest()),
            priority(optional(paint()), any_order(walk("a"), repeat(Site.wood, walk("b")))),
        )
    )


def plans(goal, settings=None, **values):
    """All plans in order, in their normal form, from the search and the reference alike."""
    asked = request(site, Site(**values), goal, settings or Settings())
    search, found = HtnSearch.of(asked), []
    while search.advance() is SearchStatus.SOLVED:
        plan = search.plan
        assert replay(plan, asked.state).ok
        found.append(normal(plan.tree))
        search.reject()
    assert found == [normal(plan.tree) for plan in Reference(asked).plans()]
    return found


# first_of and optional


def test_the_first_that_can_be_planned_is_taken():
    assert plans(first_of(paint(), saw(), rest())) == ["saw", "rest"]


def test_the_choice_is_taken_back_when_what_follows_cannot_be_planned():
    assert plans((first_of(cover(), rest()), air())) == ["(rest, air)"]


def test_when_none_can_be_planned_there_is_no_plan():
    assert plans(first_of(paint(), (saw(), paint()))) == []


def test_what_is_optional_is_done_if_it_can_be():
    assert plans((optional(saw()), rest())) == ["(saw, rest)", "rest"]
    assert plans((optional(paint()), rest())) == ["rest"]


def test_several_things_are_optional_together():
    assert plans(optional(rest(), saw())) == ["(rest, saw)", "null"]


# repeat


@pytest.mark.parametrize(("times", "done"), [(3, "(rest, rest, rest)"), (1, "rest"), (0, "null")])
def test_a_number_of_times(times, done):
    assert plans(repeat(times, rest())) == [done]


def test_as_many_times_as_nobody_can_plan_end_at_the_limit_of_the_search():
    with pytest.raises(PlanningError, match="BT203"):
        find_plan(site, Site(), repeat(10**9, rest()), Settings(max_expansions=50))


def test_a_negative_number_is_nothing_to_do():
    assert plans(repeat(-1, rest())) == plans(repeat(Site.wood, rest()), wood=-1) == ["null"]


def test_the_number_is_asked_when_it_is_reached_and_not_again():
    goal = (fetch(), repeat(Site.wood + 1, rest(), fetch()))
    assert plans(goal, wood=7) == ["(fetch, rest, fetch, rest, fetch)"]
    assert plans(repeat(lambda state: state.wood, saw())) == ["(saw, saw)"]


def test_a_number_that_is_unknown_suspends():
    assert plans((rest(), repeat(Site.wood, saw()), rest()), wood=UNKNOWN) == [
        "(rest, suspended(goal.repeat_1(wood)), suspended(rest))"
    ]


def test_each_time_may_be_done_in_another_way():
    assert plans(repeat(2, first_of(saw(), rest())), wood=1) == [
        "(saw, rest)",
        "(rest, saw)",
        "(rest, rest)",
    ]


# any_order


def test_the_order_as_written_comes_first_and_then_the_others_as_in_a_dictionary():
    goal = any_order(walk("a"), walk("b"), rest())
    assert plans(goal) == [
        "(walk('a'), walk('b'), rest)",
        "(walk('a'), rest, walk('b'))",
        "(walk('b'), walk('a'), rest)",
        "(walk('b'), rest, walk('a'))",
        "(rest, walk('a'), walk('b'))",
        "(rest, walk('b'), walk('a'))",
    ]


def test_an_order_is_found_that_works():
    assert plans(any_order(paint(), cover(), air())) == ["(air, cover, paint)"]


def test_each_part_is_a_block():
    assert plans(any_order((paint(), rest()), (cover(), saw()))) == ["(cover, saw, paint, rest)"]


# partial_order


def test_only_orders_that_keep_to_what_was_said_are_tried():
    goal = partial_order("b < a", a=walk("a"), b=walk("b"), c=walk("c"))
    assert plans(goal) == [
        "(walk('b'), walk('a'), walk('c'))",
        "(walk('b'), walk('c'), walk('a'))",
        "(walk('c'), walk('b'), walk('a'))",
    ]


def test_a_chain_says_that_its_neighbours_are_in_order():
    goal = partial_order("c < b < a", a=walk("a"), b=walk("b"), c=walk("c"))
    assert plans(goal) == ["(walk('c'), walk('b'), walk('a'))"]


def test_without_constraints_it_is_any_order():
    assert plans(partial_order(x=rest(), y=saw())) == plans(any_order(rest(), saw()))


# where they may stand


def test_they_may_be_nested_in_each_other_and_in_everything_else():
    assert plans(nested(), wood=1) == [
        "parallel(rest, priority(null, (walk('a'), walk('b'))))",
        "parallel(rest, priority(null, (walk('b'), walk('a'))))",
    ], "sawing would disturb those who count the wood"


def test_the_parameters_of_a_task_mean_the_same_inside():
    assert plans(visit("hall")) == ["(walk('hall'), rest, rest)"]
    assert plans(visit("yard"))[0] == "(walk('hall'), walk('yard'), rest)"


def test_a_compound_task_that_says_the_same_by_hand_is_planned_alike():
    by_hand = Domain("by hand", Site)
    one, two = by_hand.primitive("saw", precondition=Site.roof), by_hand.primitive("rest")

    @by_hand.compound
    def either():
        yield method(one())
        yield method(two(), optional(one()))

    goal = either()
    first = find_plan(by_hand, Site(), goal)
    second = find_plan(by_hand, Site(), first_of(one(), (two(), optional(one()))))
    assert (normal(first.tree), first.record) == (normal(second.tree), second.record)
    assert first.expansions == second.expansions


def test_what_is_left_of_an_order_is_planned_on_arrival():
    assert plans(any_order(rest(), (saw(), pause(), saw())), Settings(horizon=1))[:1] == [
        "(rest, suspended(goal.any_order_1(1)))"
    ]


def test_a_suspended_construct_can_be_read_back_from_text():
    plan = find_plan(site, Site(at=UNKNOWN), visit(Site.at))
    assert call_from("visit.first_of_1('hall')", plan.domain).task.origin == "first_of"


@pytest.mark.parametrize("times", [Site.wood, lambda state: state.wood, Site.wood + 0])
def test_a_suspended_repetition_can_be_read_back_from_text(times):
    asked = request(site, Site(), (rest(), repeat(times, saw())))
    for horizon in (1, 2):
        search = HtnSearch.of(replace(asked, settings=Settings(horizon=horizon)))
        search.advance()
        text = normal(search.plan.tree)
        assert "suspended(goal.repeat_1(" in text
        assert normal(node_from(text, asked.domain)) == text


def test_a_deferred_task_may_hold_constructs_and_is_none():
    assert plans(defer(visit("a"))) == ["suspended(visit('a'))"]


def test_one_construct_in_two_places_is_one_task():
    twice = Domain("twice", Site)
    step = twice.primitive("step")

    @twice.compound
    def both():
        either = first_of(step(), null())
        yield method(either, either)
        yield method(repeat(3, either))

    assert list(twice.freeze().tasks) == ["step", "both", "both.first_of_1"]


# what becomes of them


def test_they_become_tasks_behind_the_one_they_stand_in():
    assert list(site.freeze().tasks)[-5:] == [
        *("nested", "nested.first_of_1", "nested.optional_1", "nested.any_order_1"),
        "nested.repeat_1",
    ]


def test_names_of_authors_come_first():
    named = Domain("named", Site)
    named.primitive("x.first_of_1")
    step = named.primitive("step")

    @named.compound
    def x():
        yield method(first_of(step(), null()))

    frozen = named.freeze()
    assert list(frozen.tasks) == ["x.first_of_1", "step", "x", "x.first_of_2"]
    assert frozen.authored == ("x.first_of_1", "step", "x")
    assert repr(frozen) == "<domain named: 3 tasks>"
    with pytest.raises(DomainError, match=r"(?s)BT101.*did you mean 'step'"):
        frozen.task("stepp")


def test_a_goal_adds_its_tasks_to_a_domain_of_its_own():
    frozen = site.freeze()
    asked = request(site, Site(), (first_of(saw(), rest()), rest()))
    assert set(asked.domain.tasks) - set(frozen.tasks) == {"goal.first_of_1"}
    assert request(site, Site(), rest()).domain is frozen
    again = request(asked.domain, Site(), asked.goal)
    assert again.domain is asked.domain


def test_a_plan_says_what_was_chosen():
    plan = find_plan(site, Site(wood=0), first_of(saw(), work()))
    assert '"task": "goal.first_of_1", "args": [], "method": "work", "index": 1' in encoded(plan)


@pytest.mark.parametrize(
    ("network", "text"),
    [
        (first_of(saw(), (rest(), null())), "first_of(saw, (rest, null))"),
        (optional(saw()), "optional(saw)"),
        (repeat(3, saw(), rest()), "repeat(3, (saw, rest))"),
        (repeat(Site.wood, saw()), "repeat(wood, saw)"),
        (any_order(saw(), rest()), "any_order(saw, rest)"),
        (
            partial_order("b < a", a=saw(), b=rest()),
            "partial_order('b < a', a=saw, b=rest)",
        ),
        (
            random_of((3, saw()), (Site.wood, rest()), by=Site.wood),
            "random_of((3, saw), (wood, rest), by=(wood))",
        ),
        (sequence(rest(), first_of(saw())), "(rest, first_of(saw))"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_they_are_printed_as_they_are_written(network, text):
    assert network_text(network) == text


def test_the_tasks_say_what_was_written():
    tasks = site.freeze().tasks
    assert tasks["visit.first_of_1"].doc == "first_of(walk(who), rest)"
    methods = site.freeze().methods
    assert [one.name for one in methods[tasks["nested.any_order_1"]]] == [
        *("walk", "repeat(walk, …)", "all done")
    ]
