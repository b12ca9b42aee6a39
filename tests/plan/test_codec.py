"""Plans as JSON: the format that tools rely on, and values on their way to and from text."""

import json
import re
from enum import Enum
from typing import Any

import pytest
from hypothesis import given

from bthtn.domain.builder import Domain, Primitive, primitive
from bthtn.domain.method import Methods, method
from bthtn.domain.network import defer, parallel, pause, priority, sequence
from bthtn.errors import InputError
from bthtn.plan.codec import encoded, goal_value, json_value, tree_json, value_from
from bthtn.plan.nodes import (
    NULL_NODE,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.plan.walk import flat
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.planner import find_plan
from bthtn.planning.protocol import PlanRequest, Settings
from bthtn.testing.strategies import problems
from bthtn.world.declarations import fluent
from bthtn.world.expression import Parameter
from bthtn.world.fluent import Fluent
from bthtn.world.state import State
from bthtn.world.truth import UNKNOWN


class Gait(Enum):
    WALK = 1
    RUN = 2


class Place:
    def __repr__(self) -> str:
        return "<place>"


class World(State):
    lit: Fluent[bool] = fluent(default=False)


domain = Domain("house", World)
enter = domain.primitive("enter", precondition=World.lit)
knock = domain.primitive("knock")


@domain.primitive
def go(to: str, gait: Gait, times: int) -> Primitive:
    return primitive()


@domain.compound
def visit(who: str) -> Methods:
    yield method(priority(enter(), knock(), reactive=True), name="politely")


@domain.compound
def tour() -> Methods:
    yield method(
        parallel(go("hall", Gait.RUN, 2), knock(), policy="any"), visit("ann"), pause(), knock()
    )


def tree_of(goal: Any, **settings: Any) -> Any:
    plan = find_plan(domain, World(), goal, Settings(**settings))
    assert plan is not None
    return json.loads(encoded(plan))["tree"]


def test_a_plan_is_written_in_the_format_that_it_names():
    plan = find_plan(domain, World(), visit("ann"))
    assert json.loads(encoded(plan)) == {
        "format": "bthtn-plan/1",
        "domain": "house",
        "task": {"name": "visit", "args": ["ann"]},
        "record": [0, 1, 0],
        "cost": 1,
        "expansions": 3,
        "tree": {
            "node": "scope",
            "task": "visit",
            "args": ["ann"],
            "method": "politely",
            "index": 0,
            "child": {
                "node": "priority",
                "reactive": True,
                "dropped": [
                    {
                        "alternative": 0,
                        "task": "enter",
                        "reason": "enter: lit is false: lit = false",
                    }
                ],
                "children": [{"node": "task", "name": "knock", "args": []}],
            },
        },
    }


def test_a_flat_plan_has_no_scopes_and_no_composites_of_one():
    plan = find_plan(domain, World(), visit("ann"))
    tree = json.loads(encoded(plan, flat=True))["tree"]
    assert tree == {"node": "task", "name": "knock", "args": []}


def test_every_kind_of_node_has_its_own_form():
    tree = tree_of(tour())["child"]
    assert tree["node"] == "sequence"
    both, _, paused, rest = tree["children"]
    assert (both["node"], both["policy"]) == ("parallel", "any")
    assert both["children"][0] == {"node": "task", "name": "go", "args": ["hall", "RUN", 2]}
    assert paused == {"node": "null"}
    assert rest == {"node": "suspended", "cause": "pause", "tasks": ["knock"]}


def test_a_goal_that_is_no_single_task_stands_there_as_it_would_be_written():
    plan = find_plan(domain, World(), (knock(), defer(visit("bob"))))
    assert goal_value(plan.goal) == {"name": "(knock, defer(visit('bob')))", "args": []}


def test_a_goal_with_parameters_shows_their_values():
    assert goal_value(visit(Parameter("who", 0)), ("eve",)) == {"name": "visit", "args": ["eve"]}
    assert goal_value(go("hall", Gait.RUN, World.lit))["args"] == ["hall", "RUN", "lit"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        (3, 3),
        (0.5, 0.5),
        ("a", "a"),
        (None, None),
        (Gait.WALK, "WALK"),
        (UNKNOWN, "unknown"),
        (float("inf"), "inf"),
        (float("nan"), "nan"),
        (("a", 1), "('a', 1)"),
        (Place(), "<place>"),
    ],
)
def test_values_are_written_as_json_knows_them(value, expected):
    assert json_value(value) == expected


