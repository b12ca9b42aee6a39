"""A rover that uses all that can go wrong: what the seeded faults of the engine are found with.

It collects samples while it listens, and hides from storms: two goals take turns with its wheels,
a third one wants its arm, and a lease is asked for in the middle of a step. Its parts say when they
are used by two at once, or held by nobody.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel, Selector, Sequence

from bthtn import (
    Domain,
    Fluent,
    Methods,
    Resource,
    State,
    defer,
    fluent,
    method,
    parallel,
    priority,
    with_cleanup,
)
from bthtn.behaviours import (
    Agent,
    Believes,
    Character,
    OperatorFailed,
    Operators,
    PlanGoal,
    Running,
    Sensors,
)


class Rover(State):
    storm: Fluent[bool] = fluent(default=False, volatile=True)
    dusty: Fluent[bool] = fluent(default=False)
    at_rock: Fluent[bool] = fluent(default=False)
    warm: Fluent[bool] = fluent(default=False)
    drilled: Fluent[bool] = fluent(default=False)
    samples: Fluent[int] = fluent(default=0)
    calls: Fluent[int] = fluent(default=0)
    unpacked: Fluent[bool] = fluent(default=False)
    seen: Fluent[bool] = fluent(default=False)


WHEELS = Resource("wheels")
ARM = Resource("arm")

domain = Domain("rover", Rover)
drive = domain.primitive(
    "drive", effects=Rover.at_rock.becomes(True), uses=WHEELS, during=~Rover.storm, duration=4
)
warm_up = domain.primitive("warm_up", effects=Rover.warm.becomes(True), uses=ARM, duration=2)
spin = domain.primitive("spin", effects=Rover.warm.becomes(True), uses=WHEELS, duration=2)
unpack = domain.primitive("unpack", effects=Rover.unpacked.becomes(True), uses=ARM)
drill = domain.primitive(
    "drill",
    precondition=Rover.at_rock & Rover.warm & Rover.unpacked,
    effects=Rover.drilled.becomes(True),
    uses=ARM,
    duration=3,
)
brush = domain.primitive("brush", exec_only=Rover.dusty, uses=ARM)
look = domain.primitive("look")
grab = domain.primitive(
    "grab",
    precondition=Rover.drilled,
    effects=[
        Rover.samples.increases(1),
        Rover.drilled.becomes(False),
        Rover.at_rock.becomes(False),
        Rover.warm.becomes(False),
    ],
    uses=ARM,
)
pack = domain.primitive("pack", effects=Rover.unpacked.becomes(False), uses=ARM)
hide = domain.primitive("hide", uses=WHEELS, duration=3)
call = domain.primitive(
    "call", exec_only=~Rover.storm, effects=Rover.calls.increases(1), uses=ARM, duration=2
)
listen = domain.primitive("listen", duration=9)
rest = domain.primitive("rest", duration=6)


@domain.compound
def collect() -> Methods:
    work = (drill(), priority(brush(), look()), look(), defer(take()))
    yield method(get_ready(), with_cleanup(unpack(), *work, finally_=pack()))


@domain.compound
def get_ready() -> Methods:
    """The first method is no plan: both steps want the wheels."""
    yield method(parallel(drive(), spin()))
    yield method(parallel(drive(), warm_up()))


@domain.compound
def take() -> Methods:
    yield method(grab(), when=Rover.seen)


@domain.compound
def report() -> Methods:
    yield method(priority(call(), listen(), reactive=True), rest())


@dataclass
class Body:
    """Parts that are used, and since when nobody has moved them."""

    tick: int = 0
    looked: int = -9
    used: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def begin(self, part: str) -> None:
        if part in self.used:
            self.faults.append(f"{part}: used by two at once")
        self.used[part] = self.tick - 1

    def move(self, part: str) -> None:
        if self.used.get(part) == self.tick:
            self.faults.append(f"{part}: moved twice in a tick")
        self.used[part] = self.tick

    def end(self, part: str) -> None:
        self.used.pop(part, None)

    def step(self) -> None:
        self.tick += 1


Machine = Agent[Rover, Body]
operators = Operators()
sensors = Sensors()


@sensors.sensor(Rover.storm)
def barometer(agent: Machine) -> bool:
    return agent.body.tick % 25 in {7, 8, 9, 10}


@sensors.sensor(Rover.dusty)
def camera(agent: Machine) -> bool:
    return agent.body.tick % 10 < 5


@sensors.sensor(Rover.seen)
def eyes(agent: Machine) -> bool:
    """What was looked at can be seen for a while, from the next tick on."""
    return agent.body.looked > agent.body.tick - 5


def moved(agent: Machine, part: str, ticks: int) -> Running:
    """Use a part for so many ticks."""
    body = agent.body
    body.begin(part)
    try:
        for _ in range(ticks):
            body.move(part)
            yield
    finally:
        body.end(part)


@operators.bind(look)
def looking(agent: Machine) -> None:
    agent.body.looked = agent.body.tick


@operators.bind(drive)
class Drive:
    """Wheels that need two ticks to stand still."""

    def __init__(self, agent: Machine) -> None:
        self._body = agent.body
        self._left = 4
        self._stops = False

    def start(self) -> None:
        self._body.begin("wheels")

    def tick(self) -> Status:
        self._body.move("wheels")
        self._left -= 1
        if self._left > 0:
            return Status.RUNNING
        self._body.end("wheels")
        return Status.SUCCESS

    def abort(self) -> Status:
        self._left = min(self._left, 2)
        return Status.RUNNING


@operators.bind(hide)
def hiding(agent: Machine) -> Running:
    yield from moved(agent, "wheels", 3)


@operators.bind(warm_up)
def warming(agent: Machine) -> Running:
    yield from moved(agent, "arm", 2)


@operators.bind(drill)
def drilling(agent: Machine) -> Running:
    yield from moved(agent, "arm", 3)


@operators.bind(call)
def calling(agent: Machine) -> Running:
    """The antenna is on the arm; the channel belongs to whoever has the lease."""
    if not agent.take("channel"):
        raise OperatorFailed("somebody else calls")
    yield from moved(agent, "arm", 2)


operators.simulate(listen, spin, unpack, brush, grab, pack, rest)


def root_of(agent: Machine) -> Behaviour:
    storm = Believes("storm?", agent, Rover.storm)
    safe = Sequence("safe", memory=False, children=[storm, PlanGoal("hide", agent, hide())])
    act = Selector("act", memory=False, children=[safe, PlanGoal("work", agent, collect())])
    return Parallel(
        "rover", ParallelPolicy.SuccessOnAll(), [act, PlanGoal("report", agent, report())]
    )


def character(seed: int = 0) -> Character:
    body = Body()
    agent = Agent("rover", domain, Rover(), body=body, operators=operators, sensors=sensors)
    return Character(root_of(agent), agent, sense=body.step, world=body)


def invariants(character: Character) -> Iterator[str]:
    """What its parts say."""
    body = character.agent.body
    yield from body.faults
    for part, tick in body.used.items():
        if tick < body.tick - 1:
            yield f"{part}: held, and moved by nobody"
