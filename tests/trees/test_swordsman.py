"""The swordsman, whose attacks were drawn as trees."""

from dataclasses import replace
from pathlib import Path

import pytest

from bthtn.events import LeafAborted, LeafEnded, PlanBroken
from bthtn.examples.trees.swordsman import operators
from bthtn.kit import read_character
from bthtn.testing import RecordingListener


@pytest.fixture(scope="module")
def files():
    return read_character(Path(operators.__file__).parent, operators)


def fought(files, **hero):
    enemy = replace(files, body=lambda _: operators.Hero(**hero)).character()
    heard = RecordingListener()
    while not enemy.finished and enemy.ticks < 100:
        for event in enemy.tick():
            heard(event)
    assert enemy.finished
    assert enemy.agent.errors == {}
    return enemy.agent.body, heard


def test_the_walk_is_cut_off_as_soon_as_he_can_hit(files):  # R003-05
    _, heard = fought(files, stamina=1)
    done = [event.task for event in heard.of(LeafEnded)]
    assert done == ["CanHitAttack(3.0)", "P_Melee('Slash', 3.0, 1.0)"]
    assert [event.task for event in heard.of(LeafAborted)] == ["MoveTo(3.0)"]


def test_near_enough_there_is_nothing_to_walk(files):  # R003-04
    _, heard = fought(files, stamina=1, distance=2.0)
    assert [event.task for event in heard.of(LeafEnded)] == ["P_Melee('Slash', 3.0, 1.0)"]


def test_a_guard_is_broken_by_the_other_attack_of_the_template(files):  # R003-03, R003-06
    hero, _ = fought(files)
    assert hero.hits == ["Slash", "Bash", "Slash", "Bash", "Slash"]


@pytest.mark.parametrize("distance", [0.0, 1.5, 2.9, 3.0, 3.1, 9.0])
def test_coming_nearer_breaks_no_plan(files, distance):
    _, heard = fought(files, distance=distance)
    assert not heard.of(PlanBroken)
