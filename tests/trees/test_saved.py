"""Every shipped tree is saved and loaded at its ticks, and goes on as if nothing had happened."""

import json
import subprocess
import sys

import pytest

from bthtn.testing.characters import character_of
from bthtn.testing.locate import TargetKind, all_of
from bthtn.views import event_data

TICKS = 60
"""The longest run that is compared."""
LEFT_OUT = {"robot", "explorer"}
"""The robot talks to threads, which no save holds; the explorer needs an extra: levels.py."""
TREES = [one for one in all_of(TargetKind.TREE) if one.name not in LEFT_OUT]
trees = pytest.mark.parametrize("target", TREES, ids=[one.name for one in TREES])

GO_ON = """
import json, sys
from tests.trees.test_saved import TREES, loaded, texts
name, rest = sys.argv[1], int(sys.argv[2])
target = next(one for one in TREES if one.name == name)
character = loaded(target, sys.stdin.read())
print(json.dumps([texts(character.tick()) for _ in range(rest)]))
"""


def texts(events):
    return [json.dumps(event_data(one), sort_keys=True) for one in events]


def played(target, every=1):
    """Saves of a run by the ticks that they were made before, and the events of all ticks."""
    character, saves, ticks = character_of(target, 1), {}, []
    while not character.finished and len(ticks) < TICKS:
        if len(ticks) % every == 0:
            saves[len(ticks)] = json.dumps(character.save())
        ticks.append(texts(character.tick()))
    return saves, ticks


def loaded(target, text):
    """A character that was made anew, and is where the saved one was."""
    character = character_of(target, 1)
    character.load(json.loads(text))
    return character


def check(target, every, most=TICKS):
    """Load the saves of every so many ticks, and compare so many ticks that follow."""
    saves, ticks = played(target, every)
    assert len(ticks) > 5
    for tick, save in saves.items():
        character = loaded(target, save)
        for later, events in enumerate(ticks[tick : tick + most], tick + 1):
            assert texts(character.tick()) == events, f"saved before tick {tick + 1}: {later}"


@trees
def test_a_loaded_tree_goes_on_as_if_it_had_not_been_stopped(target):
    check(target, every=13)


@trees
@pytest.mark.slow
def test_so_does_one_that_is_loaded_at_any_tick(target):
    check(target, every=1, most=15)  # what a save has lost shows in one made shortly before


@trees
@pytest.mark.slow
def test_so_does_one_in_a_new_process(target):
    saves, ticks = played(target)
    for tick in (len(ticks) // 3, 2 * len(ticks) // 3):
        rest = ticks[tick:]
        command = [sys.executable, "-c", GO_ON, target.name, str(len(rest))]
        done = subprocess.run(
            command,
            input=saves[tick],
            env={"PYTHONHASHSEED": str(tick), "PYTHONPATH": "."},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout) == rest
