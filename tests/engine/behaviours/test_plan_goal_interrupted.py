"""PlanGoal, interrupted: whenever the tree wants something else, everything stops at once."""

import py_trees
import pytest
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence

from bthtn import defer, method, parallel, priority
from bthtn.engine.agent.events import GoalEnded, PlanAborted
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World


class If(py_trees.behaviour.Behaviour):
    """A condition in the authored tree."""

    def __init__(self, stage, variable, name="if"):
        super().__init__(name)
        self.stage = stage
        self.variable = variable

    def update(self):
        return Status.SUCCESS if self.stage.believes(self.variable) else Status.FAILURE


def every_phase(stage):
    """A goal with a phase of every kind, and how many ticks it takes."""
    barred = [stage.step(f"barred {n}", precondition=World.place == f"{n}") for n in range(5)]
    rest = stage.compound(
        "rest", lambda: [*(method(one) for one in barred), method(stage.later, stage.later)]
    )
    stage.later = stage.step("later", "RRS", uses="legs")
    network = (
        stage.step("first", "RS"),
        parallel(stage.step("left", "RRRS", uses="legs"), stage.step("right", "RS")),
        priority(stage.step("no", "RF"), stage.step("yes", "RS")),
        parallel(stage.step("long", "RRRRRRRRRS", uses="legs"), defer(rest)),
        priority(stage.step("alarm", exec_only=World.armed), defer(rest), reactive=True),
    )
    return stage.goal(network, budget=4)


def length(stage):
    letters = stage.play_out(every_phase(stage))
    assert letters[-1] == "S"
    return len(letters)


def test_it_can_be_interrupted_in_every_tick(new_stage):
    lines_at_abort = set()
    for tick in range(1, length(new_stage())):
        run = new_stage()
        goal = every_phase(run)
        assert ticks(goal, tick) == "R" * tick
        before = run.heard.running()
        goal.stop(Status.INVALID)
        after = run.heard.lines()
        lines_at_abort.update(before)
        assert run.heard.running() == run.heard.faults() == []
        assert sorted(line for line in after if "aborted" in line) == sorted(
            f"aborted {name}" for name in before
        )
        assert all(not code.faults for code in run.code.values())
        assert len(run.heard.of(PlanAborted)) == 1
        ticked = {name: code.ticks for name, code in run.code.items()}
        goal.stop(Status.INVALID)
        assert run.heard.lines() == after
        assert {name: code.ticks for name, code in run.code.items()} == ticked
    assert lines_at_abort == {"first", "left", "right", "no", "yes", "long", "later"}


def test_interrupted_in_any_tick_it_can_begin_again(new_stage):
    whole = length(new_stage())
    for tick in range(1, whole):
        run = new_stage()
        goal = every_phase(run)
        ticks(goal, tick)
        goal.stop(Status.INVALID)
        assert ticks(goal, whole) == "R" * (whole - 1) + "S"
        assert run.heard.faults() == run.heard.running() == []


def test_interrupted_while_it_plans_it_ends_no_step(stage):
    goal = every_phase(stage)
    ticks(goal, 1)
    assert stage.heard.events == []
    goal.stop(Status.INVALID)
    assert stage.heard.story() == ["PlanAborted goal"]
    assert goal.feedback_message == "aborted"


def test_a_goal_that_is_done_is_not_aborted(stage):
    goal = stage.goal(stage.step("a", "S"))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.heard.of(PlanAborted) == []
    assert stage.heard.lines() == ["start a", "done a"]


def test_a_goal_that_has_failed_is_not_aborted(stage):
    goal = stage.goal(stage.step("a", "F"), max_replans=0)
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.heard.of(PlanAborted) == []


def test_an_interrupted_goal_has_not_ended(stage):
    goal = stage.goal(stage.step("a", "R"))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.heard.of(GoalEnded) == []


# who took over


def reason(stage):
    [aborted] = stage.heard.of(PlanAborted)
    assert aborted.goal == "goal"
    return aborted.reason


def running(name):
    return py_trees.behaviours.Running(name)


@pytest.mark.parametrize("answer", [py_trees.behaviours.Running, py_trees.behaviours.Success])
def test_a_higher_branch_that_takes_over_is_named(stage, answer):
    goal = stage.goal(stage.step("a", "R"))
    urgent = Sequence("survive", memory=False, children=[If(stage, World.armed), answer("run")])
    root = Selector("root", memory=False, children=[urgent, goal])
    ticks(root, 2)
    stage.actor.believe(World.armed, True)
    root.tick_once()
    assert reason(stage) == "'survive' took over"
    assert stage.heard.lines() == ["start a", "aborted a"]


def test_it_is_named_from_further_down_as_well(stage):
    goal = stage.goal(stage.step("a", "R"))
    fight = Sequence("fight", memory=True, children=[py_trees.behaviours.Success("ready"), goal])
    urgent = Sequence("survive", memory=False, children=[If(stage, World.armed), running("run")])
    root = Selector("root", memory=False, children=[urgent, fight, running("idle")])
    ticks(root, 2)
    stage.actor.believe(World.armed, True)
    root.tick_once()
    assert reason(stage) == "'survive' took over"


