"""The decorators: loops within a tick, and time in ticks or in seconds of a clock."""

import math

import pytest
from py_trees import decorators
from py_trees.behaviours import Failure, Success
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from bthtn.behaviours import (
    Cooldown,
    Delay,
    Parallel,
    Repeat,
    RetryUntilSuccessful,
    RunOnce,
    Timeout,
)
from bthtn.errors import ArgumentError, ExecutionError
from bthtn.studio.testing.doubles import ticks


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self):
        self.now = 1e9

    def __call__(self):
        return self.now


def by_seconds(clock, root, *moments):
    """The statuses of a tree that is ticked so many seconds after the beginning."""
    begin, letters = clock.now, ""
    for moment in moments:
        clock.now = begin + moment
        letters += ticks(root, 1)
    return letters


# loops: the script of the child, the number of cycles, the statuses, how often it was ticked


@pytest.mark.parametrize(
    ("make", "script", "cycles", "statuses", "ticked"),
    [
        (Repeat, "S", 3, "S", 3),
        (Repeat, "RS", 1, "RS", 2),
        (Repeat, "RSSRS", 3, "RRS", 5),
        (Repeat, "SSF", 3, "F", 3),
        (Repeat, "SF", 1, "SF", 2),
        (RetryUntilSuccessful, "F", 3, "F", 3),
        (RetryUntilSuccessful, "FFS", 3, "S", 3),
        (RetryUntilSuccessful, "FRFFRS", 9, "RRS", 6),
    ],
)
def test_a_loop_begins_a_cycle_in_the_tick_in_which_the_last_one_ends(
    child, make, script, cycles, statuses, ticked
):
    leaf = child("leaf", script)
    assert ticks(make("loop", leaf, cycles), len(statuses)) == statuses
    assert leaf.ticked == ticked


def test_so_do_not_those_of_py_trees(child):
    assert ticks(decorators.Repeat("loop", child("leaf", "S"), num_success=3), 3) == "RRS"
    assert ticks(decorators.Retry("loop", child("leaf", "F"), num_failures=3), 3) == "RRF"


@pytest.mark.parametrize(("make", "letter"), [(Repeat, "S"), (RetryUntilSuccessful, "F")])
def test_an_endless_loop_runs_one_cycle_that_takes_no_time_in_a_tick(child, make, letter):
    leaf = child("leaf", letter)
    assert ticks(make("loop", leaf, -1), 5) == "RRRRR"
    assert leaf.ticked == 5


def test_an_endless_loop_begins_a_cycle_when_one_that_took_ticks_ends(child):
    leaf = child("leaf", "RSRSRS")
    assert ticks(Repeat("loop", leaf, -1), 3) == "RRR"
    assert leaf.ticked == 5


def test_no_number_of_cycles_holds_up_a_tick(child):
    leaf = child("leaf", "S")
    assert ticks(Repeat("loop", leaf, 10**9), 2) == "RR"
    assert leaf.ticked == 2_000
    assert ticks(Repeat("loop", child("other", "S"), 1_500), 2) == "RS"


def test_endless_loops_within_each_other_end_their_tick(child):
    leaf = child("leaf", "S")
    inner = Repeat("inner", leaf, 2)
    assert ticks(Repeat("outer", RetryUntilSuccessful("middle", inner, -1), -1), 3) == "RRR"
    assert leaf.ticked == 6


def test_an_interrupted_loop_counts_from_the_beginning(child):
    leaf = child("leaf", "SSRSSSR")
    root = Repeat("loop", leaf, 4)
    assert ticks(root, 1) == "R"
    root.stop(Status.INVALID)
    assert ticks(root, 1) == "R"
    assert leaf.ticked == 7


@pytest.mark.parametrize("cycles", [0, -2])
def test_a_loop_without_cycles_is_refused(cycles):
    with pytest.raises(ExecutionError, match="BT202"):
        Repeat("loop", Success("yes"), cycles)


@pytest.mark.parametrize("make", [Repeat, RetryUntilSuccessful])
def test_a_goal_in_a_loop_runs_a_plan_in_each_cycle(stage, make):
    letter = "S" if make is Repeat else "F"
    goal = stage.goal(stage.step("shoot", letter, letter, letter), max_replans=0)
    assert ticks(make("loop", goal, 3), 1) == letter
    assert stage.heard.lines().count("start shoot") == 3


