"""The sensor of the sentry, and the night in which he watches. His steps are simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from bthtn.behaviours import Agent, ManualClock, PlainData, Sensors

SECONDS_PER_TICK = 0.5

sensors = Sensors()


@dataclass(slots=True)
class Night(PlainData):
    """At which seconds he becomes calm, alarmed or tired, and when the night is over."""

    moods: Mapping[float, str]
    dawn: float = inf
    clock: ManualClock = field(default_factory=ManualClock)

    def step(self) -> None:
        """Let a tick pass."""
        self.clock.advance(SECONDS_PER_TICK)


def body(seed: int) -> Night:  # noqa: ARG001 - nothing here is left to chance
    """A night with an intruder, which is long."""
    return Night({1.5: "alarmed", 7.0: "tired", 9.0: "calm"}, dawn=11.0)


@sensors.sensor("mood", "dawn")
def watch(agent: Agent[Any, Night]) -> Mapping[str, object]:
    """How he is from now on, if that changes, and whether it gets light."""
    night, now = agent.body, agent.body.clock()
    changed = {"mood": night.moods[now]} if now in night.moods else {}
    return {**changed, "dawn": now >= night.dawn}
