"""A goal that takes the place of another one, or its resources: what ends, before what begins."""

import py_trees
import pytest
from py_trees import decorators
from py_trees.behaviours import Running, Success
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Composite, Parallel, Selector, Sequence

from bthtn import behaviours as own
from bthtn import parallel, priority
from bthtn.behaviours import PriorityGoals
from bthtn.engine.agent.events import GoalEnded, LeafWaits, PlanAborted
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


class Alarm(py_trees.behaviour.Behaviour):
    """Succeeds while the door is open."""

    def __init__(self, stage):
        super().__init__("alarm")
        self.stage = stage

    def update(self):
        return Status.SUCCESS if self.stage.believes(World.open) else Status.FAILURE


def goals(stage, rush="RRS", stroll="R", **described):
    """Two goals for the same wheels, the second of which needs nothing to be true."""
    rush = stage.step("rush", rush, uses="wheels", precondition=World.open)
    stroll = stage.step("stroll", stroll, uses="wheels", **described)
    return stage.goal(rush, name="hurry"), stage.goal(stroll, name="calm")


def named(stage, **steps):
    """Goals for these steps, named like them."""
    return [stage.goal(step, name=name) for name, step in steps.items()]


def opened(stage, root):
    """The lines of the tick in which the door opens."""
    root.tick_once()
    assert "start stroll" in stage.heard.lines()
    stage.actor.believe(World.open, True)
    stage.heard.clear()
    root.tick_once()
    return stage.heard.lines()


def selector(*children):
    return Selector("root", memory=False, children=list(children))


def beside(name, *children):
    return Parallel(name, ParallelPolicy.SuccessOnAll(synchronise=False), list(children))


# losing its place


WRAPPED = {
    "itself": lambda goal: goal,
    "sequence": lambda goal: Sequence("above", memory=False, children=[goal]),
    "sequence with memory": lambda goal: Sequence("above", memory=True, children=[goal]),
    "selector": lambda goal: selector(goal, Running("idle")),
    "parallel": lambda goal: beside("above", Running("hum"), goal),
    "inverter": lambda goal: decorators.Inverter("above", goal),
    "timeout": lambda goal: decorators.Timeout("above", goal, duration=1e9),
    "retry": lambda goal: decorators.Retry("above", goal, num_failures=3),
    "repeat": lambda goal: decorators.Repeat("above", goal, num_success=3),
    "guard": lambda goal: decorators.EternalGuard("above", goal, condition=lambda: True),
    "pass through": lambda goal: decorators.PassThrough("above", goal),
    "one shot": lambda goal: decorators.OneShot(
        "above", goal, py_trees.common.OneShotPolicy.ON_SUCCESSFUL_COMPLETION
    ),
    "counting parallel": lambda goal: own.Parallel("above", [Running("hum"), goal]),
    "if then": lambda goal: own.IfThenElse("above", Success("yes"), goal),
    "while do": lambda goal: own.WhileDoElse("above", Success("yes"), goal),
    "retry at once": lambda goal: own.RetryUntilSuccessful("above", goal, 3),
    "repeat at once": lambda goal: own.Repeat("above", goal, 3),
    "timeout in ticks": lambda goal: own.Timeout("above", goal, ticks=9),
}


@pytest.mark.parametrize(
    ("upper", "lower"),
    [*((name, "itself") for name in WRAPPED), *(("itself", name) for name in WRAPPED)],
)
def test_the_old_goal_s_step_is_aborted_before_the_new_one_s_starts_in_the_same_tick(
    stage, upper, lower
):
    hurry, calm = goals(stage)
    above = Sequence("if", memory=False, children=[Alarm(stage), WRAPPED[upper](hurry)])
    root = selector(above, WRAPPED[lower](calm))
    assert opened(stage, root) == ["aborted stroll", "start rush"]
    assert [event.goal for event in stage.heard.of(PlanAborted)] == ["calm"]


@pytest.mark.parametrize("lower", ["itself", "timeout", "parallel"])
def test_so_it_is_under_priority_goals_whatever_stands_above_the_goal(stage, lower):
    hurry, calm = goals(stage)
    first = Sequence("above", memory=True, children=[hurry])
    root = PriorityGoals("root", stage.actor, [first, WRAPPED[lower](calm)], period=1)
    assert opened(stage, root) == ["aborted stroll", "start rush"]


