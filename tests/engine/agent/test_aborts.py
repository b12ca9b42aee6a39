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


def test_a_tick_that_is_begun_is_one_tick_for_whoever_comes_in_it(aborts, log):
    aborts.add(Slow(WATCH, 9, log))
    ticks = []
    for who in [None, "a", "b", "a", None, "a", None, None]:
        aborts.begin_tick() if who is None else aborts.go_on(who)
        ticks.append(len(log))
    assert ticks == [1, 1, 1, 1, 2, 2, 3, 4]


def test_one_that_cuts_off_the_others_is_the_last_that_is_worked_on(aborts, log):
    aborts.add(Slow(WATCH, 5, log, then=lambda: aborts.cut_off(WALK, "the end")))
    aborts.add(Slow(WALK, 5, log))
    aborts.go_on("tree")
    assert log == [4, "the end"]
