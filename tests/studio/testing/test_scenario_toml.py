"""Scenarios as text: what is written is read as the same."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from bthtn.examples.trees.soldier.tree import character
from bthtn.studio.fuzzing import material_of, scenarios
from bthtn.testing import Expected, Intervention, Invariants, Scenario, read_scenario, scenario_text
from tests.sizes import size

SOLDIER = material_of(character)


def read(text, folder):
    file = folder / "it.scenario.toml"
    file.write_text(text, "utf-8")
    return read_scenario(file)


def unplaced(scenario):
    """What a scenario says, without the lines of its file."""
    return (
        [replace(one, where="") for one in scenario.interventions],
        [replace(one, where="") for one in scenario.expected],
        [replace(one, where="") for one in scenario.never],
        dict(scenario.finally_),
        (scenario.ticks, scenario.invariants is None),
    )


@settings(max_examples=size(quick=15, thorough=40))
@given(drawn=st.data())
def test_what_is_drawn_is_read_again_as_it_was_written(drawn, tmp_path_factory):
    scenario = drawn.draw(scenarios(SOLDIER))
    found = read(scenario_text(scenario, "soldier"), tmp_path_factory.mktemp("text"))
    assert unplaced(found) == unplaced(scenario)
    assert isinstance(found.invariants(character()), Invariants)


def test_every_key_of_a_scenario_is_written(tmp_path):
    scenario = Scenario(
        "it",
        character,
        (
            Intervention(
                event='"x" of y raised',
                beliefs={"cover": False},
                ticks=3,
                operators={"shoot": "RF S"},
                interrupt=("fight",),
                world={"rounds": 3, "world.enemy.at": [4, 4]},
                do=("world.ground.covers.clear()",),
            ),
            Intervention(1, beliefs={"distance": "NEAR"}),
        ),
        (Expected("plan *", within=3), Expected("done shoot")),
        (Expected("\\ *"),),
        {"in_cover": False},
        ticks=17,
    )
    assert unplaced(read(scenario_text(scenario, "soldier", seed=3), tmp_path)) == unplaced(
        scenario
    )


def test_what_has_no_time_is_brought_about_at_the_first_tick():
    scenario = Scenario("it", character, (Intervention(interrupt=("fight",)),))
    assert '[[when]]\ntick = 1\ninterrupt = ["fight"]\n' in scenario_text(scenario, "soldier")
