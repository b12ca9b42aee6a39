"""The tree above the plan: he gives way to what moves."""

from functools import partial
from random import Random

import pytest

from bthtn import UNKNOWN
from bthtn.engine.agent.events import PlanAborted, PlanAdopted
from bthtn.examples.domains.minigrid.beliefs import Explorer
from bthtn.examples.trees.explorer.level import Action, Level
from bthtn.examples.trees.explorer.steps import Wander
from bthtn.examples.trees.explorer.tree import explorer, placed_in

ALLEY = """
    ##########
    #........#
    #>......G#
    #........#
    ##########
"""
WALKS_ONLY = 3


def crossing(world, action):
    """A ball rolls over the alley when the explorer has taken his first step."""
    for there, onwards in (((4, 1), (4, 2)), ((4, 2), (4, 3)), ((4, 3), None)):
        if world.cells[there] == "blue ball":
            world.cells[there] = "floor"
            if onwards:
                world.cells[onwards] = "blue ball"
            return
    if world.at == (2, 2):
        world.cells[4, 1] = "blue ball"


@pytest.fixture
def alley(trial):
    asked = "get to the green goal square"
    return trial(ALLEY, asked, actions=WALKS_ONLY, before=crossing)


def test_what_moves_interrupts_the_plan_and_another_is_made_when_it_is_gone(alley):
    assert alley.play()
    (dropped,) = alley.heard.of(PlanAborted)
    assert dropped.reason == "'give way' took over"
    events = alley.heard.events
    assert any(isinstance(event, PlanAdopted) for event in events[events.index(dropped) :])
    assert Action.LEFT in alley.world.done


def test_what_he_cannot_lift_is_not_put_on_the_map(alley):
    alley.tick(7)
    assert "blue ball" in alley.world.cells.values()
    assert alley.agent.beliefs.get(Explorer.where["blue ball"]) is UNKNOWN
    assert alley.agent.beliefs.get(Explorer.cell[3, -1]) == "floor"


def test_he_gives_way_to_nothing_that_he_can_lift(trial):
    drawing = ALLEY.replace("#........#", "#...o....#", 1)
    alley = trial(drawing, "get to the green goal square")
    assert alley.play()
    assert alley.heard.of(PlanAborted) == []
    assert alley.agent.beliefs.get(Explorer.where["blue ball"]) == (3, -1)


def test_a_wanderer_under_the_same_tree_plans_nothing_and_collides_with_nothing(trial):
    world = trial(ALLEY, "get to the green goal square", actions=3, before=crossing).world
    dice = Random(1)  # noqa: S311 - dice, not secrets
    wanders = partial(explorer, work=lambda agent: Wander(agent.body, dice))
    character = placed_in(Level(world, seed=0), wanders)
    while not character.finished:
        assert not any(isinstance(event, PlanAdopted) for event in character.tick())
    assert world.done[-1] is Action.FORWARD
    assert world.cells[world.at] in ("floor", "green goal")
