"""The swordsman, whose attacks were drawn as trees."""

import pytest

from bthtn.behaviours import LeafAborted, LeafEnded, PlanBroken
from bthtn.examples.trees.swordsman.tree import Hero, swordsman_against
from bthtn.testing import RecordingListener


def fought(**hero):
    enemy, heard = swordsman_against(Hero(**hero)), RecordingListener()
    while not enemy.finished and enemy.ticks < 100:
        for event in enemy.tick():
            heard(event)
    assert enemy.finished
    assert enemy.agent.errors == {}
    return enemy.agent.body, heard


def test_the_walk_is_cut_off_as_soon_as_he_can_hit():  # R003-05
    _, heard = fought(stamina=1)
    done = [event.task for event in heard.of(LeafEnded)]
    assert done == ["CanHitAttack_Slash", "P_Melee_Slash"]
    assert [event.task for event in heard.of(LeafAborted)] == ["MoveTo_Slash"]


def test_near_enough_there_is_nothing_to_walk():  # R003-04
    _, heard = fought(stamina=1, distance=2.0)
    assert [event.task for event in heard.of(LeafEnded)] == ["P_Melee_Slash"]


def test_a_guard_is_broken_by_the_other_attack_of_the_template():  # R003-03, R003-06
    hero, _ = fought()
    assert hero.hits == ["Slash", "Bash", "Slash", "Bash", "Slash"]


@pytest.mark.parametrize("distance", [0.0, 1.5, 2.9, 3.0, 3.1, 9.0])
def test_coming_nearer_breaks_no_plan(distance):
    _, heard = fought(distance=distance)
    assert not heard.of(PlanBroken)
