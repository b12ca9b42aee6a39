"""No leak: thousands of plans leave memory, and py_trees' registries, where they were."""

import gc
from collections import Counter
from types import GeneratorType

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn import defer, method, parallel, priority
from bthtn.engine.plan.plan import Plan
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World
from tests.sizes import size

MANY = size(quick=100, thorough=1_000, night=2_000)


def alive():
    """How many objects of the kinds that plans are made of there are, and what py_trees knows."""
    gc.collect()
    kinds = Counter()
    for thing in gc.get_objects():
        for kind in (Behaviour, GeneratorType, Plan):
            if isinstance(thing, kind):
                kinds[kind.__name__] += 1
    board = py_trees.blackboard.Blackboard  # noqa: TID251 - to see that it stays as it is
    boards = len(board.clients), len(board.metadata), len(board.storage)
    return kinds["Behaviour"], kinds["generator"], kinds["Plan"], boards


def generating(agent):
    try:
        yield
    finally:
        pass


def everything(stage):
    """Operators of every form, composites of every kind, and a step that always fails."""
    subtree = stage.run_by(
        "tree",
        lambda agent: py_trees.composites.Sequence(
            "inner", memory=True, children=[py_trees.behaviours.Success("one")]
        ),
    )
    return (
        parallel(stage.run_by("generator", generating), subtree, policy="primary"),
        priority(stage.step("barred", exec_only=World.open), stage.step("b", effects=())),
        defer(stage.step("c"), now=True),
        stage.step("fails", "F"),
    )


def test_many_plans_that_fail_leave_nothing_behind(stage):
    goal = stage.goal(everything(stage), max_replans=MANY)
    stage.actor.listener = None
    stage.code["fails"].runs = Forgetful()
    ticks(goal, 20)
    before = alive()
    ticks(goal, MANY)
    after = alive()
    assert goal.replans > MANY / 3
    assert after[3] == before[3]
    assert all(now <= then + 20 for now, then in zip(after[:3], before[:3], strict=True))


def test_many_replacements_leave_nothing_behind(stage):
    walk = stage.step("walk", "R")
    best, second = stage.step("best", precondition=World.open), stage.step("second")
    tail = stage.compound("tail", lambda: [method(best), method(second)])
    goal = stage.goal((walk, priority(everything(stage), stage.step("d")), tail))
    stage.actor.listener = None

    def change(times):
        for _ in range(times):
            stage.actor.believe(World.open, not stage.believes(World.open))
            goal.tick_once()

    change(20)
    before, watched = alive(), stage.actor.beliefs.watched
    change(MANY)
    after = alive()
    assert stage.code["walk"].starts == 1
    assert stage.actor.beliefs.watched == watched
    assert after[3] == before[3]
    assert all(now <= then + 20 for now, then in zip(after[:3], before[:3], strict=True))


def test_many_interruptions_leave_nothing_behind(stage):
    goal = stage.goal(everything(stage))
    stage.actor.listener = None
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    before = alive()
    for _ in range(MANY):
        ticks(goal, 1)
        goal.stop(Status.INVALID)
    after = alive()
    assert after[3] == before[3]
    assert all(now <= then + 5 for now, then in zip(after[:3], before[:3], strict=True))


def test_plans_that_are_over_leave_nothing_to_the_collector(stage):
    """A full run of it stops the world: a game may switch it off while it runs."""
    goal = stage.goal(everything(stage), max_replans=MANY)
    stage.actor.listener = None
    stage.code["fails"].runs = Forgetful()
    ticks(goal, 20)
    gc.collect()
    gc.disable()
    try:
        ticks(goal, MANY)
        unreachable = gc.collect()
    finally:
        gc.enable()
    assert goal.replans > MANY / 3
    assert unreachable == 0


def test_a_goal_that_is_shut_down_lets_its_plan_go(stage):
    goal = stage.goal(everything(stage))
    ticks(goal, 1)
    goal.shutdown()
    assert goal.children == []
    assert goal.status is Status.INVALID
    assert list(goal.iterate()) == [goal]


class Forgetful(list):
    """Keeps no more than the latest run of a scripted operator."""

    def append(self, run):
        self[:] = [run]
