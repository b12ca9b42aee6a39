"""The control nodes: which child is ticked, what is stopped for it, and when the node ends."""

import pytest
from py_trees.common import Status
from py_trees.composites import Selector
from py_trees.display import ascii_tree, dot_tree
from py_trees.trees import BehaviourTree
from py_trees.visitors import SnapshotVisitor

from bthtn import UNKNOWN
from bthtn.behaviours import IfThenElse, Parallel, Repeat, Switch, WhileDoElse
from bthtn.engine.agent.events import CodeFailed, PlanAborted
from bthtn.errors import ExecutionError
from bthtn.studio.testing.doubles import ticks
from bthtn.studio.testing.strategies import World
from bthtn.studio.views import behaviour_dot


def started(log):
    return [line for line in log if not line.startswith("tick")]


# thresholds: the scripts of the children, the two counts, the statuses of the node, who is ticked


@pytest.mark.parametrize(
    ("scripts", "counts", "statuses", "ticked"),
    [
        (["S", "RS", "S"], (-1, 1), "RS", "abcb"),  # all have to succeed
        (["S", "RRRR", "S"], (2, 1), "S", "abc"),
        (["R", "S", "S"], (1, 1), "S", "ab"),  # c is not begun
        (["R", "F", "S"], (1, 1), "F", "ab"),  # the first in their order decides
        (["F", "S", "R"], (1, 2), "S", "ab"),
        (["F", "RF", "RS"], (1, 2), "RF", "abcb"),
        (["F", "F", "R"], (2, 3), "F", "ab"),  # two cannot succeed any more
        (["F", "F", "RF"], (1, -1), "RF", "abcc"),
        (["S", "RF", "RS"], (-2, 2), "RS", "abcbc"),  # all but one
    ],
)
def test_a_parallel_counts_after_each_child(child, log, scripts, counts, statuses, ticked):
    children = [child(name, script) for name, script in zip("abc", scripts, strict=True)]
    root = Parallel("root", children, success_count=counts[0], failure_count=counts[1])
    assert ticks(root, len(statuses)) == statuses
    assert "".join(line[-1] for line in log if line.startswith("tick")) == ticked


def test_a_parallel_stops_what_still_runs_in_the_order_of_its_children(child, log):
    root = Parallel("root", [child("a", "R"), child("b", "R"), child("c", "RS")], success_count=1)
    assert ticks(root, 2) == "RS"
    assert log[-2:] == ["abort a", "abort b"]


def test_a_parallel_begins_all_children_anew_after_its_end(child, log):
    root = Parallel("root", [child("a", "S"), child("b", "RSRS")])
    assert ticks(root, 4) == "RSRS"
    assert started(log) == ["start a", "start b", "start a", "start b"]


@pytest.mark.parametrize(
    "counts", [{"success_count": 0}, {"success_count": 3}, {"failure_count": -3}]
)
def test_a_count_that_no_number_of_children_reaches_is_refused(child, counts):
    with pytest.raises(ExecutionError, match="of 2 children"):
        Parallel("root", [child("a", "S"), child("b", "S")], **counts)


# if, while


@pytest.mark.parametrize(
    ("condition", "has_else", "statuses", "ticked"),
    [
        ("S", True, "RS", ["if", "then", "then"]),
        ("F", True, "RF", ["if", "else", "else"]),
        ("F", False, "F", ["if"]),
        ("RS", True, "RRS", ["if", "if", "then", "then"]),
        ("RF", False, "RF", ["if", "if"]),
    ],
)
def test_if_then_else_asks_once(child, log, condition, has_else, statuses, ticked):
    otherwise = child("else", "RF") if has_else else None
    root = IfThenElse("root", child("if", condition), child("then", "RS"), otherwise)
    assert ticks(root, len(statuses)) == statuses
    assert [line.removeprefix("tick ") for line in log if line.startswith("tick")] == ticked


def test_if_then_else_asks_again_after_its_end(child, log):
    root = IfThenElse("root", child("if", "SF"), child("then", "S"), child("else", "S"))
    assert ticks(root, 2) == "SS"
    assert started(log) == ["start if", "start then", "start if", "start else"]


def test_if_then_else_asks_again_after_an_interruption(child, log):
    root = IfThenElse("root", child("if", "SF"), child("then", "R"), child("else", "R"))
    ticks(root, 1)
    root.stop(Status.INVALID)
    ticks(root, 1)
    assert started(log) == ["start if", "start then", "abort then", "start if", "start else"]


def test_while_do_else_stops_a_branch_before_the_other_begins(child, log):
    root = WhileDoElse("root", child("if", "SFS"), child("do", "R"), child("else", "R"))
    assert ticks(root, 3) == "RRR"
    assert [line for line in started(log) if "if" not in line] == [
        *("start do", "abort do", "start else", "abort else", "start do")
    ]


