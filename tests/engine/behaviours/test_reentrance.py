"""Every call, made by every kind of users' code that a tick runs, is defined or refused."""

from pathlib import Path

import py_trees
import pytest
from py_trees.common import Status

from bthtn import defer, method, null, parallel, sequence
from bthtn.engine.agent.events import PlanRepaired, PlanReplaced, PlanResumed
from bthtn.errors import ExecutionError
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World
from tests.engine.behaviours.reentrant import CALLS, PLACES, Scene, outcomes, table
from tests.sizes import size

SEMANTICS = Path(__file__).parents[3] / "docs" / "semantics.md"


def test_whatever_users_code_calls_every_start_has_one_end_and_what_comes_of_it_is_documented():
    """The quick tests play a fifth of the calls at each place, and all of them in some places."""
    table_of_calls = table(SEMANTICS.read_text("utf-8"))
    found, faults = outcomes(every=size(quick=5, thorough=1))
    assert faults == []
    assert found == {key: table_of_calls[key] for key in found}
    assert len(table_of_calls) == len(CALLS) * sum(map(len, PLACES.values()))


@pytest.mark.parametrize("place", ["tick", "condition of a method", "a sensor", "a utility"])
@pytest.mark.parametrize("call", ["goal.tick_once()", "save(tree, agent)", "agent.sense()"])
def test_what_is_refused_says_what_to_do_instead(place, call):
    scene = Scene(place, call)
    scene.play()
    [error] = scene.answers
    assert error.code == "BT320"
    assert "after the tick" in error.diagnostics[0].hint


def test_a_goal_that_its_operator_stops_is_stopped_at_the_end_of_its_tick():
    scene = Scene("tick", "root.stop(INVALID)")
    scene.ticked()
    scene.is_armed = True
    scene.ticked()
    assert scene.answers == ["later"]
    assert scene.spies[0].calls == ["start", "tick", "tick", "abort"]
    scene.tree.root.stop(Status.INVALID)
    assert scene.unbalanced() == []


class Leaving(py_trees.behaviours.Running):
    """Begins a tick when it is taken down."""

    def __init__(self, agent, raised):
        super().__init__("leaving")
        self.agent, self.raised = agent, raised

    def shutdown(self):
        with pytest.raises(ExecutionError) as caught:
            self.agent.sense()
        self.raised.append(caught.value.code)


def test_no_tick_begins_in_the_middle_of_a_shut_down(stage):
    raised = []
    goal = stage.goal(stage.run_by("stand", lambda agent: Leaving(agent, raised)))
    goal.tick_once()
    goal.shutdown()
    assert raised == ["BT320"]


def test_no_tick_begins_in_the_middle_of_closing_an_agent(stage):
    raised = []

    def stand(agent):
        try:
            while True:
                yield
        finally:
            try:
                yield  # cleaning up takes more ticks, and is cut off
            finally:
                with pytest.raises(ExecutionError) as caught:
                    agent.sense()
                raised.append(caught.value.code)

    goal = stage.goal(stage.run_by("stand", stand))
    goal.tick_once()
    goal.stop(Status.INVALID)
    goal.agent.close()
    assert raised == ["BT320"]


def test_what_is_stopped_in_the_tick_in_which_it_fails_is_not_repaired(stage):
    moments = [lambda: goal.stop(Status.INVALID), lambda: None]

    def in_tick():
        moments.pop()()

    walk = stage.step("walk", "RF", at_tick=in_tick)
    there = stage.compound("there", lambda: [method(walk)])
    wave = stage.step("wave", "RRR")
    whole = stage.compound("whole", lambda: [method(parallel(there, wave))])
    goal = stage.goal(whole)
    assert ticks(goal, 2) == "R-"
    assert stage.heard.lines() == ["start walk", "start wave", "failed walk", "aborted wave"]
    assert stage.heard.of(PlanRepaired) == []


@pytest.mark.parametrize(
    ("before", "behind"),
    [([], []), (["start walk", "start wave", "failed walk"], ["aborted wave"])],
    ids=["the first plan", "a repair"],
)
def test_what_is_stopped_by_its_search_begins_no_plan(stage, before, behind):
    def stops(_):
        if stage.heard.lines() == before:
            goal.stop(Status.INVALID)
        return True

    walk, wave = stage.step("walk", "RF", "R"), stage.step("wave", "RRR")
    there = stage.compound("there", lambda: [method(walk, when=stops)])
    goal = stage.goal(stage.compound("whole", lambda: [method(parallel(there, wave))]))
    ticks(goal, 2)
    assert goal.status is Status.INVALID
    assert stage.heard.lines() == [*before, *behind]
    assert stage.heard.of(PlanRepaired) == []


def test_what_is_stopped_by_the_search_for_something_better_is_not_replaced(stage):
    def stops(state):
        if state.open:
            goal.stop(Status.INVALID)
        return state.open

    wave, walk = stage.step("wave", "R"), stage.step("walk", "RR")
    whole = stage.compound("whole", lambda: [method(wave, when=stops), method(walk)])
    goal = stage.goal(whole)
    ticks(goal, 1)
    goal.agent.believe(World.open, True)
    assert ticks(goal, 1) == "-"
    assert stage.heard.lines() == ["start walk", "aborted walk"]
    assert stage.heard.of(PlanReplaced) == []


@pytest.mark.parametrize(
    "whole",
    [
        lambda walk, look, wave: sequence(walk, wave),
        lambda walk, look, wave: sequence(walk, defer(wave, now=True)),
        lambda walk, look, wave: sequence(parallel(walk, null()), wave),
        lambda walk, look, wave: parallel(walk, sequence(look, wave)),
    ],
    ids=["behind it", "planned on arrival", "behind a join", "beside it"],
)
def test_no_step_begins_in_the_tick_in_which_a_step_stops_the_goal(stage, whole):
    moments = [lambda: goal.stop(Status.INVALID), lambda: None]

    def in_tick():
        moments.pop()()

    walk = stage.step("walk", "RS", at_tick=in_tick)
    look, wave = stage.step("look", "RS"), stage.step("wave", "R")
    goal = stage.goal(whole(walk, look, wave))
    assert ticks(goal, 2) == "R-"
    assert "done walk" in stage.heard.lines()
    assert "start wave" not in stage.heard.lines()
    assert stage.heard.of(PlanResumed) == []
