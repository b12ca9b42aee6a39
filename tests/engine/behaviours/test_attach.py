"""attach: a BehaviourTree of the user's begins the ticks of an agent, and ends what it runs."""

import logging
import warnings
from threading import Thread

import pytest
from py_trees.behaviours import Success
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector
from py_trees.trees import BehaviourTree

from bthtn import BthtnError, Domain
from bthtn.behaviours import Agent, Operators, PlanGoal, PriorityGoals, Running, Sensors, attach
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World
from bthtn.testing import RecordingListener


def agent_with_sensor(name="dog", **options):
    sensors, reads = Sensors(), []

    @sensors.sensor(World.open)
    def eyes(agent):
        reads.append(agent.name)
        return True

    domain = Domain("yard", World)
    wait = domain.primitive("wait", precondition=World.open)
    agent = Agent(name, domain, World(), body=None, sensors=sensors, **options)
    return agent, PlanGoal(name, agent, wait()), reads


def switched(stage, child, script="FS", **described):
    """A tree in which another branch takes over from a goal with a step that ends slowly."""
    goal = stage.goal(stage.step("a", "R", abort_ticks=2, **described))
    return BehaviourTree(Selector("root", memory=False, children=[child("above", script), goal]))


def test_sensors_are_read_before_every_tick_and_after_the_handlers_there_were():
    agent, goal, reads = agent_with_sensor()
    tree = BehaviourTree(goal)
    tree.add_pre_tick_handler(lambda _: reads.append("handler"))
    attach(tree, agent)
    tree.tick()
    assert reads == ["handler", "dog"]
    assert goal.status is Status.SUCCESS
    tree.tick()
    assert reads == ["handler", "dog"] * 2


def test_aborts_go_on_while_another_branch_runs(stage, child):
    tree = switched(stage, child)
    attach(tree, stage.actor)
    for _ in range(4):
        tree.tick()
    assert stage.heard.lines() == ["start a", "aborting a", "aborted a"]


def test_several_agents_share_a_tree():
    made = [agent_with_sensor(name) for name in ("Ann", "Bob")]
    goals = [goal for _, goal, _ in made]
    tree = BehaviourTree(Parallel("both", ParallelPolicy.SuccessOnAll(), goals))
    for agent, _, _ in made:
        attach(tree, agent)
    tree.tick()
    assert [reads for _, _, reads in made] == [["Ann"], ["Bob"]]
    assert tree.root.status is Status.SUCCESS
    tree.shutdown()


def test_a_shutdown_ends_operators_and_gives_back_what_the_agent_holds(stage, child, log):
    def hold(agent) -> Running:
        agent.take("lamp")
        while True:
            yield

    goal = stage.goal(stage.run_by("a", hold))
    beside = child("beside", "R")
    tree = BehaviourTree(Parallel("root", ParallelPolicy.SuccessOnAll(), [goal, beside]))
    attach(tree, stage.actor)
    stage.actor.take("gate")
    tree.tick()
    assert len(stage.actor.leases) == 2
    tree.shutdown()
    assert stage.heard.lines() == ["start a", "aborted a"]
    assert log[-1] == "abort beside"
    assert len(stage.actor.leases) == 0
    tree.shutdown()


def test_a_shutdown_may_come_from_another_thread_than_the_ticks(stage):
    goal = stage.goal(stage.step("a", "R", on_abort=World.open.becomes(True)))
    tree = BehaviourTree(goal)
    attach(tree, stage.actor)
    worker = Thread(target=tree.tick)
    worker.start()
    worker.join()
    tree.shutdown()
    assert stage.believes(World.open)
    assert not stage.actor.errors


def test_a_shutdown_closes_the_agent_when_a_behaviour_raises_in_it(stage, child):
    broken = child("broken", "R")
    broken.shutdown = lambda: 1 / 0
    tree = BehaviourTree(Parallel("root", ParallelPolicy.SuccessOnAll(), [broken]))
    attach(tree, stage.agent())
    stage.actor.take("gate")
    with pytest.raises(ZeroDivisionError):
        tree.shutdown()
    assert len(stage.actor.leases) == 0


def test_aborts_that_are_left_are_cut_off_with_the_agent(stage, child):
    tree = switched(stage, child)
    attach(tree, stage.actor)
    tree.tick()
    tree.tick()
    assert len(stage.actor.aborts) == 1
    stage.actor.close()
    assert stage.heard.lines()[-1] == "aborted a"
    assert len(stage.actor.aborts) == 0


