"""Variables of a method: one way for each value, tried in order, and taken back."""

from enum import Enum

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    Relation,
    Settings,
    State,
    first_of,
    fluent,
    fluents,
    method,
    one_of,
    parallel,
    primitive,
    relation,
)
from bthtn.engine.plan.replay import replay
from bthtn.engine.planning import trace
from bthtn.engine.planning.explain import explained, explanation_text
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.protocol import SearchStatus, request
from bthtn.engine.text.notation import normal
from bthtn.errors import BthtnError, PlanningError
from tests.reference import Reference


class Place(Enum):
    HILL = 1
    WOOD = 2


class Scout(State):
    at: Fluent[str] = fluent(default="x")
    spots: Fluent[tuple] = fluent(default=("a", "b", "c"))
    held: Fluent[frozenset] = fluent(default=frozenset({"b", "a"}))
    safe: FluentFamily[str, bool] = fluents(default=True)
    near: FluentFamily[str, int] = fluents(default=0)
    place: Fluent[Place] = fluent(default=Place.HILL)
    camp: Relation[str] = relation(default=["c", "a"])
    path: Relation[tuple[str, str]] = relation(default=[("x", "c"), ("a", "b"), ("x", "b")])


@pytest.fixture
def domain():
    return Domain("scouting", Scout)


@pytest.fixture
def go(domain):
    @domain.primitive
    def go(to: str) -> Primitive:
        return primitive(precondition=Scout.safe[to], effects=Scout.at.becomes(to))

    return go


def plans(domain, goal, settings=None, **values):
    asked = request(domain, Scout(**values), goal, settings or Settings())
    search, found = HtnSearch.of(asked), []
    while search.advance() is SearchStatus.SOLVED:
        assert replay(search.plan, asked.state).ok
        found.append(normal(search.plan.tree))
        search.reject()
    assert found == [normal(plan.tree) for plan in Reference(asked).plans()]
    return found


def hide(domain, body, values, *, when=lambda spot: True, key=None):
    """A compound task with one method that uses a variable."""

    @domain.compound
    def hide():
        spot = one_of(values, key=key)
        yield method(body(spot), when=when(spot))

    return hide()


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (["a", "b"], "ab"),
        (Scout.spots, "abc"),
        (lambda state: [state.at, "a"], "xa"),
        (frozenset({"c", "a"}), "ac"),
        (Scout.held, "ab"),
        (lambda state: set(state.spots), "abc"),
        (Scout.camp, "ca"),
        (Scout.path[Scout.at, ...], "cb"),
        (lambda state: state.path[..., "b"], "ax"),
    ],
    ids=[
        *("list", "fluent", "function", "set", "fluent with a set", "function of a set"),
        *("relation", "matching", "function of a relation"),
    ],
)
def test_values_are_tried_in_order(domain, go, values, order):
    assert plans(domain, hide(domain, go, values)) == [f"go('{one}')" for one in order]


def test_those_with_the_lowest_key_come_first_and_equals_stay_in_order(domain, go):
    goal = hide(domain, go, Scout.spots, key=lambda state, spot: state.near[spot])
    assert plans(domain, goal, near={"a": 5, "b": 1, "c": 1}) == ["go('b')", "go('c')", "go('a')"]


def test_a_value_with_which_the_body_cannot_be_planned_is_passed_over(domain, go):
    goal = hide(domain, go, Scout.spots)
    assert plans(domain, goal, safe={"a": False}) == ["go('b')", "go('c')"]


def test_a_condition_that_mentions_the_variable_is_asked_for_each_value(domain, go):
    goal = hide(domain, go, Scout.spots, when=lambda spot: Scout.at != spot)
    search = HtnSearch.of(request(domain, Scout(at="a"), goal))
    search.advance()
    assert normal(search.plan.tree) == "go('b')"
    assert search.plan.record == (0, 1), "skipped values are counted"


def test_a_condition_that_does_not_mention_it_is_asked_before_there_are_values(domain, go):
    goal = hide(domain, go, lambda state: 1 / 0, when=lambda spot: Scout.at == "nowhere")
    assert plans(domain, goal) == []


def test_values_are_only_asked_for_when_planning_gets_there(domain, go):
    @domain.compound
    def patrol():
        spot = one_of(lambda state: [state.at + "2"])
        yield method(go(spot))

    assert plans(domain, (go("hill"), patrol())) == ["(go('hill'), go('hill2'))"]


