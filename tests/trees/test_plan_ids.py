"""In every shipped tree, events name the plans that were adopted before them."""

import pytest

from bthtn.agent.events import LeafAborted, LeafEnded, LeafStarted, PlanAdopted
from bthtn.testing.characters import character_of
from bthtn.testing.locate import TargetKind, all_of

TREES = [one for one in all_of(TargetKind.TREE) if one.name != "explorer"]  # needs an extra


@pytest.mark.parametrize("target", TREES, ids=lambda one: one.name)
def test_steps_have_the_id_of_a_plan_of_their_agent_and_goal(target):
    character, adopted, started = character_of(target, 1), {}, {}
    while not character.finished and character.ticks < 60:
        for event in character.tick():
            match event:
                case PlanAdopted():
                    assert event.plan_id not in adopted
                    adopted[event.plan_id] = event.agent, event.goal
                case LeafStarted():
                    assert adopted[event.plan_id] == (event.agent, event.goal)
                    started[event.agent, event.leaf] = event.plan_id
                case LeafEnded() | LeafAborted():
                    assert event.plan_id == started.pop((event.agent, event.leaf))
                case _:
                    pass
    assert adopted
    character.stop()