def test_generators_of_sensors_are_closed_with_the_agent_and_begin_anew():
    sensors, seen = Sensors(), []

    @sensors.sensor(World.open)
    def eyes(agent):
        seen.append("opened")
        try:
            while True:
                yield True
        finally:
            seen.append("closed")

    agent = Agent("dog", Domain("yard", World), World(), body=None, sensors=sensors)
    agent.sense()
    agent.close()
    agent.close()
    agent.sense()
    assert seen == ["opened", "closed", "opened"]


def test_what_a_sensor_raises_when_it_is_closed_is_contained():
    sensors = Sensors()

    @sensors.sensor(World.open)
    def eyes(agent):
        try:
            yield True
        finally:
            raise ValueError("dust")

    agent = Agent("dog", Domain("yard", World), World(), body=None, sensors=sensors)
    agent.sense()
    agent.close()
    assert len(agent.errors) == 1


def test_an_agent_is_attached_once_and_may_move_on_when_it_is_detached():
    agent, goal, reads = agent_with_sensor()
    tree, other = BehaviourTree(Success("idle")), BehaviourTree(goal)
    detach = attach(tree, agent)
    for one in (tree, other):
        with pytest.raises(BthtnError, match="'dog' is attached to a tree already") as caught:
            attach(one, agent)
        assert caught.value.code == "BT314"
    detach()
    detach()
    attach(other, agent)
    agent.take("gate")
    tree.tick()
    tree.shutdown()
    assert reads == []
    assert agent.leases.holders("gate")
    other.tick()
    assert reads == ["dog"]


def test_an_agent_that_is_only_attached_costs_nothing_of_the_tree_s_own(stage, child, log):
    """Visitors and handlers are those that the user has added."""
    tree = BehaviourTree(child("idle", "S"))
    attach(tree, stage.agent())
    tree.tick()
    assert (tree.count, tree.visitors, tree.post_tick_handlers) == (1, [], [])
    assert log == ["start idle", "tick idle"]


# what is said where it is missing


def test_an_agent_whose_sensors_are_never_read_is_told_once(caplog):
    _agent, goal, _ = agent_with_sensor()
    with pytest.warns(RuntimeWarning, match=r"BT312.*'dog' has sensors") as told:
        ticks(goal, 3)
    assert len(told) == 1
    assert "attach(tree, agent)" in str(told[0].message)
    [record] = caplog.records
    assert (record.name, record.levelno) == ("bthtn", logging.WARNING)


def test_aborts_that_nothing_may_go_on_with_are_logged_once(stage, child, caplog):
    tree = switched(stage, child, "FSFS")
    ticks(tree.root, 5)
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    assert "aborts 'a' over several ticks" in record.message
    assert "attach(tree, agent)" in record.message


def test_nothing_is_said_where_nothing_is_missing(stage, child, caplog):
    agent, goal, _ = agent_with_sensor()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.sense()
        goal.tick_once()
        tree = switched(stage, child)
        stage.actor.sense()
        tree.tick()
        tree.tick()
    assert caplog.records == []


def test_nothing_is_said_of_aborts_that_another_goal_goes_on_with(stage, caplog):
    urgent = stage.step("a", "R", precondition=World.open)
    calm = stage.step("b", "R", abort_ticks=2)
    goals = [stage.goal(urgent, name="urgent"), stage.goal(calm, name="calm")]
    tree = BehaviourTree(PriorityGoals("root", stage.actor, goals, period=1))
    tree.tick()
    stage.actor.believe(World.open, True)
    for _ in range(4):
        tree.tick()
    assert stage.heard.lines()[-1] == "start a"
    assert caplog.records == []


def test_an_operator_that_ends_at_once_needs_no_tree_that_senses():
    heard, operators = RecordingListener(), Operators()
    domain = Domain("yard", World)
    bark = domain.primitive("bark")

    @operators.bind(bark)
    def loudly(agent): ...

    agent = Agent("dog", domain, World(), body=None, operators=operators, listener=heard)
    goal = PlanGoal("greet", agent, bark())
    BehaviourTree(Selector("root", memory=False, children=[goal])).tick()
    assert heard.lines() == ["start bark", "done bark"]
