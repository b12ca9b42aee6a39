"""Choices and orders are shown as what they were written as."""

from textwrap import dedent

import pytest

from bthtn import (
    Domain,
    Fluent,
    Primitive,
    Settings,
    State,
    any_order,
    find_plan,
    first_of,
    fluent,
    method,
    one_of,
    optional,
    partial_order,
    primitive,
    random_of,
    repeat,
)
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.explain import explained, explanation_text
from bthtn.engine.planning.htn.listened import ListenedSearch
from bthtn.engine.planning.protocol import request
from bthtn.engine.text.plan_json import encoded
from bthtn.engine.text.tree import tree_text
from bthtn.studio.views.domain_drawing import domain_dot
from bthtn.studio.views.plan_drawing import plan_dot


class Site(State):
    wood: Fluent[int] = fluent(default=2)
    roof: Fluent[bool] = fluent(default=False)
    at: Fluent[str] = fluent(default="gate")


site = Domain("site", Site)
cover = site.primitive("cover", effects=Site.roof.becomes(True))
paint = site.primitive("paint", precondition=Site.roof)
saw = site.primitive("saw", precondition=Site.wood > 0, effects=Site.wood.decreases(1))
rest = site.primitive("rest")


@site.primitive
def walk(to: str) -> Primitive:
    return primitive(precondition=Site.at != to, effects=Site.at.becomes(to))


@site.compound
def build(who: str):
    spot = one_of(("gate", "hall"))
    yield method(
        walk(spot),
        partial_order("walls < roof", roof=(paint(), rest()), walls=cover()),
        repeat(Site.wood, saw()),
        first_of(walk(spot), optional(paint())),
    )
    yield method(random_of((1, rest())))


def shown(goal, settings=None, **values):
    plan = find_plan(site, Site(**values), goal, settings or Settings())
    return tree_text(plan.tree, plan.domain)


def text(lines):
    return dedent(lines).strip()


def test_a_plan_shows_what_was_chosen_and_orders_as_lists():
    assert shown(build("a")) == text("""
        build('a'), method 0
        └─ one_of: spot = 'hall'
           └─ sequence
              ├─ walk('hall')
              ├─ partial_order: walls, roof
              │  └─ sequence
              │     ├─ cover
              │     ├─ paint
              │     └─ rest
              ├─ repeat: 2 times
              │  └─ sequence
              │     ├─ saw
              │     └─ saw
              └─ first_of: optional(paint, …)
                 └─ optional: paint
                    └─ paint
    """)


def test_an_order_that_is_not_planned_to_the_end_shows_what_is_left():
    assert shown(any_order(rest(), saw(), cover()), Settings(horizon=2)) == text("""
        any_order: rest, saw
        └─ sequence
           ├─ rest
           ├─ saw
           └─ suspended (horizon), planned at run time: goal.any_order_1(3)
    """)


def test_nothing_to_repeat_is_nothing():
    assert shown(repeat(Site.wood, saw()), wood=0) == text("""
        repeat: often enough
        └─ null
    """)


def test_a_long_repetition_is_shown_as_a_list():
    plan = find_plan(site, Site(wood=3_000), repeat(Site.wood, saw()))
    lines = tree_text(plan.tree, plan.domain).splitlines()
    assert len(lines) == 3_002
    assert lines[-1] == "   └─ saw"
    assert len(plan_dot(plan).splitlines()) < 3 * 3_000 + 100


def test_without_scopes_only_what_is_done_is_shown():
    plan = find_plan(site, Site(wood=1), build("a"))
    assert "partial_order" not in tree_text(plan.tree, plan.domain, scopes=False)
    assert tree_text(plan.tree, plan.domain, scopes=False).count("saw") == 1


def test_a_picture_of_a_plan_names_its_frames_alike():
    plan = find_plan(site, Site(), build("a"))
    picture = plan_dot(plan)
    for frame in ("one_of: spot = 'hall'", "partial_order: walls, roof", "repeat: 2 times"):
        assert frame in picture
    assert picture.count("repeat:") == 1


def test_a_plan_in_json_keeps_every_decomposition():
    plan = find_plan(site, Site(), build("a"))
    said = encoded(plan)
    assert said.count('"task": "build.repeat_1"') == 3
    assert '"method": "spot = \'hall\'", "index": 1' in said
    assert '"task": "build.partial_order_1", "args": ["a", "hall", 0], "method": "walls"' in said


def test_a_picture_of_a_domain_shows_constructs_as_parts_of_methods():
    picture = domain_dot(site.freeze())
    nodes = [line for line in picture.splitlines() if "build.partial_order_1" in line]
    assert "partial_order('walls < roof', roof=(paint, rest), walls=cover)" in nodes[0]
    assert "dashed" in nodes[0]
    assert "roof is not done, walls is" in picture
    name = nodes[0].split()[0]
    arrows = [line for line in picture.splitlines() if f"-> {name}" in line]
    assert len(arrows) == 1, "what it is called by, and not itself"


def why_not(goal, **values):
    events = []
    ListenedSearch(request(site, Site(**values), goal), events.append).advance()
    return explanation_text(explained(events))


def test_an_explanation_names_what_was_tried_and_not_whose_turn_it_was():
    assert why_not(any_order(rest(), paint())) == text("""
        goal.any_order_1(0), method 0 'rest'
          goal.any_order_1(1), method 1 'paint'
            paint: roof is false: roof = false
        goal.any_order_1(0), method 1 'paint'
          paint: roof is false: roof = false
    """)


@pytest.mark.parametrize("goal", [first_of(paint(), walk("gate")), repeat(2, paint())])
def test_every_way_that_failed_is_explained(goal):
    assert "paint: roof is false" in why_not(goal)


def test_scopes_know_what_they_are_called_without_the_domain():
    plan = find_plan(site, Site(), build("a"))
    names = [node.name for _, node in preorder(plan.tree) if getattr(node, "name", "")]
    assert names[:2] == ["spot = 'hall'", "walls"]
    assert "one_of: spot = 'hall'" in tree_text(plan.tree)
