"""Obstacle: why a step may not start or go on."""

from __future__ import annotations

from typing import Any, NamedTuple

from bthtn.engine.agent.programming_errors import text_of
from bthtn.engine.domain.condition import why
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.replanning.arguments import changed_arguments, changed_text
from bthtn.engine.world.beliefs import Beliefs
from bthtn.engine.world.expression import ALWAYS, Condition
from bthtn.engine.world.footprint import RecordingView


class Obstacle(NamedTuple):
    """Why a step may not start or go on; ``error`` is the exception of a condition."""

    reason: str
    error: Exception | None = None


def obstacle_to_start(node: TaskNode, beliefs: Beliefs[Any]) -> Obstacle | None:
    """A condition of the step that does not hold now, or an argument that its call has no more."""
    task, obstacle = node.task, None
    if task.precondition is not ALWAYS:
        obstacle = obstacle_of(task.precondition, node, beliefs)
    if obstacle is None and task.exec_only is not ALWAYS:
        obstacle = obstacle_of(task.exec_only, node, beliefs)
    return _outdated(node, beliefs) if obstacle is None and node.args else obstacle


def obstacle_of(condition: Condition, node: TaskNode, beliefs: Beliefs[Any]) -> Obstacle | None:
    """A condition of the step that is false, or raises. An unknown one is none."""
    try:
        if condition.evaluate(beliefs, node.args) is False:
            return Obstacle(why(condition, beliefs, node.args))
    except Exception as error:  # noqa: BLE001 - a condition is the user's code
        return Obstacle(text_of(error), error)
    return None


def _outdated(node: TaskNode, beliefs: Beliefs[Any]) -> Obstacle | None:
    """The argument that the step's call does not have any more, or an exception of it."""
    try:
        changed = changed_arguments(node, RecordingView(beliefs))
    except Exception as error:  # noqa: BLE001 - an argument is the user's code
        return Obstacle(text_of(error), error)
    return next((Obstacle(changed_text(node, *change)) for change in changed.items()), None)
