"""The public API as a type checker sees it: what must be accepted, and what must be refused.

Nothing here is run. mypy reads the file; a wrong use carries a ``type: ignore`` with the code of
the error it must be, and strict mode complains about every ignore that is not needed any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any, assert_type

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn import (
    UNKNOWN,
    CompoundTask,
    Domain,
    Expression,
    Fluent,
    FluentFamily,
    Methods,
    Plan,
    Planner,
    Primitive,
    PrimitiveTask,
    Relation,
    Resource,
    Settings,
    State,
    TaskCall,
    any_order,
    defer,
    find_plan,
    first_of,
    fluent,
    fluents,
    method,
    null,
    one_of,
    optional,
    parallel,
    partial_order,
    pause,
    primitive,
    priority,
    random_of,
    relation,
    repeat,
    seconds,
    sequence,
)
from bthtn.behaviours import (
    Agent,
    Character,
    Completion,
    Leases,
    OperatorFailed,
    Operators,
    PlanGoal,
    Running,
    Sensors,
)
from bthtn.engine.planning import SearchEvent, TaskPlanned
from bthtn.testing import RecordingListener, ScriptedOperator, ticks


class Mood(Enum):
    CALM = "calm"
    ANGRY = "angry"


class Soldier(State):
    ammo: Fluent[int] = fluent(default=6)
    fuel: Fluent[float] = fluent(default=1.0)
    at: Fluent[str] = fluent(default="base")
    cover: Fluent[bool] = fluent(default=False, volatile=True)
    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    target: Fluent[str | None] = fluent(default=None, type=str)
    seen: FluentFamily[str, bool] = fluents(default=False)
    spots: Fluent[tuple[str, ...]] = fluent(default=("wall", "tree"))
    place: Relation[str] = relation(default=())
    road: Relation[tuple[str, str]] = relation(default=())
    door: Fluent[str] = fluent(default=UNKNOWN, type=str)
    map: FluentFamily[str, str] = fluents(default=UNKNOWN, type=str)


class Moon(State):
    dust: Fluent[int] = fluent(default=0)


class Map(State):
    road: Relation[tuple[str, str]] = relation()


LEGS = Resource("legs")

# states: an expression on the class, a value on an instance

assert_type(Soldier.ammo, Fluent[int])
assert_type(Soldier(ammo=3).ammo, int)
assert_type(Soldier().at, str)
assert_type(Soldier().target, str | None)
assert_type(Soldier().seen["enemy"], bool)
assert_type(Soldier().is_known(Soldier.ammo) and Soldier().is_known(Soldier.seen["enemy"]), bool)
assert_type(Soldier.ammo > 0, Expression[bool])
assert_type(Soldier.ammo + 1, Expression[int])
assert_type(Soldier.ammo == 3, Expression[bool])
assert_type(~Soldier.cover & (Soldier.ammo > 0), Expression[bool])
assert_type(Soldier.cover & (lambda state: state.ammo > 0), Expression[bool])
Soldier(ammo=0, mood=Mood.ANGRY, target="enemy")
Soldier(seen={"enemy": True})
Soldier(ammo=UNKNOWN)

Soldier(road=[("wall", "tree")], place=["wall"])
assert_type(Soldier().road["wall", "tree"], bool)
assert_type(Soldier().place["wall"], bool)
assert_type(list(Soldier().road), list[tuple[str, str]])
assert_type(Soldier.road["wall", "tree"], Expression[bool])
assert_type(Soldier.place["wall"] & (Soldier.ammo > 0), Expression[bool])
Soldier(road=["wall"])  # type: ignore[list-item]
Map()  # type: ignore[call-arg]
Soldier.road["wall", "tree"].becomes(True)  # type: ignore[attr-defined]
assert_type(one_of(Soldier.place), str)
assert_type(one_of(Soldier.road), tuple[str, str])
assert_type(one_of(Soldier.place, (1, 2)), tuple[str, int])
assert_type(one_of(Soldier.place, Soldier.spots, Soldier.road), tuple[str, str, tuple[str, str]])

Soldier(ammo="many")  # type: ignore[arg-type]
Soldier(cover=1)  # type: ignore[arg-type]
Soldier(mood="calm")  # type: ignore[arg-type]
Soldier(amo=3)  # type: ignore[call-arg]
Soldier(3)  # type: ignore[call-arg]
repr(Soldier.amo)  # type: ignore[attr-defined]
repr(Soldier().amo)  # type: ignore[attr-defined]
repr(Soldier().ammo + "s")  # type: ignore[operator]
repr(Soldier.ammo > "many")  # type: ignore[operator]
repr(Soldier.seen[3])  # type: ignore[index]
Soldier(seen={"enemy": 3})  # type: ignore[dict-item]


class Wrong(State):
    ammo: Fluent[int] = fluent(default="six")  # type: ignore[arg-type]
    on: FluentFamily[str, bool] = fluents(default=3)  # type: ignore[arg-type]
    lost: Fluent[str] = fluent(default=UNKNOWN, type=int)  # type: ignore[arg-type]
    bare = fluent()  # type: ignore[call-arg, var-annotated]
    loud: Fluent[int] = fluent(default=1, volatil=True)  # type: ignore[call-arg]


# effects

Soldier.ammo.becomes(3)
Soldier.ammo.becomes(Soldier.ammo + 1)
Soldier.ammo.becomes(UNKNOWN)
Soldier.ammo.decreases(by=1)
Soldier.seen["enemy"].becomes(True)
Soldier.target.becomes(None)

Soldier.ammo.becomes("three")  # type: ignore[arg-type]
Soldier.mood.becomes("calm")  # type: ignore[arg-type]
Soldier.ammo.becomes(Soldier.at)  # type: ignore[arg-type]
Soldier.ammo.becomes()  # type: ignore[call-arg]
Soldier.ammo.increases(by="one")  # type: ignore[arg-type]
Soldier.seen["enemy"].becomes("yes")  # type: ignore[arg-type]
Soldier.ammo.becoms(3)  # type: ignore[attr-defined]

# primitive tasks

combat = Domain("combat", Soldier)

reload = combat.primitive(
    "reload",
    precondition=Soldier.ammo == 0,
    exec_only=lambda state: state.fuel > 0,
    during=Soldier.ammo < 6,
    on_start=Soldier.cover.becomes(False),
    on_failure=[Soldier.cover.becomes(True)],
    on_abort=lambda state: None,
    uninterruptible=True,
    effects=[Soldier.ammo.becomes(6), Soldier.fuel.decreases(by=0.5)],
    expected=Soldier.cover.becomes(True),
    uses=LEGS,
    duration=Soldier.ammo,
    cost=2.5,
)
assert_type(reload, PrimitiveTask[[]])
assert_type(reload(), TaskCall)


@combat.primitive
def move_to(spot: str, speed: int = 1) -> Primitive:
    return primitive(
        precondition=Soldier.at != spot, effects=Soldier.at.becomes(spot), uses=[LEGS, "arms"]
    )


assert_type(move_to("tower"), TaskCall)
move_to("tower", speed=3)

combat.primitive("a", precondition=Soldier.ammo)  # type: ignore[arg-type]
combat.primitive("b", precondition=Soldier.ammo + 1)  # type: ignore[arg-type]
combat.primitive("c", effects=Soldier.ammo > 0)  # type: ignore[call-overload]
combat.primitive("d", effect=Soldier.ammo.becomes(1))  # type: ignore[call-overload]
combat.primitive("e", duration="long")  # type: ignore[call-overload]
combat.primitive(3)  # type: ignore[call-overload]
reload(1)  # type: ignore[call-arg]
move_to()  # type: ignore[call-arg]
move_to(3)  # type: ignore[arg-type]
move_to("tower", "fast")  # type: ignore[arg-type]
move_to("tower", sped=3)  # type: ignore[call-arg]
move_to("tower", 1, 2)  # type: ignore[call-arg]
move_to(Soldier.ammo)  # type: ignore[arg-type]
primitive(effect=Soldier.ammo.becomes(1))  # type: ignore[call-arg]
primitive(precondition=[Soldier.ammo > 0, Soldier.cover, lambda state: state.ammo > 3])
primitive(precondition=Soldier.ammo)  # type: ignore[arg-type]


@combat.primitive  # type: ignore[arg-type]
def says_nothing(spot: str) -> None:
    """A primitive task that describes nothing."""


# compound tasks


@combat.compound
def fight() -> Methods:
    yield method(when=Soldier.target == None)  # noqa: E711 - an expression
    yield method(parallel(take_cover("wall"), reload()), fight(), when=Soldier.cover, name="cover")
    yield method(priority(reload(), null(), reactive=True), pause(), defer(fight()))
    yield method((reload(), sequence(reload(), fight())), when=lambda state: state.ammo > 3)
    yield method(reload(), Soldier.ammo > 0, when=[Soldier.cover, Soldier.ammo > 3])
    yield method(lambda state: [reload()] if state.ammo else None)


@combat.compound
def take_cover(spot: str) -> Methods:
    yield method(move_to(spot))


assert_type(fight, CompoundTask[[]])
assert_type(take_cover("wall"), TaskCall)

take_cover()  # type: ignore[call-arg]
take_cover(3)  # type: ignore[arg-type]
method(reload)  # type: ignore[arg-type]
method(reload(), when=Soldier.ammo)  # type: ignore[arg-type]
method(reload(), when=3)  # type: ignore[arg-type]
method(reload(), wen=True)  # type: ignore[call-arg]
method("reload")  # type: ignore[arg-type]
sequence(reload)  # type: ignore[arg-type]
parallel(reload, fight())  # type: ignore[arg-type]
parallel(reload(), policy=3)  # type: ignore[arg-type]
parallel(reload(), policy="some")  # type: ignore[arg-type]
priority(reload(), reactive="yes")  # type: ignore[arg-type]
priority(fight)  # type: ignore[arg-type]
defer(fight)  # type: ignore[arg-type]
defer(sequence(reload(), reload()))  # type: ignore[arg-type]


# choices, orders, repetitions, draws, variables


@combat.compound
def hide(who: str) -> Methods:
    spot = one_of(Soldier.spots, key=lambda state, spot: len(state.at) + len(spot))
    side = one_of(("left", "right"))
    mood = one_of(Mood, name="mood")
    times = one_of(lambda state: [state.ammo])
    assert_type(side, str)
    assert_type(mood, Mood)
    yield method(move_to(side), first_of(move_to(spot), take_cover(who)), when=side != "wall")
    yield method(repeat(times, reload()), when=Soldier.seen[side] & (Soldier.mood == mood))
    yield method(any_order(reload(), (move_to(who), optional(reload(), null()))))
    yield method(partial_order("a < b", a=reload(), b=(reload(), pause())))
    yield method(random_of((3, reload()), (Soldier.fuel, fight()), by=(Soldier.ammo, Soldier.at)))
    yield method(random_of((lambda state: state.fuel, reload()), by=Soldier.ammo))
    yield method(repeat(Soldier.ammo, reload()), parallel(repeat(3, reload()), optional(fight())))


find_plan(combat, Soldier(), first_of(hide("me"), reload()), Settings(seed=3))
first_of(reload)  # type: ignore[arg-type]
optional("reload")  # type: ignore[arg-type]
any_order(reload(), fight)  # type: ignore[arg-type]
repeat("twice", reload())  # type: ignore[arg-type]
repeat(reload(), 2)  # type: ignore[arg-type]
partial_order(("a", "b"), a=reload(), b=reload())  # type: ignore[arg-type]
partial_order(a=reload)  # type: ignore[arg-type]
random_of(reload(), fight())  # type: ignore[arg-type]
random_of(("much", reload()))  # type: ignore[arg-type]
random_of((1, reload()), by="ammo")  # type: ignore[arg-type]
one_of(3)  # type: ignore[call-overload]
one_of(("a", "b"), key=3)  # type: ignore[call-overload]
one_of(("a", "b"), kee=None)  # type: ignore[call-overload]
move_to(one_of((1, 2)))  # type: ignore[arg-type]
defer(first_of(reload()))  # type: ignore[arg-type]
Settings(seed="lucky")  # type: ignore[arg-type]


@combat.compound  # type: ignore[arg-type]
def yields_tasks() -> Iterator[TaskCall]:
    yield reload()


@combat.compound  # type: ignore[arg-type]
def returns_nothing() -> None:
    """A compound task without methods."""


# planning

assert_type(find_plan(combat, Soldier(), fight()), Plan | None)
find_plan(combat, Soldier(), (reload(), fight()), Settings(horizon=2))

find_plan(combat, Soldier(), fight)  # type: ignore[arg-type]
find_plan(combat, fight(), Soldier())  # type: ignore[arg-type]
find_plan(combat, Moon(), fight())  # type: ignore[misc]
find_plan("combat", Soldier(), fight())  # type: ignore[arg-type]
planner = Planner(combat, fight(), Settings(horizon=2))
told: list[SearchEvent] = []
assert_type(planner.plan(Soldier(), told.append), Plan | None)
assert_type(planner.trace(Soldier()).events, tuple[SearchEvent, ...])
for one in told:
    if isinstance(one, TaskPlanned):
        assert_type(one.task, str)
        assert_type(one.depth, int)
        one.task = "walk"  # type: ignore[misc]
TaskPlanned("walk", depth=0)
TaskPlanned("walk")  # type: ignore[call-arg]
TaskPlanned("walk", "deep")  # type: ignore[arg-type]
planner.plan(Soldier(), told)  # type: ignore[arg-type]
assert_type(planner, Planner[Soldier])
assert_type(planner.plan(Soldier()), Plan | None)
assert_type(planner.search(Soldier()).plan, Plan | None)

planner.plan(Moon())  # type: ignore[arg-type]
Planner(combat, fight)  # type: ignore[arg-type]
Planner(combat, fight(), 2)  # type: ignore[arg-type]
Settings(2)  # type: ignore[call-arg]
Settings(horizon="two")  # type: ignore[arg-type]

# agents and operators


class Body:
    """What the operators act with."""

    def walk(self, spot: str) -> bool:
        return bool(spot)


operators = Operators(simulates_others=True)
agent = Agent("soldier", combat, Soldier(ammo=1), body=Body(), operators=operators)
assert_type(agent, Agent[Soldier, Body])
assert_type(agent.body, Body)
assert_type(agent.beliefs.now, Soldier)
assert_type(agent.beliefs.now.ammo, int)
agent.believe(Soldier.ammo, 3)
agent.believe(Soldier.ammo, UNKNOWN, source="eyes")
agent.believe(Soldier.seen["enemy"], True)

Agent("soldier", combat, Soldier(), body=None)
Agent("soldier", combat, Soldier())  # type: ignore[call-arg]
Agent("soldier", combat, Soldier, body=None)  # type: ignore[misc]
Agent("soldier", combat, Moon(), body=None)  # type: ignore[misc]
agent.believe(Soldier.ammo, "three")  # type: ignore[misc]
agent.believe("ammo", 3)  # type: ignore[arg-type]
repr(agent.beliefs.now.amo)  # type: ignore[attr-defined]


@operators.bind(move_to)
def moving(who: Agent[Soldier, Body], spot: str, speed: int) -> Running:
    while not who.body.walk(spot):
        yield
    if not who.beliefs.now.cover:
        raise OperatorFailed("no cover")


@operators.bind(combat.primitive("shout", duration=seconds(1.5)))
def shouting(who: Agent[Soldier, Body]) -> Running:
    yield seconds(1.5)
    assert_type(who.time(), float)


@operators.bind(reload)
def reloading(who: Agent[Soldier, Body]) -> None:
    who.body.walk("box")


operators.bind(reload)(ScriptedOperator("RRS"))
operators.on_plan_start(reload)(lambda agent: agent.take("magazine"))
operators.on_plan_end(fight)  # type: ignore[arg-type]
assert_type(agent.take("magazine"), bool)
assert_type(Completion(on_abort=lambda: None).fail("stuck"), bool)
Agent("other", combat, Soldier(), body=None, leases=Leases({"magazine": 2}))
operators.bind(fight)  # type: ignore[arg-type]
operators.bind("walk")
operators.bind(reload())  # type: ignore[arg-type]

# operators and sensors for one class of bodies


class Walker:
    """What some of the operators act with."""

    def walk(self, spot: str) -> bool:
        return bool(spot)


class Robot(Walker):
    """A body that others' operators do for, too."""


