"""Follows the events of a search: to which method each belongs, which methods are left.

Events carry the depth at which they happen. One at depth d belongs to the method that was entered
last at depth d - 1. By backtracking, the search returns to the choice of a method and leaves all
methods that were entered since; to which choice, only the event after a Backtracked tells.
"""

from __future__ import annotations

from bthtn.engine.planning.trace import (
    AlternativeDropped,
    Backtracked,
    MethodEntered,
    MethodRejected,
    SearchEvent,
)


class Entered:
    """A method that a search has entered, and the one in which it was, None for the goal."""

    __slots__ = ("above", "event")

    def __init__(self, event: MethodEntered, above: Entered | None) -> None:
        self.event = event
        self.above = above


class TraceWalk:
    """The methods that a search is in. It belongs to whoever shows a search."""

    def __init__(self) -> None:
        self.entered: list[Entered] = []
        """The methods that were entered and not left, in the order of the search."""
        self._inside: Entered | None = None
        self._back_to: str | None = None

    def step(self, event: SearchEvent) -> tuple[Entered | None, list[Entered]]:
        """The method to which the next event belongs, and those that the search has left before.

        None is the goal. A method that is entered is the last of ``entered`` from now on.
        """
        left: list[Entered] = []
        if isinstance(event, Backtracked):
            self._back_to = event.to
            return None, left
        if self._back_to is not None:
            left += self._left(self._back_to, event)
            self._back_to = None
        if isinstance(event, AlternativeDropped):
            left += self._left(event.text, event)
        while self._inside is not None and self._inside.event.depth >= event.depth:
            self._inside = self._inside.above
        inside = self._inside
        if isinstance(event, MethodEntered):
            self._inside = Entered(event, inside)
            self.entered.append(self._inside)
        return inside, left

    def _left(self, task: str, event: SearchEvent) -> list[Entered]:
        """The methods since the choice of one for a task, which is made anew; they are left."""
        assert not isinstance(event, Backtracked), "what comes next is an event of the choice"
        last = event.method if isinstance(event, MethodEntered | MethodRejected) else None
        for place in reversed(range(len(self.entered))):
            choice = self.entered[place].event
            is_later = last is None or choice.method < last
            if (choice.task, choice.depth) == (task, event.depth) and is_later:
                left = self.entered[place:]
                del self.entered[place:]
                self._inside = left[0].above
                return left
        return []
