"""Believes: what an authored tree asks before it acts."""

import pytest
from py_trees.common import Status
from py_trees.composites import Sequence

from bthtn import UNKNOWN, Domain
from bthtn.behaviours import Agent, Believes, PlanGoal
from bthtn.errors import DomainError
from bthtn.testing.strategies import World

kitchen = Domain("kitchen", World)
wait = kitchen.primitive("wait", duration=9)


@pytest.fixture
def cook():
    return Agent("cook", kitchen, World(), body=None)


def asked(leaf):
    leaf.tick_once()
    return leaf.status


def test_it_follows_what_the_agent_believes(cook):
    leaf = Believes(cook, World.open)
    assert asked(leaf) is Status.FAILURE
    cook.believe(World.open, True)
    assert asked(leaf) is Status.SUCCESS
    assert leaf.name == "open"
    assert leaf.feedback_message == "open is true: open = true"


def test_what_is_unknown_is_not_believed(cook):
    cook.believe(World.open, UNKNOWN)
    assert asked(Believes(cook, World.open)) is Status.FAILURE
    assert asked(Believes(cook, ~World.open)) is Status.FAILURE


def test_a_plain_function_is_a_condition_too(cook):
    assert (
        asked(Believes(cook, lambda world: world.count == 0, name="nothing yet")) is Status.SUCCESS
    )


def test_a_condition_that_raises_is_not_believed_and_says_why(cook):
    leaf = Believes(cook, World.count % World.count == 1)
    assert asked(leaf) is Status.FAILURE
    assert "ZeroDivisionError" in leaf.feedback_message


def test_what_is_no_condition_is_refused_when_the_tree_is_built(cook):
    with pytest.raises(DomainError, match="BT110"):
        Believes(cook, World.count)


def test_before_a_goal_it_drops_the_plan_as_soon_as_it_is_not_believed_any_more(cook):
    goal = PlanGoal("rest", cook, wait())
    tree = Sequence("while open", memory=False, children=[Believes(cook, World.open), goal])
    cook.believe(World.open, True)
    tree.tick_once()
    assert goal.status is Status.RUNNING
    cook.believe(World.open, False)
    tree.tick_once()
    assert goal.status is Status.INVALID
    assert goal.feedback_message == "aborted"
