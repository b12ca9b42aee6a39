"""The leaves of the authored tree that do something, an action at every tick."""

from __future__ import annotations

from random import Random

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from .body import Body
from .level import Action


class Turn(Behaviour):
    """Looks elsewhere, which takes a step: what moves may be gone by then."""

    def __init__(self, name: str, body: Body) -> None:
        super().__init__(name)
        self._body = body

    def update(self) -> Status:
        """Turn."""
        self._body.act(Action.LEFT)
        return Status.RUNNING


class Wander(Behaviour):
    """Walks ahead, turns now and then, and at whatever is in front: nothing is planned."""

    def __init__(self, body: Body, dice: Random) -> None:
        super().__init__("wander")
        self._body = body
        self._dice = dice

    def update(self) -> Status:
        """Take a step, or turn."""
        ahead = self._body.is_free(self._body.front) and self._dice.random() > 0.1
        turn = self._dice.choice((Action.LEFT, Action.RIGHT))
        self._body.act(Action.FORWARD if ahead else turn)
        return Status.RUNNING
