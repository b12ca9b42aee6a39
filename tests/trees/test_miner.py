"""The miner: what he expects, what happens, and what he does about it."""

import pytest

from bthtn.events import LeafEnded, PlanRepaired
from bthtn.examples.domains.ore.domain import Thing
from bthtn.examples.trees.miner.tree import Way, miner_on
from bthtn.testing import RecordingListener

LOAD = ["move_to(MINE)", "pickup(ORE)", "move_to(MINE)", "pickup(ORE)", "move_to(CAMP)", "drop_ore"]
TOOL = ["move_to(TOOL_STORAGE)", "pickup(TOOL)"]


def worked(falls):
    """The miner, and what he has told until the heap is high enough."""
    miner, heard = miner_on(Way(falls=falls)), RecordingListener()
    while not miner.finished and miner.ticks < 100:
        for event in miner.tick():
            heard(event)
    assert miner.finished
    assert miner.agent.errors == {}
    return miner, heard


def done(heard):
    return [event.task for event in heard.of(LeafEnded) if event.succeeded]


def test_ore_is_dug_until_it_is_enough_and_dropped_on_the_heap():  # R004-07
    miner, heard = worked(falls=0)
    assert done(heard) == [*TOOL, *LOAD, *LOAD]
    now = miner.agent.beliefs.now
    assert (now.delivered, now.pieces, now.has[Thing.ORE]) == (4, 0, False)


def test_a_tool_that_is_lost_on_the_way_is_fetched_again():  # R004-02, R004-07
    _, heard = worked(falls=6)
    assert done(heard) == [*TOOL, *TOOL, *LOAD, *LOAD]
    (repaired,) = heard.of(PlanRepaired)
    assert "has[TOOL] is false" in repaired.reason


def test_what_was_planned_of_the_heap_is_not_what_came_true():
    _, heard = worked(falls=0)
    delivered = [one for one in heard.changes() if one.startswith("delivered")]
    assert delivered == ["delivered: 0 → 2 (by deliver)", "delivered: 2 → 4 (by deliver)"]
    assert [one for one in heard.changes() if one.startswith("pieces")][:2] == [
        "pieces: 0 → 1 (by deliver)",
        "pieces: 1 → 2 (by deliver)",
    ]


@pytest.mark.parametrize("falls", range(1, 20, 3))
def test_the_heap_grows_whenever_the_tool_is_lost(falls):
    miner, _ = worked(falls)
    assert miner.agent.beliefs.now.delivered == 4
