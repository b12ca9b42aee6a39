"""Character: the world moves, it is sensed, the tree acts; then what happened is told."""

import py_trees
import pytest
from py_trees.common import ParallelPolicy, Status

from bthtn import Domain
from bthtn.behaviours import Agent, Character, PlanGoal, Sensors
from bthtn.engine.agent.events import BeliefChanged, LeafStarted
from bthtn.studio.testing.strategies import World


def nothing():
    """A world in which nothing happens."""


def test_it_senses_before_it_acts_and_tells_what_happened_in_order(stage):
    goal = stage.goal(stage.step("a", "S", precondition=World.open))
    character = Character(goal, stage.actor, sense=lambda: stage.actor.believe(World.open, True))
    events = character.tick()
    assert isinstance(events[0], BeliefChanged)
    assert [type(event) for event in events].index(LeafStarted) > 0
    assert goal.status is Status.SUCCESS


def test_every_tick_tells_only_what_is_new(stage):
    goal = stage.goal(stage.step("a", "RRS"))
    character = Character(goal, stage.actor, sense=nothing)
    told = [len(character.tick()) for _ in range(3)]
    assert told == [2, 0, 2]
    assert character.ticks == 3


def test_who_listened_before_still_hears_everything(stage):
    goal = stage.goal(stage.step("a", "RS"))
    character = Character(goal, stage.actor, sense=nothing)
    told = [*character.tick(), *character.tick()]
    assert told == stage.heard.events


def test_events_of_all_agents_of_the_tree_are_of_the_tick_in_which_they_happened(stage):
    goal = stage.goal(stage.step("a", "RS"))
    other = Agent("other", stage.domain, World(), body=None)
    character = Character(goal, stage.actor, sense=lambda: move(character.ticks))
    other.listener = stage.actor.emit

    def move(tick):
        stage.actor.believe(World.count, tick)
        other.believe(World.count, tick)

    ticks = [character.tick() for _ in range(3)]
    for number, events in enumerate(ticks, 1):
        assert {event.tick for event in events} == {number}
        changed = {event.agent for event in events if isinstance(event, BeliefChanged)}
        assert changed == {stage.actor.name, "other"}


def test_it_sets_its_tree_up(stage):
    ready = []

    class Wired(py_trees.behaviours.Success):
        def setup(self, **kwargs):
            ready.append(self.name)

    goal = stage.goal(stage.step("a"))
    root = py_trees.composites.Sequence("root", memory=True, children=[Wired("wired"), goal])
    Character(root, stage.actor, sense=nothing)
    assert ready == ["wired"]


def test_it_is_finished_when_it_is_told_so(stage):
    goal = stage.goal(stage.step("a"))
    character = Character(
        goal, stage.actor, sense=nothing, finished=lambda: goal.status is Status.SUCCESS
    )
    assert not character.finished
    character.tick()
    assert (character.finished, character.outcome) == (True, None)


def test_with_once_it_is_finished_when_its_tree_has_ended(stage, child):
    character = Character(child("walk", "RF"), stage.agent(), once=True)
    told = []
    while not character.finished:
        character.tick()
        told.append(character.outcome)
    assert told == [None, Status.FAILURE]


def test_without_being_told_it_is_never_finished(stage):
    assert not Character(stage.goal(stage.step("a")), stage.actor, sense=nothing).finished


def test_taken_down_it_tells_what_that_aborted(stage):
    goal = stage.goal(stage.step("a", "R"))
    character = Character(goal, stage.actor, sense=nothing)
    character.tick()
    told = [type(event).__name__ for event in character.stop()]
    assert sorted(told) == ["LeafAborted", "PlanAborted"]
    assert stage.heard.running() == []
    assert character.stop() == ()


def test_taken_down_it_stops_the_behaviours_of_the_authored_tree_too(stage, child, log):
    goal = stage.goal(stage.step("a", "R"))
    root = py_trees.composites.Parallel(
        "root", ParallelPolicy.SuccessOnAll(), [child("beside", "R"), goal]
    )
    character = Character(root, stage.actor, sense=nothing)
    character.tick()
    character.stop()
    assert log[-1] == "abort beside"
    assert root.status is Status.INVALID


@pytest.mark.parametrize("ticks_before", [0, 1])
def test_it_can_be_taken_down_at_any_time(stage, ticks_before):
    character = Character(stage.goal(stage.step("a", "S")), stage.agent(), sense=nothing)
    for _ in range(ticks_before):
        character.tick()
    assert character.stop() == ()


def test_sensors_are_read_behind_the_world_and_before_the_tree():
    order, sensors = [], Sensors()

    @sensors.sensor(World.open)
    def eyes(agent):
        order.append("sensor")

    domain = Domain("yard", World)
    wait = domain.primitive("wait", precondition=lambda state: order.append("tree") or True)
    agent = Agent("dog", domain, World(), body=None, sensors=sensors)
    actor = Character(PlanGoal("wait", agent, wait()), agent, sense=lambda: order.append("world"))
    actor.tick()
    assert order[:3] == ["world", "sensor", "tree"]