def test_aborts_go_on_once_in_a_tick_however_often_a_loop_ticks_a_goal(stage):
    hold, miss = stage.step("hold", "R", abort_ticks=3), stage.step("shoot", "F")
    held, shoot = stage.goal(hold, name="held"), stage.goal(miss, name="shoot", max_replans=0)
    stage.actor.sense()
    held.tick_once()
    held.stop(Status.INVALID)
    loop = RetryUntilSuccessful("loop", shoot, 5)
    left = []
    for _ in range(3):
        stage.actor.sense()
        loop.tick_once()
        left.append(len(stage.actor.aborts))
    assert left == [1, 1, 0]


# time


def test_a_timeout_ticks_its_child_as_often_as_it_has_ticks(child, log):
    root = Timeout("root", child("leaf", "R"), ticks=3)
    assert ticks(root, 5) == "RRRFR"
    assert log == ["start leaf", *["tick leaf"] * 3, "abort leaf", "start leaf", "tick leaf"]


def test_a_timeout_is_over_when_its_seconds_have_passed(child, log):
    clock = Clock()
    root = Timeout("root", child("leaf", "R"), seconds=2.5, clock=clock)
    assert by_seconds(clock, root, 0, 2.4, 2.5, 2.6, 5, 5.1) == "RRFRRF"
    assert root.feedback_message == "timed out"
    assert log.count("tick leaf") == 4


def test_a_child_that_ends_in_time_has_no_timeout(child):
    root = Timeout("root", child("leaf", "RRSRRF"), ticks=3)
    assert ticks(root, 6) == "RRSRRF"


def test_an_interrupted_timeout_starts_anew(child):
    root = Timeout("root", child("leaf", "R"), ticks=3)
    assert ticks(root, 2) == "RR"
    root.stop(Status.INVALID)
    assert ticks(root, 4) == "RRRF"


def test_py_trees_timeout_ticks_its_child_when_the_time_is_over(child):
    leaf = child("leaf", "R")
    assert ticks(decorators.Timeout("root", leaf, duration=-1.0), 1) == "F"
    assert leaf.ticked == 1


def test_a_timeout_aborts_a_plan_before_the_next_goal_starts(stage):
    walk, run = stage.step("walk", "R", abort_ticks=1), stage.step("run", "R")
    slow, other = stage.goal(walk, name="slow"), stage.goal(run, name="other")
    root = Selector("root", memory=True, children=[Timeout("in time", slow, ticks=2), other])
    assert ticks(root, 4) == "RRRR"
    assert stage.heard.lines() == ["start walk", "aborting walk", "aborted walk", "start run"]


def test_a_delay_waits_before_each_run(child, log):
    root = Delay("root", child("leaf", "RS"), ticks=2)
    assert ticks(root, 4) == "RRRS"
    assert log == ["start leaf", "tick leaf", "tick leaf"]
    assert ticks(root, 2) == "RR"
    assert len(log) == 3


def test_a_delay_waits_for_seconds(child):
    clock = Clock()
    root = Delay("root", child("leaf", "S"), seconds=1, clock=clock)
    assert by_seconds(clock, root, 0, 0.9, 1, 1.1, 2.0, 2.1) == "RRSRRS"


def test_an_interrupted_delay_waits_anew(child):
    root = Delay("root", child("leaf", "S"), ticks=2)
    assert ticks(root, 2) == "RR"
    root.stop(Status.INVALID)
    assert ticks(root, 3) == "RRS"


def test_a_cooldown_fails_until_its_child_may_be_begun_again(child, log):
    root = Cooldown("root", child("leaf", "RSS"), ticks=3)
    assert ticks(root, 6) == "RSFFSF"
    assert log.count("start leaf") == 2


def test_a_cooldown_in_seconds_passes_while_the_tree_is_elsewhere(child):
    clock = Clock()
    root = Cooldown("root", child("leaf", "S"), seconds=10, clock=clock)
    assert by_seconds(clock, root, 0, 9.9, 10, 40) == "SFSS"


