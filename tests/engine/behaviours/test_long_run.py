"""Thousands of replans and aborts leave memory, py_trees' registries and threads as they were."""

import gc
import sys
import threading

import py_trees
import pytest
from py_trees.common import Status

from bthtn import defer, parallel
from bthtn.behaviours import NO_BACKOFF, Completion, Replanning, Running
from bthtn.studio.testing.doubles import ticks
from tests.sizes import size

MANY = size(quick=400, thorough=3_000, night=10_000)
NAIVE = Replanning(repair=False, retrying=NO_BACKOFF)


def in_use():
    """Blocks of memory, objects that the collector knows, names on the blackboard, threads."""
    gc.collect()
    board = py_trees.blackboard.Blackboard  # noqa: TID251 - to see that it stays as it is
    registered = len(board.clients) + len(board.metadata) + len(board.storage)
    return sys.getallocatedblocks(), len(gc.get_objects()), registered, threading.active_count()


def lively(stage, last):
    """A goal whose steps take and give back, call back, and need a tick to be given up."""

    def slow(agent) -> Running:
        agent.take("token")
        try:
            while True:
                yield
        finally:
            yield

    def calls_back(agent):
        done = Completion()
        done.succeed()
        return done

    stage.operators.on_plan_start(hooked := stage.task("hooked"))(lambda agent: agent.take("spot"))
    stage.operators.on_plan_end(hooked)(lambda agent: None)
    first = stage.run_by("first", calls_back)
    last = stage.run_by("last", last)
    beside = parallel(stage.run_by("slow", slow), (hooked(), first, defer(last)), policy="primary")
    goal = stage.goal(parallel(beside, last), max_replans=sys.maxsize, replanning=NAIVE)
    stage.actor.listener = None
    return goal


def fails(agent):
    raise ZeroDivisionError


def waits(agent) -> Running:
    while True:
        yield


def replanning(stage):
    goal = lively(stage, fails)
    return goal, lambda: ticks(goal, 1), lambda: goal.replans


def interrupted(stage):
    goal = lively(stage, waits)
    aborts = []

    def round_trip():
        ticks(goal, 2)
        goal.stop(Status.INVALID)
        aborts[:] = [sum(aborts) + len(stage.actor.aborts)]

    return goal, round_trip, lambda: sum(aborts)


@pytest.mark.parametrize("kind", [replanning, interrupted])
def test_thousands_of_plans_leave_everything_as_it_was(stage, kind):
    goal, round_trip, count = kind(stage)
    for _ in range(100):
        round_trip()
    before, counted = in_use(), count()
    for _ in range(MANY):
        round_trip()
    after = in_use()
    assert count() - counted == MANY
    assert after[2:] == before[2:]
    assert after[1] <= before[1] + 50
    assert after[0] <= before[0] + 1_000
    goal.shutdown()
    assert len(stage.actor.leases) == len(stage.actor.aborts) == 0
