"""The comrade's tree: revive a friend, kill the enemy, or idle, whatever is worth most."""

from __future__ import annotations

from bthtn import Domain, Fluent, Methods, Primitive, State, fluent, method, primitive, seconds
from bthtn.behaviours import Agent, Character, ManualClock, Operators, UtilityGoals

SECONDS_PER_TICK = 0.5
BLOWS = 3
"""How many the enemy stands."""


class Comrade(State):
    """What he believes; ``with_whom`` is beside whom he stands."""

    friend_is_down: Fluent[bool] = fluent(default=False)
    danger: Fluent[int] = fluent(default=0)
    with_whom: Fluent[str] = fluent(default="")
    blows: Fluent[int] = fluent(default=0)


comrade = Domain("comrade", Comrade)


@comrade.compound
def revive() -> Methods:
    """蘇生: go to the friend and help him up."""
    yield method(run_to("friend"), help_up(), when=Comrade.friend_is_down)


@comrade.compound
def kill() -> Methods:
    """敵を倒す: come near and strike, one blow after the other."""
    yield method(run_to("enemy"), strike(), when=Comrade.danger > 0)


@comrade.primitive
def run_to(whom: str) -> Primitive:
    return primitive(effects=Comrade.with_whom.becomes(whom), duration=seconds(1))


help_up = comrade.primitive(
    "help_up",
    precondition=Comrade.with_whom == "friend",
    effects=Comrade.friend_is_down.becomes(False),
    duration=seconds(2),
)
strike = comrade.primitive(
    "strike",
    precondition=Comrade.with_whom == "enemy",
    effects=Comrade.blows.increases(by=1),
    duration=seconds(1),
)
idle = comrade.primitive("idle", duration=seconds(60))


def worth_of_revival(state: Comrade) -> float:
    """A friend who is down is worth more than a small danger, and less than a great one."""
    return 50 if state.friend_is_down else 0


def comrade_when(happens: dict[float, tuple[bool, int]]) -> Character:
    """The comrade, until the enemy has been beaten.

    At these seconds the friend falls or not, and the danger is so great.
    """
    clock = ManualClock()
    agent = Agent("comrade", comrade, Comrade(), body=None, operators=Operators(), clock=clock)
    root = UtilityGoals(
        "comrade",
        agent,
        [(revive(), worth_of_revival), (kill(), Comrade.danger), (idle(), 10)],
        inertia=5,
    )

    def live() -> None:
        clock.advance(SECONDS_PER_TICK)
        if clock() in happens:
            falls, danger = happens[clock()]
            agent.believe(Comrade.friend_is_down, falls)
            agent.believe(Comrade.danger, danger)

    def is_beaten() -> bool:
        return agent.beliefs.now.blows >= BLOWS

    return Character(root, agent, sense=live, finished=is_beaten)


def character(seed: int = 0) -> Character:  # noqa: ARG001 - nothing here is left to chance
    """The comrade; an enemy comes, a friend falls, and then it gets dangerous."""
    return comrade_when({2.0: (False, 30), 5.0: (True, 30), 6.5: (True, 80)})
