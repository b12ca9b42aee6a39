"""Relations: what a state lists, and nothing changes."""

from enum import Enum

import pytest

from bthtn import (
    UNKNOWN,
    Domain,
    FluentFamily,
    Primitive,
    Relation,
    State,
    find_plan,
    fluents,
    holds,
    primitive,
    relation,
)
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.sensors import Sensors
from bthtn.engine.text.conditions import condition_from_text
from bthtn.engine.text.plan_json import decoded, encoded
from bthtn.errors import BthtnError


class Colour(Enum):
    RED = 1
    BLUE = 2


class World(State):
    truck: Relation[str] = relation()
    road: Relation[tuple[str, str]] = relation(default=[("x", "y")])
    paint: Relation[tuple[str, Colour]] = relation()
    at: FluentFamily[str, str] = fluents(default="a")


ROADS = [("a", "b"), ("b", "c"), ("a", "d"), ("a", "b")]


@pytest.fixture
def world():
    return World(truck=["t"], road=ROADS)


@pytest.fixture
def domain():
    domain = Domain("roads", World)

    @domain.primitive
    def drive(truck: str, to: str) -> Primitive:
        return primitive(
            precondition=World.truck[truck] & World.road[World.at[truck], to],
            effects=World.at[truck].becomes(to),
        )

    return domain


def test_a_relation_has_the_tuples_that_its_state_was_given_each_once_and_in_order(world):
    assert [*world.road] == ROADS[:3]
    assert [*world.truck] == ["t"]
    assert [*World().road] == [("x", "y")]


def test_a_tuple_that_is_not_listed_is_a_condition_that_is_false(world):
    assert holds(World.road["a", "b"], world)
    assert holds(~World.truck["u"], world)
    assert holds(World.road[World.at["t"], "d"], world)
    assert str(holds(World.road["b", "a"], world)) == "road['b', 'a'] is false"
    assert holds(World.road[World.at["t"], "d"], World(at={"t": UNKNOWN})).truth is UNKNOWN


def test_three_dots_stand_for_what_is_listed_there(world):
    found = World.road["a", ...], World.road[..., "c"], World.road[..., ...], World.truck[...]
    assert [values.evaluate(world.frozen()) for values in found] == [
        ("b", "d"),
        ("b",),
        tuple(ROADS[:3]),
        ("t",),
    ]
    assert world.road["a", ...] == ("b", "d")
    assert world.road["c", ...] == ()


def test_functions_of_the_state_ask_it_too(world):
    assert world.road["a", "b"]
    assert not world.truck["u"]
    assert ("b", "c") in world.road
    assert len(world.road) == 3


def test_states_are_equal_where_their_relations_are(world):
    same = World(truck=["t"], road=ROADS)
    assert world == same
    assert hash(world) == hash(same)
    assert world != World(truck=["t"], road=ROADS[::-1])  # whose choices come in another order
    assert repr(World(road=[("a", "b")])) == "World(road=[('a', 'b')])"
    assert repr(World(truck=map(str, range(30))).truck).endswith("'19', … 10 more]")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([("a",)], r"'road' relates str, str; \('a',\) is \(str\)"),
        ([("a", 3)], "'road' relates str, str"),
        ("ab", "'road' lists tuples; 'ab' has none"),
        (UNKNOWN, "'road' lists tuples; unknown has none"),
    ],
)
def test_only_tuples_of_its_types_are_listed(given, message):
    with pytest.raises(BthtnError, match=message) as caught:
        World(road=given)
    assert caught.value.code == "BT106"


@pytest.mark.parametrize("index", ["a", ("a", "b", "c"), ("a", 3)])
def test_it_is_asked_for_tuples_of_its_types(index, world):
    with pytest.raises(BthtnError, match="'road' relates") as caught:
        World.road[index]
    assert caught.value.code == "BT106"
    if index != ("a", 3):
        with pytest.raises(BthtnError, match="the relation relates 2"):
            world.road[index]


