"""Aborts that take several ticks: what waits for them, who works on them, how they end."""

import py_trees
import pytest
from py_trees.common import Status

from bthtn import method, null, parallel
from bthtn.behaviours import Character, Operator, PlanGoal, Running
from bthtn.engine.agent.events import LeafAborted, LeafStarted, PlanAdopted, PlanBroken
from bthtn.studio.testing.doubles import ScriptedError, ticks
from bthtn.studio.testing.strategies import World


def interrupted(stage, **described):
    """A goal that was interrupted, and whose step takes two more ticks to be given up."""
    goal = stage.goal(stage.step("a", "R", abort_ticks=2, **described))
    goal.tick_once()
    goal.stop(Status.INVALID)
    return goal


def test_a_step_has_ended_when_its_abort_is_done_and_not_before(stage):
    goal = interrupted(stage)
    assert stage.heard.lines() == ["start a", "aborting a"]
    assert len(stage.actor.aborts) == 1
    ticks(goal, 1)
    assert stage.heard.lines() == ["start a", "aborting a"]
    ticks(goal, 1)
    assert stage.heard.lines() == ["start a", "aborting a", "aborted a", "start a"]
    assert len(stage.actor.aborts) == 0
    assert [run.aborts for run in stage.code["a"].runs] == [1, 0]
    assert not stage.code["a"].faults


def test_the_goal_plans_meanwhile_and_adopts_its_plan_afterwards(stage):
    goal = interrupted(stage)
    stage.heard.clear()
    ticks(goal, 1)
    assert goal.feedback_message == "waits until 'a' is given up"
    assert stage.heard.of(PlanAdopted) == []
    ticks(goal, 1)
    assert stage.heard.story() == ["aborted a", "PlanAdopted goal", "start a"]


def test_a_plan_that_was_made_for_another_world_is_not_adopted_afterwards(stage):
    goal = interrupted(stage, precondition=World.lit, on_abort=World.lit.becomes(False))
    ticks(goal, 3)
    assert stage.heard.lines() == ["start a", "aborting a", "aborted a"]


def test_of_a_plan_that_failed_the_next_one_waits_as_well(stage):
    branches = stage.step("a", "R", abort_ticks=2), stage.step("b", "F", precondition=World.lit)
    both = stage.step("c", "R")
    goal = stage.goal(
        stage.compound("do", lambda: [method(parallel(*branches)), method(both)]), lit=True
    )
    ticks(goal, 1)
    assert stage.heard.lines()[-1] == "failed b"
    stage.actor.believe(World.lit, False)
    ticks(goal, 2)
    assert stage.heard.lines()[-1] == "aborting a"
    ticks(goal, 2)
    assert stage.heard.lines()[-2:] == ["aborted a", "start c"]


def test_what_comes_behind_a_branch_that_was_given_up_waits_for_it(stage):
    both = parallel(stage.step("a", "R", abort_ticks=2), stage.step("b", "S"), policy="any")
    goal = stage.goal((both, stage.step("c", "S")))
    assert ticks(goal, 3) == "RRS"
    assert stage.heard.lines()[3:] == ["aborting a", "aborted a", "start c", "done c"]


def test_a_goal_is_done_when_all_that_it_gave_up_is_done(stage):
    goal = stage.goal(
        parallel(stage.step("a", "R", abort_ticks=2), stage.step("b", "S"), policy="any")
    )
    assert ticks(goal, 3) == "RRS"
    assert stage.heard.story()[-2:] == ["aborted a", "goal succeeded"]
    assert stage.code["b"].starts == 1


def test_a_plan_that_is_done_but_for_its_aborts_cannot_break_any_more(stage):
    race = parallel(stage.step("a", "RS"), stage.step("b", "R", abort_ticks=2), policy="any")
    nothing = stage.compound("nothing", lambda: [method(null(), when=World.open)])
    goal = stage.goal((race, nothing), open=True, max_replans=0)
    assert ticks(goal, 2) == "RR"
    stage.actor.believe(World.open, False, "sensor")
    assert stage.play_out(goal).endswith("S")
    assert not stage.heard.of(PlanBroken)


def test_a_step_that_waits_asks_its_conditions_when_it_starts(stage):
    both = parallel(stage.step("a", "R", abort_ticks=1), stage.step("b", "S"), policy="any")
    goal = stage.goal((both, stage.step("c", "S", exec_only=World.open)), open=False)
    ticks(goal, 1)
    assert goal.tip().feedback_message == "waits until 'a' is given up"
    stage.actor.believe(World.open, True)
    assert ticks(goal, 1) == "S"


def test_a_step_that_is_interrupted_while_it_waits_was_never_started(stage):
    both = parallel(stage.step("a", "R", abort_ticks=5), stage.step("b", "S"), policy="any")
    goal = stage.goal((both, stage.step("c", "S")))
    ticks(goal, 2)
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert [event.task for event in stage.heard.of(LeafStarted)] == ["a", "b"]
    assert stage.heard.running() == stage.heard.faults() == []


def test_a_step_tells_what_it_is_doing(stage):
    step = stage.step("a", "R", during=World.open, abort_ticks=1)
    goal = stage.goal(step, open=True, max_replans=0)
    goal.tick_once()
    leaf = goal.tip()
    assert (leaf.is_at_work, leaf.is_aborting, leaf.number) == (True, False, 1)
    stage.actor.believe(World.open, False, goal.name)
    goal.tick_once()
    assert (leaf.is_at_work, leaf.is_aborting) == (False, True)
    assert leaf.feedback_message == "gives up: open is false: open = false"
    goal.tick_once()
    assert (leaf.is_at_work, leaf.is_aborting, leaf.number) == (False, False, 1)


