"""Saves that somebody crafted: no code runs but the character's own, and each is refused."""

import json
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import NamedTuple

import pytest
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector

from bthtn import Domain, Fluent, FluentFamily, State, fluent, fluents, method, pause
from bthtn.behaviours import Agent, Character, ManualClock, Operators, PlainData, PlanGoal
from bthtn.errors import BthtnError

RUN = []
"""What was called that a save must not call."""


def canary(*args):
    RUN.append(args)


class Mood(Enum):
    CALM = "calm"
    WILD = "wild"


class Spot(NamedTuple):
    x: int
    y: int


class Dog(State):
    bones: Fluent[int] = fluent(default=0)
    mood: Fluent[Mood] = fluent(default=Mood.CALM)
    knows: FluentFamily[Spot, bool] = fluents(default=False)


yard = Domain("yard", Dog)
bark = yard.primitive("bark", duration=5, precondition=lambda s: s.bones >= 0)
dig = yard.primitive("dig", effects=Dog.bones.increases(1), duration=3)


@yard.compound
def play():
    yield method(bark(), when=Dog.mood == Mood.WILD)
    yield method(dig(), pause(), bark())


class Trap:
    """Runs code wherever Python lets a class run some."""

    def __new__(cls):
        canary("new")
        return super().__new__(cls)

    def __init__(self):
        canary("init")

    def __setattr__(self, name, value):
        canary("setattr")

    def __setstate__(self, state):
        canary("setstate")

    def __call__(self, *args):
        canary("call")

    def __getattr__(self, name):
        canary("getattr", name)
        raise AttributeError(name)

    def save(self):
        return {}

    def load(self, saved):
        canary("load")

    @property
    def speed(self):
        return 1

    @speed.setter
    def speed(self, value):
        canary("setter")


class Bark(Behaviour):
    def update(self):
        return Status.FAILURE


@dataclass
class Garden(PlainData):
    holes: list = field(default_factory=list)
    dice: Random = field(default_factory=lambda: Random(1))  # noqa: S311 - dice, not secrets
    clock: ManualClock = field(default_factory=ManualClock)
    callback: object = canary

    def step(self):
        self.clock.advance(1)

    @property
    def depth(self):
        return len(self.holes)

    @depth.setter
    def depth(self, value):
        canary("depth", value)


def character():
    garden = Garden()
    rex = Agent("Rex", yard, Dog(), body=garden, operators=Operators(), clock=garden.clock)
    root = Selector("root", memory=False, children=[Bark("bark"), PlanGoal("play", rex, play())])
    return Character(root, rex, sense=garden.step, world=garden)


@pytest.fixture(scope="module")
def text():
    """A save in the middle of a plan, as JSON."""
    rex = character()
    for _ in range(2):
        rex.tick()
    return json.dumps(rex.save())


def at(saved, *place):
    """What stands in a place of the goal's part of a save."""
    inside = saved["tree"]["1"]
    for key in place:
        inside = inside[key]
    return inside


def goal(*place, value):
    """Puts a value into the goal's part of a save."""

    def change(saved):
        at(saved, *place[:-1])[place[-1]] = value

    return change


def world(name, value):
    """Puts a value into an attribute of the world."""

    def change(saved):
        saved["world"][name] = value

    return change


def agent(*place, value):
    """Puts a value into the agent's part of a save."""

    def change(saved):
        inside = saved["agents"]["Rex"]
        for key in place[:-1]:
            inside = inside[key]
        inside[place[-1]] = value

    return change


def node(name, value):
    """Puts a value into the first node of the tree."""

    def change(saved):
        saved["tree"]["0"]["has"][name] = value

    return change


def nested(depth):
    """A value of tuples in tuples."""
    value = 1
    for _ in range(depth):
        value = {"tuple": [value]}
    return value


