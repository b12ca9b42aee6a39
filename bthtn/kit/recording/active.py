"""The running leaves of a tree, where goals count as leaves."""

from __future__ import annotations

from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.behaviours.plan_goal import PlanGoal


def active_names(root: Behaviour) -> tuple[str, ...]:
    """Names of the running leaves of the authored tree, or of the leaf that succeeded.

    Goals count as leaves.
    """
    if root.status is not Status.RUNNING:
        above: Any = root.tip() if root.status is Status.SUCCESS else None
        names = [above.name] if above is not None else []
        while above is not None:
            names = [above.name] if isinstance(above, PlanGoal) else names
            above = above.parent
        return tuple(names)
    running: list[str] = []
    pending = [root]
    while pending:
        node = pending.pop()
        below = [child for child in node.children if child.status is Status.RUNNING]
        if isinstance(node, PlanGoal) or not below:
            running.append(node.name)
        else:
            pending.extend(reversed(below))
    return tuple(running)
