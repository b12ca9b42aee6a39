"""Patience: how long one goes on with what makes no progress."""

from __future__ import annotations

from bthtn.engine.world.sharing import Unpicklable


class Patience(Unpicklable):
    """Is over when nothing has come nearer for so many ticks."""

    def __init__(self, ticks: int) -> None:
        self._ticks = self._left = ticks
        self._best: float | None = None

    def is_over(self, left: float) -> bool:
        """Whether it is over, in a tick in which so much is left to do."""
        if self._best is None or left < self._best:
            self._best, self._left = left, self._ticks
        else:
            self._left -= 1
        return self._left <= 0
