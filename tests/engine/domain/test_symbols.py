"""Symbols in functions: bound where they can be reached, refused where they cannot."""

from functools import partial

import pytest

from bthtn import (
    BthtnError,
    Domain,
    Fluent,
    FluentFamily,
    Methods,
    Primitive,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    one_of,
    primitive,
)
from bthtn.behaviours import Agent, Believes, Sensors

FARES = {"park": 3}


class Rider(State):
    at: Fluent[str] = fluent(default="home")
    open: FluentFamily[str, bool] = fluents(default=True)
    cash: Fluent[int] = fluent(default=5)


class Other(State):
    at: Fluent[str] = fluent(default="home")
    far: FluentFamily[str, bool] = fluents(default=True)


class IsAt:
    def __init__(self, place):
        self.place = place

    def __call__(self, state):
        return state.at == self.place

    def elsewhere(self, state):
        return state.at != self.place


def is_at(state, place):
    return state.at == place


def beside(to):
    def near(state):
        return state.at == to

    return lambda state: near(state) and state.cash > 0


def recursive(to):
    def reach(state, left=2):
        return state.at == to or (left > 0 and reach(state, left - 1))

    return reach


def closed_over(held, ask):
    return lambda state: ask(state, held)


CONDITIONS = {
    "lambda": lambda to: lambda state: state.at == to,
    "helper beside a lambda": beside,
    "helper that calls itself": recursive,
    "partial": lambda to: partial(is_at, place=to),
    "callable object": IsAt,
    "partial of a helper": lambda to: partial(beside(to)),
    "object that is closed over": lambda to: closed_over(IsAt(to), lambda state, it: it(state)),
    "tuple": lambda to: closed_over((to, 1), lambda state, it: state.at == it[0]),
    "dictionary": lambda to: closed_over({"to": to}, lambda state, it: state.at == it["to"]),
    "list": lambda to: closed_over([to], lambda state, it: state.at in it),
    "default": lambda to: lambda state, place=to: state.at == place,
    "keyword": lambda to: lambda state, *, place=to: state.at == place,
    "calculation": lambda to: closed_over(to + "!", lambda state, it: state.at + "!" == it),
}


@pytest.fixture
def riding():
    return Domain("riding", Rider)


@pytest.mark.parametrize("made", CONDITIONS.values(), ids=CONDITIONS)
def test_a_function_sees_the_argument_however_it_gets_it(riding, made):
    @riding.primitive
    def leave(to: str) -> Primitive:
        return primitive(precondition=made(to))

    @riding.compound
    def choose() -> Methods:
        to = one_of(("park", "home"))
        yield method(leave(to), when=made(to))

    assert find_plan(riding, Rider(at="park"), leave("park")) is not None
    assert find_plan(riding, Rider(at="park"), leave("home")) is None
    assert str(find_plan(riding, Rider(at="home"), choose()).steps[0]) == "leave('home')"


def test_a_bound_method_sees_the_argument(riding):
    @riding.primitive
    def leave(to: str) -> Primitive:
        return primitive(precondition=IsAt(to).elsewhere)

    assert find_plan(riding, Rider(at="park"), leave("park")) is None


def test_a_reference_that_a_function_closes_over_is_the_member(riding):
    @riding.primitive
    def enter(to: str) -> Primitive:
        door = Rider.open[to]
        return primitive(precondition=lambda state: state.is_known(door) and state.open[to])

    assert find_plan(riding, Rider(), enter("park")) is not None


@pytest.mark.parametrize(
    "misuse",
    [
        lambda to: FARES.get(to, 100),
        lambda to: FARES.get(Rider.open[to], 100),
        lambda to: f"go to {to}",
        lambda to: to in FARES,
        lambda to: {to},
        lambda to: "a" in to,
        list,
        len,
        lambda to: to[0],
        lambda to: to == "park" and 1,
        lambda to: 1 if to == "park" else 2,
        lambda to: Rider.cash["x"],
        abs,
        int,
        float,
        round,
        lambda to: to / 2,
        lambda to: 2**to,
        lambda to: divmod(to, 2),
    ],
)
@pytest.mark.parametrize("kind", ["primitive", "compound"])
def test_a_symbol_is_refused_where_a_value_belongs(riding, misuse, kind):
    def ride(to: str):
        misuse(to)
        yield method()

    def pay(to: str):
        misuse(to)
        return primitive()

    def declare():
        riding.compound(ride) if kind == "compound" else riding.primitive(pay)
        riding.freeze()

    with pytest.raises(BthtnError) as caught:
        declare()
    [found] = caught.value.diagnostics
    assert (found.code, found.where[: len(kind)]) == ("BT107", kind)
    assert found.hint


def test_a_task_for_each_item_of_a_parameter_needs_a_function(riding):
    @riding.primitive
    def leave(to: str) -> Primitive:
        return primitive()

    def leave_all(places: tuple) -> Methods:
        yield method(*[leave(to) for to in places])

    mistaken = riding.copy()
    mistaken.compound(leave_all)
    with pytest.raises(BthtnError, match=r"lambda state: \[task\(each\) for each in places\]"):
        mistaken.freeze()

    @riding.compound
    def visit_all(places: tuple) -> Methods:
        yield method(lambda state: [leave(to) for to in places])

    plan = find_plan(riding, Rider(), visit_all(("a", "b")))
    assert [args for _, args in plan.actions] == [("a",), ("b",)]


