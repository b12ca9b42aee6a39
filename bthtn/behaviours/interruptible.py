"""Whether a running plan may be given up for a better one."""

from __future__ import annotations

from py_trees.behaviour import Behaviour

from bthtn.behaviours.task_leaf import TaskLeaf


def uninterruptible_step(branch: Behaviour) -> TaskLeaf | None:
    """The first step at work in the branch that must not be given up for something better.

    A step that only waits to be started, or is being given up already, is in nobody's way.
    """
    for node in branch.iterate():
        if isinstance(node, TaskLeaf) and node.is_at_work and node.node.task.uninterruptible:
            return node
    return None


def interruptible(branch: Behaviour) -> bool:
    """Whether no step at work in the branch is uninterruptible.

    It is asked before a plan that still works is replaced by a better one. A plan that no longer
    works, and a tree that turns to something else, do not ask.
    """
    return uninterruptible_step(branch) is None
