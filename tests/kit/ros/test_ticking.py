"""tick_by_timer: a tree in the timer of a node, and how it is published."""

from types import SimpleNamespace

import pytest
from py_trees.behaviours import Running, StatusQueue
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Parallel
from py_trees.trees import BehaviourTree

from bthtn.errors import ExecutionError
from bthtn.ros import FakeNode, tick_by_timer


@pytest.fixture
def node():
    return FakeNode()


@pytest.fixture
def tree():
    statuses = StatusQueue("work", [Status.RUNNING, Status.RUNNING], eventually=Status.SUCCESS)
    policy = ParallelPolicy.SuccessOnAll(synchronise=False)
    return BehaviourTree(Parallel("robot", policy, children=[statuses, Running("breathe")]))


def test_a_tree_is_ticked_once_a_period(node, tree):
    tick_by_timer(tree, node, period_ms=200)
    node.spin(1.0)
    assert tree.count == 5


def test_a_tree_is_published_when_it_has_changed_and_only_then(node, tree):
    tick_by_timer(tree, node, snapshots=SimpleNamespace, topic="tree")
    node.spin(1.0)
    assert [message.data for message in node.published["tree"]] == [
        "robot: RUNNING\n  work: RUNNING\n  breathe: RUNNING (running)",
        "robot: RUNNING\n  work: SUCCESS\n  breathe: RUNNING (running)",
    ]


def test_a_tree_is_not_published_unless_a_message_is_given(node, tree):
    tick_by_timer(tree, node)
    node.spin(1.0)
    assert node.published == {}


def test_after_the_end_the_tree_is_ticked_no_more_and_left_as_it_is(node, tree):
    end = tick_by_timer(tree, node)
    node.spin(0.1)
    end()
    node.spin(1.0)
    assert (tree.count, tree.root.status) == (1, Status.RUNNING)


def test_a_tree_of_simulated_time_stands_still_with_it_and_goes_on_when_it_went_back(node, tree):
    tick_by_timer(tree, node)
    node.spin(0.0)
    assert tree.count == 0
    node.jump(0.5)
    node.spin(0.1)
    assert tree.count == 1


def test_what_is_no_node_and_a_period_that_is_not_above_zero_are_refused(node, tree):
    with pytest.raises(ExecutionError, match=r"BT110.* Node of rclpy"):
        tick_by_timer(tree, "node")
    with pytest.raises(ExecutionError, match=r"BT202.*period_ms is 0"):
        tick_by_timer(tree, node, period_ms=0)
