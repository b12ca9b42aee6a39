"""Scenarios are drawn of what plain runs show, and the one that fails is shrunk."""

import logging
from collections import Counter

import pytest
from hypothesis import Phase, given, settings

from bthtn import Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, Character, Operators, PlanGoal, Sensors
from bthtn.studio.fuzzing import Material, find_failure, material_of, scenarios
from bthtn.testing import Invariants, play


class Cook(State):
    guests: Fluent[int] = fluent(default=0, volatile=True)
    hot: Fluent[bool] = fluent(default=False)
    soups: Fluent[int] = fluent(default=0)


def cook(seed=0, heating=None):
    """A cook who heats the oven and cooks, while one guest comes and goes."""
    kitchen = Domain("kitchen", Cook)
    heat = kitchen.primitive("heat", effects=Cook.hot.becomes(True), duration=2)
    soup = kitchen.primitive(
        "soup", precondition=Cook.hot, effects=Cook.soups.increases(1), duration=3
    )

    @kitchen.compound
    def cooking():
        yield method(soup(), when=Cook.hot)
        yield method(heat(), soup())

    sensors = Sensors()

    @sensors.sensor(Cook.guests)
    def eyes(agent):
        agent.body[0] += 1
        return agent.body[0] % 2

    operators = Operators()
    if heating is not None:
        operators.bind(heat)(heating)
        operators.simulate(soup)
    made = Agent("Ann", kitchen, Cook(), body=[seed], operators=operators, sensors=sensors)
    return Character(PlanGoal("cook", made, cooking()), made)


def test_material_is_what_plain_runs_have_shown_and_plans_have_not_written():
    material = material_of(cook)
    assert material.beliefs == {"guests": (0, 1)}
    assert (material.steps, material.goals) == (("heat", "soup"), ("cook",))
    assert material.without(["guests", "heat"]) == Material(material.make, {}, ("soup",), ("cook",))


def test_every_kind_of_intervention_is_drawn_within_its_limits():
    drawn = Counter()

    @settings(max_examples=200, database=None, derandomize=True, phases=[Phase.generate])
    @given(scenarios(material_of(cook), ticks=9))
    def draw(scenario):
        assert len(scenario.interventions) <= 4
        ticks = [one.tick for one in scenario.interventions]
        assert ticks == sorted(ticks)
        assert set(ticks) <= set(range(1, 10))
        for one in scenario.interventions:
            drawn["belief"] += bool(one.beliefs)
            drawn["wrong for ever"] += bool(one.beliefs) and one.ticks is None
            drawn["succeeds"] += any(text.endswith("S") for text in one.operators.values())
            drawn["fails"] += any(text.endswith("F") for text in one.operators.values())
            drawn["interrupt"] += bool(one.interrupt)
            drawn[one.tick] += 1

    draw()
    assert drawn[1] > drawn[9] > 0  # from the first tick to the last; what is earlier is simpler
    kinds = ("belief", "wrong for ever", "succeeds", "fails", "interrupt")
    assert min(drawn[kind] for kind in kinds) > 20, drawn


def test_a_character_of_which_nothing_is_known_runs_as_it_is():
    nothing = Material(cook, {}, (), ())
    assert find_failure(scenarios(nothing, ticks=5), runs=20, seed=0) is None


@pytest.mark.slow
def test_the_same_seed_finds_the_same_shortest_scenario():
    def own(character):
        return Invariants(character, warm_in_time)

    drawn = scenarios(material_of(cook), ticks=12, invariants=own)
    first, second = (find_failure(drawn, runs=50, seed=3) for _ in range(2))
    assert first.fault == second.fault
    assert first.fault.startswith("the oven is cold, in tick 6")
    (one,) = first.scenario.interventions
    assert (one,) == second.scenario.interventions
    assert (one.tick, [*one.operators]) == (1, ["heat"])
    assert play(first.scenario).fault == first.fault


def warm_in_time(character):
    """Breaks where the oven is heated for too long; an interrupt alone is not enough."""
    if character.ticks == 6 and not character.agent.beliefs.now.hot:
        yield "the oven is cold"


def test_what_agents_log_in_these_runs_is_not_printed_and_is_logged_again_afterwards(caplog):
    def breaks(agent):
        raise ValueError("no pot")

    def clumsy(seed):
        return cook(seed, breaks)

    found = find_failure(scenarios(material_of(clumsy), ticks=9), runs=2, seed=0)
    assert found.fault.startswith("heat raised: ValueError: no pot")
    assert found.scenario.interventions == ()
    assert not logging.getLogger("bthtn").disabled


class Odd:
    """A value that no file can hold."""


class Shelf(State):
    near: Fluent[frozenset[str]] = fluent(default=frozenset(), volatile=True)
    spot: Fluent[tuple[int, ...]] = fluent(default=(), volatile=True)
    thing: Fluent[Odd | None] = fluent(default=None, volatile=True)
    path: Fluent[tuple[tuple[int, int], ...]] = fluent(default=(), volatile=True)
    far: Fluent[float] = fluent(default=0.5, volatile=True)


def test_values_are_drawn_as_a_scenario_writes_them_and_others_are_left_out():
    def keeper(seed):
        library = Domain("library", Shelf)
        read = library.primitive("read", duration=2)
        sensors = Sensors()
        readings = {Shelf.near: frozenset({"b", "a"}), Shelf.spot: (3, 4), Shelf.thing: Odd()}
        readings |= {Shelf.path: ((1, 2), (3, 4)), Shelf.far: float("inf")}
        sensors.sensor(*readings, name="eyes")(lambda agent: readings)
        made = Agent("Ann", library, Shelf(), body=None, sensors=sensors)
        return Character(PlanGoal("read", made, read()), made)

    assert material_of(keeper, ticks=3).beliefs == {
        "far": (0.5,),
        "near": ([], ["a", "b"]),
        "path": ([], [[1, 2], [3, 4]]),
        "spot": ([], [3, 4]),
        "thing": ("none",),
    }
