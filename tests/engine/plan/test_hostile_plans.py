"""Plans that somebody crafted: none runs code, each is read or refused once."""

import json
from copy import deepcopy
from enum import Enum

import pytest

from bthtn import (
    Domain,
    Fluent,
    FluentFamily,
    Settings,
    State,
    find_plan,
    fluent,
    fluents,
    method,
    pause,
    primitive,
)
from bthtn.errors import InputError
from bthtn.kit.formats import decoded, encoded
from bthtn.studio.views import plan_dot, tree_text
from bthtn.testing import replay

"""The longest that one plan may take."""
CALLED = []
"""What was called that a plan must not call."""


def canary(*args):
    CALLED.append(args)


class Mood(Enum):
    CALM = "calm"
    WILD = "wild"

    @classmethod
    def call(cls):
        canary(cls)


class Dog(State):
    bones: Fluent[int] = fluent(default=0)
    mood: Fluent[Mood] = fluent(default=Mood.WILD)
    at: FluentFamily[str, bool] = fluents(default=False)


yard = Domain("yard", Dog)


@yard.primitive
def go(place: str):
    return primitive(effects=Dog.at[place].becomes(True), duration=2)


dig = yard.primitive("dig", effects=Dog.bones.increases(1))


@yard.compound
def tour(place: str):
    yield method(go(place), pause(), dig())


yard = yard.freeze()
PLAN = find_plan(yard, Dog(), tour("hut"), Settings(check_rest=True))
WHOLE = json.loads(encoded(PLAN, complete=True))
GOAL, SCOPE, LEAF = WHOLE["network"], WHOLE["nodes"][0], WHOLE["nodes"][2]
NESTED = 3_000
"""Deeper than Python calls."""


def with_node(**changes):
    """A plan whose step says something else."""
    nodes = deepcopy(WHOLE["nodes"])
    nodes[2] |= changes
    return WHOLE | {"nodes": nodes}


def nested(value, around, times=NESTED):
    """A text of JSON with a value so deep inside: ``around`` are the texts before and behind it."""
    before, behind = around
    return before * times + value + behind * times


def text_of(data, **texts):
    """JSON in which some texts, which json would not write, stand in the place of names."""
    text = json.dumps(data)
    for name, written in texts.items():
        text = text.replace(f'"{name}"', written)
    return text


CODE = ("canary", "__import__", "__class__", "Mood.call", "open('canary', 'w')", "os.system")
LONG = "x" * 100_000
CONTROL = "\x1b[2J\x00\r\n\u202e\ud800"
DEEP_TUPLE = nested("1", ('{"tuple": [', "]}"))
DEEP_NETWORK = nested('{"null": 1}', ('{"sequence": [', "]}"))
DEEP_DEFER = nested(json.dumps(GOAL), ('{"now": true, "defer": ', "}"))