def test_so_it_is_in_a_sequence_that_goes_back(stage):
    hurry, calm = goals(stage, rush="S")
    first = decorators.FailureIsSuccess("first", hurry)
    assert opened(stage, Sequence("root", memory=False, children=[first, calm])) == [
        "aborted stroll",
        "start rush",
        "done rush",
    ]


def test_it_waits_for_all_goals_that_lose_their_place(stage):
    hum = stage.step("hum", "R")
    hurry, calm = goals(stage)
    root = selector(hurry, beside("both", calm, stage.goal(hum, name="hum")))
    assert opened(stage, root) == ["aborted stroll", "aborted hum", "start rush"]


def test_it_waits_until_their_aborts_are_done_whatever_they_use(stage):
    hurry, calm = named(
        stage,
        hurry=stage.step("rush", "R", precondition=World.open),
        calm=stage.step("stroll", "R", abort_ticks=2),
    )
    root = selector(hurry, calm)
    assert opened(stage, root) == ["aborting stroll"]
    assert hurry.feedback_message == "waits until 'stroll' is given up"
    ticks(root, 1)
    assert stage.heard.lines() == ["aborting stroll"]
    ticks(root, 1)
    assert stage.heard.lines() == ["aborting stroll", "aborted stroll", "start rush"]


def test_under_priority_goals_it_waits_for_the_same(stage):
    hurry, calm = named(
        stage,
        hurry=stage.step("rush", "R", precondition=World.open),
        calm=stage.step("stroll", "R", abort_ticks=2),
    )
    root = PriorityGoals("root", stage.actor, [hurry, calm], period=1)
    assert opened(stage, root) == ["aborting stroll"]
    ticks(root, 1)
    assert stage.heard.lines()[1:] == ["aborted stroll", "start rush"]


def test_a_goal_without_a_plan_takes_nobody_s_place(stage):
    never, calm = named(
        stage,
        never=stage.step("never", precondition=World.open & ~World.open),
        calm=stage.step("stroll", "RRS"),
    )
    assert ticks(selector(never, calm), 3) == "RRS"
    assert stage.heard.lines() == ["start stroll", "done stroll"]


def test_a_goal_that_its_decorator_stops_at_once_has_started_and_aborted_nothing(stage):
    hurry, calm = goals(stage)
    root = selector(decorators.RunningIsFailure("never", hurry), calm)
    assert opened(stage, root) == []
    assert (stage.code["stroll"].aborts, stage.code["rush"].starts) == (0, 0)


def test_what_changes_in_an_abort_is_planned_for(stage):
    hurry, calm = goals(stage, on_abort=World.open.becomes(False))
    assert opened(stage, selector(hurry, calm)) == ["aborted stroll"]
    assert stage.heard.of(GoalEnded)[0].reason.startswith("there is no plan: rush")


def test_a_plan_that_ends_in_the_tick_of_the_change_is_answered_in_the_next(stage):
    hurry, calm = goals(stage, rush="S")
    root = selector(hurry, calm)
    assert opened(stage, root) == ["aborted stroll", "start rush", "done rush"]
    assert root.status is Status.RUNNING
    assert ticks(root, 1) == "S"
    assert len(stage.heard.of(GoalEnded)) == 1


def test_a_goal_that_is_stopped_before_it_has_answered_was_not_aborted(stage):
    hurry, calm = goals(stage, rush="S")
    root = selector(hurry, calm)
    opened(stage, root)
    root.stop(Status.INVALID)
    assert [event.goal for event in stage.heard.of(PlanAborted)] == ["calm"]


class Turns(Composite):
    """Ticks one child after the other, a child in each tick, and stops none."""

    def __init__(self, children):
        super().__init__("turns", children)
        self.count = 0

    def tick(self):
        self.status = Status.RUNNING
        self.current_child = self.children[self.count % len(self.children)]
        self.count += 1
        yield from self.current_child.tick()
        yield self


def test_in_a_composite_that_stops_nothing_both_go_on(stage):
    upper, lower = named(stage, upper=stage.step("a", "R"), lower=stage.step("b", "R"))
    ticks(Turns([upper, lower]), 4)
    assert sorted(stage.heard.running()) == ["a", "b"]
    assert stage.heard.of(PlanAborted) == []


# resources


