"""The leaves of the authored tree: a question to the beliefs, and an order to the body."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.behaviours import Agent
from bthtn.domain.condition import why
from bthtn.world.expression import Condition
from domains.combat.domain import Soldier

from .body import Body, Order


class Believes(Behaviour):
    """Succeeds while the agent believes the condition, fails when not."""

    def __init__(self, agent: Agent[Soldier, Body], condition: Condition) -> None:
        super().__init__(str(condition))
        self._agent = agent
        self._condition = condition

    def update(self) -> Status:
        """Ask."""
        self.feedback_message = why(self._condition, self._agent.beliefs)
        believed = self._condition.evaluate(self._agent.beliefs) is True
        return Status.SUCCESS if believed else Status.FAILURE


class CarryOut(Behaviour):
    """Gives an order and waits until it is carried out; interrupted, takes it back."""

    def __init__(self, name: str, give: Callable[[], Order]) -> None:
        super().__init__(name)
        self._give = give
        self._order: Order | None = None

    def initialise(self) -> None:
        """Give the order."""
        self._order = self._give()

    def update(self) -> Status:
        """See how far it is."""
        assert self._order is not None, "py_trees initialises before it updates"
        self.feedback_message = self._order.reason
        if self._order.pending:
            return Status.RUNNING
        return Status.SUCCESS if self._order.end == "done" else Status.FAILURE

    def terminate(self, new_status: Status) -> None:  # noqa: ARG002 - however it ends
        """Take the order back; one that is over does not mind."""
        if self._order is not None:
            self._order.take_back()
