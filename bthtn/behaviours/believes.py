"""Believes: a condition on the beliefs, as a leaf of a tree written by hand."""

from __future__ import annotations

from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.agent import Agent
from bthtn.domain.condition import ConditionLike, condition_from, why
from bthtn.errors import exception_text


class Believes(Behaviour):
    """Succeeds while the agent believes the condition, fails while it is false or unknown.

    The condition is written as in a domain: ``Believes(agent, Soldier.health < 40)``. In a
    sequence without memory it is checked again at every tick, before the later children. It also
    fails when evaluating the condition raises; the exception's text is the feedback message.
    """

    def __init__(
        self, agent: Agent[Any, Any], condition: ConditionLike, name: str | None = None
    ) -> None:
        """Raises DomainError for something that is no condition."""
        self._agent = agent
        self._condition = condition_from(condition, type(agent.beliefs.now))
        super().__init__(name if name is not None else self._condition.text())

    def update(self) -> Status:
        """Called by py_trees at every tick."""
        try:
            believed = self._condition.evaluate(self._agent.beliefs) is True
            self.feedback_message = why(self._condition, self._agent.beliefs)
        except Exception as error:  # noqa: BLE001 - the user's code: contained and reported
            self.feedback_message = exception_text(error)
            return Status.FAILURE
        return Status.SUCCESS if believed else Status.FAILURE
