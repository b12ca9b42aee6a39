"""Uninterruptible steps: what may be given up for something better, and what may not."""

from py_trees.common import Status

from bthtn import parallel, priority
from bthtn.engine.behaviours.interruptible import interruptible, uninterruptible_step
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


def test_a_plan_is_interruptible_unless_a_step_at_work_says_otherwise(stage):
    first = stage.step("a", "RS")
    recover = stage.step("recover", "RS", uninterruptible=True)
    goal = stage.goal((first, recover, stage.step("c", "R")))
    seen = []
    for _ in range(3):
        goal.tick_once()
        seen.append(interruptible(goal))
    assert seen == [True, False, True]


def test_the_step_is_told(stage):
    recover = stage.step("recover", "R", uninterruptible=True)
    goal = stage.goal(parallel(stage.step("a", "R"), recover))
    goal.tick_once()
    assert str(uninterruptible_step(goal).node) == "recover"
    goal.stop(Status.INVALID)
    assert uninterruptible_step(goal) is None


def test_a_step_that_waits_to_start_is_in_nobody_s_way(stage):
    recover = stage.step("recover", "R", uninterruptible=True)
    goal = stage.goal(
        (parallel(stage.step("s", "S"), stage.step("a", "R", abort_ticks=5), policy="any"), recover)
    )
    goal.tick_once()
    assert goal.tip().name == "recover"
    assert interruptible(goal)


def test_nor_is_one_that_is_being_given_up(stage):
    recover = stage.step("recover", "R", uninterruptible=True, during=World.open, abort_ticks=3)
    goal = stage.goal(recover, open=True)
    ticks(goal, 1)
    assert not interruptible(goal)
    stage.actor.believe(World.open, False)
    ticks(goal, 1)
    assert stage.heard.lines() == ["start recover", "aborting recover"]
    assert interruptible(goal)


def test_the_tree_does_not_ask(stage):
    goal = stage.goal(stage.step("recover", "R", uninterruptible=True))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["start recover", "aborted recover"]


def reacting(stage, script, **described):
    better = stage.step("better", "R", exec_only=World.open)
    worse = stage.step("worse", script, **described)
    return stage.goal(priority(better, worse, reactive=True), max_replans=0)


def test_a_reactive_choice_waits_for_a_step_that_is_uninterruptible(stage):
    goal = reacting(stage, "RRS", uninterruptible=True)
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 2) == "RS"
    assert stage.heard.lines() == ["refused better", "start worse", "done worse"]


def test_it_does_not_wait_for_any_other(stage):
    goal = reacting(stage, "RRS")
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    ticks(goal, 1)
    assert stage.heard.lines()[2:] == ["aborted worse", "start better"]


def test_when_the_step_fails_the_others_are_asked_in_the_next_tick(stage):
    goal = reacting(stage, "RF", uninterruptible=True)
    ticks(goal, 1)
    stage.actor.believe(World.open, True)
    assert ticks(goal, 2) == "RR"
    assert stage.heard.lines()[2:] == ["failed worse", "start better"]
