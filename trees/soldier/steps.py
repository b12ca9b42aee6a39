"""The leaves of the authored tree that do something: an order to the body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from .body import Body, Order


class CarryOut(Behaviour):
    """Gives an order and waits until it is carried out; interrupted, takes it back."""

    def __init__(self, name: str, body: Body, give: Callable[[Body], Order]) -> None:
        super().__init__(name)
        self._body = body
        self._give = give
        self._order: Order | None = None

    def save(self) -> Any:
        """The order that was given, if any."""
        return None if self._order is None else self._order.save()

    def load(self, saved: Any) -> None:
        """Wait for that order."""
        self._order = None if saved is None else self._body.order_from(saved)

    def initialise(self) -> None:
        """Give the order."""
        self._order = self._give(self._body)

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
