"""Believes: what an authored tree asks before it acts."""

import pytest
from py_trees.common import Status
from py_trees.composites import Sequence

from bthtn import UNKNOWN, Domain, Fluent, State, fluent, method
from bthtn.behaviours import Agent, Believes, Operators, PlanGoal
from bthtn.engine.agent.events import GoalEnded, PlanAborted
from bthtn.errors import ArgumentError, DomainError, ExecutionError
from bthtn.studio.testing.doubles import RecordingListener, ScriptedOperator, ticks
from bthtn.studio.testing.strategies import World

kitchen = Domain("kitchen", World)
wait = kitchen.primitive("wait", duration=9)


@pytest.fixture
def cook():
    return Agent("cook", kitchen, World(), body=None)


def asked(leaf):
    leaf.tick_once()
    return leaf.status


def test_it_follows_what_the_agent_believes(cook):
    leaf = Believes("guard", cook, World.open)
    assert asked(leaf) is Status.FAILURE
    cook.believe(World.open, True)
    assert asked(leaf) is Status.SUCCESS
    assert leaf.name == "guard"
    assert leaf.feedback_message == "open is true: open = true"


def test_what_is_unknown_is_not_believed(cook):
    cook.believe(World.open, UNKNOWN)
    assert asked(Believes("guard", cook, World.open)) is Status.FAILURE
    assert asked(Believes("guard", cook, ~World.open)) is Status.FAILURE


def test_a_plain_function_is_a_condition_too(cook):
    assert asked(Believes("nothing yet", cook, lambda world: world.count == 0)) is Status.SUCCESS


def test_a_condition_that_raises_is_not_believed_and_says_why(cook):
    leaf = Believes("guard", cook, World.count % World.count == 1)
    assert asked(leaf) is Status.FAILURE
    assert "ZeroDivisionError" in leaf.feedback_message


def test_its_message_is_of_its_latest_tick_and_made_when_somebody_looks():
    class Dish:
        tasted = 0

        def __repr__(self):
            Dish.tasted += 1
            return "soup"

    class Kitchen(State):
        dish: Fluent[Dish] = fluent(default=Dish())

    cook = Agent("cook", Domain("kitchen", Kitchen), Kitchen(), body=None)
    leaf = Believes("fed", cook, Kitchen.dish == cook.beliefs.now.dish)
    assert asked(leaf) is Status.SUCCESS
    assert asked(leaf) is Status.SUCCESS
    before = Dish.tasted
    message = leaf.feedback_message
    assert Dish.tasted > before == 0
    cook.believe(Kitchen.dish, UNKNOWN)
    assert leaf.feedback_message == message
    assert asked(leaf) is Status.FAILURE
    assert leaf.feedback_message.endswith("dish = unknown")


def test_a_value_that_cannot_be_shown_fails_no_guard():
    class Dish:
        def __repr__(self):
            raise ValueError("spilt")

    class Kitchen(State):
        dish: Fluent[Dish] = fluent(default=Dish())

    cook = Agent("cook", Domain("kitchen", Kitchen), Kitchen(), body=None)
    leaf = Believes("fed", cook, lambda kitchen: kitchen.dish is not None)
    assert asked(leaf) is Status.SUCCESS
    assert "ValueError: spilt" in leaf.feedback_message


def test_what_is_no_condition_is_refused_when_the_tree_is_built(cook):
    with pytest.raises(DomainError, match="BT110"):
        Believes("guard", cook, World.count)


def test_before_a_goal_it_drops_the_plan_as_soon_as_it_is_not_believed_any_more(cook):
    goal = PlanGoal("rest", cook, wait())
    tree = Sequence(
        "while open", memory=False, children=[Believes("guard", cook, World.open), goal]
    )
    cook.believe(World.open, True)
    tree.tick_once()
    assert goal.status is Status.RUNNING
    cook.believe(World.open, False)
    tree.tick_once()
    assert goal.status is Status.FAILURE
    assert goal.feedback_message == "aborted"


@pytest.mark.parametrize("named", [{}, {"name": "guard"}])
def test_a_name_that_does_not_come_first_is_answered_with_the_order_to_write(cook, named):
    with pytest.raises(ArgumentError, match=r"write Believes\(name, agent, condition, …\)"):
        Believes(cook, World.open, **named)


# a goal that ends as its guard turns false


