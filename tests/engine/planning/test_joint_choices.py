"""Several variables chosen at once: in the order of nested loops, without going through them."""

from itertools import pairwise

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Planner,
    Primitive,
    Relation,
    Settings,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    one_of,
    primitive,
    relation,
    unordered,
)
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning.explain import explained, explanation_text
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import normal
from bthtn.engine.text.tree import tree_text
from bthtn.errors import BthtnError
from tests.reference import Reference


class Delivery(State):
    here: Fluent[str] = fluent(default="a")
    open: Fluent[bool] = fluent(default=True)
    pairs: Fluent[tuple[tuple[str, int], ...]] = fluent(default=(("y", 2), ("x", 1)))
    loose: Fluent[tuple] = fluent(default=("b", "a"))
    at: FluentFamily[str, str] = fluents(default="a")
    full: FluentFamily[str, bool] = fluents(default=False)
    truck: Relation[str] = relation(default=["red", "blue", "green"])
    place: Relation[str] = relation(default=["d", "c", "b", "a"])
    road: Relation[tuple[str, str]] = relation(
        default=[("a", "b"), ("c", "d"), ("a", "d"), ("b", "c"), ("d", "d")]
    )


@pytest.fixture
def domain():
    return Domain("delivery", Delivery)


@pytest.fixture
def say(domain):
    @domain.primitive
    def say(one: str, other: str) -> Primitive:
        return primitive(precondition=~Delivery.full[one])

    return say


def plans(domain, goal, **values):
    """All plans, which are those of the reference; it goes through nested loops."""
    asked = request(domain, Delivery(**values), goal, Settings())
    search, found = HtnSearch.of(asked), []
    while search.advance() is SearchStatus.SOLVED:
        assert replay(search.plan, asked.state).ok
        found.append(normal(search.plan.tree))
        search.reject()
    assert found == [normal(plan.tree) for plan in Reference(asked).plans()]
    return found


def said(domain, say, choose, **values):
    """What is said by a task whose method says the two values that ``choose`` yields."""

    @domain.compound
    def task():
        one, other, when = choose()
        yield method(say(one, other), when=when)

    return [plan.replace("say", "").replace("'", "") for plan in plans(domain, task(), **values)]


def test_those_values_are_tried_for_which_the_condition_holds_the_last_changes_first(domain, say):
    def choose():
        truck, place = one_of(Delivery.truck, Delivery.place)
        return truck, place, Delivery.road[Delivery.here, place] & (Delivery.at[truck] == "a")

    assert said(domain, say, choose, at={"blue": "c"}) == [
        "(red, d)",
        "(red, b)",
        "(green, d)",
        "(green, b)",
    ]


def test_the_order_is_that_in_which_the_values_are_written(domain, say):
    def choose():
        place, truck = one_of(Delivery.place, Delivery.truck)
        return place, truck, Delivery.at[truck] == place

    found = said(domain, say, choose, at={"red": "b", "green": "d"})
    assert found == ["(d, green)", "(b, red)", "(a, blue)"]


def test_tuples_are_unpacked(domain, say):
    def choose():
        one, other = one_of(Delivery.road)
        return one, other, one != "a"

    assert said(domain, say, choose) == ["(c, d)", "(b, c)", "(d, d)"]


@pytest.mark.parametrize("values", [Delivery.pairs, [("y", 2), ("x", 1)]], ids=["fluent", "list"])
def test_tuples_of_a_fluent_and_of_a_list_are_unpacked(domain, say, values):
    def choose():
        one, other = one_of(values)
        return one, "n", other > 1

    assert said(domain, say, choose) == ["(y, n)"]


def test_a_tuple_is_used_as_a_whole_beside_its_parts(domain, say):
    def choose():
        road, truck = one_of(Delivery.road, Delivery.truck)
        one, other = road
        return one, other, road.is_in([("a", "d"), ("b", "c")]) & (Delivery.at[truck] == other)

    assert said(domain, say, choose, at={"red": "d", "blue": "b"}) == ["(a, d)"]


def test_a_value_may_stand_in_several_columns(domain, say):
    def choose():
        one, other = one_of(Delivery.place, Delivery.truck)
        return one, other, Delivery.road[one, one]

    assert said(domain, say, choose) == ["(d, red)", "(d, blue)", "(d, green)"]


def test_ways_are_found_through_several_relations(domain, say):
    def choose():
        one, middle, last = one_of(Delivery.place, Delivery.place, Delivery.place)
        chain = Delivery.road[one, middle] & Delivery.road[middle, last]
        return one, last, chain & (middle != last)

    assert said(domain, say, choose) == ["(b, d)", "(a, c)"]


def test_a_single_variable_over_a_relation_is_chosen_so_too(domain, say):
    @domain.compound
    def task():
        place = one_of(Delivery.place)
        yield method(say(place, "x"), when=Delivery.road["a", place])

    plan = find_plan(domain, Delivery(), task())
    assert plan.record == (0, 0), "the values that do not fit are not counted"
    assert normal(plan.tree) == "say('d', 'x')"


