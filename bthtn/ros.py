"""The public names for robots of ROS 2: write ``from bthtn.ros import ActionOperator``.

Nothing here imports rclpy, which comes with an installation of ROS 2. The fakes have the same
calls, for tests and for robots that only a simulation has.
"""

from bthtn.kit.ros.action_operator import ActionOperator
from bthtn.kit.ros.clock import RosClock
from bthtn.kit.ros.fakes import FakeActionServer, FakeGoal, FakeNode, FakeService
from bthtn.kit.ros.service_operator import ServiceOperator
from bthtn.kit.ros.ticking import tick_by_timer
from bthtn.kit.ros.topic_sensor import TopicSensor

__all__ = [
    "ActionOperator",
    "FakeActionServer",
    "FakeGoal",
    "FakeNode",
    "FakeService",
    "RosClock",
    "ServiceOperator",
    "TopicSensor",
    "tick_by_timer",
]
