"""A hauler with a goal for each thing that has gone wrong in bthtn before.

What it wants is given by the scenarios beside it, and so is what it believes; most of its steps are
simulated. The goal "scenario" is named like the source of what scenarios bring about.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from bthtn import (
    Domain,
    Fluent,
    Methods,
    Primitive,
    Resource,
    Settings,
    State,
    derive,
    fluent,
    method,
    parallel,
    primitive,
    priority,
    random_of,
)
from bthtn.behaviours import (
    Agent,
    AgentEvent,
    Believes,
    Character,
    OperatorFailed,
    Operators,
    PlanGoal,
    Replanning,
    Running,
    Sensors,
)
from bthtn.events import GoalEnded


class Want(Enum):
    NOTHING = auto()
    ATTACK = auto()
    MEND = auto()
    RETREAT = auto()
    DIG = auto()
    SIGNAL = auto()
    BUILD = auto()
    PASS = auto()
    FOLLOW = auto()
    ROAM = auto()
    CHARGE = auto()
    JUMP = auto()
    HOLD = auto()
    OPEN = auto()
    FINISH = auto()
    GATHER = auto()
    LISTEN = auto()
    BAKE = auto()


class Hauler(State):
    want: Fluent[Want] = fluent(default=Want.NOTHING)
    armed: Fluent[bool] = fluent(default=True)
    danger: Fluent[bool] = fluent(default=False)
    offer: Fluent[bool] = fluent(default=False)
    clear: Fluent[bool] = fluent(default=False)
    gate: Fluent[int] = fluent(default=1)
    place: Fluent[str] = fluent(default="A")
    noise: Fluent[int] = fluent(default=0)
    battery: Fluent[int] = fluent(default=0)
    on_ground: Fluent[bool] = fluent(default=True)
    safe: Fluent[bool] = fluent(default=True)
    key: Fluent[int] = fluent(default=0)
    ready: Fluent[bool] = fluent(default=True)
    bones: Fluent[int] = fluent(default=0)
    watch: Fluent[int] = fluent(default=0)
    smell: Fluent[int] = fluent(default=0)


VOICE = Resource("voice")
HELD = 1
"""Ticks for which it goes on with what it does not want any more."""

domain = Domain("hauler", Hauler)
run = domain.primitive("run", duration=3)
stab = domain.primitive("stab", precondition=Hauler.armed)
shoot = domain.primitive("shoot")
walk_off = domain.primitive("walk_off", duration=9)
crouch = domain.primitive("crouch")
dash = domain.primitive("dash")
borrow = domain.primitive("borrow")
dig = domain.primitive("dig", duration=4)
wave = domain.primitive("wave", exec_only=Hauler.clear, uses=VOICE)
whistle = domain.primitive("whistle", uses=VOICE, duration=9)
carry = domain.primitive("carry", duration=5)
hammer = domain.primitive("hammer", duration=2)
wait = domain.primitive("wait", duration=3)
east = domain.primitive("east", precondition=Hauler.safe, duration=4)
west = domain.primitive("west", duration=4)
charge = domain.primitive("charge", effects=Hauler.battery.becomes(3), duration=4)
play = domain.primitive("play", precondition=Hauler.battery > 0)
jump = domain.primitive(
    "jump",
    precondition=Hauler.on_ground,
    on_start=Hauler.on_ground.becomes(False),
    effects=Hauler.on_ground.becomes(True),
    duration=3,
)
hold = domain.primitive("hold", during=Hauler.safe, duration=6)
unlock = domain.primitive("unlock", precondition=Hauler.key > 9)
finish = domain.primitive("finish", duration=3)
listen = domain.primitive("listen", effects=Hauler.noise.becomes(2), duration=3)
gather = domain.primitive("gather", effects=Hauler.bones.increases(1), duration=2)


@domain.primitive
def cross(number: int) -> Primitive:
    return primitive(precondition=Hauler.gate == number)


@domain.primitive
def go(where: str) -> Primitive:
    return primitive(duration=1)


@domain.compound
def attack() -> Methods:
    yield method(run(), stab())
    yield method(run(), shoot())


@domain.compound
def retreat() -> Methods:
    yield method(dash(), when=Hauler.danger)
    yield method(walk_off(), crouch())


@domain.compound
def get_stone() -> Methods:
    yield method(borrow(), when=Hauler.offer)
    yield method(dig())


@domain.compound
def get_through() -> Methods:
    yield method(wait(), cross(Hauler.gate), shoot(), shoot(), shoot())


@domain.compound
def follow() -> Methods:
    yield method(wait(), go(Hauler.place))


@domain.compound
def roam() -> Methods:
    yield method(random_of((1, east()), (1, west()), by=Hauler.noise))


@domain.compound
def have_fun() -> Methods:
    yield method(play(), when=Hauler.battery > 0)
    yield method(charge(), play())


@domain.compound
def keep_watch() -> Methods:
    yield method(dash(), when=Hauler.noise > 0)
    yield method(listen(), shoot())


craft = Domain("craft", Hauler)
make = craft.primitive("make")
bakery = derive(craft, "bakery", rename={"make": "bake"})


@dataclass
class Body:
    """What it has lived through; ``agent`` is whose it is."""

    tick: int = 0
    has_nose: bool = True
    in_vain: int = 0
    agent: "Machine | None" = None

    def step(self) -> None:
        self.tick += 1

    def forget_everything(self) -> None:
        """Plan with a domain that has none of its goals' tasks."""
        assert self.agent is not None, "a body has an agent"
        other = Domain("other", Hauler)
        for task in (walk_off, crouch, borrow, listen, make):
            other.primitive(task.name)
        self.agent.plan_with(other)

    def hear(self, event: AgentEvent) -> None:
        if isinstance(event, GoalEnded) and not event.succeeded:
            self.in_vain += 1