def test_a_condition_that_no_longer_holds_is_named(stage):
    goal = stage.goal(stage.step("a", "R"), armed=True)
    root = Sequence("root", memory=False, children=[If(stage, World.armed, "enemy near"), goal])
    ticks(root, 2)
    stage.actor.believe(World.armed, False)
    root.tick_once()
    assert reason(stage) == "'enemy near' failed"


def test_a_sibling_that_fails_beside_it_is_named(stage):
    goal = stage.goal(stage.step("a", "R"), armed=True)
    watch = If(stage, World.armed, "watch")
    policy = ParallelPolicy.SuccessOnAll(synchronise=False)
    root = Parallel("root", policy, [goal, watch])
    ticks(root, 2)
    stage.actor.believe(World.armed, False)
    root.tick_once()
    assert reason(stage) == "'watch' failed"


def test_a_guard_that_closes_aborts_what_it_guards(stage):
    goal = stage.goal(stage.step("a", "R"), armed=True)
    guard = py_trees.decorators.EternalGuard(
        "still armed", goal, condition=lambda: stage.believes(World.armed)
    )
    root = Selector("root", memory=False, children=[guard, running("idle")])
    ticks(root, 2)
    stage.actor.believe(World.armed, False)
    root.tick_once()
    assert stage.heard.lines() == ["start a", "aborted a"]
    assert len(stage.heard.of(PlanAborted)) == 1
    assert root.tip().name == "idle"


@pytest.mark.parametrize("nested", [False, True])
def test_a_tree_that_is_stopped_from_outside_is_said_to_be_stopped(stage, nested):
    goal = stage.goal(stage.step("a", "R"))
    root = Selector("root", memory=False, children=[goal, running("idle")]) if nested else goal
    root.tick_once()
    root.stop(Status.INVALID)
    assert reason(stage) == "the tree was stopped"


def test_a_tree_that_is_shut_down_is_said_to_be_stopped(stage):
    goal = stage.goal(stage.step("a", "R"))
    tree = py_trees.trees.BehaviourTree(Selector("root", memory=False, children=[goal]))
    tree.tick()
    tree.shutdown()
    assert reason(stage) == "the tree was stopped"
    assert stage.heard.lines() == ["start a", "aborted a"]
    assert goal.status is Status.INVALID
    assert goal.children == []


def test_a_sibling_that_decides_a_parallel_is_said_to_have_succeeded(stage):
    goal = stage.goal(stage.step("a", "R"), armed=False)
    watch = If(stage, World.armed, "watch")
    never = py_trees.decorators.FailureIsRunning("patient", watch)
    root = Parallel("root", ParallelPolicy.SuccessOnOne(), [never, goal, running("idle")])
    ticks(root, 2)
    stage.actor.believe(World.armed, True)
    root.tick_once()
    assert reason(stage) == "'patient' succeeded"


def test_a_parallel_that_is_stopped_from_outside_was_stopped(stage):
    goal = stage.goal(stage.step("a", "R"))
    policy = ParallelPolicy.SuccessOnAll(synchronise=False)
    root = Parallel("root", policy, [goal, running("two")])
    ticks(root, 2)
    root.stop(Status.INVALID)
    assert reason(stage) == "the tree was stopped"


@pytest.mark.parametrize("above", ["parallel", "selector", "nothing"])
def test_a_decorator_that_stops_it_is_named(stage, above):
    goal = stage.goal(stage.step("a", "R"), armed=True)
    guard = py_trees.decorators.EternalGuard(
        "still armed", goal, condition=lambda: stage.believes(World.armed)
    )
    inner = py_trees.decorators.PassThrough("within", guard)
    policy = ParallelPolicy.SuccessOnAll(synchronise=False)
    root = {
        "parallel": lambda: Parallel("root", policy, [inner, running("two")]),
        "selector": lambda: Selector("root", memory=False, children=[inner, running("two")]),
        "nothing": lambda: inner,
    }[above]()
    ticks(root, 2)
    stage.actor.believe(World.armed, False)
    root.tick_once()
    assert reason(stage) == "'still armed' stopped it"


def test_who_stops_a_goal_from_a_behaviour_elsewhere_has_not_taken_over(stage):
    goal = stage.goal(stage.step("a", "R"))
    inner = Selector("inner", memory=False, children=[goal])

    class Stop(py_trees.behaviour.Behaviour):
        def update(self):
            inner.stop(Status.INVALID)
            return Status.SUCCESS

    policy = ParallelPolicy.SuccessOnAll(synchronise=False)
    Parallel("root", policy, [inner, Stop("stop")]).tick_once()
    assert reason(stage) == "'stop' stopped it"


def test_an_interrupted_goal_has_no_plan(stage):
    step = stage.step("a", "R")
    goal = stage.goal(stage.compound("do", lambda: [method(step)]))
    ticks(goal, 2)
    assert (goal.plan is None, bool(goal.record)) == (False, True)
    goal.stop(Status.INVALID)
    assert (goal.plan, bool(goal.record), goal.verdict) == (None, False, None)