# two goals of one agent


class Switch(py_trees.behaviour.Behaviour):
    """Fails until it is switched on."""

    on = False

    def update(self):
        return Status.SUCCESS if self.on else Status.FAILURE


def taken_over(stage, urgent, abort_ticks=2):
    """A tree in which a goal has just taken over from one whose step holds on to the arms."""
    calm = stage.step("calm", "R", uses="arms", abort_ticks=abort_ticks)
    goals = stage.goal(urgent, name="urgent"), stage.goal(calm, name="calm")
    switch = Switch("switch")
    above = py_trees.composites.Sequence("above", memory=False, children=[switch, goals[0]])
    root = py_trees.composites.Selector("root", memory=False, children=[above, goals[1]])
    root.tick_once()
    switch.on = True
    root.tick_once()
    return root


def test_another_goal_of_the_agent_works_on_the_abort_and_starts_after_it(stage):
    root = taken_over(stage, stage.step("urgent", "R", uses="legs"))
    assert stage.heard.lines() == ["start calm", "aborting calm"]
    ticks(root, 2)
    assert stage.heard.lines()[2:] == ["aborted calm", "start urgent"]
    assert stage.code["calm"].runs[0].abort_ticks == 2
    assert stage.heard.faults() == []


def test_goals_side_by_side_work_on_an_abort_once_in_a_tick(stage):
    both = parallel(stage.step("a", "R", abort_ticks=4), stage.step("b", "S"), policy="any")
    below = stage.step("d", "R")
    upper = stage.goal((both, stage.step("c", "R")), name="upper")
    lower = stage.goal(below, name="lower")
    policy = py_trees.common.ParallelPolicy.SuccessOnAll()
    root = py_trees.composites.Parallel("body", policy, children=[lower, upper])
    left = []
    for _ in range(6):
        root.tick_once()
        left.append(stage.code["a"].runs[0].abort_ticks)
    assert left == [0, 1, 2, 3, 4, 4]


def test_a_character_works_on_aborts_when_no_goal_is_ticked(stage):
    goal = stage.goal(stage.step("a", "R", abort_ticks=2))
    switch = Switch("switch")
    root = py_trees.composites.Selector("root", memory=False, children=[switch, goal])
    character = Character(root, stage.actor)
    character.tick()
    switch.on = True
    for _ in range(3):
        character.tick()
    assert stage.heard.lines() == ["start a", "aborting a", "aborted a"]


# how it ends


def test_what_an_abort_raises_in_a_later_tick_ends_it_and_is_kept(stage):
    def clumsy(agent) -> Running:
        try:
            yield
        finally:
            yield
            raise ScriptedError

    goal = stage.goal(stage.run_by("a", clumsy))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    ticks(goal, 1)
    [aborted] = stage.heard.of(LeafAborted)
    assert isinstance(aborted.error, ScriptedError)
    assert stage.heard.lines()[-1] == "start a"
    goal.shutdown()


def test_an_object_says_in_any_tick_that_it_is_done(stage):
    class Slow:
        left = 2

        def start(self):
            """Nothing to do."""

        def tick(self):
            self.left -= 1
            return Status.RUNNING if self.left else Status.FAILURE

        def abort(self):
            return Status.RUNNING

    assert isinstance(Slow(), Operator)
    goal = stage.goal(stage.run_by("a", lambda agent: Slow(), duration=9))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    ticks(goal, 1)
    assert stage.heard.lines()[-2:] == ["aborted a", "start a"]


def test_a_tree_that_is_taken_down_leaves_no_abort_behind(stage):
    cleaned = []

    def slow(agent) -> Running:
        try:
            yield
        finally:
            try:
                yield
            finally:
                cleaned.append("to the end")

    goal = stage.goal(stage.run_by("a", slow))
    ticks(goal, 1)
    goal.shutdown()
    [aborted] = stage.heard.of(LeafAborted)
    assert aborted.error.code == "BT306"
    assert cleaned == ["to the end"]
    assert len(stage.actor.aborts) == 0
    assert stage.heard.running() == stage.heard.faults() == []


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_in_an_abort_passes_through_and_the_step_is_over(stage, stop):
    def leaving(agent) -> Running:
        try:
            yield
        finally:
            yield
            raise stop

    goal = stage.goal(stage.run_by("a", leaving))
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    with pytest.raises(stop):
        goal.tick_once()
    assert stage.heard.lines() == ["start a", "aborting a", "aborted a"]
    assert len(stage.actor.aborts) == 0
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert stage.heard.faults() == []


def test_a_goal_inside_a_step_leaves_its_aborts_to_the_agent(stage):
    goal = nested(stage)
    ticks(goal, 1)
    goal.stop(Status.INVALID)
    assert stage.heard.lines()[2:] == ["aborting inner", "aborted outer"]
    ticks(goal, 2)
    assert stage.heard.lines()[4:] == []
    ticks(goal, 1)
    assert stage.heard.lines()[4:] == ["aborted inner", "start outer", "start inner"]
    assert stage.heard.of(LeafAborted)[-1].error is None


def test_a_tree_that_is_taken_down_leaves_no_abort_of_a_goal_inside_a_step_behind(stage):
    goal = nested(stage)
    ticks(goal, 1)
    for node in list(goal.iterate()):
        node.shutdown()
    assert stage.heard.of(LeafAborted)[-1].error.code == "BT306"
    assert stage.heard.running() == stage.heard.faults() == []


def nested(stage):
    """A goal whose step runs a goal of its own, whose step takes three ticks to be given up."""
    inner = stage.step("inner", "R", abort_ticks=3)
    return stage.goal(stage.run_by("outer", lambda agent: PlanGoal("nested", agent, inner)))
