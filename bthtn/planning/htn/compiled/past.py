"""Past: the state at each entry of a log, read backwards."""

from __future__ import annotations

from typing import Any, Final

from bthtn.world.fluent import Fluent
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN

Entry = tuple[Any, ...]
Values = dict[Fluent[Any], Any]

ABSENT: Final = object()
"""Stands where a volatile fluent has not been written."""


class Past:
    """A view of the state as it was at one entry of the log after the other, backwards.

    ``values`` are those of fluents there.
    """

    __slots__ = ("_base", "_foreseeable", "values")

    def __init__(self, base: FrozenState, values: Values) -> None:
        self._base = base
        self.values = values
        self._foreseeable = False

    def before(self, entry: Entry) -> None:
        """Go back to where the entry was planned."""
        undo(entry, self.values)
        if entry[4] is not None:
            steps, _, frame = entry[4]
            self._foreseeable = steps == 0 and (frame is None or frame.guard is None)

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent there."""
        if not fluent.volatile:
            return self.values.get(fluent, fluent.default)
        sensed = self._base.get(fluent) if self._foreseeable else UNKNOWN
        return self.values.get(fluent, sensed)


def undo(entry: Entry, values: Values) -> None:
    """Put back what the entry overwrote."""
    undone = entry[3]
    for number in range(len(undone) - 2, -1, -2):
        if undone[number + 1] is ABSENT:
            values.pop(undone[number], None)
        else:
            values[undone[number]] = undone[number + 1]
