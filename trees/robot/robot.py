"""A robot that tidies up: its tree is its own, and the branch that tidies is planned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Running as Stay
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence
from py_trees.decorators import EternalGuard, FailureIsRunning, Timeout
from py_trees.trees import BehaviourTree

from bthtn import (
    UNKNOWN,
    Domain,
    Expression,
    Fluent,
    Methods,
    Primitive,
    State,
    fluent,
    method,
    one_of,
    primitive,
)
from bthtn.behaviours import (
    Agent,
    AgentListener,
    Believes,
    Operators,
    PlanGoal,
    Running,
    Sensors,
    attach,
)


@dataclass(slots=True)
class Hardware:
    """Wheels, a gripper, a camera and a battery; what is slow runs in threads of ``pool``."""

    pool: Executor
    seconds: float = 1
    """How long a drive takes."""
    cups: dict[str, str] = field(default_factory=lambda: {"red cup": "desk", "blue cup": "sofa"})
    at: str = "dock"
    gripped: str | None = None
    battery: int = 100
    wheels_turn: bool = False

    def drive(self, to: str, stop: Event) -> None:
        """Drive there, unless stopped; blocks the thread."""
        self.wheels_turn = True
        arrived = not stop.wait(self.seconds)
        self.wheels_turn = False
        if arrived:
            self.at = to

    def look(self) -> dict[str, str]:
        """The cups that lie around, by their places; blocks the thread."""
        return {cup: place for cup, place in self.cups.items() if place != "kitchen"}


class Flat(State):
    """What the robot believes; which cups there are is unknown until it has looked."""

    at: Fluent[str] = fluent(default="dock")
    seen: Fluent[tuple[tuple[str, str], ...]] = fluent(default=UNKNOWN)
    holds: Fluent[str | None] = fluent(default=None)
    battery: Fluent[int] = fluent(default=100)


flat = Domain("flat", Flat)


@flat.primitive
def drive(to: str) -> Primitive:
    return primitive(precondition=Flat.at != to, effects=Flat.at.becomes(to), uses="wheels")


@flat.primitive
def grasp(cup: tuple[str, str]) -> Primitive:
    def taken(state: Flat) -> None:
        state.holds = cup[0]
        state.seen = tuple(other for other in state.seen if other != cup)

    return primitive(precondition=Flat.holds.is_in([None]), effects=taken)


release = flat.primitive(
    "release", precondition=Flat.at == "kitchen", effects=Flat.holds.becomes(None)
)


@flat.compound
def go(to: str) -> Methods:
    yield method(when=Flat.at == to)
    yield method(drive(to))


@flat.compound
def tidy() -> Methods:
    """A cup that is held comes first, so that an interrupted robot brings it away."""
    cup = one_of(Flat.seen)
    yield method(go("kitchen"), release(), tidy(), when=~Flat.holds.is_in([None]))
    yield method(lambda _: (go(cup[1]), grasp(cup), tidy()))
    yield method()


operators = Operators()
sensors = Sensors()
Robot = Agent[Flat, Hardware]


@operators.bind(drive)
def drive_in_a_thread(agent: Robot, to: str) -> Running:
    """An abort takes as many ticks as the wheels take to stop."""
    stop = Event()
    driving = agent.body.pool.submit(agent.body.drive, to, stop)
    try:
        while not driving.done():
            yield
        driving.result()  # raises what the drive has raised, which fails the step
    finally:
        stop.set()
        while not driving.done():
            yield


@operators.bind(grasp)
def close_gripper(agent: Robot, cup: tuple[str, str]) -> None:
    agent.body.gripped = cup[0]


@operators.bind(release)
def open_gripper(agent: Robot) -> None:
    if agent.body.gripped:
        agent.body.cups[agent.body.gripped] = agent.body.at
        agent.body.gripped = None


@sensors.sensor(Flat.at, Flat.battery)
def self_check(agent: Robot) -> Mapping[Expression[Any], object]:
    return {Flat.at: agent.body.at, Flat.battery: agent.body.battery}


class LookAround(Behaviour):
    """The robot's own action in a thread, as many py_trees programs have one."""

    def __init__(self, agent: Robot) -> None:
        super().__init__("look around")
        self._agent = agent
        self._looking: Future[dict[str, str]] | None = None

    def initialise(self) -> None:
        """Called by py_trees at the start."""
        self._looking = self._agent.body.pool.submit(self._agent.body.look)

    def update(self) -> Status:
        """Called by py_trees at every tick, in the thread of the tree: it may write beliefs."""
        if self._looking is None or not self._looking.done():
            return Status.RUNNING
        held = self._agent.body.gripped
        seen = sorted((cup, at) for cup, at in self._looking.result().items() if cup != held)
        self._agent.believe(Flat.seen, tuple(seen), "camera")
        return Status.SUCCESS


def robot_with(
    hardware: Hardware, *, seconds: float = 60, listener: AgentListener | None = None
) -> tuple[BehaviourTree, Robot]:
    """The tree: charge when the battery is low, tidy while nobody holds the robot, else wait."""
    agent = Agent(
        "robot",
        flat,
        Flat(),
        body=hardware,
        operators=operators,
        sensors=sensors,
        listener=listener,
    )
    low = Believes(name="low?", agent=agent, condition=Flat.battery < 20)
    charge = Sequence("charge", memory=False, children=[low, Stay("at the dock")])
    tidying = Timeout("in time", PlanGoal("tidy", agent, tidy()), duration=seconds)
    free = EternalGuard("free?", tidying, lambda blackboard: not blackboard.held, {"held"})
    work = Selector("work", memory=False, children=[charge, free, Stay("stand still")])
    look = FailureIsRunning("again", LookAround(agent))
    policy = ParallelPolicy.SuccessOnSelected([work], synchronise=False)
    tree = BehaviourTree(Parallel("robot", policy, children=[look, work]))
    attach(tree, agent)
    return tree, agent


def end(tree: BehaviourTree, agent: Robot, *, wait: Callable[[], None]) -> None:
    """Stop the tree and let aborts take the ticks that they need, waiting between them."""
    tree.root.stop(Status.INVALID)
    while len(agent.aborts):
        wait()
        agent.sense()
    tree.shutdown()
