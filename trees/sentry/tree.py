"""The sentry's tree: a goal for each state of his, fine ones beside a rough one."""

from __future__ import annotations

from enum import Enum

from py_trees.behaviour import Behaviour
from py_trees.composites import Sequence

from bthtn import Domain, Fluent, Methods, Primitive, State, fluent, method, primitive, seconds
from bthtn.behaviours import Agent, Character, ManualClock, PlanGoal, StateMachineGoals

SECONDS_PER_TICK = 0.5


class Mood(Enum):
    """The states of a sentry."""

    CALM = "calm"
    ALARMED = "alarmed"
    TIRED = "tired"


class Sentry(State):
    """What he believes."""

    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    at: Fluent[str] = fluent(default="gate")
    has_spear: Fluent[bool] = fluent(default=False)
    repelled: Fluent[bool] = fluent(default=False)


sentry = Domain("sentry", Sentry)


@sentry.compound
def be_at(place: str) -> Methods:
    """A fine goal: the tree says where to, and in which order."""
    yield method(when=Sentry.at == place)
    yield method(walk(place))


@sentry.compound
def repel() -> Methods:
    """A rough goal: how the intruder is driven away is left to the plan."""
    yield method(be_at("gate"), thrust(), when=Sentry.has_spear)
    yield method(be_at("tower"), take_spear(), repel())


@sentry.primitive
def walk(place: str) -> Primitive:
    return primitive(effects=Sentry.at.becomes(place), duration=seconds(1))


take_spear = sentry.primitive(
    "take_spear",
    precondition=Sentry.at == "tower",
    effects=Sentry.has_spear.becomes(True),
    duration=seconds(0.5),
)
thrust = sentry.primitive(
    "thrust",
    precondition=Sentry.has_spear,
    effects=Sentry.repelled.becomes(True),
    duration=seconds(1),
)
nap = sentry.primitive("nap", duration=seconds(3))


def beat(agent: Agent[Sentry, None]) -> Behaviour:
    """The tree walks the beat place by place; each place is a goal."""
    stations = [PlanGoal(f"to the {place}", agent, be_at(place)) for place in ("wall", "gate")]
    return Sequence("beat", memory=True, children=list(stations))


def sentry_when(happens: dict[float, Mood]) -> Character:
    """The sentry, until the intruder has been driven away and he is calm again.

    At these seconds his state changes. Plans are made when it does, and at no other time.
    """
    clock = ManualClock()
    agent = Agent("sentry", sentry, Sentry(), body=None, clock=clock)
    root = StateMachineGoals(
        "sentry",
        agent,
        Sentry.mood,
        {Mood.CALM: beat(agent), Mood.ALARMED: repel(), Mood.TIRED: nap()},
    )

    def live() -> None:
        clock.advance(SECONDS_PER_TICK)
        if clock() in happens:
            agent.believe(Sentry.mood, happens[clock()])

    def is_over() -> bool:
        now = agent.beliefs.now
        return now.repelled and now.mood is Mood.CALM and root.status is not root.status.RUNNING

    return Character(root, agent, sense=live, finished=is_over)


def character(seed: int = 0) -> Character:  # noqa: ARG001 - nothing here is left to chance
    """The sentry; an intruder comes, and then the night is long."""
    return sentry_when({1.5: Mood.ALARMED, 7.0: Mood.TIRED, 9.0: Mood.CALM})
