"""The leaves of the authored tree that do something: an order to the body."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from .body import Order


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
