"""Plans, domains and searches as trees of plain data."""

import json

from hypothesis import given

from bthtn import Domain, Methods, State, defer, method, primitive
from bthtn.engine.plan import leaves
from bthtn.engine.plan.nodes import ScopeNode
from bthtn.engine.plan.walk import preorder
from bthtn.engine.planning.planner import find_plan, search_for
from bthtn.engine.planning.protocol import PlanRequest, request
from bthtn.engine.planning.trace import (
    AlternativeDropped,
    BranchesConflict,
    MethodEntered,
    PlanningSuspended,
    TaskPlanned,
    TaskRejected,
)
from bthtn.examples.domains.club.domain import Fighter
from bthtn.examples.domains.club.domain import club as warrior
from bthtn.examples.domains.combat.domain import Soldier, combat, fight
from bthtn.studio.testing.strategies import problems
from bthtn.studio.views.domain_drawing import domain_tree
from bthtn.studio.views.dot import EDGES, LOOKS
from bthtn.studio.views.plan_nodes import plan_tree
from bthtn.studio.views.search_nodes import search_tree


class World(State):
    lit: bool = False


def below(tree):
    """All nodes of a tree from top to bottom."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node["children"]))


def named(tree, name):
    return next(node for node in below(tree) if node["name"] == name)


def names(node):
    return [child["name"] for child in node["children"]]


def check_form(tree):
    """It is JSON, its numbers are all different, and its kinds and edges have looks."""
    assert json.loads(json.dumps(tree)) == tree
    nodes = list(below(tree))
    assert len({node["id"] for node in nodes}) == len(nodes)
    assert {node["kind"] for node in nodes} <= LOOKS.keys()
    assert {node["edge"] for node in nodes} <= EDGES.keys()
    assert {node["refers"] for node in nodes if "refers" in node} <= {node["id"] for node in nodes}


def combat_plan():
    return find_plan(combat, Soldier(target=True, cover=True, ammo=False), fight())


def test_a_plan_has_its_compound_tasks_with_their_methods_as_nodes():
    tree = plan_tree(combat_plan())
    check_form(tree)
    assert (tree["kind"], tree["name"], tree["below"]) == ("compound", "fight", "method 1")
    (cover,) = tree["children"]
    assert cover["name"] == "fight_from_cover"
    assert names(cover["children"][0]) == ["parallel", "priority"]
    choice = named(tree, "priority")["children"]
    assert [node["edge"] for node in choice] == ["choice", "choice"]


def test_a_step_has_the_values_that_it_is_predicted_to_write():
    plan = combat_plan()
    tree = plan_tree(plan, Soldier(target=True, cover=True, ammo=False))
    assert named(tree, "reload")["state"] == {"ammo": "true"}
    assert named(tree, "no_line_of_fire")["state"] == {}
    assert "state" not in named(plan_tree(plan), "reload")


@given(problems())
def test_every_step_of_a_plan_is_a_node_in_its_order(problem: PlanRequest):
    search = search_for(problem)
    search.advance()
    if search.plan is None:
        return
    tree = plan_tree(search.plan, problem.state)
    check_form(tree)
    steps = [node["name"] for node in below(tree) if "state" in node]
    assert sorted(steps) == sorted(map(str, leaves(search.plan.tree)))


def test_a_domain_shows_below_a_task_what_its_methods_call_and_that_once():
    tree = domain_tree(combat.freeze())
    check_form(tree)
    assert names(tree) == ["fight"]
    assert names(named(tree, "fight")) == ["0: when not target", "1: when cover", "2: always"]
    first, second = (node for node in below(tree) if node["name"] == "prepare_combat")
    assert names(first) == ["0: when not ammo", "1: always"]
    assert (names(second), second["refers"]) == ([], first["id"])
    tasks = {node["name"].partition("(")[0] for node in below(tree)}
    assert set(combat.freeze().tasks) <= tasks


def test_a_task_that_calls_itself_refers_to_itself():
    draft = Domain("round", World)

    @draft.primitive
    def walk():
        return primitive()

    @draft.compound
    def patrol() -> Methods:
        yield method(walk(), defer(patrol()))

    tree = domain_tree(draft.freeze())
    check_form(tree)
    (outer,) = tree["children"]
    inner = outer["children"][0]["children"][1]
    assert (inner["name"], inner["edge"], inner["refers"]) == ("patrol", "deferred", outer["id"])


def searched(problem):
    events = []
    search = search_for(problem, events.append)
    search.advance()
    return search.plan, events


UNCLEAR = (PlanningSuspended, BranchesConflict, AlternativeDropped)
"""After these, methods were entered that are not in the plan, and no event says which."""


def is_clear(problem, events):
    """Whether each method that was entered and not left is in the plan.

    Not where the rest is checked: what the plan leaves open is planned in the same search, too.
    """
    return not problem.settings.check_rest and not any(isinstance(one, UNCLEAR) for one in events)


def chosen(tree):
    """Indices of the methods that were chosen, as far as the tree says."""
    return [int(node["name"].split()[1]) for node in below(tree) if node["kind"] == "method"]


def test_a_search_shows_what_it_rejected_with_the_reason():
    plan, events = searched(request(warrior, Fighter(), warrior.attack()))
    tree = search_tree(events, "attack", found=plan is not None)
    check_form(tree)
    first, second = tree["children"][0]["children"]
    assert (first["kind"], first["below"]) == ("dropped", "tried, and left again")
    assert names(first) == ["roar", "club"]
    assert "distance = FAR" in first["children"][1]["below"]
    assert (plan, names(second)) == (None, ["scratch"])


@given(problems())
def test_the_methods_that_a_search_has_not_left_are_those_of_its_plan(problem: PlanRequest):
    plan, events = searched(problem)
    tree = search_tree(events, "goal", found=plan is not None)
    check_form(tree)
    if plan is None:
        assert not chosen(tree)
    elif is_clear(problem, events):
        scopes = [node for _, node in preorder(plan.tree) if isinstance(node, ScopeNode)]
        assert sorted(chosen(tree)) == sorted(node.method for node in scopes)


def test_of_a_long_search_the_beginning_is_shown():
    events = [TaskPlanned("step", 0)] * 100
    tree = search_tree(events, "goal", found=True, most=11)
    assert len(tree["children"]) == 10
    assert "only its beginning" in tree["below"]


def test_an_alternative_that_is_dropped_takes_its_methods_along():
    events = [
        MethodEntered("fight", 0, "", 0),
        MethodEntered("strike", 0, "", 1),
        TaskRejected("swing", "swing: club is false", 2),
        AlternativeDropped(0, "strike", 1),
        MethodEntered("shoot", 1, "", 1),
    ]
    tree = search_tree(events, "fight", found=True)
    assert chosen(tree) == [0, 1]
    assert named(tree, "strike")["children"][0]["kind"] == "dropped"