def test_with_a_key_those_with_the_lowest_come_first(domain, say):
    def choose():
        truck, place = one_of(
            Delivery.truck, Delivery.loose, key=lambda state, truck, place: (place, truck)
        )
        return truck, place, ~Delivery.full[truck]

    assert said(domain, say, choose, full={"red": True}) == [
        "(blue, a)",
        "(green, a)",
        "(blue, b)",
        "(green, b)",
    ]


def test_a_condition_without_the_variables_is_asked_before_there_are_values(domain, say):
    def choose():
        truck, place = one_of(Delivery.truck, lambda state: 1 / 0)
        return truck, place, ~Delivery.open & Delivery.road[truck, place]

    assert said(domain, say, choose) == []


def test_a_later_choice_depends_on_an_earlier_one(domain, say):
    def choose():
        one, other = one_of(Delivery.road)
        truck = one_of(Delivery.truck)
        return one, truck, (Delivery.at[truck] == other) & (one != "d")

    assert said(domain, say, choose, at={"blue": "d"}) == ["(c, blue)", "(a, blue)"]


def test_values_of_which_it_is_unknown_whether_they_fit_are_undecided(domain, say):
    def choose():
        truck, place = one_of(Delivery.truck, Delivery.place)
        return truck, place, (Delivery.at[truck] == place) & Delivery.road["a", place]

    found = said(domain, say, choose, at={"red": "b", "blue": UNKNOWN})
    assert found == ["(red, b)", "suspended(task.one_of_1)"]


def test_what_cannot_be_evaluated_is_left_to_the_method(domain, say):
    @domain.compound
    def task():
        truck, place = one_of(Delivery.truck, Delivery.place)
        when = Delivery.road["a", place] & (Delivery.at[truck] < 3)
        yield method(say(truck, place), when=when)

    with pytest.raises(BthtnError, match="'<' not supported"):
        find_plan(domain, Delivery(), task())


def test_they_take_turns_as_one_variable_does(domain, say):
    @domain.compound
    def task():
        truck, place = one_of(Delivery.truck, Delivery.place)
        yield method(say(truck, place), when=Delivery.road["b", place] & (truck != "red"))

    assert plans(domain, unordered(task(), say("x", "y")))[0] == "(say('blue', 'c'), say('x', 'y'))"


def test_the_tree_names_all_values(domain, say):
    @domain.compound
    def task():
        truck, place = one_of(Delivery.truck, Delivery.place)
        yield method(say(truck, place))

    plan = find_plan(domain, Delivery(), task())
    assert "one_of: truck = 'red', place = 'd'" in tree_text(plan.tree, plan.domain)


def test_a_step_relies_on_what_was_read_to_choose(domain, say):
    @domain.compound
    def task():
        truck, place = one_of(Delivery.truck, Delivery.place)
        yield method(say(truck, place), when=Delivery.road[Delivery.at[truck], place])

    plan = find_plan(domain, Delivery(truck=["red"]), task())
    assert sorted(map(str, plan.footprint.reads)) == ["at[red]", "full[red]"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (Delivery.truck, "nothing says how many parts the values of truck have"),
        (Delivery.loose, "nothing says how many parts the values of loose have"),
        (lambda _: [], "nothing says how many parts the values of a function have"),
    ],
)
def test_values_are_unpacked_where_it_is_known_how_many_parts_they_have(values, message):
    with pytest.raises(BthtnError, match=message) as caught:
        _, _ = one_of(values)
    assert caught.value.code == "BT117"


def test_no_product_is_built_of_what_a_relation_joins(domain, say):
    """A thousand roads of a thousand places, and as many trucks: a product would never end."""
    places = [f"p{n}" for n in range(1_000)]

    def choose():
        truck, one, other = one_of(Delivery.place, Delivery.place, Delivery.place)
        return truck, other, Delivery.road[one, other] & Delivery.road[truck, one]

    @domain.compound
    def task():
        truck, other, when = choose()
        yield method(say(truck, other), when=when)

    state = Delivery(place=places, road=pairwise(places))
    assert normal(find_plan(domain, state, task()).tree) == "say('p0', 'p2')"


def test_where_no_values_fit_the_conditions_are_named(domain, say):
    @domain.compound
    def task():
        truck, place = one_of(Delivery.truck, Delivery.place)
        yield method(
            say(truck, place), when=Delivery.road["b", place] & (Delivery.at[truck] == place)
        )

    trace = Planner(domain, task()).trace(Delivery(truck=["red"]))
    assert (
        "there is no truck in truck, place in place with road['b', place] and at[truck] == place:"
        " at[red] = 'a'"
    ) in explanation_text(explained(trace.events))
