"""The warrior and the archer: one goal, one arena, two domains."""

import pytest

from bthtn.events import LeafAborted, LeafEnded, PlanBroken
from bthtn.examples.domains.club.domain import Distance
from bthtn.examples.trees.archer.tree import archer_in
from bthtn.examples.trees.warrior.arena import Arena
from bthtn.examples.trees.warrior.tree import warrior_in
from bthtn.testing import RecordingListener


def fought(fighter, moves, stamina):
    """What was done until the hero has fallen, what was broken off, and how long it took."""
    arena, heard = Arena(moves, stamina), RecordingListener()
    enemy = fighter(arena)
    while not enemy.finished and enemy.ticks < 200:
        for event in enemy.tick():
            heard(event)
    assert enemy.finished
    assert enemy.agent.errors == {}
    done = [event.task for event in heard.of(LeafEnded) if event.succeeded]
    return done, heard, arena.clock()


def test_the_club_breaks_and_he_scratches():  # R003-01
    done, _, _ = fought(warrior_in, {}, stamina=5)
    assert done == ["approach", "roar", "club", "approach", "scratch", "approach", "scratch"]


def test_he_comes_near_again_when_the_hero_has_stepped_back_during_the_roar():
    done, heard, _ = fought(warrior_in, {3.0: Distance.FAR}, stamina=3)
    assert done == ["approach", "approach", "roar", "club"]
    assert [event.task for event in heard.of(LeafAborted)] == ["roar"]
    assert len(heard.of(PlanBroken)) == 1


def test_the_archer_shoots_from_afar_and_keeps_away():  # R003-02
    done, heard, _ = fought(archer_in, {3.0: Distance.NEAR}, stamina=2)
    assert done == ["shoot_bow", "move_away", "shoot_bow"]
    assert [event.task for event in heard.of(LeafAborted)] == ["shoot_bow"]


@pytest.mark.parametrize(("fighter", "seconds"), [(warrior_in, 5.0), (archer_in, 6.0)])
def test_they_take_the_seconds_that_their_operators_say(fighter, seconds):
    _, _, time = fought(fighter, {}, stamina=3)
    assert time == seconds