def as_data(node: Node) -> Any:
    """The format once more, as recursion would say it."""
    below = [as_data(child) for child in getattr(node, "children", ())]
    match node:
        case TaskNode():
            return {"node": "task", "name": node.task.name, "args": list(node.args)}
        case ScopeNode():
            args = {"task": node.task.name, "args": list(node.args), "method": node.name}
            args |= {"index": node.method} | ({"cost": node.cost} if node.cost else {})
            return {"node": "scope", **args, "child": as_data(node.child)}
        case SequenceNode():
            return {"node": "sequence", "children": below}
        case ParallelNode():
            return {"node": "parallel", "policy": node.policy.value, "children": below}
        case PriorityNode():
            extra: dict[str, Any] = {"reactive": True} if node.reactive else {}
            if node.dropped:
                extra["dropped"] = [
                    {"alternative": one.alternative, "task": one.text, "reason": one.reason}
                    for one in node.dropped
                ]
            return {"node": "priority", **extra, "children": below}
        case SuspendedNode():
            texts = str(node), node.rest
            assert texts
            return {"node": "suspended", "cause": str(node.cause), "tasks": None}
        case NullNode():
            return {"node": "null"}


def without_texts(data: Any) -> Any:
    if isinstance(data, list):
        return [without_texts(one) for one in data]
    if isinstance(data, dict):
        nothing = {"tasks": None} if data.get("node") == "suspended" else {}
        return {key: without_texts(value) for key, value in data.items()} | nothing
    return data


@given(problems())
def test_the_text_of_any_plan_is_its_tree(problem: PlanRequest):
    search = HtnSearch(problem)
    search.advance()
    if search.plan is not None:
        written = json.loads(encoded(search.plan))
        assert without_texts(written["tree"]) == as_data(search.plan.tree)
        assert json.loads(encoded(search.plan, flat=True))["tree"] == json.loads(
            tree_json(flat(search.plan.tree), problem.domain)
        )


def nesting(text: str) -> int:
    """How deep brackets are nested; they have to fit."""
    deepest, still_open = 0, []
    for bracket in re.findall(r"[\[\]{}]", re.sub(r'"(?:[^"\\]|\\.)*"', "", text)):
        if bracket in "[{":
            still_open.append(bracket)
            deepest = max(deepest, len(still_open))
        else:
            assert still_open.pop() + bracket in ("[]", "{}")
    assert not still_open
    return deepest


def test_ten_thousand_scopes_below_each_other_are_written():
    node: Node = TaskNode(knock)
    for _ in range(10_000):
        node = ScopeNode(visit, ("ann",), 0, SequenceNode((NULL_NODE, node)))
    text = tree_json(node, domain.freeze())
    assert text.count('"scope"') == 10_000
    assert nesting(text) == 30_002  # three a scope, two for the task


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (bool, "true", True),
        (bool, "False", False),
        (int, "-3", -3),
        (int, "'4'", 4),
        (float, "3", 3),
        (float, "0.5", 0.5),
        (str, "tokyo", "tokyo"),
        (str, '"new york"', "new york"),
        (str, r"'it\'s'", "it's"),
        (str, r"'\q'", r"\q"),
        (str, r"'\x'", r"\x"),
        (str, "3", "3"),
        (Gait, "RUN", Gait.RUN),
        (None, "3", 3),
        (None, "true", True),
        (None, "none", None),
        (None, "tokyo", "tokyo"),
        (None, "'3'", "3"),
        (object, "(1, 'a')", (1, "a")),
    ],
)
def test_a_text_is_read_as_the_type_of_its_parameter(kind, text, value):
    read = value_from(text, Parameter("x", 0, kind))
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("kind", "text", "hint"),
    [
        (bool, "maybe", "write true or false"),
        (int, "3.5", "write a whole number"),
        (float, "three", "write a number, such as 2.5"),
        (Gait, "RUNN", "did you mean 'RUN'?"),
        (Place, "hall", "values of type Place cannot be written as text"),
    ],
)
def test_a_text_of_another_type_is_refused_with_a_hint(kind, text, hint):
    with pytest.raises(InputError) as caught:
        value_from(text, Parameter("x", 0, kind))
    (fault,) = caught.value.diagnostics
    assert fault.code == "BT103"
    assert fault.message == f"'x' is {kind.__name__} and cannot be {text}"
    assert fault.hint == hint


def test_a_text_of_a_million_brackets_is_just_a_text():
    text = "(" * 1_000_000
    assert value_from(text, Parameter("x", 0)) == text
    with pytest.raises(InputError) as caught:
        value_from(text, Parameter("x", 0, int))
    assert len(str(caught.value)) < 200


def test_a_sequence_is_not_a_goal_that_is_a_task():
    assert goal_value(sequence(knock())) == {"name": "knock", "args": []}