CODE = (
    "bthtn.engine.planning.htn.generated:executed",
    ["ref", 0],
    {"is": "subprocess:Popen"},
    3,
    None,
)
"""What may be tried in the place of code."""
CRAFTED = {
    **{f"a callback of the world: {code}": world("callback", code) for code in CODE},
    **{f"a method of a node: {code}": node("update", code) for code in CODE},
    "a class of the world": world("__class__", "Trap"),
    "the dictionary of the world": world("__dict__", {}),
    "a method of the world": world("step", 3),
    "a property of the world": world("depth", 3),
    "dice that are none": world("dice", {"random": 3}),
    "dice in the place of a list": world("holes", {"random": [3, [], None]}),
    "a clock that is a text": world("clock", {"clock": "x"}),
    "an attribute that is nowhere": node("surprise", 3),
    "a name that is none": node("name", 3),
    "children of a node": node("children", []),
    "another class of a node": lambda saved: saved["tree"]["0"].update({"is": "Trap"}),
    "a node that is nowhere": lambda saved: saved["tree"].update({"2": saved["tree"]["0"]}),
    "a node that is missing": lambda saved: saved["tree"].pop("0"),
    "a child of a leaf": lambda saved: saved["tree"]["0"].update({"current": 0}),
    "a sequence behind its end": goal("run", "behaviours", "at", value=99),
    "a node that writes itself": lambda saved: saved["tree"]["0"].pop("has"),
    "a status that is none": goal("status", value="READY"),
    "a status that is a number": goal("status", value=3),
    "a plan that is a text": goal("run", "plan", value="x"),
    "a plan of another domain": goal("run", "plan", "domain", value="house"),
    "a plan of another goal": goal("run", "plan", "goal", value="bark"),
    "a node that is none": goal("run", "plan", "nodes", 0, "node", value="trap"),
    "a task that is none": goal("run", "plan", "nodes", 0, "task", value="__class__"),
    "a method that is none": goal("run", "plan", "nodes", 0, "index", value=9),
    "an enum of Python": agent("beliefs", value=[["mood", None, {"enum": "Status", "name": "X"}]]),
    "a class called": agent("beliefs", value=[["bones", None, {"made": "Trap", "of": []}]]),
    "a class of Python": agent("beliefs", value=[["bones", None, {"made": "int", "of": [3]}]]),
    "a State called": agent("beliefs", value=[["bones", None, {"made": "Dog", "of": []}]]),
    "a value of another type": agent("beliefs", value=[["bones", None, "x"]]),
    "an index of another type": agent("beliefs", value=[["knows", 3, True]]),
    "a fluent that is none": agent("beliefs", value=[["__class__", None, True]]),
    "tuples that are nested too deep": agent("beliefs", value=[["bones", None, nested(900)]]),
    "ticks that are a truth": agent("ticks", value=True),
    "ticks below nothing": agent("ticks", value=-1),
    "a lease that is taken twice": agent("runtime", "own", value=[["tool", "tool"], []]),
    "a lease of a list": agent("runtime", "own", value=[[[3]], []]),
    "an abort of no goal": lambda saved: saved["aborts"]["Rex"].append({"goal": "7"}),
    "a step that stands nowhere": goal("run", "behaviours", "current", value=7),
    "a behaviour of no node": goal("run", "behaviours", "below", value=[{"node": 99}]),
    "a behaviour of a sequence": goal("run", "behaviours", "node", value=1),
    "a number of no node": goal("run", "tree", value=99),
    "a path of no node": goal("run", "paths", value=[[99, None]]),
    "a path inside of itself": goal("run", "paths", value=[["play", 0]]),
    "a part that is no part": goal("run", "instead", value=[[2, 0]]),
    "a part inside of itself": goal("run", "instead", value=[[3, 1]]),
    "a tick as a text": lambda saved: saved.update(ticks="x"),
    "a tree that is none": lambda saved: saved.update(tree=3),
    "agents that are none": lambda saved: saved.update(agents={"Rex": 3}),
    "a world that is none": lambda saved: saved.update(world=3),
    "what is nested too deep": agent("beliefs", value=json.loads("[" * 900 + "]" * 900)),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_a_crafted_save_is_refused_and_runs_nothing(text, name):
    RUN.clear()
    saved = json.loads(text)
    CRAFTED[name](saved)
    with pytest.raises(BthtnError) as refused:
        character().load(saved)
    assert len(refused.value.diagnostics) == 1
    assert len(str(refused.value)) < 600
    assert RUN == []


def test_the_save_that_is_changed_is_right_and_its_functions_are_the_new_ones(text):
    rex = character()
    rex.load(json.loads(text))
    assert rex.world.callback is canary
    rex.tick()


def test_a_save_names_nothing_that_could_be_imported(text):
    assert not any(name in text for name in (__name__, "bthtn.", "py_trees", "canary"))
