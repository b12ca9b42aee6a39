"""Saves that were damaged in some place: each is refused with one error, or the character runs."""

import json
from random import Random

import pytest

from bthtn.errors import BthtnError, InputError
from bthtn.studio.testing.characters import character_of
from tests.trees.test_saved import TREES

WRONG = (
    *(None, -1, 0, 1, 7, 10**6, 2.5, "x", "", [], {}, [[]], [0], True, False),
    *({"unknown": True}, {"tuple": [1]}, "RUNNING", "SUCCESS", "FAILURE", "INVALID"),
)
"""What somebody may put where it does not belong."""
OURS = ("PriorityGoals", "UtilityGoals")
"""Nodes of bthtn that say themselves what of them is saved."""
TICKS = 100


@pytest.fixture(scope="module")
def saves():
    """Saves of all shipped trees, in the middle of what they do."""
    found = []
    for target in TREES:
        character = character_of(target, 1)
        for tick in range(60):
            if character.finished:
                break
            if tick % 8 == 2:
                found.append((target, json.dumps(character.save())))
            character.tick()
    return found


def places(whole):
    """The places in a save; what a world or a node of a user writes is its own business."""
    pending = [((), whole)]
    while pending:
        at, inside = pending.pop()
        items = inside.items() if isinstance(inside, dict) else enumerate(inside)
        for key, value in items:
            is_theirs = key == "own" and inside.get("is", OURS[0]) not in OURS
            if key != "world" and not is_theirs:
                yield (*at, key), value
                if isinstance(value, dict | list):
                    pending.append(((*at, key), value))


def damage(saved, dice):
    """Remove the value in a random place, change it, or put another one there."""
    found = dict(places(saved))
    (*above, last), before = dice.choice(list(found.items()))
    inside = saved
    for key in above:
        inside = inside[key]
    ways = ["removed", "moved", "changed", "wrong", "wrong", "wrong"]
    match dice.choice(ways):
        case "removed":
            del inside[last]
        case "moved":
            inside[last] = json.loads(json.dumps(dice.choice(list(found.values()))))
        case "changed" if type(before) is int:
            inside[last] = before + dice.choice([-1, 1, 2, 5])
        case _:
            inside[last] = dice.choice(WRONG)
    return [*above, last]


def check(saves, seeds):
    """Load damaged saves, and run those that are not refused."""
    refused = []
    for seed in seeds:
        dice = Random(seed)  # noqa: S311 - dice, not secrets
        target, text = dice.choice(saves)
        saved = json.loads(text)
        place = damage(saved, dice)
        character = character_of(target, 1)
        try:
            character.load(saved)
        except InputError as error:
            refused.append(error)
            continue
        try:
            for _ in range(TICKS):
                if not character.finished:
                    character.tick()
            character.tree.shutdown()
        except BthtnError:
            pass
        except Exception as error:
            raise AssertionError(f"{target.name}, seed {seed}: {place}") from error
    assert all(len(error.diagnostics) == 1 for error in refused)
    assert all(len(str(error)) < 600 for error in refused)
    return len(refused)


@pytest.mark.filterwarnings("ignore")
def test_a_damaged_save_is_refused_with_one_error_or_the_character_runs(saves):
    assert 7 < check(saves, range(20)) < 20


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("thousand", range(10))
def test_so_are_ten_thousand(saves, thousand):
    check(saves, range(1_000 * thousand, 1_000 * (thousand + 1)))
