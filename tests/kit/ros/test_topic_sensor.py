"""TopicSensor: the last message, its age, and topics that are latched."""

from types import SimpleNamespace

import pytest

from bthtn import UNKNOWN, Domain, Fluent, State, fluent
from bthtn.behaviours import Agent, Sensors
from bthtn.errors import ExecutionError
from bthtn.ros import FakeNode, RosClock, TopicSensor
from bthtn.testing import RecordingListener

LATCHED = SimpleNamespace(depth=1, durability=1)


class Robot(State):
    battery: Fluent[int] = fluent(default=100)
    x: Fluent[int] = fluent(default=0)
    y: Fluent[int] = fluent(default=0)


office = Domain("office", Robot)
office.primitive("wait", precondition=(Robot.battery > 0) & (Robot.x == Robot.y))


class Sensed:
    """An agent with one sensor, and the topic that this listens to."""

    def __init__(self, *fluents, reading=lambda message: message.value, qos=10, **settings):
        self.node = FakeNode()
        self.publisher = self.node.create_publisher(SimpleNamespace, "topic", qos)
        sensors = Sensors()
        make = lambda: TopicSensor(  # noqa: E731 - made when a test wants it to be
            self.node, SimpleNamespace, "topic", reading, qos=qos, **settings
        )
        self.sensor = make()
        sensors.sensor(*fluents)(self.sensor)
        self.heard = RecordingListener()
        self.agent = Agent(
            "rob",
            office,
            Robot(),
            body=None,
            sensors=sensors,
            listener=self.heard,
            clock=RosClock(self.node),
            strict=True,
        )

    def publish(self, **parts):
        self.publisher.publish(SimpleNamespace(**parts))

    def after(self, fluent, seconds=0.0):
        """What is believed after so many seconds."""
        self.node.spin(seconds)
        self.agent.sense()
        return self.agent.beliefs.get(fluent)


def test_nothing_is_believed_before_the_first_message():
    sensed = Sensed(Robot.battery, max_age=1.0)
    assert sensed.after(Robot.battery, 9) == 100
    assert sensed.heard.changes() == []


def test_the_last_message_before_a_tick_is_believed_with_its_topic_as_the_source():
    sensed = Sensed(Robot.battery)
    sensed.publish(value=50)
    sensed.publish(value=40)
    assert sensed.after(Robot.battery) == 40
    assert sensed.heard.changes() == ["battery: 100 → 40 (by topic)"]


def test_a_message_may_refresh_several_fluents():
    sensed = Sensed(
        Robot.x, Robot.y, reading=lambda message: {Robot.x: message.x, Robot.y: message.y}
    )
    sensed.publish(x=1, y=2)
    assert (sensed.after(Robot.x), sensed.after(Robot.y)) == (1, 2)


def test_a_reading_that_is_too_old_is_unknown_until_the_next_message():
    sensed = Sensed(Robot.battery, max_age=2.0)
    sensed.publish(value=50)
    assert sensed.after(Robot.battery, 2.0) == 50
    assert sensed.after(Robot.battery, 0.1) is UNKNOWN
    sensed.publish(value=49)
    assert sensed.after(Robot.battery) == 49


def test_all_fluents_of_a_reading_that_is_too_old_are_unknown():
    sensed = Sensed(Robot.x, Robot.y, reading=lambda message: {Robot.x: 1, Robot.y: 2}, max_age=1.0)
    sensed.publish()
    assert (sensed.after(Robot.x, 1.1), sensed.after(Robot.y)) == (UNKNOWN, UNKNOWN)


def test_a_message_has_the_age_of_its_stamp_however_late_it_came():
    sensed = Sensed(Robot.battery, max_age=2.0, stamp=lambda message: message.stamp)
    sensed.node.spin(10.0)
    sensed.publish(value=50, stamp=SimpleNamespace(sec=8, nanosec=600_000_000))
    assert sensed.after(Robot.battery) is UNKNOWN
    sensed.publish(value=50, stamp=SimpleNamespace(sec=9, nanosec=600_000_000))
    assert sensed.after(Robot.battery) == 50


def test_a_reading_never_ages_without_a_limit():
    sensed = Sensed(Robot.battery)
    sensed.publish(value=50)
    sensed.after(Robot.battery, 10_000)
    sensed.node.jump(0.5)
    assert sensed.after(Robot.battery) == 50


def test_a_reading_from_before_time_went_back_is_unknown_and_stays_so():
    sensed = Sensed(Robot.battery, max_age=5.0)
    sensed.node.spin(100.0)
    sensed.publish(value=50)
    assert sensed.after(Robot.battery) == 50
    sensed.node.jump(1.0)
    assert sensed.after(Robot.battery) is UNKNOWN
    assert sensed.after(Robot.battery, 101.0) is UNKNOWN  # when it would look fresh again
    sensed.publish(value=30)
    assert sensed.after(Robot.battery) == 30


def test_a_latched_topic_gives_its_message_to_a_sensor_that_comes_later():
    sensed = Sensed(Robot.battery, qos=LATCHED)
    sensed.publish(value=50)
    late = TopicSensor(
        sensed.node, SimpleNamespace, "topic", lambda message: message.value, qos=LATCHED
    )
    volatile = TopicSensor(sensed.node, SimpleNamespace, "topic", lambda message: message.value)
    assert (late(sensed.agent), volatile(sensed.agent)) == (50, {})


def test_a_reading_that_raises_is_a_failure_of_the_sensor():
    sensed = Sensed(Robot.battery)
    sensed.publish(percentage=50)
    with pytest.raises(AttributeError, match="value"):
        sensed.after(Robot.battery)


def test_what_is_no_node_is_refused():
    with pytest.raises(ExecutionError, match=r"BT110.* Node of rclpy"):
        TopicSensor("node", SimpleNamespace, "topic", lambda message: message)


def test_an_age_that_is_not_above_zero_is_refused():
    with pytest.raises(ExecutionError, match=r"BT202.*max_age is 0"):
        TopicSensor(FakeNode(), SimpleNamespace, "topic", lambda message: message, max_age=0)