for_walkers = Operators[Walker]()
its_eyes = Sensors[Walker]()
assert_type(for_walkers, Operators[Walker])


@for_walkers.bind(move_to)
def walking(who: Agent[Soldier, Walker], spot: str, speed: int) -> Running:
    while not who.body.walk(spot):
        yield


@for_walkers.bind("reload")
class Reloading:
    def __init__(self, who: Agent[Soldier, Walker]) -> None:
        self.who = who


@for_walkers.bind("a")  # type: ignore[arg-type]
def with_another_body(who: Agent[Soldier, Body]) -> None:
    """An operator that cannot act with the body."""


@its_eyes.sensor(Soldier.ammo)
def eyes(who: Agent[Soldier, Walker]) -> int:
    return 3


@its_eyes.sensor(Soldier.ammo)  # type: ignore[arg-type]
def others_eyes(who: Agent[Soldier, Body]) -> int:
    return 3


robot = Agent("robot", combat, Soldier(), body=Robot(), operators=for_walkers, sensors=its_eyes)
assert_type(robot.body, Robot)
a_robot: Agent[Soldier, Robot] = Agent(
    "robot", combat, Soldier(), body=Robot(), operators=for_walkers
)
for_walkers.on_plan_start("b")(lambda agent: agent.body.fly())  # type: ignore[attr-defined]
Agent("other", combat, Soldier(), body=None, operators=for_walkers)  # type: ignore[misc]
Agent("other", combat, Soldier(), body=None, sensors=its_eyes)  # type: ignore[misc]


def of_any_body(given: Operators[Any]) -> None:
    given.simulate("c")


of_any_body(for_walkers)
of_any_body(operators)

# running

goal = PlanGoal("fight", agent, fight(), budget=100, max_replans=2, settings=Settings(horizon=1))
a_behaviour: Behaviour = goal
assert_type(goal.plan, Plan | None)
assert_type(goal.status, Status)
assert_type(ticks(goal, 3), str)
heard = RecordingListener()
agent.listener = heard
character = Character(goal, agent)

PlanGoal("fight", agent, fight)  # type: ignore[arg-type]
PlanGoal("fight", fight(), agent)  # type: ignore[arg-type]
PlanGoal("fight", agent, fight(), budget="much")  # type: ignore[arg-type]
PlanGoal("fight", agent, fight(), 100)  # type: ignore[arg-type, call-arg]
PlanGoal(agent, fight())  # type: ignore[arg-type, call-arg]
Character(agent, goal)  # type: ignore[arg-type]
agent.listener = print  # a listener may take anything
agent.listener = 3  # type: ignore[assignment]
