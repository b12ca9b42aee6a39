"""Several indices, declared objects, annotations, and conditions over all objects."""

from enum import Enum
from typing import Literal

import pytest

from bthtn import (
    UNKNOWN,
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
    primitive,
)
from bthtn.studio.views import normal

Person = Literal["alice", "bob"]


class Place(Enum):
    HOME = 1
    PARK = 2


class Town(State):
    at: FluentFamily[Person, str] = fluents(default="home")
    km: FluentFamily[tuple[str, str], int] = fluents(default=8)
    walked: Fluent[int] = fluent(default=0)
    lit: FluentFamily[Place, bool] = fluents(default=False)
    goal: Fluent[Place | None] = fluent(default=Place.HOME)
    speed: Fluent[float] = fluent(default=1)


NEAR = Town(km={("home", "park"): 1})


@pytest.fixture
def town():
    return Domain("town", Town)


@pytest.fixture
def walk(town):
    @town.primitive
    def walk(who: Person, here: str, there: str) -> Primitive:
        return primitive(
            precondition=(Town.at[who] == here) & (Town.km[here, there] < 3),
            effects=[Town.at[who].becomes(there), Town.walked.increases(Town.km[here, there])],
            cost=Town.km[here, there],
        )

    return walk


def test_an_index_of_two_parameters_reads_what_it_says(town, walk):
    plan = find_plan(town, NEAR, walk("alice", "home", "park"))
    assert (normal(plan.tree), plan.cost, plan.predicted.get(Town.walked)) == (
        "walk('alice', 'home', 'park')",
        1,
        1,
    )
    assert find_plan(town, Town(), walk("alice", "home", "park")) is None


def test_a_part_of_an_index_may_be_a_fluent_or_unknown(town):
    ready = town.primitive("ready", precondition=Town.km[Town.at["alice"], "park"] < 3)
    assert find_plan(town, NEAR, ready()) is not None
    lost = Town(km={("home", "park"): 1}, at={"alice": UNKNOWN})
    assert "suspended" in normal(find_plan(town, lost, ready()).tree)


def test_a_tuple_of_symbols_is_an_argument_and_a_value(town):
    class Trip(State):
        leg: Fluent[tuple[str, str]] = fluent(default=("", ""))

    trips = Domain("trips", Trip)

    @trips.primitive
    def ride(leg: tuple) -> Primitive:
        return primitive(effects=Trip.leg.becomes(leg))

    @trips.compound
    def go(here: str, there: str) -> Methods:
        yield method(ride((here, there)), when=Trip.leg != (here, there))

    assert str(find_plan(trips, Trip(), go("a", "b")).steps[0]) == "ride(('a', 'b'))"


def test_functions_and_texts_use_several_indices_as_well(town):
    near = town.primitive("near", precondition=lambda state: state.km["home", "park"] < 3)
    assert find_plan(town, NEAR, near()) is not None
    assert Town.__schema__.variable("km[home, park]") is Town.km["home", "park"]
    assert str(Town.km["home", "park"]) == "km[home, park]"


@pytest.mark.parametrize(
    ("slip", "says"),
    [
        (lambda: Town.at["alicce"], "did you mean 'alice'"),
        (lambda: Town(at={"alicce": "home"}), "did you mean 'alice'"),
        (lambda: Town.km["home"], "write km\\[str, str\\]"),
        (lambda: Town.km["home", 3], "is \\(str, int\\)"),
        (lambda: Town(km={("home", Town.walked): 1}), "BT107"),
        (lambda: Town().at["alicce"], "did you mean 'alice'"),
    ],
)
def test_an_index_that_nobody_declared_is_refused(slip, says):
    with pytest.raises(BthtnError, match=says):
        slip()


def test_an_argument_is_one_of_the_literals_of_its_parameter(walk):
    with pytest.raises(BthtnError, match="did you mean 'alice'"):
        walk("alicce", "home", "park")


def test_objects_may_be_listed_beside_a_plain_annotation():
    class Depot(State):
        loaded: FluentFamily[str, bool] = fluents(default=False, objects=(f"p{n}" for n in (1, 2)))

    assert str(Depot.loaded.all()) == "loaded[p1] and loaded[p2]"
    with pytest.raises(BthtnError, match="did you mean 'p1'"):
        Depot.loaded["p11"]


def test_conditions_ask_for_all_objects_for_any_and_for_membership():
    assert str(Town.lit.any()) == "lit[HOME] or lit[PARK]"
    assert str(Town.at.all(lambda at: at == "home")) == "at[alice] == 'home' and at[bob] == 'home'"
    assert str(Town.at["bob"].is_in(("a", "b"))) == "at[bob] == 'a' or at[bob] == 'b'"
    assert str(Town.at["bob"].is_in(())) == "false"
    with pytest.raises(BthtnError, match="which indices"):
        Town.km.all(lambda km: km < 3)


def test_an_annotation_says_which_values_there_are():
    assert Town(goal=None).goal is None
    assert Town(speed=1.5).speed == 1.5
    with pytest.raises(BthtnError, match="'goal' is Place or None"):
        Town(goal="park")
    with pytest.raises(BthtnError, match="'n' is int"):

        class Wrong(State):
            n: Fluent[int] = fluent(default="three")


def test_a_type_is_only_needed_where_the_annotation_cannot_be_read():
    class Local(Enum):
        A = 1

    class Here(State):
        n: Fluent["Local | None"] = fluent(default=None, type=Local)
        m: Fluent[int | str | None] = fluent(default=None)

    assert (Here(n=Local.A).n, Here(m="x").m, Here(m=3).m) == (Local.A, "x", 3)
    with pytest.raises(BthtnError, match="'m' is int or str or None"):
        Here(m=0.5)


def test_a_fluent_is_declared_once():
    class Base(State):
        ammo: Fluent[int] = fluent(default=6)

    with pytest.raises(BthtnError, match="two fluents called 'ammo'") as caught:

        class Derived(Base):
            ammo: Fluent[int] = fluent(default=3)

    assert caught.value.code == "BT112"