class Guarded:
    """Somebody who fights while it is open, with steps that follow these scripts."""

    def __init__(self, *scripts):
        domain, operators = Domain("guarded", World), Operators()
        steps = [domain.primitive(f"step {number}") for number in range(len(scripts))]
        for step, script in zip(steps, scripts, strict=True):
            operators.bind(step)(ScriptedOperator(script))
        self.heard = RecordingListener()
        self.agent = Agent(
            "guard", domain, World(open=True), body=None, operators=operators, listener=self.heard
        )
        self.goal = PlanGoal("fight", self.agent, tuple(step() for step in steps))
        guard = Believes("guard", self.agent, World.open)
        self.tree = Sequence("while open", memory=False, children=[guard, self.goal])


def test_a_goal_that_succeeds_in_the_tick_in_which_its_guard_turns_false_ends():
    scene = Guarded("RRS")
    assert ticks(scene.tree, 2) == "RR"
    scene.agent.believe(World.open, False)
    assert ticks(scene.tree, 1) == "S"
    assert scene.heard.lines() == ["start step 0", "done step 0"]
    assert [one.succeeded for one in scene.heard.of(GoalEnded)] == [True]
    assert ticks(scene.tree, 1) == "F"


def test_a_goal_that_does_not_end_in_that_tick_is_aborted_in_it():
    scene = Guarded("R")
    ticks(scene.tree, 2)
    scene.agent.believe(World.open, False)
    assert ticks(scene.tree, 1) == "F"
    assert scene.heard.lines() == ["start step 0", "aborted step 0"]
    assert [one.reason for one in scene.heard.of(PlanAborted)] == ["open is false: open = false"]
    scene.agent.believe(World.open, True)
    assert ticks(scene.tree, 2) == "RR"


def test_a_goal_with_more_to_do_is_aborted_before_it_is_ticked():
    scene = Guarded("RS", "S")
    ticks(scene.tree, 1)
    scene.agent.believe(World.open, False)
    assert ticks(scene.tree, 1) == "F"
    assert scene.heard.lines() == ["start step 0", "aborted step 0"]


# hysteresis


def statuses(leaf, agent, fluent, values):
    letters = ""
    for value in values:
        agent.believe(fluent, value)
        letters += ticks(leaf, 1)
    return letters


def test_a_guard_on_a_noisy_value_has_separate_conditions_for_on_and_off(cook):
    leaf = Believes("guard", cook, World.count > 6, until=World.count < 3)
    assert statuses(leaf, cook, World.count, [5, 7, 5, 3, 2, 5, 7]) == "FSSSFFS"
    cook.believe(World.count, UNKNOWN)
    assert ticks(leaf, 1) == "S"


def test_what_is_on_stays_on_when_the_tree_was_somewhere_else(cook):
    leaf = Believes("guard", cook, World.count > 6, until=World.count < 3)
    statuses(leaf, cook, World.count, [7])
    leaf.stop(Status.INVALID)
    assert statuses(leaf, cook, World.count, [5, 2, 5]) == "SFF"


def test_a_guard_is_held_for_so_many_ticks(cook):
    leaf = Believes("guard", cook, World.open, hold=2)
    values = [False, True, False, False, True, False, False, False, False]
    assert statuses(leaf, cook, World.open, values) == "FSSSSSSFF"


def test_an_interruption_ends_the_holding(cook):
    leaf = Believes("guard", cook, World.open, hold=5)
    statuses(leaf, cook, World.open, [True, False])
    leaf.stop(Status.INVALID)
    assert ticks(leaf, 1) == "F"


def test_a_guard_cannot_be_held_for_less_than_no_ticks(cook):
    with pytest.raises(ExecutionError, match="BT202"):
        Believes("guard", cook, World.open, hold=-1)


def test_a_goal_whose_last_tick_it_is_does_not_plan_again_when_its_plan_fails():
    domain = Domain("kitchen", World)
    stir, taste = domain.primitive("stir"), domain.primitive("taste")

    @domain.compound
    def cook_it():
        yield method(stir())
        yield method(taste())

    operators = Operators()
    operators.bind(stir)(ScriptedOperator("RF"))
    operators.bind(taste)(ScriptedOperator("R"))
    agent = Agent("cook", domain, World(open=True), body=None, operators=operators)
    goal = PlanGoal("meal", agent, cook_it())
    root = Sequence("guarded", False, [Believes("open", agent, World.open), goal])
    root.tick_once()
    agent.believe(World.open, False)
    root.tick_once()
    assert goal.status is root.status is Status.FAILURE
