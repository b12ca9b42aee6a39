"""Running trees as plain data: whole, and what changes from tick to tick."""

import json
import sys
from collections import Counter
from unittest.mock import patch

import pytest
from py_trees.behaviours import Success
from py_trees.composites import Sequence

from bthtn.kit.recording.snapshot import Snapshots, updated
from bthtn.studio.testing.characters import character_of
from bthtn.studio.testing.locate import TargetKind, all_of

TREES = {
    one.name: one
    for one in all_of(TargetKind.TREE)
    if one.name in ("soldier", "squad", "sentry", "brawler")
}


def nodes(tree):
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node["children"]))


def through_json(change):
    return None if change is None else json.loads(json.dumps(change))


@pytest.mark.parametrize("name", TREES)
@patch.dict(sys.modules)
def test_the_changes_of_every_tick_make_the_tree_as_it_is(name):
    character = character_of(TREES[name], 1)
    snapshots, tree, kinds = Snapshots(character.root), None, Counter()
    while not character.finished and character.ticks < 25:
        character.tick()
        change = through_json(snapshots.change())
        kinds.update(list(change or ["nothing"]))
        tree = updated(tree, change)
        assert tree == snapshots.whole()
        whole = Snapshots(character.root).whole()
        assert [one | {"id": 0} for one in map(without_children, nodes(tree))] == [
            one | {"id": 0} for one in map(without_children, nodes(whole))
        ]
    character.stop()
    assert kinds["tree"] == 1
    assert kinds["graft"] >= 1
    assert kinds["status"] >= 1


def without_children(node):
    return node | {"children": len(node["children"])}


@patch.dict(sys.modules)
def test_a_node_keeps_its_number_and_no_other_gets_it():
    character = character_of(TREES["soldier"], 1)
    snapshots, tree, names = Snapshots(character.root), None, {}
    while not character.finished:
        character.tick()
        tree = updated(tree, through_json(snapshots.change()))
        numbers = [node["id"] for node in nodes(tree)]
        assert len(numbers) == len(set(numbers))
        for node in nodes(tree):
            assert names.setdefault(node["id"], node["name"]) == node["name"]
    assert len(names) > len(numbers), "several plans were mounted"
    character.stop()


@patch.dict(sys.modules)
def test_a_step_names_its_task_and_path_and_a_decomposition_its_source():
    character = character_of(TREES["soldier"], 1)
    snapshots, found = Snapshots(character.root), {}
    while not character.finished:
        character.tick()
        snapshots.change()
        found |= {node["name"]: node for node in nodes(snapshots.whole())}
    character.stop()
    assert found["shoot"]["task"] == "shoot"
    assert found["shoot"]["path"].startswith("fight")
    assert found["fight"]["source"].startswith("domain.py:")


def test_nothing_has_changed_while_nothing_is_ticked():
    root = Sequence("all", memory=True, children=[Success("one")])
    snapshots = Snapshots(root)
    assert snapshots.change()["tree"]["status"] == "INVALID"
    assert snapshots.change() is None
    root.tick_once()
    assert snapshots.change() == {"status": {"1": ["SUCCESS", ""], "2": ["SUCCESS", "success"]}}


def test_a_child_that_is_added_comes_with_all_children_of_its_parent():
    root = Sequence("all", memory=True, children=[Success("one")])
    snapshots = Snapshots(root)
    tree = updated(None, snapshots.change())
    root.add_child(Sequence("more", memory=True, children=[Success("two")]))
    change = snapshots.change()
    assert [one["id"] for one in change["graft"]] == [1]
    assert [node["name"] for node in nodes(updated(tree, change))] == ["all", "one", "more", "two"]
    assert [snapshots.number(child) for child in root.children] == [2, 3]


def test_the_status_of_a_child_comes_with_the_children_of_its_parent_alone():
    root = Sequence("all", memory=True, children=[Success("one")])
    snapshots = Snapshots(root)
    snapshots.change()
    root.add_child(Success("two"))
    root.tick_once()
    change = snapshots.change()
    assert [one["status"] for one in change["graft"][0]["children"]] == ["SUCCESS", "SUCCESS"]
    assert change["status"] == {"1": ["SUCCESS", ""]}


def test_a_change_without_a_tree_to_change_is_refused():
    with pytest.raises(ValueError, match="a whole tree"):
        updated(None, {"status": {}})
