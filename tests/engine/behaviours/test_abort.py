"""Every start of an operator ends exactly once: by itself, or by being aborted."""

import pytest
from py_trees.common import Status

from bthtn import parallel
from bthtn.engine.agent.events import LeafAborted
from bthtn.studio.testing.doubles import ScriptedError, ticks
from bthtn.studio.testing.strategies import World


def test_an_interrupted_step_is_aborted_once(stage):  # R004-03
    goal = stage.goal(stage.step("a", "R"))
    ticks(goal, 3)
    goal.stop(Status.INVALID)
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert stage.code["a"].aborts == 1
    assert stage.heard.lines() == ["start a", "aborted a"]
    assert not stage.code["a"].faults


def test_a_step_that_was_not_started_is_not_aborted(stage):
    goal = stage.goal((stage.step("a", "R"), stage.step("b", "R")))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.code["b"].runs == []
    assert stage.heard.lines() == ["start a", "aborted a"]


def test_a_finished_step_is_not_aborted_when_the_rest_is_interrupted(stage):
    goal = stage.goal((stage.step("a", "S"), stage.step("b", "R")))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.code["a"].aborts == 0
    assert stage.heard.lines() == ["start a", "done a", "start b", "aborted b"]
    assert not stage.code["a"].faults


def test_a_failed_step_is_not_aborted_either(stage):
    goal = stage.goal(parallel(stage.step("a", "F"), stage.step("b", "R"), policy="any"))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["start a", "failed a", "start b", "aborted b"]
    assert stage.code["a"].aborts == 0


def test_an_aborted_step_has_no_effects(stage):
    goal = stage.goal(stage.step("a", "R", effects=World.open.becomes(True)))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert not stage.believes(World.open)


def test_a_step_that_was_aborted_can_be_started_again(stage):
    goal = stage.goal(stage.step("a", "R", "RS"))
    goal.tick_once()
    goal.stop(Status.INVALID)
    assert ticks(goal, 2) == "RS"
    assert stage.heard.lines() == ["start a", "aborted a", "start a", "done a"]
    assert [run.ticks for run in stage.code["a"].runs] == [1, 2]


def test_taking_the_tree_down_aborts_what_runs(stage):
    goal = stage.goal(parallel(stage.step("a", "R"), stage.step("b", "R")))
    goal.tick_once()
    for node in list(goal.iterate()):
        node.shutdown()
    assert sorted(stage.heard.lines()) == ["aborted a", "aborted b", "start a", "start b"]


def test_what_the_abort_raises_is_kept_and_the_others_are_aborted_all_the_same(stage):
    bad = stage.step("bad", "R", raises=("abort",))
    goal = stage.goal(parallel(stage.step("a", "R"), bad, stage.step("b", "R")))
    goal.tick_once()
    goal.stop(Status.INVALID)
    aborted = {event.task: event.error for event in stage.heard.of(LeafAborted)}
    assert aborted.keys() == {"a", "b", "bad"}
    assert isinstance(aborted["bad"], ScriptedError)
    assert aborted["a"] is aborted["b"] is None
    assert goal.status is Status.INVALID
    assert stage.code["bad"].aborts == 1


def test_an_abort_that_raises_does_not_spoil_the_end_of_a_parallel(stage):
    bad = stage.step("bad", "R", raises=("abort",))
    assert stage.play(parallel(stage.step("a", "S"), bad, policy="any"), 1) == "S"
    assert stage.heard.lines() == ["start a", "done a", "start bad", "aborted bad"]


@pytest.mark.parametrize("how", ["stop", "shutdown"])
def test_a_step_that_is_told_twice_is_aborted_once(stage, how):
    goal = stage.goal(stage.step("a", "R"))
    goal.tick_once()
    leaf = goal.tip()
    for _ in range(2):
        leaf.stop(Status.INVALID) if how == "stop" else leaf.shutdown()
        assert stage.heard.lines() == ["start a", "aborted a"]
    goal.stop(Status.INVALID)
    assert stage.heard.lines() == ["start a", "aborted a"]
    assert (stage.code["a"].aborts, stage.code["a"].faults) == (1, [])


# a tick that is broken off in the middle


def broken_off_at(goal, name):
    """Tick as far as a behaviour, and never come back: a visitor raised, or somebody left."""
    walk = goal.tick()
    while next(walk).name != name:
        pass
    walk.close()


def test_a_step_that_started_in_a_broken_tick_is_aborted(stage):
    goal = stage.goal((stage.step("a", "R"), stage.step("b", "R")))
    broken_off_at(goal, "a")
    assert goal.status is Status.INVALID
    goal.stop(Status.INVALID)
    assert stage.heard.story() == ["PlanAdopted goal", "start a", "PlanAborted goal", "aborted a"]


@pytest.mark.parametrize("policy", ["all", "any", "primary"])
def test_so_is_one_in_a_parallel(stage, policy):
    goal = stage.goal(parallel(stage.step("a", "R"), stage.step("b", "R"), policy=policy))
    broken_off_at(goal, "b")
    goal.stop(Status.INVALID)
    assert sorted(stage.heard.lines()) == ["aborted a", "aborted b", "start a", "start b"]


def test_after_a_broken_tick_no_step_is_left_running_for_ever(stage):
    goal = stage.goal((stage.step("a", "R"), stage.step("b", "R")))
    broken_off_at(goal, "a")
    ticks(goal, 2)
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert stage.heard.running() == []
    assert stage.heard.faults() == []
    assert not stage.code["a"].faults


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_the_program_passes_through_and_the_step_has_ended_all_the_same(stage, stop):
    def leave():
        raise stop

    goal = stage.goal(stage.step("a", "R", at_tick=leave))
    with pytest.raises(stop):
        goal.tick_once()
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert stage.heard.lines()[0] == "start a"
    assert (stage.heard.running(), stage.heard.faults()) == ([], [])


class Leaving:
    """An operator in the middle of which somebody ends the program."""

    def __init__(self, place):
        self.place = place

    def reach(self, place):
        if place == self.place:
            raise KeyboardInterrupt

    def start(self):
        self.reach("start")

    def tick(self):
        self.reach("tick")
        return Status.RUNNING

    def abort(self):
        self.reach("abort")


@pytest.mark.parametrize("place", ["start", "tick", "abort"])
def test_wherever_the_program_is_ended_every_step_can_still_be_ended_once(stage, place):
    leaving = stage.run_by("leaving", lambda agent: Leaving(place))
    goal = stage.goal(parallel(stage.step("a", "R"), leaving, stage.step("b", "R")))

    def tick_and_stop():
        goal.tick_once()
        goal.stop(Status.INVALID)

    with pytest.raises(KeyboardInterrupt):
        tick_and_stop()
    goal.stop(Status.INVALID)
    goal.shutdown()
    assert stage.heard.running() == stage.heard.faults() == []
    assert all(code.faults == [] for code in stage.code.values())
