"""The trunk thumper's tree: one goal, a bridge, and a knight who hides and comes back."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from types import MappingProxyType
from typing import Any, Final

from bthtn import PrimitiveTask, seconds
from bthtn.behaviours import (
    Agent,
    Character,
    Elapsed,
    ManualClock,
    Operators,
    PlainData,
    PlanGoal,
    Running,
    Sensors,
)
from bthtn.examples.domains.troll.domain import troll
from bthtn.examples.domains.troll.fighting import Careful

SECONDS_PER_TICK: Final = 0.5
COMES: Final = 4.0
"""Seconds after which the knight comes to the bridge."""
ENOUGH: Final = 5
"""Blows after which he runs: two for a slam, one for a boulder."""
FRESH: Final = 8.0
"""Seconds for which a slam, or an enemy, counts as recent."""
LASTING: Final[Mapping[str, float]] = MappingProxyType(
    {
        **dict.fromkeys(("choose_bridge_to_check", "find_trunk", "pickup_boulder"), 0.5),
        **dict.fromkeys(("navigate_to_enemy", "navigate_to_trunk", "recovery_roar"), 1.5),
        **dict.fromkeys(("navigate_to_bridge", "check_bridge", "uproot_trunk"), 2.0),
        "regain_los_roar": 1.5,
    }
)
"""Seconds that the tasks take which do nothing else."""


class Bridge(PlainData):
    """The knight, who hides after a slam until the troll comes to look for him."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.in_sight = False
        self.blows = 0
        self.seen = self.slammed = -inf

    def step(self) -> None:
        """Let a tick pass."""
        self.clock.advance(SECONDS_PER_TICK)
        if not self.blows:
            self.in_sight = self.clock() >= COMES
        if self.in_sight:
            self.seen = self.clock()

    def is_recent(self, moment: float) -> bool:
        """Whether it was a few seconds ago, at most."""
        return self.clock() - moment < FRESH


Thumper = Agent[Careful, Bridge]
# Any, because the tasks of a Design have the types of its functions.
tasks: Any = troll
operators = Operators()
sensors = Sensors()


def lasts(task: PrimitiveTask[[]], time: float) -> None:
    """Bind an operator that takes some seconds."""

    @operators.bind(task)
    @operators.on_resume(task)
    def last(agent: Thumper, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - every operator is given the agent
        yield seconds(time - elapsed.seconds)


for name, time in LASTING.items():
    lasts(getattr(tasks, name), time)


@operators.bind(tasks.do_trunk_slam)
@operators.on_resume(tasks.do_trunk_slam)
def slam(agent: Thumper, elapsed: Elapsed = Elapsed()) -> Running:
    yield seconds(1 - elapsed.seconds)
    bridge = agent.body
    bridge.blows, bridge.slammed, bridge.in_sight = bridge.blows + 2, bridge.clock(), False


@operators.bind(tasks.throw_boulder)
@operators.on_resume(tasks.throw_boulder)
def throw(agent: Thumper, elapsed: Elapsed = Elapsed()) -> Running:
    yield seconds(1 - elapsed.seconds)
    agent.body.blows += 1


@operators.bind(tasks.nav_to_last_enemy_loc)
@operators.on_resume(tasks.nav_to_last_enemy_loc)
def follow(agent: Thumper, elapsed: Elapsed = Elapsed()) -> Running:
    """What the plan hopes for comes true: the knight is found where he was seen last."""
    yield seconds(1.5 - elapsed.seconds)
    agent.body.in_sight = True
    agent.believe(Careful.can_see_enemy, value=True)


@sensors.sensor(Careful.has_seen_enemy_recently)
def memory(agent: Thumper) -> bool:
    return agent.body.is_recent(agent.body.seen)


@sensors.sensor(Careful.attacked_recently)
def breath(agent: Thumper) -> bool:
    """No task says that a slam was long ago; time does."""
    return agent.body.is_recent(agent.body.slammed)


def character(seed: int = 0, running: Character | None = None) -> Character:  # noqa: ARG001 - nothing here is left to chance
    """The troll with an old trunk, until the knight runs."""
    bridge = Bridge() if running is None else running.agent.body
    agent = Agent(
        "thumper",
        troll,
        Careful(trunk_health=1),
        body=bridge,
        operators=operators,
        sensors=sensors,
        clock=bridge.clock,
    )
    if running is not None:
        agent = running.agent.reload(agent)

    def live() -> None:
        bridge.step()
        agent.believe(Careful.can_see_enemy, bridge.in_sight)

    goal = PlanGoal("thump", agent, tasks.be_trunk_thumper())
    return Character(goal, agent, sense=live, finished=lambda: bridge.blows >= ENOUGH, world=bridge)
