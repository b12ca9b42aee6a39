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
from bthtn.behaviours import Agent, Character, ManualClock, Operators, PlanGoal
from bthtn.errors import BthtnError
from bthtn.saving.kinds import is_of_library
from bthtn.saving.loadable import ATTRIBUTES, CONSTANTS, GROUPS

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

    def resume(self, reader):
        canary("resume")

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
class Garden:
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


def entry(saved, name):
    """The first object of a class."""
    return next(one for one in saved["objects"] if one["is"].endswith(f":{name}"))


def set_to(of, name, value):
    """Puts a value into an attribute of the first object of a class."""

    def change(saved):
        entry(saved, of)["has"][name] = value

    return change


def added(made, of="Garden", name="holes"):
    """Adds an object, to which an attribute refers."""

    def change(saved):
        saved["objects"].append(dict(made))
        entry(saved, of)["has"][name] = ["ref", len(saved["objects"]) - 1]

    return change


def nested(depth):
    """A value of tuples in tuples."""
    value = 1
    for _ in range(depth):
        value = ["tuple", value]
    return value


HERE = __name__
CALLBACKS = [
    *(("Runtime", "_emit"), ("Review", "_avoided")),
    *(("Mount", "finished"), ("Mount", "_on_resumed"), ("PlanHooks", "on_refused")),
    *(("PendingRepair", "_on_error"), ("Garden", "callback")),
]
"""Where a character has functions."""
CODE = {
    "a function": ["function", "bthtn.planning.htn.generated:executed"],
    "a method": ["method", ["ref", 0], "close"],
    "a method of a class": ["method", ["part", "yard.state_class"], "mro"],
    "a part that is a function": ["part", "yard.tasks['bark'].precondition.function"],
    "a constant that is none": ["constant", "bthtn.planning.htn.generated:executed", "x"],
    "a class": ["part", "yard.state_class"],
    "an object": ["ref", 0],
    "nothing": None,
}
CRAFTED = {
    f"{kind} as {of}.{name}": set_to(of, name, value)
    for of, name in CALLBACKS
    for kind, value in CODE.items()
    if not (of == "PlanHooks" and kind == "nothing")
} | {
    "a partial": added({"is": "partial", "has": [["function", f"{HERE}:canary"], ["tuple"]]}),
    "a class of Python": added({"is": "subprocess:Popen", "has": {}}),
    "a function as a class": added({"is": "bthtn.planning.htn.generated:executed", "has": {}}),
    "a function of the package": added({"is": f"{HERE}:canary", "has": {}}),
    "a class of the library that is never saved": added(
        {"is": "bthtn.formats.project:Project", "has": {}}
    ),
    "a module of the package": added({"is": f"{HERE}:json.JSONDecoder", "has": {}}),
    "an attribute of a function": added({"is": f"{HERE}:canary.__globals__", "has": {}}),
    "an exception with other parts": added({"is": "exception", "has": [3]}),
    "an Enum": added({"is": f"{HERE}:Mood", "has": {}}),
    "a node that is not in the tree": added({"is": f"{HERE}:Bark", "has": {}}),
    "a method hidden": set_to("Garden", "step", 3),
    "a property set": set_to("Garden", "depth", 3),
    "the class": set_to("Garden", "__class__", 3),
    "the dictionary": set_to("Garden", "__dict__", ["ref", 0]),
    "a setter of an object made": added({"is": f"{HERE}:Trap", "has": {"speed": 9}}),
    "the class of an object made": added({"is": f"{HERE}:Trap", "has": {"__class__": 3}}),
    "a method of a node hidden": set_to("PlanGoal", "tick", 3),
    "a name that nothing has": set_to("PlanScope", "surprise", 3),
    "a part called": set_to("Garden", "holes", ["value", "yard.tasks['bark']", 3]),
    "a function called": set_to(
        "Garden", "holes", ["value", "yard.tasks['bark'].precondition.function", 3]
    ),
    "a state class called": set_to("Garden", "holes", ["value", "yard.state_class", 3]),
    "an Enum called": set_to("Garden", "holes", ["value", "beliefs of Rex", "CALM"]),
    "a member of what is no family": set_to("Garden", "holes", ["member", "yard", 3]),
    "an index of what is no Enum": set_to("Garden", "holes", ["enum", "yard.tasks", "bark"]),
    "a tuple that is none": set_to("Garden", "holes", ["named", f"{HERE}:Garden", 1, 2]),
    "a tuple of another length": set_to("Garden", "holes", ["named", f"{HERE}:Spot", 1]),
    "a tuple of the library": set_to("Garden", "holes", ["named", "bthtn.errors:Diagnostic", 1]),
    "a constant of a module": set_to("Garden", "holes", ["constant", "os:environ", "HOME"]),
    "a number that is none": set_to("Garden", "holes", ["float", "x"]),
    "dice that are none": added({"is": "Random", "has": 3}),
    "a dictionary of nothing": added({"is": "dict", "has": [3]}),
    "what is nested too deep": set_to("Garden", "holes", json.loads("[" * 900 + "]" * 900)),
    "tuples that are nested too deep": set_to("Garden", "holes", nested(5_000)),
    "an agent without beliefs": set_to("Agent", "beliefs", None),
    "a plan that is a text": set_to("PlanGoal", "plan", "x"),
    "a plan that is an agent": set_to("PlanGoal", "plan", ["ref", 0]),
    "a step that is a list": set_to("TaskLeaf", "node", ["ref", 0]),
    "a status that is a number": set_to("PlanGoal", "status", 3),
    "a number that is a truth": set_to("PlanRun", "ticks", True),
    "a run without an agent": set_to("PlanRun", "agent", None),
    "ticks as a text": lambda saved: saved.update(ticks="x"),
    "an object that is itself": lambda saved: saved.update(running=["ref", 0]),
    "objects that are none": lambda saved: saved.update(objects=3),
    "beliefs that are none": lambda saved: saved.update(beliefs={"Rex": 3}, objects=[]),
    "a world that is an agent": lambda saved: saved.update(world=["ref", 0]),
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


def test_an_object_of_the_world_s_package_is_made_without_its_code(text):
    RUN.clear()
    saved = json.loads(text)
    trap = {"is": f"{HERE}:Trap", "has": {"size": 3}, "own": {}}
    added(trap, name="trap")(saved)
    rex = character()
    rex.load(saved)
    assert object.__getattribute__(rex.world.trap, "size") == 3
    assert RUN == []


def test_the_save_that_is_changed_is_right_and_its_functions_are_the_new_ones(text):
    rex = character()
    rex.load(json.loads(text))
    assert rex.world.callback is canary
    assert not any(kind in text for kind in ('["function', '["method', '"partial', "generated"))


def test_the_table_names_only_classes_that_there_are_and_kinds_that_are_known():
    import sys  # noqa: PLC0415 - for this test

    from bthtn.saving import kinds  # noqa: PLC0415 - for this test

    character()
    known = {
        name
        for module, found in [*sys.modules.items()]
        if module.startswith(("bthtn", "py_trees"))
        for name, thing in [*vars(found).items()]
        if isinstance(thing, type) and is_of_library(thing)
    }
    for name in [*ATTRIBUTES, *CONSTANTS]:
        module, _, kind = name.partition(":")
        __import__(module)
        assert isinstance(getattr(sys.modules[module], kind), type), name
    for text in [*ATTRIBUTES.values(), *(group for group in GROUPS.values() if "=" in group)]:
        for attribute in text.split():
            if not attribute.startswith("@"):
                found = {kind for kind in attribute.partition("=")[2].split("|") if "@" not in kind}
                assert found <= known | kinds._NAMES.keys(), attribute
