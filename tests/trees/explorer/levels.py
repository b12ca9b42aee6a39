"""One game of each level of MiniGrid itself; `make worlds` runs it, since it takes the extra."""

import json

import pytest

from benchmarks.path import path_svg
from benchmarks.worlds import LEVELS, MOVING, played
from bthtn.engine.agent.events import PlanResumed
from bthtn.examples.trees.explorer.tree import character
from tests.trees.test_saved import texts


@pytest.mark.parametrize("name", [*LEVELS, MOVING])
def test_a_level_is_won(name):
    game = played(name, seed=1)
    assert game.won
    assert game.steps < game.longest
    assert any(isinstance(event, PlanResumed) for event in game.events)


def test_the_same_seed_is_the_same_game():
    first, second = (played("KeyCorridorS3R3-v0", seed=2).events for _ in range(2))
    assert path_svg(first) == path_svg(second)


@pytest.mark.parametrize("name", [LEVELS[0], MOVING])
def test_a_game_that_is_loaded_goes_on_as_if_it_had_not_been_stopped(name):
    explorer, saves, ticks = character(1, name=f"MiniGrid-{name}"), [], []
    while not explorer.finished and len(ticks) < 60:
        saves.append(json.dumps(explorer.save()))
        ticks.append(texts(explorer.tick()))
    for tick, text in enumerate(saves):
        loaded = character(1, name=f"MiniGrid-{name}")
        loaded.load(json.loads(text))
        assert [texts(loaded.tick()) for _ in ticks[tick:]] == ticks[tick:], tick