REFUSED = {
    "an array that is nested deeper than Python calls": "[" * 100_000,
    "an argument that is": text_of(with_node(args=["HERE"]), HERE=DEEP_TUPLE),
    "a network that is": text_of(WHOLE | {"network": "HERE"}, HERE=DEEP_NETWORK),
    "a deferred call that is": text_of(WHOLE | {"network": "HERE"}, HERE=DEEP_DEFER),
    "a thousand nodes below one that has none": WHOLE | {"nodes": [LEAF] * 1_000},
    "more nodes below one than there are": WHOLE | {"nodes": [SCOPE | {"below": 10**30}]},
    "fewer than none": WHOLE | {"nodes": [SCOPE | {"below": -1}]},
    "no node": WHOLE | {"nodes": []},
    "a text in the place of nodes": WHOLE | {"nodes": LONG},
    "an object in the place of nodes": WHOLE | {"nodes": {"0": SCOPE}},
    "nodes that are each inside of the other": WHOLE | {"nodes": [{"$ref": "#/nodes/0"}]},
    "a number with more digits than Python reads": text_of(
        WHOLE | {"expansions": "HERE"}, HERE="9" * 10_000
    ),
    "NaN of expansions": WHOLE | {"expansions": float("nan")},
    "infinitely many": WHOLE | {"expansions": float("inf")},
    "a text in the place of a duration": with_node(duration="9" * 100),
    "NaN of cost": with_node(cost=float("nan")),
    "NaN of duration, as bthtn writes it": with_node(duration={"float": "nan"}),
    "a duration below nothing": with_node(duration=-1),
    "a truth in the place of a cost": with_node(cost=True),
    "a record of names": WHOLE | {"record": list(CODE)},
    "an argument that is no value": with_node(args=[{"call": "canary", "args": []}]),
    "an argument of a class with code": with_node(args=[{"enum": "Mood", "name": "call"}]),
    "a member that is no member": with_node(args=[{"enum": "Mood", "name": "__class__"}]),
    "a fluent of Python": with_node(reads=[["__class__", None]]),
    "an index that is no index": with_node(reads=[["at", {"set": []}]]),
    "a body that is far behind the last one": WHOLE
    | {"network": {"place": ["tour", 10**30, 10**30]}},
    "a body before the first one": WHOLE | {"network": {"place": ["tour", 0, -1]}},
    "a goal with a name of 100,000 letters": WHOLE | {"goal": LONG},
    "a task with such a name": with_node(name=LONG),
    "a task whose name clears the screen": with_node(name=CONTROL),
    "a domain whose name does": WHOLE | {"domain": CONTROL},
    "a kind of node that does": with_node(node=CONTROL),
    "a format that does": WHOLE | {"format": CONTROL},
    "two names, of which the second is wrong": text_of(WHOLE)[:-1] + ', "domain": "canary"}',
    **{f"the task {code}": with_node(name=code) for code in CODE},
    **{f"a node {code}": with_node(node=code) for code in CODE},
    **{f"the goal {code}": WHOLE | {"network": {"call": code, "args": []}} for code in CODE},
}
READ = {
    "two names, of which the second is right": '{"domain": "canary", ' + text_of(WHOLE)[1:],
    "keys that nobody knows": WHOLE | {"__reduce__": ["os.system", ["touch canary"]]},
    "a text that clears the screen": with_node(args=[CONTROL]),
    "a text of 100,000 letters": with_node(args=[LONG]),
    "a number of a million digits": with_node(args=[{"hex": "f" * 1_000_000}]),
    "a resource that is code": with_node(uses=list(CODE)),
    "a step that reads a member nobody has heard of": with_node(reads=[["at", LONG]]),
}


def read(crafted):
    text = crafted if isinstance(crafted, str) else json.dumps(crafted)
    try:
        return decoded(text, yard)
    finally:
        assert CALLED == []


def test_what_is_crafted_is_right_itself():
    assert replay(read(WHOLE), Dog())


@pytest.mark.parametrize("name", REFUSED)
def test_a_crafted_plan_is_refused_with_one_error_in_plain_letters(name):
    with pytest.raises(InputError) as caught:
        read(REFUSED[name])
    assert len(caught.value.diagnostics) == 1
    said = str(caught.value)
    assert len(said) < 1_000
    assert not set(said) & set("\x1b\x00\r\ud800")


@pytest.mark.parametrize("name", READ)
def test_what_is_read_can_be_shown_and_judged_and_calls_nothing(name):
    plan = read(READ[name])
    assert plan_dot(plan).startswith("digraph")
    assert tree_text(plan.tree, plan.domain)
    replay(plan, Dog())
    assert CALLED == []


@pytest.mark.parametrize("name", ["a text that clears the screen", "a text of 100,000 letters"])
def test_a_step_that_the_domain_does_not_make_is_told_when_the_plan_is_replayed(name):
    assert not replay(read(READ[name]), Dog())
