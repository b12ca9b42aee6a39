"""RosClock: simulated time that stands, jumps and goes back."""

import pytest

from bthtn import Domain, State, seconds
from bthtn.behaviours import Agent, Operators, PlanGoal
from bthtn.errors import ExecutionError
from bthtn.events import ClockSetBack
from bthtn.ros import FakeNode, RosClock
from bthtn.testing import RecordingListener


class Robot(State): ...


office = Domain("office", Robot)
wait = office.primitive("wait", duration=seconds(10))


class Waiting:
    """A robot that waits for ten seconds of its node."""

    def __init__(self, begin=1.0):
        self.node = FakeNode(begin)
        self.heard = RecordingListener()
        operators = Operators(simulates_others=True)
        self.agent = Agent(
            "rob",
            office,
            Robot(),
            body=None,
            operators=operators,
            listener=self.heard,
            clock=RosClock(self.node),
        )
        self.goal = PlanGoal("wait", self.agent, wait())

    def tick(self):
        self.agent.sense()
        self.goal.tick_once()
        return self.heard.lines()


def test_seconds_of_the_node_are_those_of_the_agent():
    robot = Waiting()
    robot.tick()
    robot.node.spin(9.9)
    assert robot.tick() == ["start wait"]
    robot.node.spin(0.1)
    assert robot.tick() == ["start wait", "done wait"]


def test_while_simulated_time_stands_nothing_passes():
    robot = Waiting()
    for _ in range(1_000):
        robot.tick()
    assert robot.heard.lines() == ["start wait"]


def test_the_first_time_that_a_simulation_tells_is_no_jump():
    robot = Waiting(begin=0.0)
    robot.tick()
    robot.node.jump(5_000.0)
    assert robot.tick() == ["start wait"]
    assert robot.agent.time() == 0.0
    robot.node.spin(10.0)
    assert robot.tick() == ["start wait", "done wait"]


def test_what_lasts_seconds_is_over_when_time_jumps_forward():
    robot = Waiting()
    robot.tick()
    robot.node.jump(500.0)
    assert robot.tick() == ["start wait", "done wait"]


def test_what_lasts_seconds_goes_on_where_it_was_when_time_goes_back():
    robot = Waiting(begin=100.0)
    robot.tick()
    robot.node.spin(6.0)
    robot.tick()
    robot.node.jump(1.0)
    robot.tick()
    assert robot.heard.of(ClockSetBack) == [ClockSetBack(before=6.0, now=-99.0)]
    robot.node.spin(3.9)
    assert robot.tick() == ["start wait"]
    robot.node.spin(0.1)
    assert robot.tick() == ["start wait", "done wait"]


def test_what_is_no_node_is_refused():
    with pytest.raises(ExecutionError, match=r"BT110.* Node of rclpy"):
        RosClock("node")
