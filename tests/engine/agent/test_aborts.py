"""Aborts: what an agent has given up is worked on once a tick, until it is done."""

import pytest

from bthtn.engine.agent.aborts import Aborts
from bthtn.engine.agent.leases import Holder

ANN = Holder("Ann")
WATCH, WALK = Holder("watch", ANN), Holder("walk", ANN)


class Slow:
    """An abort that takes some ticks, and writes down what is done to it."""

    def __init__(self, goal, ticks, log, then=lambda: None):
        self.task = "slow"
        self.holder = Holder("slow #1", goal)
        self.left, self.log, self.then = ticks, log, then
        self.is_over = False

    def go_on(self):
        self.left -= 1
        self.log.append(self.left)
        self.is_over = True  # what users' code raises ends it
        self.then()
        self.is_over = self.left == 0
        return self.is_over

    def cut_off(self, why):
        self.log.append(why)


@pytest.fixture
def log():
    return []


@pytest.fixture
def aborts():
    return Aborts()


def test_it_is_worked_on_until_it_is_done(aborts, log):
    aborts.add(Slow(WATCH, 2, log))
    for _ in range(4):
        aborts.go_on("tree")
    assert log == [1, 0]
    assert len(aborts) == 0


def test_a_tick_begins_when_somebody_comes_again(aborts, log):
    aborts.add(Slow(WATCH, 9, log))
    ticks = []
    for who in ["a", "b", "a", "b", "c", "b", "a", "a"]:
        aborts.go_on(who)
        ticks.append(len(log))
    assert ticks == [1, 1, 2, 2, 2, 3, 3, 4]


def test_a_tick_that_is_begun_is_one_tick_for_whoever_comes_in_it(aborts, log):
    aborts.add(Slow(WATCH, 9, log))
    ticks = []
    for who in [None, "a", "b", "a", None, "a", None, None]:
        aborts.begin_tick() if who is None else aborts.go_on(who)
        ticks.append(len(log))
    assert ticks == [1, 1, 1, 1, 2, 2, 3, 4]


def test_what_is_added_in_a_tick_is_worked_on_in_the_next_one(aborts, log):
    aborts.go_on("a")
    aborts.add(Slow(WATCH, 9, log))
    aborts.go_on("b")
    assert log == []
    aborts.go_on("a")
    assert log == [8]


def test_they_are_worked_on_in_the_order_in_which_they_were_begun(aborts, log):
    for ticks in (30, 20, 10):
        aborts.add(Slow(WATCH, ticks, log))
    aborts.go_on("tree")
    assert log == [29, 19, 9]


def test_a_goal_waits_for_the_oldest_of_its_own(aborts, log):
    one = Slow(WATCH, 2, log)
    aborts.add(one)
    aborts.add(Slow(WATCH, 2, log))
    assert aborts.first(WATCH) is one
    assert aborts.first(WALK) is None
    assert aborts.first(Holder("watch", ANN)) is None


def test_a_goal_waits_for_what_goals_inside_of_its_steps_gave_up(aborts, log):
    inside = Holder("inside", Holder("step", WATCH))
    aborts.add(Slow(inside, 2, log))
    assert aborts.first(WATCH) is not None
    assert aborts.first(WALK) is None


def test_what_is_to_come_afterwards_comes_at_once_where_nothing_is_left(aborts, log):
    aborts.add(Slow(WALK, 1, log))
    aborts.afterwards(WATCH, lambda: log.append("called"))
    assert log == ["called"]


def test_and_otherwise_when_the_last_is_done(aborts, log):
    aborts.add(Slow(WATCH, 1, log))
    aborts.add(Slow(WATCH, 2, log))
    aborts.afterwards(WATCH, lambda: log.append("called"))
    for _ in range(3):
        aborts.go_on("tree")
    assert log == [0, 1, 0, "called"]


def test_what_is_cut_off_is_told_why_and_gone(aborts, log):
    aborts.add(Slow(WATCH, 5, log))
    aborts.add(Slow(WALK, 5, log))
    aborts.afterwards(WATCH, lambda: log.append("called"))
    aborts.cut_off(WATCH, "the end")
    assert log == ["the end", "called"]
    assert len(aborts) == 1


def test_one_that_cuts_off_the_others_is_the_last_that_is_worked_on(aborts, log):
    aborts.add(Slow(WATCH, 5, log, then=lambda: aborts.cut_off(WALK, "the end")))
    aborts.add(Slow(WALK, 5, log))
    aborts.go_on("tree")
    assert log == [4, "the end"]


def test_one_that_ends_the_program_is_gone(aborts, log):
    def leave():
        raise KeyboardInterrupt

    aborts.add(Slow(WATCH, 5, log, then=leave))
    with pytest.raises(KeyboardInterrupt):
        aborts.go_on("tree")
    aborts.go_on("tree")
    assert log == [4]
