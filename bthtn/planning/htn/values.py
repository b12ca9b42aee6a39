"""The projected state of a search, updated by each log entry and undone on backtracking.

The start state is not copied: a fluent's value is taken from it on first read. So the set of
fluents that the result depends on is recorded at no extra cost.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any, Final

from bthtn.world.fluent import Fluent
from bthtn.world.footprint import RecordingView, Write
from bthtn.world.truth import UNKNOWN

ABSENT: Final = object()
"""Placeholder for the value of a fluent that was neither read nor written."""

WEIGHTS: Final = 1_048_573
"""Prime modulus of the weights, which keeps fingerprints small."""

Overwritten = tuple[Any, ...]
"""Written fluents, each followed by its previous value or ``ABSENT``."""


class Values(dict[Fluent[Any], Any]):
    """The projected values of the fluents that the search has read or written.

    ``reads`` maps the fluents read from the start state to their values there, in the order of
    first read.
    """

    __slots__ = ("reads", "start")

    def __init__(self, start: Mapping[Fluent[Any], Any]) -> None:
        self.start = start
        self.reads: dict[Fluent[Any], Any] = {}

    def __missing__(self, fluent: Fluent[Any]) -> Any:
        value = self.reads[fluent] = self.start.get(fluent, fluent.default)
        value = self[fluent] = canonical(value)
        return value

    def at_start(self, fluent: Fluent[Any]) -> Any:
        """Return the value in the start state and record the read."""
        value = self.reads[fluent] = self.start.get(fluent, fluent.default)
        return canonical(value)

    def unread(self, fluent: Fluent[Any]) -> Any:
        """Return the projected value without recording a read."""
        value = self.get(fluent, ABSENT)
        return canonical(self.start.get(fluent, fluent.default)) if value is ABSENT else value

    def undo(self, overwritten: Overwritten) -> None:
        """Restore the overwritten values, the latest first."""
        if len(overwritten) == 2 and overwritten[1] is not ABSENT:  # noqa: PLR2004 - most often
            self[overwritten[0]] = overwritten[1]
            return
        for place in range(len(overwritten) - 2, -1, -2):
            if overwritten[place + 1] is ABSENT:
                self.pop(overwritten[place], None)
            else:
                self[overwritten[place]] = overwritten[place + 1]

    def copied(self) -> Values:
        """Return an independent copy of the values, which shares ``reads`` with this one."""
        other = Values(self.start)
        other.update(self)
        other.reads = self.reads
        return other


class ProjectedState:
    """A view of a search's values.

    ``foreseeable`` is True while volatile fluents have their sensed values: before the first step,
    outside of alternatives that are chosen at run time (semantics 2.4). ``fingerprint`` is a hash
    of the state, equal for equal states; the compiled steps update it only in a search that
    compares states.
    """

    __slots__ = ("fingerprint", "foreseeable", "values")

    def __init__(self, values: Values) -> None:
        self.values = values
        self.foreseeable = True
        self.fingerprint = 0

    def get(self, fluent: Any, /) -> Any:
        """Return the projected value of the fluent."""
        return self.sensed(fluent) if fluent.volatile else self.values[fluent]

    def sensed(self, fluent: Fluent[Any]) -> Any:
        """Return a volatile fluent's value: written, or sensed if foreseeable, else UNKNOWN."""
        value = self.values.get(fluent, ABSENT)
        if value is not ABSENT:
            return value
        return self.values.at_start(fluent) if self.foreseeable else UNKNOWN

    def apply(self, writes: Mapping[Fluent[Any], Write]) -> Overwritten:
        """Apply the writes of a task or node; return the fluents with their previous values."""
        overwritten: list[Any] = []
        for fluent, write in writes.items():
            overwritten += (fluent, self.put(fluent, canonical(write.applied(fluent, self))))
        return tuple(overwritten)

    def put(self, fluent: Fluent[Any], value: Any) -> Any:
        """Set a value, or remove it with ``ABSENT``; return the previous one."""
        before = self.values.get(fluent, ABSENT)
        self.fingerprint += weight(fluent) * (
            self._hash(fluent, value) - self._hash(fluent, before)
        )
        if value is ABSENT:
            self.values.pop(fluent, None)
        else:
            self.values[fluent] = value
        return before

    def _hash(self, fluent: Fluent[Any], value: Any) -> int:
        """Return the hash of a value; ``ABSENT`` has that of the value in the start state.

        For a volatile fluent, ``ABSENT`` is hashed as a value of its own.
        """
        if value is not ABSENT or fluent.volatile:
            return hash(value)
        return hash(canonical(self.values.start.get(fluent, fluent.default)))


class ReadingView(RecordingView):
    """A view of a search's state that records the fluents it reads, with their values.

    Plain functions read through it, and compiled ones in place of both values and view.
    Equivalent to a ``RecordingView`` of the state, but faster.
    """

    __slots__ = ("_values",)

    def __init__(self, view: ProjectedState) -> None:
        self._view = view
        self._values = view.values
        self.readings = {}

    def get(self, fluent: Any, /) -> Any:
        """Return the projected value of the fluent and record the read."""
        value = self._view.get(fluent) if fluent.volatile else self._values[fluent]
        self.readings[fluent] = value
        return value

    def __getitem__(self, fluent: Fluent[Any]) -> Any:
        value = self.readings[fluent] = self._values[fluent]
        return value

    def sensed(self, fluent: Fluent[Any]) -> Any:
        """Return a volatile fluent's projected value and record the read."""
        value = self.readings[fluent] = self._view.get(fluent)
        return value


def weight(fluent: Fluent[Any]) -> int:
    """Return the weight of the fluent in a fingerprint."""
    return hash(fluent) % WEIGHTS


def canonical(value: Any) -> Any:
    """Return the value, with every NaN replaced by one object, so that it compares as equal."""
    return nan if type(value) is float and value != value else value  # noqa: PLR0124 - NaN
