"""Hostile names of agents, goals, nodes and values in all pictures and recordings of a tree."""

import json
import re

import pytest
from py_trees.behaviours import Success
from py_trees.composites import Sequence

from bthtn import Domain, Fluent, Methods, State, fluent, method, primitive
from bthtn.behaviours import Agent, PlanGoal
from bthtn.kit.recording import Snapshots, event_data
from bthtn.studio.views import behaviour_dot, html_page, plan_dot, plan_tree

NAMES = {
    "a script": "</script><script>alert(1)</script>",
    "quotes": "\"'`\\",
    "line breaks": "one\ntwo\r\u2028three",
    "ten thousand characters": "x" * 10_000,
    "right to left": "\u202eאבג\u202c",
    "nothing": "",
}


class Believer(State):
    name: Fluent[str] = fluent(default="")


draft = Domain("believers", Believer)


@draft.primitive
def call(name: str):
    return primitive(effects=Believer.name.becomes(name))


@draft.compound
def greet(name: str) -> Methods:
    yield method(call(name))


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_a_hostile_name_can_be_drawn_and_recorded(name, read_dot, accepted):
    events = []
    agent = Agent(name, draft, Believer(), body=None, listener=events.append)
    goal = PlanGoal(name, agent, greet(name))
    root = Sequence(name, memory=True, children=[goal, Success(name)])
    root.tick_once()
    tree = Snapshots(root).whole()
    dots = [behaviour_dot(root, title=name, status=True), plan_dot(goal.plan, legend=True)]
    for dot in dots:
        assert read_dot(dot).nodes
        accepted(dot)
    page = html_page(name, {name: tree, "plan": plan_tree(goal.plan, Believer())})
    assert len(re.findall("<script", page)) == 3
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert data["trees"][0]["tree"] == tree
    for event in events:
        plain = event_data(event)
        assert json.loads(json.dumps(plain)) == plain
    assert any(getattr(event, "change", None) for event in events) == bool(name)