def test_while_do_else_without_else_fails_with_its_condition(child, log):
    root = WhileDoElse("root", child("if", "SF"), child("do", "R"))
    assert ticks(root, 2) == "RF"
    assert log[-1] == "abort do"
    assert not [node for node in root.iterate() if node.status is Status.RUNNING]


def test_a_branch_goes_on_beside_a_condition_that_takes_ticks(child, log):
    root = WhileDoElse("root", child("if", "SRS"), child("do", "RS"))
    assert ticks(root, 3) == "RRS"
    assert started(log) == ["start if", "start do", "start if"]


# switch


@pytest.fixture
def on_count(stage, child):
    """A switch with a case for 1 and for 2."""
    cases = {1: child("one", "R"), 2: child("two", "R")}
    return Switch("root", stage.agent(), World.count, cases, child("other", "R"))


def test_a_switch_changes_branches_when_its_variable_does(stage, on_count, log):
    for value in (1, 1, 2, 7, UNKNOWN):
        stage.actor.believe(World.count, value)
        on_count.tick_once()
    assert started(log) == ["start one", "abort one", "start two", "abort two", "start other"]
    assert on_count.tip().name == "other"


def test_a_switch_ends_with_its_branch_and_begins_it_anew(stage, child, log):
    root = Switch("root", stage.agent(), World.count, {0: child("one", "SRF")}, child("other", "R"))
    assert ticks(root, 3) == "SRF"
    assert started(log) == ["start one", "start one"]


def test_a_variable_that_raises_stops_the_branch_and_fails(stage, child, log):
    def variable(state):
        return 1 // (2 - state.count)

    root = Switch("root", stage.agent(), variable, {}, child("other", "R"))
    assert ticks(root, 1) == "R"
    stage.actor.believe(World.count, 2)
    assert ticks(root, 1) == "F"
    assert log[-1] == "abort other"
    assert "ZeroDivisionError" in root.feedback_message
    assert [event.code for event in stage.heard.of(CodeFailed)] == ["variable of 'root'"]


# goals below them


NODES = {
    "while": lambda stage, child, old, new: WhileDoElse("root", child("lit?", "SF"), old, new),
    "switch": lambda stage, child, old, new: Switch(
        "root", stage.actor, World.open, {False: old}, new
    ),
    "parallel": lambda stage, child, old, new: Selector(
        "root", memory=True, children=[Parallel("both", [old, child("alarm", "RF")]), new]
    ),
}


@pytest.mark.parametrize("kind", NODES)
@pytest.mark.parametrize("abort_ticks", [0, 2])
def test_a_goal_begins_when_the_steps_that_it_replaces_are_aborted(stage, child, kind, abort_ticks):
    walk = stage.step("walk", "R", abort_ticks=abort_ticks)
    run = stage.step("run", "R")
    old, new = stage.goal(walk, name="old"), stage.goal(run, name="new")
    root = NODES[kind](stage, child, old, new)
    tree = BehaviourTree(root)
    tree.add_pre_tick_handler(lambda _: stage.actor.sense())
    tree.tick()
    stage.actor.believe(World.open, True)
    stage.heard.clear()
    heard = []
    for _ in range(1 + abort_ticks):
        assert "start run" not in heard
        tree.tick()
        heard = stage.heard.lines()
    assert heard[-2:] == ["aborted walk", "start run"]


def test_the_reason_of_an_abort_names_what_decided_it(stage, child):
    goal = stage.goal(stage.step("walk", "R"))
    root = WhileDoElse("root", child("calm?", "SF"), goal)
    ticks(root, 2)
    assert [event.reason for event in stage.heard.of(PlanAborted)] == ["'calm?' failed"]


# displays


def test_displays_and_visitors_of_py_trees_show_them(child):
    branch = IfThenElse("choice", child("if", "S"), child("then", "R"))
    root = Repeat("thrice", Parallel("both", [branch, child("hum", "R")]), 3)
    seen = SnapshotVisitor()
    tree = BehaviourTree(root)
    tree.add_visitor(seen)
    tree.tick()
    assert {node.id for node in root.iterate()} == set(seen.visited)
    assert "choice [*]" in ascii_tree(root, show_status=True)
    assert len(dot_tree(root).get_nodes()) >= len(list(root.iterate()))


def test_pictures_say_what_kind_of_node_it_is_and_its_counts(child):
    branch = IfThenElse("choice", child("if", "S"), child("then", "R"))
    dot = behaviour_dot(Parallel("both", [branch, child("hum", "R")], failure_count=2))
    assert "IfThenElse" in dot
    assert "until 2 succeed or 2 fail" in dot
