"""What can make a plan better: the fluents that the domain mentions below a goal, and no others."""

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Primitive,
    State,
    any_order,
    defer,
    fluent,
    fluents,
    method,
    one_of,
    parallel,
    primitive,
    priority,
    repeat,
)
from bthtn.engine.domain.builder import frozen
from bthtn.engine.domain.network import network_from
from bthtn.engine.planning.static_reads import static_reads
from bthtn.studio.testing.strategies import World


@pytest.fixture
def domain():
    return Domain("mentions", World)


def names(domain, goal):
    whole, network = frozen(domain).with_goal(network_from(goal))
    found = static_reads(whole, network)
    return None if found is None else sorted({*map(str, found.fluents), *found.families})


def test_conditions_and_effects_below_the_goal_are_mentioned(domain):
    a = domain.primitive("a", precondition=World.lit, effects=World.count.increases(World.ammo))
    b = domain.primitive("b", precondition=World.armed)

    @domain.compound
    def top():
        yield method(a(), when=(World.open | ~World.seen) & (World.place == "b"))

    @domain.compound
    def other():
        yield method(b())

    assert names(domain, top()) == ["ammo", "count", "lit", "open", "place", "seen"]
    assert names(domain, other()) == ["armed"]
    assert names(domain, parallel(top(), priority(defer(other()), a()))) == [
        *("ammo", "armed", "count", "lit", "open", "place", "seen")
    ]


def test_what_is_asked_only_when_a_step_starts_or_ends_is_not(domain):
    a = domain.primitive("a", exec_only=World.lit, actual=World.count.becomes(World.ammo))
    assert names(domain, a()) == []


def test_families_arguments_and_promises_are_mentioned(domain):
    a = domain.primitive("a", precondition=World.at[World.place])
    goal = defer(a(), ensures=World.lit.becomes(World.open))
    assert names(domain, goal) == ["at", "lit", "open", "place"]


def test_values_of_variables_are_mentioned(domain):
    a = domain.primitive("a")

    @domain.compound
    def top():
        spot = one_of(("a", "b"), name="spot")
        yield method(a(), when=World.at[spot])

    assert names(domain, top()) == ["at"]


def test_values_of_methods_are_mentioned(domain):
    a = domain.primitive("a")

    @domain.compound
    def top():
        yield method(a(), value=World.fuel)
        yield method(a(), value=2)

    assert names(domain, top()) == ["fuel"]


def test_members_of_a_family_with_two_indices_are_mentioned():
    class Map(State):
        here: Fluent[str] = fluent(default="a")
        near: FluentFamily[tuple[str, str], bool] = fluents(default=False)

    journey = Domain("journey", Map)

    @journey.primitive
    def go(there: str) -> Primitive:
        return primitive(precondition=Map.near[Map.here, there])

    assert names(journey, go("b")) == ["here", "near"]


def test_constructs_that_count_their_progress_mention_what_their_parts_do(domain):
    a = domain.primitive("a", precondition=World.lit)
    b = domain.primitive("b", precondition=World.armed)
    goal = any_order(a(), repeat(World.count, b()))
    assert names(domain, goal) == ["armed", "count", "lit"]


@pytest.mark.parametrize("where", ["precondition", "effects", "when", "body", "values", "cost"])
def test_a_plain_function_may_read_anything(domain, where):
    function = {
        "precondition": lambda state: state.lit,
        "effects": lambda state: setattr(state, "lit", True),
    }
    given = {where: function[where]} if where in function else {}
    a = domain.primitive("a", **given)

    @domain.compound
    def top():
        match where:
            case "when":
                yield method(a(), when=lambda state: state.lit)
            case "body":
                yield method(lambda state: [a()])
            case "cost":
                yield method(a(), cost=lambda state: state.count)
            case "values":
                spot = one_of(lambda state: ("a", "b"), name="spot")
                yield method(a(), when=World.at[spot])
            case _:
                yield method(a())

    assert names(domain, top()) is None


def test_a_task_that_calls_itself_is_looked_at_once(domain):
    @domain.compound
    def again():
        yield method(again(), when=World.open)
        yield method()

    assert names(domain, again()) == ["open"]
