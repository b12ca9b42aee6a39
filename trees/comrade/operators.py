"""The sensor of the comrade, and what happens around him. His steps are simulated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bthtn.behaviours import Agent, ManualClock, PlainData, Sensors

SECONDS_PER_TICK = 0.5

sensors = Sensors()


@dataclass(slots=True)
class Fight(PlainData):
    """At which seconds the friend falls or not, and how great the danger is from then on."""

    happens: Mapping[float, tuple[bool, int]]
    clock: ManualClock = field(default_factory=ManualClock)

    def step(self) -> None:
        """Let a tick pass."""
        self.clock.advance(SECONDS_PER_TICK)


def body(seed: int) -> Fight:  # noqa: ARG001 - nothing here is left to chance
    """An enemy comes, a friend falls, and then it gets dangerous."""
    return Fight({2.0: (False, 30), 5.0: (True, 30), 6.5: (True, 80)})


@sensors.sensor("friend_is_down", "danger")
def eyes(agent: Agent[Any, Fight]) -> Mapping[str, object] | None:
    """What has just happened; what he has done about it since stays as it is."""
    fight = agent.body
    news = fight.happens.get(fight.clock())
    return None if news is None else {"friend_is_down": news[0], "danger": news[1]}
