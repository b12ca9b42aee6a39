"""What notebooks show of an object: text, and a picture where something draws it."""

import pytest

from bthtn import Domain, Fluent, State, find_plan, fluent
from bthtn.behaviours import Agent, Character, PlanGoal
from bthtn.errors import InputError
from bthtn.studio.views import notebook, show_in_notebooks


class Hall(State):
    lit: Fluent[bool] = fluent(default=False)


hall = Domain("hall", Hall)
switch = hall.primitive("switch", effects=Hall.lit.becomes(True))


def shown(thing):
    """As IPython asks for it."""
    return thing._repr_mimebundle_(include=None, exclude=None)


@pytest.fixture
def everything():
    """One of each that can be drawn."""
    goal = PlanGoal("light", Agent("Ann", hall, Hall(), body=None), switch())
    plan = find_plan(hall, Hall(), switch())
    return [plan, hall, hall.freeze(), goal, Character(goal, goal.agent)]


def test_every_object_is_shown_as_text(everything):
    for thing in [*everything, Hall(lit=True), Hall().frozen()]:
        assert shown(thing)["text/plain"]
    assert repr(everything[0]) in shown(everything[0])["text/plain"]


def test_all_but_states_are_drawn_where_that_is_wanted(everything, monkeypatch):
    monkeypatch.setattr(notebook, "picture", lambda dot, form: f"{form} of {dot}".encode())
    show_in_notebooks()
    assert "light [-]" in shown(everything[-1])["text/plain"]
    for thing in everything:
        drawn = shown(thing)["image/svg+xml"]
        assert drawn.startswith("svg of digraph")
        assert "switch" in drawn or "light" in drawn
    assert shown(Hall(lit=True)) == {"text/plain": "Hall(lit=true)"}
    plan = everything[0]
    assert shown(plan)["text/plain"] == f"{plan!r}\nswitch"


def test_without_graphviz_there_is_the_text(everything, monkeypatch):
    def missing(dot, form):
        raise InputError("BT407", "there is no program 'dot'")

    monkeypatch.setattr(notebook, "picture", missing)
    show_in_notebooks()
    for thing in everything:
        assert set(shown(thing)) == {"text/plain"}