def test_unknown_values_suspend(domain, go):
    goal = hide(domain, go, Scout.spots)
    assert plans(domain, goal, spots=UNKNOWN) == ["suspended(hide.one_of_1)"]


def test_an_unknown_key_suspends(domain, go):
    goal = hide(domain, go, Scout.spots, key=lambda state, spot: state.near[spot])
    assert plans(domain, goal, near={"b": UNKNOWN}) == ["suspended(hide.one_of_1)"]


def test_no_values_are_no_way(domain, go):
    events = []
    goal = hide(domain, go, Scout.spots)
    search = ListenedSearch(request(domain, Scout(spots=()), goal), events.append)
    assert search.advance() is SearchStatus.EXHAUSTED
    assert explanation_text(explained(events)) == (
        "hide, method 0\n  hide.one_of_1: there is no spot in spots: spots = ()"
    )


def test_values_that_are_computed_are_told_by_the_name_of_the_function(domain, go):
    def known_spots(scout):
        return scout.spots

    events = []
    goal = hide(domain, go, known_spots)
    ListenedSearch(request(domain, Scout(spots=()), goal), events.append).advance()
    assert "there is no spot in known_spots: spots = ()" in explanation_text(explained(events))


def test_what_the_values_were_computed_from_is_read(domain, go):
    move = domain.primitive("move", effects=Scout.spots.becomes(("z",)))
    goal = hide(domain, go, Scout.spots)
    search = HtnSearch.of(request(domain, Scout(), goal))
    search.advance()
    assert Scout.spots in search.plan.footprint.reads
    assert plans(domain, parallel(goal, move())) == []


def test_it_may_be_used_wherever_a_parameter_may(domain, go):
    @domain.compound
    def seek(who: str):
        spot = one_of(Scout.spots)
        yield method(first_of(go(who), go(spot)), go(spot), when=lambda s: s.safe[spot])
        yield method(lambda state: [go(spot), go(spot)])

    found = plans(domain, seek("y"), spots=("a", "b"), safe={"a": False, "y": False})
    assert found == ["(go('b'), go('b'))", "(go('b'), go('b'))"]


def test_several_are_nested_in_order_of_first_use(domain, go):
    @domain.compound
    def twice():
        one, two = one_of(("a", "b")), one_of(("c", "d"))
        yield method(go(two), go(one))

    assert plans(domain, twice()) == [
        "(go('c'), go('a'))",
        "(go('c'), go('b'))",
        "(go('d'), go('a'))",
        "(go('d'), go('b'))",
    ]


def test_the_values_of_one_may_depend_on_another(domain, go):
    @domain.compound
    def chain():
        one = one_of(("a", "b"))
        two = one_of(lambda state: [one + "1", one + "2"], key=lambda state, two: two != one + "2")
        yield method(go(two), go(one))

    assert plans(domain, chain(), safe={"a2": False, "a1": False}) == [
        "(go('b2'), go('b'))",
        "(go('b1'), go('b'))",
    ]


def test_a_function_may_be_given_it_as_a_default(domain, go):
    @domain.compound
    def roam():
        spot = one_of(("a", "b"))
        yield method(go(spot), when=lambda state, at=spot: state.at != at)
        yield method(lambda state, *, to=spot: go(to))

    assert plans(domain, roam(), at="a") == ["go('b')", "go('a')", "go('b')"]


def test_a_plan_does_not_hold_where_the_values_are_others(domain, go):
    search = HtnSearch.of(request(domain, Scout(), hide(domain, go, Scout.spots)))
    search.advance()
    few, none, unknown = (
        replay(search.plan, Scout(spots=spots).frozen()) for spots in (("b",), (), UNKNOWN)
    )
    assert (few.ok, few.reason) == (False, "it does not come from go('b')")
    assert (none.ok, none.reason) == (False, "'hide.one_of_1' has 0 methods")
    assert (unknown.ok, unknown.reason) == (
        False,
        "it was decided although spots is unknown",
    )


@pytest.mark.parametrize("second", ["values", "key"])
def test_the_values_and_the_key_of_one_may_each_depend_on_another(domain, go, second):
    @domain.compound
    def chain():
        one = one_of(("a", "b"))
        values = (lambda state: [one + "1"]) if second == "values" else ("b", "a")
        key = (lambda state, two: two != one) if second == "key" else None
        two = one_of(values, key=key)
        yield method(go(two))

    expected = {"values": ["a1", "b1"], "key": ["a", "b", "b", "a"]}[second]
    assert plans(domain, chain()) == [f"go('{one}')" for one in expected]