Machine = Agent[Hauler, Body]
operators = Operators(simulates_others=True)
sensors = Sensors()


@sensors.sensor(Hauler.watch, every=7)
def wristwatch(agent: Machine) -> int:
    return agent.body.tick


@sensors.sensor(Hauler.smell)
def nose(agent: Machine) -> int:
    if not agent.body.has_nose:
        raise ValueError("no nose")
    return 1


@sensors.sensor(Hauler.key)
def pocket(agent: Machine) -> int:
    """It rattles, but the right key is never in it."""
    return agent.body.tick % 2


@operators.bind("walk_off")
class WalkOff:
    """Legs that need two ticks to stand still."""

    def __init__(self, agent: Machine) -> None:
        self._left = 9

    def start(self) -> None:
        pass

    def tick(self) -> Status:
        self._left -= 1
        return Status.RUNNING if self._left else Status.SUCCESS

    def abort(self) -> Status:
        self._left = 2
        return Status.RUNNING


@operators.bind("listen")
def listening(agent: Machine) -> Running:
    agent.believe(Hauler.noise, 9)
    for _ in range(3):
        yield


@operators.bind("make")
def making(agent: Machine) -> None:
    """What is made from the template is made in this way, too."""
    agent.believe(Hauler.noise, 5)


@operators.on_plan_start("crouch")
def reserve(agent: Machine) -> None:
    if not agent.take("cover"):
        raise OperatorFailed("the cover is taken")


@operators.on_plan_start("borrow")
def ask(agent: Machine) -> None:
    raise OperatorFailed("nobody lends anything")


def root_of(agent: Machine) -> Behaviour:
    plain = Replanning(repair=False)
    goals = {
        Want.ATTACK: PlanGoal("attack", agent, attack(), replanning=plain),
        Want.MEND: PlanGoal("mend", agent, (wait(), attack())),
        Want.RETREAT: PlanGoal("retreat", agent, retreat()),
        Want.DIG: PlanGoal("dig", agent, get_stone()),
        Want.SIGNAL: PlanGoal("signal", agent, priority(wave(), whistle(), reactive=True)),
        Want.BUILD: PlanGoal("build", agent, parallel(carry(), hammer())),
        Want.PASS: PlanGoal("pass", agent, get_through(), budget=1),
        Want.FOLLOW: PlanGoal("scenario", agent, follow()),
        Want.ROAM: PlanGoal("roam", agent, roam(), settings=Settings(seed=1)),
        Want.CHARGE: PlanGoal("charge", agent, have_fun()),
        Want.JUMP: PlanGoal("jump", agent, jump()),
        Want.HOLD: PlanGoal("hold", agent, hold()),
        Want.OPEN: PlanGoal("open", agent, unlock()),
        Want.LISTEN: PlanGoal("listen", agent, keep_watch()),
        Want.BAKE: PlanGoal("bake", agent, bakery.task("bake")()),
        Want.GATHER: PlanGoal("gather", agent, gather()),
    }
    branches: list[Behaviour] = [
        Sequence(
            f"when {want.name}",
            memory=False,
            children=[Believes(f"{want.name}?", agent, Hauler.want == want, hold=HELD), goal],
        )
        for want, goal in goals.items()
    ]
    ready = Believes("ready?", agent, (Hauler.want == Want.FINISH) & Hauler.ready)
    last = PlanGoal("finish", agent, finish())
    branches.append(Sequence("when ready", memory=False, children=[ready, last]))
    return Selector("hauler", memory=False, children=branches)


def character(seed: int = 0) -> Character:
    body = Body()
    agent = Agent(
        "hauler",
        [domain, bakery],
        Hauler(),
        body=body,
        operators=operators,
        sensors=sensors,
        listener=body.hear,
    )
    body.agent = agent
    return Character(root_of(agent), agent, sense=body.step, world=body)


def invariants(character: Character) -> Iterator[str]:
    """It does not try in vain all the time."""
    body = character.agent.body
    if body.in_vain > 6 + body.tick // 8:
        yield f"{body.in_vain} times in vain"