def test_a_relation_says_what_it_relates():
    with pytest.raises(BthtnError, match="nothing says what the relation 'thing' relates"):

        class Unsaid(State):
            thing = relation()

    class Said(State):
        thing = relation(type=tuple[str, int])

    assert Said(thing=[("a", 1)]).thing["a", 1]


def test_no_effect_and_no_sensor_and_nobody_else_writes_a_relation(world, domain):
    def write(state):
        state.road = ()

    def write_one(state):
        state.road["a", "b"] = False

    domain.primitive("write", effects=write)
    domain.primitive("write_one", effects=write_one)
    sensors = Sensors()
    sensors.sensor(World.road)(lambda _: None)
    agent = Agent("driver", domain, world, body=None)
    for written in (
        lambda: World.road.becomes(()),
        lambda: World.road["a", "b"].becomes(True),
        lambda: setattr(world, "road", []),
        lambda: agent.beliefs.write(World.road, World().road),
        lambda: agent.believe(World.road, []),
        lambda: find_plan(domain, world, domain.task("write")()),
        lambda: find_plan(domain, world, domain.task("write_one")()),
        lambda: Agent("other", domain, world, body=None, sensors=sensors),
    ):
        with pytest.raises(BthtnError, match="never changes") as caught:
            written()
        assert caught.value.code == "BT108"


def test_a_step_reads_no_relation_that_could_be_watched(world, domain):
    plan = find_plan(domain, world, domain.task("drive")("t", "b"))
    assert [str(read) for read in plan.steps[0].footprint.reads] == ["at[t]"]


def test_a_plan_with_relations_is_written_as_json_and_read_again(world, domain):
    plan = find_plan(domain, world, domain.task("drive")("t", "b"))
    assert decoded(encoded(plan), domain).predicted == plan.predicted


def test_files_give_lists_and_name_the_members_of_an_enum():
    schema = World.__schema__
    assert schema.entry("road", [["a", "b"]])[1] == World(road=[("a", "b")]).road
    assert schema.entry("truck", ["t"])[1] == World(truck=["t"]).truck
    assert schema.setting('paint=[["t", "RED"]]')[1] == World(paint=[("t", Colour.RED)]).paint
    for wrong in ("road=a", 'road=["a"]', 'paint=[["t", "GREEN"]]'):
        with pytest.raises(BthtnError, match=r"'(road|paint)'"):
            schema.setting(wrong)


def test_a_condition_as_text_may_ask_a_relation():
    asked = condition_from_text("road[a, b] and not truck[u]", World.__schema__)
    assert holds(asked, World(road=[("a", "b")]))
    with pytest.raises(BthtnError, match="'road' relates 2"):
        condition_from_text("road[a]", World.__schema__)


def test_what_a_state_lists_may_be_given_to_another_one(world):
    assert World(truck=world.truck, road=world.road) == world


def test_a_file_that_gives_no_list_is_told_so():
    with pytest.raises(BthtnError, match="'road' lists tuples; 'ab' has none"):
        World.__schema__.entry("road", "ab")


@pytest.mark.parametrize(
    ("value", "code"), [([("a", "b")], "BT108"), ([3], "BT106"), (UNKNOWN, "BT106")]
)
def test_what_is_no_value_of_a_relation_is_refused(value, code):
    with pytest.raises(BthtnError, match="'road'") as caught:
        World.road.check(value)
    assert caught.value.code == code


def test_a_condition_as_text_that_names_no_member_is_told_which_there_are():
    asked = condition_from_text("paint[t, RED]", World.__schema__)
    assert holds(asked, World(paint=[("t", Colour.RED)]))
    with pytest.raises(BthtnError, match="'paint' does not relate 'GREEN'") as caught:
        condition_from_text("paint[t, GREEN]", World.__schema__)
    assert caught.value.diagnostics[0].hint == "there is: BLUE, RED"
