"""Every example goes on in its world when its files are read again.

It does as if nothing had been where its beliefs have all that its steps have done.
"""

import sys
from unittest.mock import patch

import pytest

import bthtn.kit.formats.beliefs_table  # noqa: F401 - late; what is imported in a test is forgotten
from bthtn.engine.agent.events import (
    AgentReloaded,
    LeafAborted,
    LeafEnded,
    LeafStarted,
    ReloadFailed,
)
from bthtn.studio.cli.reload import Reloading
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, all_of

TREES = {one.name: one for one in all_of(TargetKind.TREE)}
# Their worlds are extras; the explorer is reloaded in a drawn level: explorer/test_missions.py.
del TREES["explorer"], TREES["crafter"]
OTHERWISE = {
    "brawler": "a lottery is drawn from anew",
    "fencer": "a lottery is drawn from anew",
    "guard": "close to his goal, another method of it comes first",
    "miner": "close to the ore, another method comes first",
    "sentinel": "no belief says that he has come to the next post",
    "sentry": "the goal of a state that has ended begins anew",
    "starter": "its operators say nothing about going on, and begin anew",
    "soldier": "his round is no goal, and begins anew",
    "squad": "no belief says that a turn was waited for",
    "thumper": "no belief says which bridge was chosen",
    "warrior": "no belief says that the enemy was approached",
}
ENDLESS = {"sentinel"}
"""Whose run never ends."""
RELOADS = (4, 9, 11)


def lived(target, reloads=()):
    """The character at the end of its run, and its events with their ticks."""
    character, events = character_of(target, 1, None), []
    while not character.finished and character.ticks < 150:
        if character.ticks in reloads:
            character.reload(Reloading(f"trees/{target.name}", target, 1).make)
        happened = character.tick()
        events += [(character.ticks, event) for event in happened]
    character.stop()
    return character, events


def steps(events):
    return [
        (tick, type(event), event.task, event.path)
        for tick, event in events
        if isinstance(event, LeafStarted | LeafEnded | LeafAborted)
    ]


QUICK = TREES.keys() - OTHERWISE | {"soldier"}
NAMES = [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in TREES]


@pytest.mark.parametrize("name", NAMES)
@patch.dict(sys.modules)
def test_an_example_goes_on_in_its_world(name):
    _, before = lived(TREES[name])
    character, events = lived(TREES[name], RELOADS)
    assert not [event for _, event in events if isinstance(event, ReloadFailed)]
    reloads = [tick for tick, event in events if isinstance(event, AgentReloaded)]
    assert set(reloads) == {tick + 1 for tick in RELOADS if tick < character.ticks}
    assert len(reloads) == len(set(reloads)) * len(character.agents)
    assert character.finished != (name in ENDLESS)
    assert character.agent.errors == {}
    if name not in OTHERWISE:
        assert steps(events) == steps(before)
