"""Whether a running plan may be replaced by a better one now."""

from __future__ import annotations

from py_trees.behaviour import Behaviour

from bthtn.engine.behaviours.plan_behaviour import taking_part_below
from bthtn.engine.behaviours.task_leaf import TaskLeaf


def uninterruptible_step(branch: Behaviour) -> TaskLeaf | None:
    """The first running step of a branch that must not be interrupted for a better plan, or None.

    Steps that wait to be started, and steps that are being aborted, do not count.
    """
    found = None
    pending = [branch]
    while pending:
        node = pending.pop()
        if isinstance(node, TaskLeaf) and node.is_at_work and node.node.task.uninterruptible:
            found = node
        pending += taking_part_below(node)
    return found


def interruptible(branch: Behaviour) -> bool:
    """Whether no running step of the branch is uninterruptible.

    This holds off better plans only: a plan that does not work any more, and a tree that switches
    to another branch, interrupt every step.
    """
    return uninterruptible_step(branch) is None
