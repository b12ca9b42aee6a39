"""The miner of domains/ore, who plans with what he hopes for and counts what he gets."""

from py_trees.common import Status

from bthtn.behaviours import Agent, PlanGoal
from bthtn.engine.agent.events import LeafEnded
from bthtn.examples.domains.ore.domain import Miner, Thing, correct_ore, ore


def test_ore_is_collected_until_there_is_as_much_as_wanted():  # R004-02
    events = []
    miner = Agent("miner", ore, Miner(wanted=3), body=None, listener=events.append)
    goal = PlanGoal("collect", miner, correct_ore())
    for _ in range(3):
        assert not miner.beliefs.now.has[Thing.ORE]
        goal.tick_once()
        assert goal.status is Status.SUCCESS, "as far as could be planned"
    assert miner.beliefs.now.has[Thing.ORE]
    assert miner.beliefs.now.pieces == 3
    done = [event.task for event in events if isinstance(event, LeafEnded)]
    assert done == ["move_to(TOOL_STORAGE)", "pickup(TOOL)", *3 * ["move_to(MINE)", "pickup(ORE)"]]
