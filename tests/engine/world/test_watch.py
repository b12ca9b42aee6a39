"""Watch: what others have changed of some fluents, at the cost of a look for all the rest."""

import pytest

from bthtn.engine.world.beliefs import Beliefs
from bthtn.studio.testing.strategies import World


@pytest.fixture
def beliefs():
    return Beliefs(World())


def seen(watch):
    return [str(change) for change in watch.changes.values()]


def test_it_sees_what_others_change_of_its_fluents(beliefs):
    watch = beliefs.watch(own="fight")
    watch.over([World.open, World.count])
    beliefs.write(World.open, True, "sensor")
    beliefs.write(World.count, 7, "fight")
    beliefs.write(World.lit, False, "sensor")
    assert seen(watch) == ["open: false → true (by sensor)"]


def test_a_value_that_was_there_already_is_no_change(beliefs):
    watch = beliefs.watch()
    watch.over([World.open])
    beliefs.write(World.open, False, "sensor")
    assert seen(watch) == []


def test_it_keeps_the_latest_change_until_it_is_told_to_forget(beliefs):
    watch = beliefs.watch()
    watch.over([World.count])
    beliefs.write(World.count, 1, "sensor")
    beliefs.write(World.count, 2, "ally")
    assert seen(watch) == ["count: 1 → 2 (by ally)"]
    watch.forget()
    assert seen(watch) == []


def test_over_everything_it_sees_every_fluent(beliefs):
    watch = beliefs.watch(own="fight")
    watch.over(None)
    beliefs.write(World.lit, False, "sensor")
    beliefs.write(World.open, True, "fight")
    assert seen(watch) == ["lit: true → false (by sensor)"]


def test_moved_it_keeps_what_it_saw_and_sees_the_new_ones(beliefs):
    watch = beliefs.watch()
    watch.over([World.open])
    beliefs.write(World.open, True, "sensor")
    watch.over([World.lit])
    beliefs.write(World.open, False, "sensor")
    beliefs.write(World.lit, False, "sensor")
    assert seen(watch) == ["open: false → true (by sensor)", "lit: true → false (by sensor)"]


def test_fluents_can_be_added_to_those_that_are_watched(beliefs):
    watch = beliefs.watch()
    watch.over([World.open])
    watch.also([World.open, World.lit])
    beliefs.write(World.lit, False, "sensor")
    assert seen(watch) == ["lit: true → false (by sensor)"]
    assert beliefs.watched == 2
    watch.over(None)
    watch.also([World.count])
    assert beliefs.watched == 1


def test_two_watches_on_one_fluent_do_not_disturb_each_other(beliefs):
    one, other = beliefs.watch(own="one"), beliefs.watch(own="other")
    one.over([World.open])
    other.over([World.open])
    beliefs.write(World.open, True, "one")
    assert (seen(one), len(seen(other))) == ([], 1)
    one.close()
    beliefs.write(World.open, False, "sensor")
    assert (seen(one), len(seen(other))) == ([], 1)


def test_closed_watches_leave_nothing_behind(beliefs):
    watches = [beliefs.watch() for _ in range(3)]
    for watch, fluents in zip(watches, ([World.open], [World.open, World.lit], None), strict=True):
        watch.over(fluents)
    assert beliefs.watched == 4
    for watch in watches:
        watch.close()
    assert beliefs.watched == 0