def test_steps_of_two_goals_do_not_have_a_resource_at_the_same_time(stage):
    one, two = named(
        stage,
        one=stage.step("a", "RRS", uses="legs"),
        two=stage.step("b", "RS", uses=["legs", "arms"]),
    )
    root = Parallel("root", ParallelPolicy.SuccessOnAll(), [one, two])
    assert ticks(root, 4) == "RRRS"
    assert stage.heard.lines() == ["start a", "done a", "start b", "done b"]
    [waits] = stage.heard.of(LeafWaits)
    assert (waits.task, waits.uses, waits.other, waits.other_goal) == (
        "b",
        ("arms", "legs"),
        "a #1",
        "one",
    )


def test_a_step_tells_for_which_one_it_waits(stage):
    one, two = named(
        stage, one=stage.step("a", "R", uses="legs"), two=stage.step("b", "R", uses="legs")
    )
    ticks(beside("root", one, two), 3)
    assert two.tip().feedback_message == "waits until 'a #1' of 'one' is over"
    assert len(stage.heard.of(LeafWaits)) == 1


def test_a_step_that_was_stopped_in_its_wait_tells_of_the_next_one(stage):
    look = stage.step("look", "RF", exec_only=World.open)
    choice = priority(look, stage.step("b", "R", uses="legs"), reactive=True)
    one, two = named(stage, one=stage.step("a", "R", uses="legs"), two=choice)
    root = beside("root", one, two)
    ticks(root, 2)
    stage.actor.believe(World.open, True)
    ticks(root, 1)
    stage.actor.believe(World.open, False)
    ticks(root, 2)
    assert stage.code["look"].starts == 1
    assert [(event.task, event.other) for event in stage.heard.of(LeafWaits)] == [("b", "a #1")] * 2


def test_steps_of_other_goals_that_use_something_else_run_beside_it(stage):
    one, two = named(
        stage, one=stage.step("a", "R", uses="legs"), two=stage.step("b", "R", uses="arms")
    )
    ticks(beside("root", one, two), 1)
    assert stage.heard.lines() == ["start a", "start b"]


def test_a_resource_is_occupied_until_an_abort_is_done(stage):
    calm, grab = named(
        stage,
        calm=stage.step("calm", "R", uses="arms", abort_ticks=2),
        grab=stage.step("grab", "R", uses="arms"),
    )
    guard = decorators.EternalGuard("guard", calm, condition=lambda: not stage.believes(World.open))
    root = beside("root", decorators.FailureIsRunning("calm", guard), grab)
    ticks(root, 1)
    stage.actor.believe(World.open, True)
    ticks(root, 3)
    assert stage.heard.lines() == ["start calm", "aborting calm", "aborted calm", "start grab"]


def test_a_goal_inside_of_a_step_may_use_what_the_step_uses(stage):
    inner = stage.step("inner", "RS", uses="legs")
    outer = stage.run_by("outer", lambda agent: stage.goal(inner, name="within"), uses="legs")
    assert ticks(stage.goal(outer), 2) == "RS"
    assert stage.heard.of(LeafWaits) == []


def test_a_step_that_waits_holds_up_nothing_beside_it(stage):
    one = stage.step("a", "RRRS", uses="legs")
    two = parallel(stage.step("walk", "S", uses="legs"), stage.step("wave", "RS", uses="arms"))
    ticks(beside("root", *named(stage, one=one, two=two)), 2)
    assert stage.heard.lines() == ["start a", "start wave", "done wave"]


# stopped while it begins


@pytest.mark.parametrize("place", ["a step", "a hook"])
def test_a_goal_that_is_stopped_while_it_begins_in_the_stop_of_another_leaves_nothing(stage, place):
    hurry, calm = goals(stage)
    root = selector(Sequence("guarded", memory=False, children=[Alarm(stage), hurry]), calm)
    stops = [lambda: root.stop(Status.INVALID)]

    def stop(*_):
        if stops:
            stops.pop()()

    if place == "a step":
        stage.code["rush"].at_tick = stop
    else:
        stage.operators.on_plan_start(stage.domain.freeze().tasks["rush"])(stop)
    opened(stage, root)
    assert hurry.status is calm.status is Status.INVALID
    lines = stage.heard.lines()
    assert lines.count("start rush") == lines.count("aborted rush")
    stage.heard.clear()
    root.tick_once()
    assert stage.heard.lines() == ["start rush"]
