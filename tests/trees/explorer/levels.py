"""One game of each level of MiniGrid itself; `make worlds` runs it, since it takes the extra."""

import pytest

from benchmarks.path import path_svg
from benchmarks.worlds import LEVELS, MOVING, played
from bthtn.agent.events import PlanResumed


@pytest.mark.parametrize("name", [*LEVELS, MOVING])
def test_a_level_is_won(name):
    game = played(name, seed=1)
    assert game.won
    assert game.steps < game.longest
    assert any(isinstance(event, PlanResumed) for event in game.events)


def test_the_same_seed_is_the_same_game():
    first, second = (played("KeyCorridorS3R3-v0", seed=2).events for _ in range(2))
    assert path_svg(first) == path_svg(second)
