"""Plans as JSON: what programs that are not bthtn read of them."""

import json
from enum import Enum
from typing import Any

import pytest
from hypothesis import given

from bthtn.engine.domain.builder import Domain, Primitive, primitive
from bthtn.engine.domain.method import Methods, method
from bthtn.engine.domain.network import defer, parallel, pause, priority, sequence
from bthtn.engine.plan.nodes import (
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
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.plan.walk import outline
from bthtn.engine.planning.htn.search import HtnSearch
from bthtn.engine.planning.planner import find_plan
from bthtn.engine.planning.protocol import PlanRequest, Settings
from bthtn.engine.text.plan_json import decoded, encoded, goal_value
from bthtn.engine.world.declarations import fluent
from bthtn.engine.world.expression import Parameter
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.state import FrozenState, State
from bthtn.errors import InputError
from bthtn.studio.testing.strategies import problems
from tests.told import tree_told


class Gait(Enum):
    WALK = 1
    RUN = 2


class World(State):
    lit: Fluent[bool] = fluent(default=False)


domain = Domain("house", World)
enter = domain.primitive("enter", precondition=World.lit)
knock = domain.primitive("knock", effects=World.lit.becomes(True), cost=4)


@domain.primitive
def go(to: str, gait: Gait, times: int) -> Primitive:
    return primitive()


@domain.primitive
def take(what: object) -> Primitive:
    return primitive()


@domain.compound
def visit(who: str) -> Methods:
    yield method(priority(enter(), knock(), reactive=True), name="politely")


@domain.compound
def tour() -> Methods:
    yield method(
        parallel(go("hall", Gait.RUN, 2), knock(), policy="any"), visit("ann"), pause(), knock()
    )


HOUSE = domain.freeze()


def plan_for(goal: Any, **settings: Any) -> Plan:
    plan = find_plan(HOUSE, World(), goal, Settings(**settings))
    assert plan is not None
    return plan


def test_a_plan_is_written_in_the_format_that_it_names():
    assert json.loads(encoded(plan_for(visit("ann")))) == {
        "format": "bthtn-plan/2",
        "domain": "house",
        "task": {"name": "visit", "args": ["ann"]},
        "goal": "visit('ann')",
        "network": {"call": "visit", "args": ["ann"]},
        "cost": 4,
        "binding": [],
        "record": [0, 1, 0],
        "expansions": 3,
        "predicted": [["lit", None, True]],
        "nodes": [
            {
                "node": "scope",
                "task": "visit",
                "args": ["ann"],
                "method": "politely",
                "index": 0,
                "below": 1,
            },
            {
                "node": "priority",
                "kept": [1],
                "reactive": True,
                "dropped": [[0, "enter", "enter: lit is false: lit = false"]],
                "below": 1,
            },
            {
                "node": "task",
                "name": "knock",
                "args": [],
                "cost": 4,
                "writes": [["lit", None, "constant", True]],
            },
        ],
    }


def test_a_flat_plan_has_no_scopes_and_no_composites_of_one():
    (node,) = json.loads(encoded(plan_for(visit("ann")), flat=True))["nodes"]
    assert (node["node"], node["name"]) == ("task", "knock")


def test_every_kind_of_node_has_its_own_form():
    tree = tree_told(json.loads(encoded(plan_for(tour()))))["children"][0]
    assert tree["node"] == "sequence"
    both, _, paused, rest = tree["children"]
    assert (both["node"], both["policy"]) == ("parallel", "any")
    walk = {"node": "task", "name": "go", "children": []}
    run = {"enum": "Gait", "name": "RUN"}
    assert both["children"][0] == walk | {"args": ["hall", run, 2]}
    assert paused == {"node": "null", "children": []}
    assert (rest["node"], rest["cause"]) == ("suspended", ["pause", "", False])
    assert (rest["tasks"], rest["rest"]) == (["knock"], [{"place": ["tour", 0, 6]}])


def test_a_goal_that_is_no_single_task_stands_there_as_it_would_be_written():
    goal = plan_for((knock(), defer(visit("bob")))).goal
    assert goal_value(goal) == {"name": "(knock, defer(visit('bob')))", "args": []}
    assert goal_value(sequence(knock())) == {"name": "knock", "args": []}


def test_a_goal_with_parameters_shows_their_values():
    assert goal_value(visit(Parameter("who", 0)), ("eve",)) == {"name": "visit", "args": ["eve"]}
    assert goal_value(go("hall", Gait.RUN, World.lit))["args"] == ["hall", "RUN", "lit"]


class Thing:
    def __repr__(self) -> str:
        return "<thing>"


def test_a_value_that_cannot_be_made_again_is_shown_and_refused_when_it_is_read():
    text = encoded(plan_for(take(Thing())))
    assert json.loads(text)["nodes"][0]["args"] == [{"text": "<thing>"}]
    with pytest.raises(InputError, match=r"give it: decoded\(text, domain, goal=…\)"):
        decoded(text, HOUSE)
    with pytest.raises(InputError, match="a value cannot be read"):
        decoded(text, HOUSE, goal=take(Thing()))


def test_what_a_plain_function_promises_is_shown_and_refused_as_complete():
    cellar = Domain("cellar", World)
    step = cellar.primitive("step")

    @cellar.compound
    def descend() -> Methods:
        yield method(lambda state: [step(), defer(step(), ensures=World.lit.becomes(True))])

    plan = find_plan(cellar, World(), descend(), Settings(horizon=1))
    assert plan is not None
    waits = json.loads(encoded(plan))["nodes"][-1]
    assert (waits["tasks"], waits["rest"]) == (["defer(step)"], [{"text": "defer(step)"}])
    with pytest.raises(InputError, match="cannot be written into a complete plan"):
        encoded(plan, complete=True)


def as_data(node: Node) -> Any:
    """The kinds, names and methods of the format once more, as recursion would say it."""
    below = [as_data(child) for child in getattr(node, "children", ())]
    match node:
        case TaskNode():
            return ["task", node.task.name]
        case ScopeNode():
            return ["scope", node.task.name, node.name, node.method, as_data(node.child)]
        case SequenceNode():
            return ["sequence", *below]
        case ParallelNode():
            return ["parallel", node.policy.value, *below]
        case PriorityNode():
            return ["priority", *node.kept, node.reactive, *below]
        case SuspendedNode():
            return ["suspended", node.cause.kind.value, len(node.rest)]
        case NullNode():
            return ["null"]


def told_data(node: dict[str, Any]) -> Any:
    below = [told_data(child) for child in node["children"]]
    match node["node"]:
        case "task":
            return ["task", node["name"]]
        case "scope":
            return ["scope", node["task"], node["method"], node["index"], *below]
        case "parallel":
            return ["parallel", node["policy"], *below]
        case "priority":
            return ["priority", *node["kept"], node.get("reactive", False), *below]
        case "suspended":
            return ["suspended", node["cause"][0], len(node["tasks"])]
        case kind:
            return [kind, *below]


@given(problems())
def test_the_text_of_any_plan_is_its_tree(problem: PlanRequest):
    search = HtnSearch.of(problem)
    search.advance()
    if search.plan is not None:
        told = json.loads(encoded(search.plan))
        assert told_data(tree_told(told)) == as_data(search.plan.tree)
        flat = json.loads(encoded(search.plan, flat=True))
        assert told_data(tree_told(flat)) == as_data(search.plan.flat())


def test_thousands_of_scopes_below_each_other_are_written_and_read():
    node: Node = TaskNode(knock)
    for _ in range(3_000):
        node = ScopeNode(visit, ("ann",), 0, SequenceNode((NULL_NODE, node)))
    record, predicted = MethodTraversalRecord(), FrozenState({})
    plan = Plan(HOUSE, visit("ann"), (), node, record, predicted)
    assert outline(decoded(encoded(plan), HOUSE).tree) == outline(node)
