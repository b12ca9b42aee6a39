"""TopicSensor: beliefs from the last message of a topic of ROS 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.world.sharing import Unpicklable
from bthtn.engine.world.truth import UNKNOWN
from bthtn.kit.ros.protocols import Node, demand, demand_positive


class TopicSensor(Unpicklable):
    """A sensor that subscribes to a topic: ``sensors.sensor(Robot.battery)(TopicSensor(…))``.

    ``reading`` makes of a message the value, or the values by fluent, as any sensor returns them.
    It is read from the last message, which an executor may have received in another thread; before
    the first one nothing is believed. ``qos`` is the quality of service of the subscription, a
    number of messages or a QoSProfile, also one for a latched topic.

    A reading is unknown that is older than ``max_age`` seconds of the node's clock, since the
    message came or, with ``stamp``, since the time that this function finds in it, such as
    ``lambda message: message.header.stamp``; and one from before simulated time went back.
    """

    @checked
    def __init__(  # noqa: PLR0913 - everything after the reading is given by name
        self,
        node: Node,
        message_type: Any,
        topic: str,
        reading: Callable[[Any], Any],
        *,
        qos: Any = 10,
        max_age: float = inf,
        stamp: Callable[[Any], Any] | None = None,
    ) -> None:
        """Raises ExecutionError for what is no node, and for an age that is not above zero."""
        demand(node, Node, "give it the node: TopicSensor(node, BatteryState, 'battery', …)")
        demand_positive("max_age", max_age)
        self.__name__ = topic  # the source of the changes, as with a function
        self._clock = node.get_clock()
        self._reading = reading
        self._max_age = max_age
        self._stamp = stamp
        self._received: tuple[Any, int] | None = None
        self._outdated: tuple[Any, int] | None = None
        self._subscription = node.create_subscription(message_type, topic, self._receive, qos)

    def __call__(self, agent: Agent[Any, Any]) -> Any:  # noqa: ARG002 - how agents call it
        """The reading of the last message, unknown if that is too old; empty before the first."""
        received = self._received
        if received is None:
            return {}
        reading = self._reading(received[0])
        if not self._is_old(received):
            return reading
        return dict.fromkeys(reading, UNKNOWN) if isinstance(reading, Mapping) else UNKNOWN

    def _receive(self, message: Any) -> None:
        """Keep a message, and when it came; called by an executor."""
        self._received = message, self._clock.now().nanoseconds

    def _is_old(self, received: tuple[Any, int]) -> bool:
        if self._max_age == inf:
            return False
        message, came = received
        now = self._clock.now().nanoseconds
        if now < came:
            self._outdated = received  # from now on: later, it would look fresh again
        if self._stamp is not None:
            stamp = self._stamp(message)
            came = stamp.sec * 10**9 + stamp.nanosec
        return received is self._outdated or now - came > self._max_age * 1e9
