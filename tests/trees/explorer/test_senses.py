"""What the explorer believes of what he sees."""

import sys
from types import ModuleType

import pytest

from bthtn import UNKNOWN
from bthtn.examples.domains.minigrid.beliefs import NOTHING, Explorer
from bthtn.examples.trees.explorer import tree
from bthtn.examples.trees.explorer.level import Action
from bthtn.examples.trees.explorer.senses import Walker, sense

ROOM = """
    #########
    #k..>..x#
    #......L#
    #########
"""


@pytest.fixture
def room(trial):
    room = trial(ROOM, "pick up the red box")
    room.tick()
    return room


def seen(trial, place):
    return trial.agent.beliefs.get(Explorer.cell[place])


def test_places_are_told_from_where_he_began(room):
    assert room.agent.beliefs.now.at == (0, 0)
    assert seen(room, (3, 0)) == "red box"
    assert seen(room, (3, 1)) == "locked red door"
    assert seen(room, (4, 0)) == "wall"
    assert room.agent.beliefs.get(Explorer.where["red door"]) == (3, 1)
    assert room.agent.beliefs.get(Explorer.where["door"]) == (3, 1)


def test_what_is_behind_him_is_unknown_until_he_looks(room):
    assert seen(room, (-3, 0)) is UNKNOWN
    assert room.agent.beliefs.get(Explorer.where["red key"]) is UNKNOWN
    room.agent.body.act(Action.LEFT)
    room.tick()
    room.agent.body.act(Action.LEFT)
    room.tick()
    assert room.agent.beliefs.now.front == (-1, 0)
    assert seen(room, (-3, 0)) == "red key"
    assert seen(room, (3, 0)) == "red box"


def test_he_counts_his_steps_and_a_wall_stops_him(room):
    for _ in range(4):
        room.agent.body.act(Action.FORWARD)
        room.tick()
    assert room.agent.beliefs.now.at == (2, 0)
    assert room.world.at == (6, 1)


def test_what_he_holds_is_nowhere(room):
    room.play()
    assert room.agent.beliefs.now.carrying == "red box"
    assert seen(room, (3, 0)) == "floor"
    assert room.agent.beliefs.get(Explorer.where["red box"]) is UNKNOWN
    assert room.agent.beliefs.get(Explorer.where["box"]) is UNKNOWN


def test_of_two_things_of_a_name_the_one_that_he_does_not_take_is_still_known(trial):
    hall = trial("#######\n#>k...#\n#....k#\n#######", "pick up the red box")
    hall.tick()
    for action in (Action.PICK_UP, Action.RIGHT):
        hall.agent.body.act(action)
        hall.tick()
    assert hall.agent.beliefs.now.carrying == "red key"
    assert hall.agent.beliefs.get(Explorer.where["red key"]) == (4, 1)
    assert seen(hall, (1, 0)) == "floor"


def test_the_map_is_the_bodys_whatever_is_believed_meanwhile(room):
    for action in (Action.LEFT, Action.LEFT):
        room.agent.body.act(action)
        room.tick()
    before = room.agent.beliefs.frozen()
    room.agent.believe(Explorer.at, (7, 7))
    room.agent.believe(Explorer.cell[3, 0], "wall")
    room.agent.believe(Explorer.cell[3, 1], UNKNOWN)
    room.agent.believe(Explorer.where["red box"], (2, 0))
    sense(room.agent)
    assert room.agent.beliefs.frozen() == before


def test_an_agent_that_has_lost_its_beliefs_is_told_all_that_was_seen(room):
    before = room.agent.beliefs.frozen()
    room.agent.beliefs.replace(Walker())
    sense(room.agent)
    assert room.agent.beliefs.frozen() == before


def test_at_first_he_holds_nothing(room):
    assert room.agent.beliefs.now.carrying == NOTHING


def test_a_level_is_made_by_gymnasium_and_its_extra_is_only_asked_for_then(trial, monkeypatch):
    asked = []
    gymnasium = ModuleType("gymnasium")
    world = trial(ROOM, "pick up the red box").world
    gymnasium.make = lambda name: asked.append(name) or world
    monkeypatch.setitem(sys.modules, "gymnasium", gymnasium)
    character = tree.unlock(seed=3)
    assert asked == ["minigrid:MiniGrid-Unlock-v0"]
    assert character.agent.body.level.longest == 200


def test_without_the_extra_it_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'bthtn\[minigrid\]'"):
        tree.unlock(seed=3)