def test_what_cannot_be_bound_is_refused_while_planning(riding):
    class Leg:
        __slots__ = ("to",)

        def __init__(self, to):
            self.to = to

    @riding.primitive
    def leave(to: str) -> Primitive:
        leg = Leg(to)
        return primitive(precondition=lambda state: state.at == leg.to)

    with pytest.raises(BthtnError, match="BT107") as caught:
        find_plan(riding, Rider(), leave("park"))
    assert __file__ in str(caught.value)


# what functions answer, and what they write


def misspelt(state):
    state.cahs = 3


def misspelt_family(state):
    state.opne["park"] = True


def on_the_class(state):
    Rider.cash = 3


def on_the_class_by_index(state):
    Rider.open["park"] = False


@pytest.mark.parametrize(
    ("effect", "says"),
    [
        (misspelt, "did you mean 'cash'"),
        (misspelt_family, "did you mean 'open"),
        (on_the_class, r"cash.becomes\(...\)"),
        (on_the_class_by_index, r"open\[…\].becomes"),
        (lambda state: state.cash - 1, "answers with 4"),
        (lambda state: Rider.cash.becomes(3), "that changes nothing"),
    ],
)
def test_an_effect_that_would_change_nothing_is_refused(riding, effect, says):
    pay = riding.primitive("pay", effects=effect)
    with pytest.raises(BthtnError, match=says) as caught:
        find_plan(riding, Rider(), pay())
    assert __file__ in caught.value.diagnostics[0].where


def test_a_state_has_no_other_attributes_than_its_fluents():
    state = Rider()
    with pytest.raises(BthtnError, match="did you mean 'cash'"):
        state.cahs = 3
    with pytest.raises(AttributeError, match="did you mean 'cash'"):
        _ = state.cahs


@pytest.mark.parametrize("answer", [None, print, Rider, object()])
def test_a_condition_answers_with_a_truth_value(riding, answer):
    ask = riding.primitive("ask", precondition=lambda state: answer)
    with pytest.raises(BthtnError, match="answers with") as caught:
        find_plan(riding, Rider(), ask())
    assert __file__ in caught.value.diagnostics[0].where


# fluents of another State class


FOREIGN = {
    "condition": lambda d: d.primitive("x", precondition=Other.at == "home"),
    "member": lambda d: d.primitive("x", during=Other.far["a"]),
    "effect": lambda d: d.primitive("x", effects=Other.at.becomes("home")),
    "value": lambda d: d.primitive("x", on_failure=Rider.at.becomes(Other.at)),
    "cost": lambda d: d.primitive("x", cost=Other.at),
    "duration": lambda d: d.primitive("x", duration=Other.at),
}


@pytest.mark.parametrize("declared", FOREIGN.values(), ids=FOREIGN)
def test_a_fluent_of_another_state_class_is_refused_where_it_stands(riding, declared):
    with pytest.raises(BthtnError, match="another State class than Rider") as caught:
        declared(riding)
    assert caught.value.code == "BT102"
    assert caught.value.diagnostics[0].hint


def test_a_foreign_fluent_is_refused_in_goals(riding):
    @riding.primitive
    def go(to: str) -> Primitive:
        return primitive(effects=Rider.at.becomes(to))

    with pytest.raises(BthtnError, match=r"write Rider\.at"):
        riding.freeze().with_goal(go(Other.at))


def test_a_foreign_fluent_is_refused_in_methods(riding):
    @riding.primitive
    def go(to: str) -> Primitive:
        return primitive(effects=Rider.at.becomes(to))

    @riding.compound
    def all_of_it() -> Methods:
        yield method(when=Other.at == "home")
        yield method(go(Other.at))
        yield method(go(one_of(Other.at)))
        yield method(cost=Other.at)

    with pytest.raises(BthtnError) as caught:
        riding.freeze()
    assert [one.code for one in caught.value.diagnostics] == ["BT102"] * 4


def test_an_agent_neither_senses_nor_believes_what_its_state_does_not_have(riding):
    riding.primitive("wait")
    agent = Agent("a", riding, Rider(), body=None)
    for given in (Other.at, "cash", Rider.open, 3):
        with pytest.raises(BthtnError, match="BT102"):
            agent.believe(given, "park")
    with pytest.raises(BthtnError, match=r"write Rider\.at"):
        Believes("home", agent, Other.at == "home")
    for asked in (Other.at, "cash"):
        with pytest.raises(BthtnError, match="BT102"):
            Rider().is_known(asked)
    sensors = Sensors()
    sensors.sensor(Other.at)(lambda agent: "park")
    with pytest.raises(BthtnError, match="another State class") as caught:
        Agent("a", riding, Rider(), body=None, sensors=sensors)
    assert "sensor" in caught.value.diagnostics[0].where
