"""The castaway in Crafter itself, which comes with an extra: a few hundred steps are enough."""

import json
import subprocess
import sys
from copy import deepcopy
from functools import cache

import pytest

from bthtn.examples.trees.crafter.arms import ARMS
from bthtn.examples.trees.crafter.arms import placed_in as placed_with
from bthtn.examples.trees.crafter.body import CREATURES, TURN
from bthtn.examples.trees.crafter.level import Action, level
from bthtn.examples.trees.crafter.tree import character, placed_in

pytest.importorskip("crafter", reason="the world comes with the extra `crafter`")
level_once = cache(level)
"""To make an island takes two seconds."""

PLAYED = """
from bthtn.examples.trees.crafter.tree import character
castaway = character(3)
for _ in range(70):
    castaway.tick()
print(*map(int, castaway.world.level.save()))
"""


def new_level():
    return deepcopy(level_once(3))


def new_castaway():
    return placed_in(new_level())


@pytest.fixture(scope="module")
def first_day():
    """A castaway who has lived for most of a day, and where he was in each step."""
    castaway, places = new_castaway(), []
    while castaway.ticks < 250 and not castaway.finished:
        castaway.tick()
        here, game = castaway.world.here, castaway.world.level._game
        places.append((here, tuple(int(place) - 32 for place in game._player.pos)))
    return castaway, places


def test_on_the_first_day_he_makes_tools_eats_and_sleeps(first_day):
    castaway, _ = first_day
    tools = {"make_wood_pickaxe", "make_wood_sword", "make_stone_pickaxe", "make_stone_sword"}
    assert tools | {"collect_drink", "place_plant"} <= castaway.world.level.score
    assert castaway.agent.errors == {}


def test_he_knows_where_he_is_though_nobody_tells_him(first_day):
    _, places = first_day
    assert len(places) > 200
    assert [told for told, _ in places] == [true for _, true in places]


def test_he_knows_nothing_but_what_was_in_view(first_day):
    castaway, places = first_day
    visited = {place for place, _ in places} | {(0, 0)}
    for x, y in castaway.world.map:
        assert any(abs(x - a) <= 4 and abs(y - b) <= 3 for a, b in visited)


def test_no_step_is_without_an_action(first_day):
    castaway, _ = first_day
    assert castaway.world.idle == 0
    assert castaway.world.level.steps < castaway.ticks  # some took a second tick to be chosen


def test_a_game_waits_for_an_action_but_not_for_ever():
    body, steps = new_castaway().world, []
    for _ in range(TURN):
        body.step()
        steps.append(body.level.steps)
    assert steps == [0] * (TURN - 1) + [1]
    assert body.idle == 1


def test_the_same_seed_is_the_same_game_in_any_process(first_day):
    played = subprocess.run(
        [sys.executable, "-c", PLAYED],
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=True,
    )
    castaway, _ = first_day
    actions = list(map(int, played.stdout.split()))
    assert len(actions) > 60
    assert actions == castaway.world.level.save()[: len(actions)]


def test_looking_at_the_picture_changes_nothing():
    one, other = new_level(), new_level()
    one._game._world.daylight = other._game._world.daylight = 0.1  # at night, noise is drawn
    assert one.picture() == one.picture()
    assert one.picture().startswith(b"\x89PNG")
    for action in (Action.EAST, Action.SOUTH, Action.DO) * 10:
        one.step(action)
        other.step(action)
        one.picture()
    assert one.view() == other.view()


def test_what_is_drawn_is_seen_with_what_stands_on_it():
    seen = new_level().view()
    assert len(seen) == 9 * 7
    assert seen[0, 0] == ("grass", "player-down")
    assert {thing for _, thing in seen.values()} - {"player-down", *CREATURES} == {""}


def test_beyond_the_edge_of_the_world_is_nothing():
    game = new_level()
    game._game._player.pos[:] = (0, 0)
    assert game.view()[-1, 0] == ("void", "")


def test_a_loaded_game_is_where_the_saved_one_was():
    castaway, again = new_castaway(), new_castaway()
    for _ in range(40):
        castaway.tick()
    again.load(json.loads(json.dumps(castaway.save())))
    one, other = castaway.world, again.world
    assert (one.here, one.heading, one.order) == (other.here, other.heading, other.order)
    assert dict(one.map) == dict(other.map)
    assert one.level.steps == other.level.steps > 30
    assert again.agent.beliefs.now == castaway.agent.beliefs.now


def test_a_reloaded_castaway_goes_on_in_his_game():
    castaway = new_castaway()
    castaway.tick()
    castaway.reload(lambda running: character(running=running))
    for _ in range(30):
        castaway.tick()
    assert castaway.world.level.steps > 25
    assert castaway.world.level.score


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "crafter", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'bthtn\[crafter\]'"):
        level(1)


@pytest.mark.parametrize("arm", ARMS)
def test_every_arm_of_the_experiment_makes_its_first_tools(arm):
    world = new_level()
    castaway = placed_with(world, arm)
    for _ in range(130):
        castaway.tick()
    assert world.score >= {"make_wood_pickaxe", "make_wood_sword", "place_plant"}
    assert castaway.agent.errors == {}
