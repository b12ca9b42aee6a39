"""Plan trees as text."""

import pytest

from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.plan.nodes import (
    NULL_NODE,
    Dropped,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    TaskNode,
)
from bthtn.engine.planning.planner import find_plan
from bthtn.engine.planning.protocol import Settings
from bthtn.engine.text.tree import ASCII, one_line, tree_text
from bthtn.examples.domains.combat.domain import Soldier, combat, fight

A, B = TaskNode(PrimitiveTask("a")), TaskNode(PrimitiveTask("b"))


def plan_for(horizon=None, **state):
    return find_plan(combat, Soldier(target=True, **state), fight(), Settings(horizon=horizon))


def test_a_plan_is_a_tree_of_lines():
    plan = plan_for(cover=True, ammo=False)
    assert (
        tree_text(plan.tree, plan.domain)
        == """\
fight, method 1
└─ fight_from_cover, method 0
   └─ sequence
      ├─ parallel
      │  ├─ take_cover, method 1
      │  │  └─ sequence
      │  │     ├─ move_to_cover
      │  │     └─ cover
      │  └─ prepare_combat, method 0
      │     └─ sequence
      │        ├─ wait(3)
      │        └─ reload
      └─ priority, chosen at run time
         ├─ no_line_of_fire
         └─ shoot"""
    )


def test_scopes_can_be_left_out():
    plan = plan_for(ammo=True)
    assert (
        tree_text(plan.tree, plan.domain, scopes=False)
        == """\
sequence
├─ do_nothing
└─ parallel
   ├─ keep_distance
   └─ shoot"""
    )


def test_a_screen_without_unicode_gets_a_tree_too():
    text = tree_text(plan_for(cover=True, ammo=False, magazine=False).tree, strokes=ASCII)
    assert text.isascii()
    assert "|  |- take_cover, method 1\n" in text
    assert "`- x shoot, not possible: target and ammo is false" in text


def test_what_is_suspended_says_why_and_what():
    text = tree_text(plan_for(cover=True, ammo=False, horizon=2).tree)
    line = "suspended (horizon), planned at run time: priority(no_line_of_fire, shoot)"
    assert text.endswith(f"└─ {line}")


def test_what_was_checked_says_so():
    settings = Settings(horizon=2, check_rest=True)
    soldier = Soldier(target=True, cover=True, ammo=False)
    text = tree_text(find_plan(combat, soldier, fight(), settings).tree)
    line = "suspended (horizon), checked, planned at run time: priority(no_line_of_fire, shoot)"
    assert text.endswith(f"└─ {line}")


def test_lost_alternatives_stand_where_they_were_written():
    lost = [Dropped(0, "x", "x: no"), Dropped(2, "y", "late")]
    tree = PriorityNode((A, B), (1, 3), reactive=True, dropped=tuple(lost))
    assert tree_text(tree).splitlines() == [
        "priority reactive, chosen at run time",
        "├─ ✗ x, not possible: no",
        "├─ a",
        "├─ ✗ y, not possible: late",
        "└─ b",
    ]


def test_a_method_is_told_by_its_name_where_the_domain_knows_one():
    task = combat.freeze().tasks["fight"]
    assert tree_text(ScopeNode(task, (), 1, NULL_NODE), combat.freeze()).startswith(
        "fight, method 1\n"
    )
    assert tree_text(ScopeNode(task, (), 7, NULL_NODE)).startswith("fight, method 7\n")


def test_names_cannot_break_lines_or_reach_the_terminal():
    tree = SequenceNode((TaskNode(PrimitiveTask("a\nb\x1b[31m")), A))
    assert tree_text(tree).splitlines() == ["sequence", r"├─ a\nb\x1b[31m", "└─ a"]


@pytest.mark.parametrize(
    ("text", "line"), [("射線 ×", "射線 ×"), ("\ud800", r"\ud800"), ("\u2028", r"\u2028"), ("", "")]
)
def test_only_what_cannot_be_printed_is_escaped(text, line):
    assert one_line(text) == line


def test_what_is_nested_too_deep_to_be_read_is_counted():
    tree: Node = A
    for _ in range(10_000):
        tree = ParallelNode((tree, B), ParallelPolicy.ANY)
    lines = tree_text(tree).splitlines()
    assert sum("… and 19881 nodes more" in line for line in lines) == 1
    assert len(lines) == 121
