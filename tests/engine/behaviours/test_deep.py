"""Thousands of steps long and thousands of decompositions deep, the limit of recursion in peace."""

import sys

import pytest
from py_trees.common import Status

from bthtn import defer, method, null, parallel, priority
from bthtn.engine.agent.events import LeafEnded, PlanResumed
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World
from tests.sizes import size

MANY = size(quick=1_200, thorough=5_000, night=10_000)
SLICES = MANY // 5


def counting_down(stage, *, duration=0, behind=False, rest=lambda call: call):
    """A task that does one step and then itself, until it has been done so often."""
    step = stage.step("a", effects=World.count.decreases(1), duration=duration)

    def methods():
        body = (rest(loop), step) if behind else (step, rest(loop))
        yield method(when=World.count <= 0)
        yield method(*body)

    loop = stage.compound("loop", methods)
    return loop


def steps_done(stage):
    return len(stage.heard.of(LeafEnded))


def test_thousands_of_steps_one_after_the_other(stage):
    step = stage.step("a", effects=World.count.increases(1))
    goal = stage.goal((step,) * MANY, budget=None)
    assert ticks(goal, 1) == "S"
    assert stage.believes(World.count) == MANY
    assert sys.getrecursionlimit() == 1_000


def test_thousands_of_decompositions_below_each_other(stage):
    goal = stage.goal(counting_down(stage), count=MANY, budget=None)
    assert ticks(goal, 1) == "S"
    assert stage.believes(World.count) == 0
    assert steps_done(stage) == MANY


def test_thousands_of_decompositions_on_the_left(stage):
    """The step comes after the recursion; the plan is deep before its first step."""
    step = stage.step("a", effects=World.ammo.increases(1))
    down = stage.domain.primitive("down", effects=World.count.decreases(1))

    def methods():
        yield method(when=World.count <= 0)
        yield method(down(), loop, step)

    loop = stage.compound("loop", methods)
    goal = stage.goal(loop, count=MANY, ammo=0, budget=None)
    assert ticks(goal, 1) == "S"
    assert stage.believes(World.ammo) == MANY


def test_planned_over_many_ticks(stage):
    goal = stage.goal(counting_down(stage), count=MANY, budget=500)
    letters = ticks(goal, 60).rstrip("R")
    assert letters[-1] == "S"
    assert len(letters) > MANY // 330


def test_thousands_of_steps_that_take_a_tick_each(stage):
    goal = stage.goal(counting_down(stage, duration=1), count=MANY, budget=None)
    letters = ticks(goal, MANY + 1)
    assert letters == "R" * MANY + "S"


def test_interrupted_in_the_middle(stage):
    goal = stage.goal(counting_down(stage, duration=1), count=MANY, budget=None)
    ticks(goal, 5)
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert stage.heard.lines()[-1] == "aborted a"
    assert stage.heard.faults() == stage.heard.running() == []


def test_failing_at_the_far_end(stage):
    step, last = stage.step("a"), stage.step("last", "F")
    goal = stage.goal((*[step] * MANY, last), budget=None, max_replans=0)
    assert ticks(goal, 1) == "F"
    assert goal.feedback_message.endswith("last: the operator answered FAILURE")


@pytest.mark.parametrize("horizon", [1, 3])
def test_planned_a_little_at_a_time(stage, horizon):
    goal = stage.goal(counting_down(stage), count=SLICES, horizon=horizon, budget=None)
    most_nodes = 0
    for _ in range(SLICES + 1):
        goal.tick_once()
        most_nodes = max(most_nodes, sum(1 for _ in goal.iterate()))
        if goal.status is not Status.RUNNING:
            break
    assert goal.status is Status.SUCCESS, goal.feedback_message
    assert most_nodes < 300
    assert stage.believes(World.count) == 0
    assert len(stage.heard.of(PlanResumed)) >= SLICES // horizon - 1


def test_deferred_again_and_again(stage):
    goal = stage.goal(counting_down(stage, rest=defer), count=SLICES, budget=None)
    assert stage.play_out(goal, SLICES + 500)[-1] == "S", goal.feedback_message
    assert stage.believes(World.count) == 0


def test_a_thousand_branches_side_by_side(stage):
    step = stage.step("a", effects=World.count.increases(1), duration=1)
    goal = stage.goal(parallel(*[step] * 1_000), budget=None)
    assert ticks(goal, 2) == "RS"
    assert stage.believes(World.count) == 1_000


def test_impossible_alternatives_nested_as_deep_as_py_trees_allows(stage):
    never = nested = stage.step("never", precondition=World.count < 0)
    for _ in range(150):
        nested = priority(never, (nested, null()))
    goal = stage.goal(nested, budget=None)
    assert ticks(goal, 1) == "F"
    assert "there is no plan" in goal.feedback_message