@pytest.mark.parametrize("script", ["F", "R"])
def test_only_a_success_has_to_cool_down(child, script):
    root = Cooldown("root", child("leaf", script), ticks=9)
    ticks(root, 1)
    root.stop(Status.INVALID)
    assert ticks(root, 1) == script


def test_a_cooldown_outlasts_an_interruption(child):
    root = Cooldown("root", child("leaf", "S"), ticks=3)
    assert ticks(root, 1) == "S"
    root.stop(Status.INVALID)
    assert ticks(root, 3) == "FFS"


def test_a_loop_within_a_tick_meets_the_cooldown_in_it(child):
    leaf = child("leaf", "S")
    assert ticks(Repeat("loop", Cooldown("cool", leaf, seconds=1, clock=Clock()), 3), 1) == "F"
    assert leaf.ticked == 1


@pytest.mark.parametrize("make", [Timeout, Delay, Cooldown])
def test_seconds_need_a_clock(make):
    with pytest.raises(ArgumentError, match=r"seconds and has no clock\n.*clock=agent\.time"):
        make("root", Success("yes"), seconds=1)
    with pytest.raises(ArgumentError, match="seconds and has no clock"):
        make("root", Success("yes"), seconds=1, clock=5.0)


@pytest.mark.parametrize("make", [Timeout, Delay, Cooldown])
def test_a_duration_is_ticks_or_seconds_above_zero(make):
    for wrong in ({}, {"ticks": 1, "seconds": 1}):
        with pytest.raises(ArgumentError, match="either ticks or seconds"):
            make("root", Success("yes"), **wrong)
    for wrong in (
        {"ticks": 0},
        {"seconds": -0.5, "clock": Clock()},
        {"seconds": math.nan, "clock": Clock()},
    ):
        with pytest.raises(ExecutionError, match="BT202"):
            make("root", Success("yes"), **wrong)
    with pytest.raises(ArgumentError, match=f"'ticks' of {make.__name__}"):
        make("root", Success("yes"), ticks=1.5)


# once


@pytest.mark.parametrize(
    ("script", "then", "statuses"),
    [
        ("RS", None, "RSSS"),
        ("RF", None, "RFFF"),
        ("F", Status.SUCCESS, "FSSS"),
        ("S", Status.FAILURE, "SFFF"),
    ],
)
def test_a_child_that_runs_once_is_not_begun_again(child, log, script, then, statuses):
    root = RunOnce("root", child("leaf", script), then=then)
    assert ticks(root, 4) == statuses
    root.stop(Status.INVALID)
    assert ticks(root, 1) == statuses[-1]
    assert log.count("start leaf") == 1


def test_a_child_that_was_interrupted_has_not_run(child, log):
    root = RunOnce("root", child("leaf", "RS"))
    ticks(root, 1)
    root.stop(Status.INVALID)
    assert ticks(root, 1) == "S"
    assert log.count("start leaf") == 2


def test_a_tree_goes_on_past_what_has_run_once(child):
    greet, idle = child("greet", "S"), child("idle", "R")
    root = Selector(
        "root", memory=False, children=[RunOnce("once", greet, then=Status.FAILURE), idle]
    )
    assert ticks(root, 3) == "SRR"
    after = Sequence("after", True, [RunOnce("once", Failure("no"), then=Status.SUCCESS)])
    assert ticks(after, 2) == "FS"


def test_what_runs_once_cannot_be_running_afterwards():
    with pytest.raises(ArgumentError, match="after its child has ended"):
        RunOnce("root", Success("yes"), then=Status.RUNNING)


# beside each other


def test_children_that_end_in_one_tick_leave_nothing_running(child, log):
    timed = Timeout("timed", child("a", "R"), ticks=1)
    late = Delay("late", child("b", "S"), ticks=1)
    root = Parallel("root", [timed, late, child("c", "R")], success_count=1, failure_count=2)
    assert ticks(root, 2) == "RS"
    assert log[-3:] == ["start b", "tick b", "abort c"]
    assert not [node for node in root.iterate() if node.status is Status.RUNNING]
