"""Sensors: topics that become beliefs, and a memory that forgets."""

from __future__ import annotations

from typing import Any, Final

from bthtn.behaviours import Agent, Sensors
from bthtn.ros import TopicSensor

from .body import Body, Message
from .domain import Hindrance, Robot
from .places import DOORS

Fetcher = Agent[Robot, Body]

PATIENCE: Final = 180
"""Seconds after which somebody who waits for something is told why it does not come."""
GAUGE: Final = 5
"""Percents in which the battery is believed: a change in each second would be no news."""
FORGETTING: Final = 60
"""Every so many ticks all hindrances are forgotten: people move on."""


def sensors_of(body: Body) -> Sensors:
    """The sensors of a robot whose node hears of the flat."""
    sensors = Sensors()

    def heard(topic: str, reading: Any) -> TopicSensor:
        return TopicSensor(body.node, Message, topic, lambda message: reading(message.data))

    sensors.sensor(Robot.at)(heard("at", str))
    sensors.sensor(Robot.battery)(heard("battery", _gauge))
    sensors.sensor(Robot.holds)(heard("holds", str))
    sensors.sensor(Robot.lies)(heard("things", _by_member(Robot.lies)))
    sensors.sensor(Robot.shut)(heard("doors", _by_member(Robot.shut)))
    sensors.sensor(Robot.wanted, Robot.wanted_in, Robot.overdue)(heard("order", _order))
    sensors.sensor(Robot.hindrance, every=FORGETTING)(forget)
    return sensors


def forget(agent: Fetcher) -> dict[Any, object]:  # noqa: ARG001 - how agents call it
    """Nothing is in the way for ever."""
    return {Robot.hindrance[door]: Hindrance.NONE for door in DOORS}


def _gauge(percent: float) -> int:
    return int(percent) // GAUGE * GAUGE


def _by_member(family: Any) -> Any:
    return lambda data: {family[name]: value for name, value in data.items()}


def _order(data: tuple[str, str, int]) -> dict[Any, object]:
    thing, room, waited = data
    overdue = bool(thing) and waited > PATIENCE
    return {Robot.wanted: thing, Robot.wanted_in: room, Robot.overdue: overdue}
