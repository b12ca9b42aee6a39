"""What py_trees' own displays show of a plan: compound tasks, and how each node has ended."""

import py_trees
import pytest
from py_trees.common import Status
from py_trees.display import ascii_tree, dot_tree, unicode_tree, xhtml_tree
from py_trees.trees import BehaviourTree
from py_trees.visitors import SnapshotVisitor

from bthtn import method, parallel, priority
from bthtn.engine.behaviours.status import ABORTED, DONE
from bthtn.engine.plan import leaves
from bthtn.engine.replanning.rest import INVALID, RUNNING
from bthtn.studio.testing.strategies import World


def shown(root):
    """Status and message of every node of the displayed tree, by name."""
    lines = (
        line.strip().split(" ", 1)[1]
        for line in ascii_tree(root, show_status=True).split("\n")
        if line
    )
    return dict(line.split(" [", 1) for line in lines)


@pytest.fixture
def guard(stage):
    """A goal with two compound tasks, a race and a choice, in a tree of its own."""
    look = stage.compound("look", lambda: [method(race, name="both ways")])
    race = parallel(stage.step("walk", "R"), stage.step("listen", "S"), policy="any")
    shout = stage.step("shout", "S", exec_only=World.open)
    alarm = stage.compound("alarm", lambda: [method(priority(shout, whistle))])
    whistle = stage.step("whistle", "R")
    report = stage.step("report", "S")
    watch = stage.compound("watch", lambda: [method(look, alarm, report)])
    return stage.goal(watch)


@pytest.mark.parametrize("display", [ascii_tree, unicode_tree, xhtml_tree])
def test_every_display_names_the_compound_tasks(guard, display):
    guard.tick_once()
    text = display(guard, show_status=True)
    assert [name for name in ("watch", "look", "alarm") if f"{name} [" in text] == [
        *("watch", "look", "alarm")
    ]


def test_compound_tasks_are_nodes_in_py_trees_dot(guard):
    guard.tick_once()
    edges = {(edge.get_source(), edge.get_destination()) for edge in dot_tree(guard).get_edges()}
    assert {("goal", "watch"), ("watch", "look"), ("watch", "alarm"), ("watch", "report")} <= edges


def test_a_snapshot_has_the_statuses_of_compound_tasks(guard):
    tree, seen = BehaviourTree(guard), SnapshotVisitor()
    tree.add_visitor(seen)
    tree.tick()
    statuses = {node.name: seen.visited.get(node.id) for node in guard.iterate()}
    assert statuses["watch"] is statuses["alarm"] is Status.RUNNING
    assert statuses["look"] is Status.SUCCESS
    assert statuses["report"] is None


def test_aborted_failed_and_never_run_look_different(guard):
    guard.tick_once()
    now = shown(guard)
    assert now["walk"] == "-] -- aborted"
    assert now["listen"] == "o]"
    assert now["shout"] == "x] -- open is false: open = false"
    assert now["report"] == "-]"


def test_a_refused_alternative_keeps_its_mark_while_another_runs(guard):
    for _ in range(4):
        guard.tick_once()
        assert shown(guard)["shout"] == "x] -- open is false: open = false"


def test_after_an_interruption_everything_shows_how_far_it_came(guard):
    guard.tick_once()
    guard.stop(Status.INVALID)
    now = shown(guard)
    assert now["goal"] == now["watch"] == now["alarm"] == f"-] -- {ABORTED}"
    assert now["priority"] == now["walk"] == now["whistle"] == f"-] -- {ABORTED}"
    assert now["look"] == now["listen"] == f"-] -- {DONE}"
    assert now["shout"] == "-] -- open is false: open = false"
    assert now["report"] == "-]"


def test_a_step_that_only_waited_has_not_been_aborted(stage):
    first, second = (stage.step(name, "R", uses="legs") for name in "ab")
    stage.goal(first).tick_once()
    other = stage.goal(second, name="other")
    other.tick_once()
    assert shown(other)["b"].startswith("*] -- waits until 'a #1' of 'goal'")
    other.stop(Status.INVALID)
    assert shown(other)["b"] == "-]"


def test_marks_are_gone_when_a_node_starts_anew(stage):
    shout = stage.step("shout", "S", exec_only=World.open)
    subtree = (priority(shout, stage.step("whistle", "S")), stage.step("end", "RS"))
    goal = stage.goal(subtree)
    goal.tick_once()
    (sequence,) = goal.children
    assert shown(sequence)["shout"].startswith("x]")
    sequence.stop(Status.INVALID)
    stage.actor.believe(World.open, True)
    sequence.tick_once()
    now = shown(sequence)
    assert (now["shout"], now["whistle"]) == ("o]", "-]")


def test_an_alternative_behind_the_chosen_one_keeps_its_mark_in_a_reactive_choice(stage):
    first = stage.step("a", "R", exec_only=World.open)
    second = stage.step("b", "S", exec_only=World.armed)
    goal = stage.goal(priority(first, second, stage.step("c", "R"), reactive=True))
    goal.tick_once()
    stage.actor.believe(World.open, True)
    goal.tick_once()
    now = shown(goal)
    assert now["a"] == "*]"
    assert now["b"].startswith("x] -- armed is false")
    assert now["c"] == f"-] -- {ABORTED}"


def test_an_alternative_behind_the_chosen_one_counts_as_ahead_whatever_its_mark(stage):
    first = stage.step("a", "R", exec_only=World.open)
    second = stage.step("b", "S", exec_only=World.armed)
    goal = stage.goal(priority(first, second, stage.step("c", "R"), reactive=True))
    goal.tick_once()
    stage.actor.believe(World.open, True)
    goal.tick_once()
    rest = goal._mount.rest()
    statuses = {str(step): rest.status(step) for step in leaves(goal.plan.tree)}
    assert statuses == {"a": RUNNING, "b": INVALID, "c": INVALID}


def test_plans_look_right_below_any_composite(guard):
    root = py_trees.composites.Selector("top", memory=False, children=[guard])
    root.tick_once()
    assert shown(root)["alarm"] == "*]"
