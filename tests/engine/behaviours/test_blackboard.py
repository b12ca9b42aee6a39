"""Beliefs and py_trees' blackboard side by side."""

from types import SimpleNamespace

import py_trees
import pytest
from py_trees.blackboard import Blackboard, Client  # noqa: TID251 - what is looked at
from py_trees.common import Access

from bthtn import UNKNOWN, BthtnError, Domain, Fluent, FluentFamily, State, fluent, fluents
from bthtn.behaviours import Agent, Sensors, read_blackboard, show_on_blackboard
from bthtn.engine.agent.events import SensorFailed
from bthtn.testing import RecordingListener


class Robot(State):
    battery: Fluent[float] = fluent(default=1.0)
    x: Fluent[float] = fluent(default=0.0)
    goal: Fluent[str] = fluent(default="dock")
    seen: FluentFamily[str, bool] = fluents(default=False)


floor = Domain("floor", Robot)


@pytest.fixture(autouse=True)
def board():
    """A client of somebody else's, on a board that must be afterwards as it was before."""
    Blackboard.clear()  # of what the manual has left there
    before = everything()
    client = Client(name="driver")
    for key in ("battery", "pose"):
        client.register_key(key, Access.WRITE)
    yield client
    client.unregister()
    assert everything() == before


def everything():
    """What is on the blackboard, which other tests of the process use, too."""
    return [
        sorted(map(str, part))
        for part in (Blackboard.clients, Blackboard.keys(), Blackboard.storage)
    ]


@pytest.fixture
def robot():
    made = []

    def make(sensors=None, name="robot"):
        heard = RecordingListener()
        made.append(Agent(name, floor, Robot(), body=None, sensors=sensors, listener=heard))
        made[-1].heard = heard
        return made[-1]

    yield make
    for agent in made:
        agent.close()


def test_keys_are_read_into_fluents_at_every_tick(robot, board):
    sensors = Sensors()
    read_blackboard(sensors, {"battery": Robot.battery, "/pose.x": Robot.x})
    agent = robot(sensors)
    board.battery, board.pose = 0.5, SimpleNamespace(x=3.0)
    agent.sense()
    assert (agent.beliefs.now.battery, agent.beliefs.now.x) == (0.5, 3.0)
    board.battery = 0.25
    agent.sense()
    assert agent.beliefs.now.battery == 0.25
    assert agent.heard.changes()[-1] == "battery: 0.5 → 0.25 (by blackboard)"


@pytest.mark.parametrize(("on_failure", "believed"), [("keep", 0.5), ("unknown", UNKNOWN)])
def test_while_a_key_is_not_set_its_fluent_is_kept_or_unknown(robot, board, on_failure, believed):
    sensors = Sensors()
    read_blackboard(sensors, {"battery": Robot.battery}, on_failure=on_failure)
    agent = robot(sensors)
    agent.believe(Robot.battery, 0.5)
    agent.sense()
    assert agent.beliefs.get(Robot.battery) == believed
    board.battery = 0.25
    agent.sense()
    assert agent.beliefs.get(Robot.battery) == 0.25
    assert agent.heard.of(SensorFailed) == []


def test_a_misspelt_key_is_answered_with_the_nearest_one_that_is_written(robot, board):
    sensors = Sensors()
    read_blackboard(sensors, {"batery": Robot.battery})
    agent = robot(sensors)
    agent.sense()
    [failed] = agent.heard.of(SensorFailed)
    assert failed.error.code == "BT315"
    assert "did you mean '/battery'?" in str(failed.error)


def test_a_value_of_another_type_is_refused_by_its_fluent(robot, board):
    sensors = Sensors()
    read_blackboard(sensors, {"battery": Robot.battery})
    agent = robot(sensors)
    board.battery = "full"
    agent.sense()
    [failed] = agent.heard.of(SensorFailed)
    assert "'battery'" in str(failed.error)
    assert agent.beliefs.now.battery == 1.0


def test_a_failing_sensor_leaves_no_client_behind(robot, board):
    sensors = Sensors()
    read_blackboard(sensors, {"batery": Robot.battery})
    agent = robot(sensors)
    before = len(Blackboard.clients)
    for _ in range(3):
        agent.sense()
    assert len(Blackboard.clients) == before


def test_beliefs_are_written_when_they_change_and_unset_when_the_agent_is_closed(robot):
    agent = robot()
    show_on_blackboard(agent, {"robot/goal": Robot.goal, "/robot/seen_cat": Robot.seen["cat"]})
    assert Blackboard.get("/robot/goal") == "dock"
    agent.believe(Robot.goal, "kitchen")
    assert Blackboard.get("/robot/goal") == "kitchen"
    agent.believe(Robot.seen["cat"], True)
    assert Blackboard.get("/robot/seen_cat") is True
    agent.believe(Robot.goal, UNKNOWN)
    assert not Blackboard.exists("/robot/goal")
    agent.close()
    assert not Blackboard.exists("/robot/seen_cat")
    agent.believe(Robot.seen["cat"], False)


def test_a_mirror_that_is_ended_may_be_ended_again(robot):
    agent = robot()
    end = show_on_blackboard(agent, {"goal": Robot.goal})
    end()
    end()
    assert agent.beliefs.watched == 0


def test_two_agents_cannot_show_their_beliefs_on_one_key(robot):
    show_on_blackboard(robot(), {"goal": Robot.goal})
    with pytest.raises(BthtnError, match="'goal' has another client that writes it") as caught:
        show_on_blackboard(robot(name="other"), {"goal": Robot.goal})
    assert caught.value.code == "BT315"


def test_displays_of_py_trees_show_it(robot):
    show_on_blackboard(robot(), {"goal": Robot.goal})
    values = py_trees.display.unicode_blackboard()
    clients = py_trees.display.unicode_blackboard(display_only_key_metadata=True)
    assert "dock" in values
    assert "/goal    : robot" in clients


@pytest.mark.parametrize("keys", [{"goal": "goal"}, {3: Robot.goal}, {"": Robot.goal}])
def test_keys_without_fluents_are_refused(robot, keys):
    for call in (
        lambda: show_on_blackboard(robot(), keys),
        lambda: read_blackboard(Sensors(), keys),
    ):
        with pytest.raises(BthtnError, match="no key of the blackboard") as caught:
            call()
        assert caught.value.diagnostics[0].hint