def test_methods_may_share_them_and_use_different_ones(domain, go):
    @domain.compound
    def choose(who: str):
        one, two = one_of(("a", "b")), one_of(("c", "d"))
        yield method(go(one), go(two), when=Scout.at == "y")
        yield method(go(two), go(who))
        yield method(go(two), go(one), when=(Scout.safe[one]) & (Scout.at != who))

    assert plans(domain, choose("x"), at="z", safe={"c": False, "a": False}) == [
        "(go('d'), go('x'))",
        "(go('d'), go('b'))",
    ]


def test_each_value_costs_one_expansion(domain, go):
    goal = hide(domain, go, Scout.spots)
    search = HtnSearch.of(request(domain, Scout(safe={"a": False}), goal))
    search.advance()
    assert search.expansions == 1 + 2 + 2, "the method, two values, and a task for each"


def test_what_is_tried_is_told_by_name(domain, go):
    events = []
    ListenedSearch(request(domain, Scout(), hide(domain, go, Scout.spots)), events.append).advance()
    assert trace.MethodEntered("hide.one_of_1", 0, "spot = 'a'", 1) in events


def test_an_enum_is_its_members(domain):
    @domain.primitive
    def look(place: Place) -> Primitive:
        return primitive(effects=Scout.place.becomes(place))

    assert plans(domain, hide(domain, look, Place)) == ["look(HILL)", "look(WOOD)"]


def test_a_value_that_is_tried_in_a_deferred_or_suspended_part_is_kept(domain, go):
    goal = hide(domain, lambda spot: (go(spot), go(Scout.at), go(spot)), ("a",))
    assert plans(domain, goal, Settings(horizon=1)) == ["(go('a'), suspended(go(at), go('a')))"]


@pytest.mark.parametrize(
    ("values", "key", "code"),
    [
        (lambda state: 3, None, "BT117"),
        (lambda state: "abc", None, "BT117"),
        (lambda state: [["a"]], None, "BT117"),
        (Scout.at, None, "BT117"),
        (lambda state: 1 / 0, None, "BT201"),
        (Scout.spots, lambda state, spot: 1 / 0, "BT201"),
        (Scout.spots, lambda state, spot: spot if spot == "a" else 1, "BT201"),
    ],
)
def test_values_that_cannot_be_used_end_the_search(domain, go, values, key, code):
    search = HtnSearch.of(request(domain, Scout(), hide(domain, go, values, key=key)))
    with pytest.raises(BthtnError) as caught:
        search.advance()
    assert caught.value.code == code
    assert isinstance(caught.value, PlanningError) is (code == "BT201")


def reused_in_a_condition(go):
    x = one_of(("a", "b"))
    yield method(go(x), when=lambda state: state.safe[x])
    x = one_of(("m",))
    yield method(go(x))


def reused_in_a_body(go):
    x = one_of(("a", "b"))
    yield method(lambda state: [go(x)])
    x = one_of(("m",))
    yield method(go(x))


def reused_in_a_list(go):
    x = one_of(("a", "b"))
    first = method(go(x), when=Scout.safe["a"], value=lambda state: state.near[x])
    x = one_of(("m",))
    return [first, method(go(x))]


def reused_in_the_order_of_values(go):
    x = one_of(("a", "b"))
    spot = one_of(lambda state: [x])
    yield method(go(spot))
    x = one_of(("m",))
    yield method(go(x))


@pytest.mark.parametrize(
    "write",
    [
        reused_in_a_condition,
        reused_in_a_body,
        reused_in_a_list,
        reused_in_the_order_of_values,
    ],
)
def test_a_function_that_would_see_the_variable_of_a_later_method_is_refused(domain, go, write):
    @domain.compound
    def roam():
        return write(go)

    with pytest.raises(BthtnError, match=r"BT118.*would see another") as caught:
        domain.freeze()
    assert caught.value.diagnostics[0].where == "compound 'roam', method 0"


def test_methods_of_one_task_may_share_a_variable_that_they_close_over(domain, go):
    @domain.compound
    def roam():
        x = one_of(("a", "b"))
        yield method(go(x), when=lambda state: not state.safe[x])
        yield method(go(x), when=lambda state: x == "b")

    assert plans(domain, roam()) == ["go('b')"]
