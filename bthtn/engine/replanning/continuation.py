"""Whether a new plan is what is left of the running one, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain, filterfalse

from bthtn.engine.plan.equivalence import steps_outline
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import leaves
from bthtn.engine.replanning.rest import Rest

IsIdle = Callable[[TaskNode], bool]
"""Whether a step has no effect at all, neither in the world nor in the plan."""


def is_continuation(rest: Rest, plan: Plan, is_idle: IsIdle) -> bool:
    """Whether a new plan has the same steps as the rest of the running one, in the same order.

    Finished steps, idle steps and the names of decompositions are not compared.
    """

    def skips(node: TaskNode) -> bool:
        return not rest.is_unfinished(node) or is_idle(node)

    steps = (node for node in rest.nodes() if isinstance(node, TaskNode))
    if begins_otherwise(filter(rest.is_unfinished, steps), plan, is_idle):
        return False
    left = steps_outline(rest.tree, skips, rest.below)
    return left == steps_outline(plan.tree, is_idle)


def begins_otherwise(steps: Iterable[TaskNode], plan: Plan, is_idle: IsIdle) -> bool:
    """Whether a plan has another step in the place of one of these, which its first ones could be.

    Most plans differ in one of the next steps, which is found out without looking at the rest.
    """
    ours, theirs = iter(steps), leaves(plan.tree)
    for our, their in zip(ours, theirs, strict=False):
        if not _are_interchangeable(our, their):
            ours = filterfalse(is_idle, chain((our,), ours))
            theirs = filterfalse(is_idle, chain((their,), theirs))
            return any(map(_are_different, ours, theirs))
    return False


def _are_interchangeable(one: TaskNode, other: TaskNode) -> bool:
    """Whether two steps are equal, and both idle or both not."""
    return (
        one.task is other.task
        and one.args == other.args
        and one.duration == other.duration
        and one.footprint.writes == other.footprint.writes
    )


def _are_different(one: TaskNode, other: TaskNode) -> bool:
    """Whether two steps are different; those of a newer domain have other tasks of equal names."""
    if one.task is other.task and one.args == other.args:
        return False
    return one.task.name != other.task.name or str(one) != str(other)
