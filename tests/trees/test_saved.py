"""Every shipped tree is saved and loaded at its ticks, and goes on as if nothing had happened."""

import json
import subprocess
import sys

import pytest

from bthtn.kit.recording import event_data
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, all_of
from bthtn.version import VERSION

TICKS = 60
"""The longest run that is compared."""
EXTRAS = {"explorer", "crafter"}
"""Their worlds are extras: see explorer/levels.py and crafter/."""
TREES = [one for one in all_of(TargetKind.TREE) if one.name not in EXTRAS]
ROBOT = next(one for one in TREES if one.name == "robot")
"""Its running step is a goal of a server, which is sent anew: see test_robot.py."""
SEAMLESS = [one for one in TREES if one is not ROBOT]
trees = pytest.mark.parametrize("target", SEAMLESS, ids=[one.name for one in SEAMLESS])
FEW = [
    one for one in TREES if one.name in ("soldier", "squad", "fencer", "sentry", "warrior", "robot")
]
some_trees = pytest.mark.parametrize("target", FEW, ids=[one.name for one in FEW])

GO_ON = """
import json, sys
from tests.trees.test_saved import TREES, loaded, texts
target = next(one for one in TREES if one.name == sys.argv[1])
saves, number = json.load(sys.stdin)
found = {}
for tick, text in saves.items():
    character = loaded(target, text)
    found[tick] = [texts(character.tick()) for _ in range(number - int(tick))]
print(json.dumps(found))
"""
"""Loads all saves of a run, and says what happens after each to the end of the run."""


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
    check(target, every=23)


@trees
@pytest.mark.slow
def test_so_does_one_that_is_loaded_at_any_tick(target):
    check(target, every=1, most=15)  # what a save has lost shows in one made shortly before


def parts(text):
    """What a save says of agents and nodes: worlds make some of what they have anew."""
    saved = json.loads(text)
    for node in saved["tree"].values():
        made = {name: value for name, value in node.get("has", {}).items() if value is not None}
        node["has"] = made
    return saved["agents"], saved["tree"], saved["aborts"]


@some_trees
def test_a_loaded_tree_is_saved_as_the_one_that_it_goes_on_for(target):
    saves, _ = played(target, every=17)
    for tick, text in saves.items():
        assert parts(json.dumps(loaded(target, text).save())) == parts(text), tick


def elsewhere(target, saves, number):
    """What happens to a tick after each save, in a new process, saved by another version."""
    own, other = (f'"bthtn": "{version}"' for version in (VERSION, "99.1"))
    assert all(own in text for text in saves.values())
    of_another = {tick: text.replace(own, other) for tick, text in saves.items()}
    done = subprocess.run(
        [sys.executable, "-c", GO_ON, target.name],
        input=json.dumps([of_another, number]),
        env={"PYTHONHASHSEED": str(number), "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=True,
    )
    return {int(tick): events for tick, events in json.loads(done.stdout).items()}


def check_elsewhere(target, every):
    saves, ticks = played(target, every)
    assert elsewhere(target, saves, len(ticks)) == {tick: ticks[tick:] for tick in saves}


@pytest.mark.parametrize("target", TREES[:1], ids=[one.name for one in TREES[:1]])
def test_so_does_one_that_another_version_has_saved_in_another_process(target):
    check_elsewhere(target, every=7)


@trees
@pytest.mark.slow
def test_so_do_all_of_them_at_every_tick(target):
    check_elsewhere(target, every=1)


@pytest.mark.slow
def test_the_robot_goes_on_elsewhere_as_it_does_here():
    saves, ticks = played(ROBOT)
    here = {tick: loaded(ROBOT, text) for tick, text in saves.items()}
    assert elsewhere(ROBOT, saves, len(ticks)) == {
        tick: [texts(robot.tick()) for _ in ticks[tick:]] for tick, robot in here.items()
    }
