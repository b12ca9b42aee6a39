"""The state as a search projects it, written and taken back entry by entry of the log.

Nothing is copied when a search begins: a fluent is taken from the start state when it is first
read. So what a search has read of its start state, which is all that its answer depends on, is
known at no extra price.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any, Final

from bthtn.world.fluent import Fluent
from bthtn.world.footprint import RecordingView, Write, WriteKind
from bthtn.world.truth import UNKNOWN

ABSENT: Final = object()
"""Stands for the value of a fluent that was neither read nor written."""

WEIGHTS: Final = 1_048_573
"""Weights are below this prime, so that fingerprints stay small numbers."""

Overwritten = tuple[Any, ...]
"""Fluents that were written, each followed by its value before or ``ABSENT``."""


class Values(dict[Fluent[Any], Any]):
    """Projected values by fluent, of those that the search has read or written.

    ``reads`` are the fluents that were taken from the start state, in the order in which they
    were first read, with their values there.
    """

    __slots__ = ("reads", "start")

    def __init__(self, start: Mapping[Fluent[Any], Any]) -> None:
        super().__init__()
        self.start = start
        self.reads: dict[Fluent[Any], Any] = {}

    def __missing__(self, fluent: Fluent[Any]) -> Any:
        value = self.reads[fluent] = self.start.get(fluent, fluent.default)
        value = self[fluent] = canonical(value)
        return value

    def at_start(self, fluent: Fluent[Any]) -> Any:
        """The value in the start state, which counts as read."""
        value = self.reads[fluent] = self.start.get(fluent, fluent.default)
        return canonical(value)

    def unread(self, fluent: Fluent[Any]) -> Any:
        """The projected value for a look that the answer does not depend on."""
        value = self.get(fluent, ABSENT)
        return canonical(self.start.get(fluent, fluent.default)) if value is ABSENT else value

    def undo(self, overwritten: Overwritten) -> None:
        """Put back what was overwritten, the latest first."""
        if len(overwritten) == 2 and overwritten[1] is not ABSENT:  # noqa: PLR2004 - most often
            self[overwritten[0]] = overwritten[1]
            return
        for place in range(len(overwritten) - 2, -1, -2):
            if overwritten[place + 1] is ABSENT:
                self.pop(overwritten[place], None)
            else:
                self[overwritten[place]] = overwritten[place + 1]

    def copied(self) -> Values:
        """The same values, which change apart from these; what is read is noted together."""
        other = Values(self.start)
        other.update(self)
        other.reads = self.reads
        return other


class ProjectedState:
    """A view of a search's values.

    ``foreseeable`` says whether a volatile fluent still has the value that was sensed: before the
    first step, outside of alternatives that are chosen at run time (semantics 2.4).
    ``fingerprint`` is the same for equal states, and most likely another for unequal ones. It is
    only kept up where somebody compares states.
    """

    __slots__ = ("fingerprint", "foreseeable", "values")

    def __init__(self, values: Values) -> None:
        self.values = values
        self.foreseeable = True
        self.fingerprint = 0

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent as projected."""
        return self.sensed(fluent) if fluent.volatile else self.values[fluent]

    def sensed(self, fluent: Fluent[Any]) -> Any:
        """Value of a volatile fluent: as written, or as sensed where that can be relied on."""
        value = self.values.get(fluent, ABSENT)
        if value is not ABSENT:
            return value
        return self.values.at_start(fluent) if self.foreseeable else UNKNOWN

    def peek(self, fluent: Fluent[Any]) -> Any:
        """Value of the fluent, for a look that the answer does not depend on."""
        if fluent.volatile and not self.foreseeable and fluent not in self.values:
            return UNKNOWN
        return self.values.unread(fluent)

    def apply(self, writes: Mapping[Fluent[Any], Write]) -> Overwritten:
        """Carry out what a task or a whole branch writes; what that overwrote."""
        overwritten: list[Any] = []
        for fluent, write in writes.items():
            value = write.value
            if write.kind is WriteKind.INCREASE:
                before = self.get(fluent)
                value = UNKNOWN if before is UNKNOWN else before + value
            overwritten += (fluent, self.put(fluent, canonical(value)))
        return tuple(overwritten)

    def put(self, fluent: Fluent[Any], value: Any) -> Any:
        """Write a value, or take one away with ``ABSENT``; what was there before."""
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
        """What a value counts in the fingerprint; one that was not written counts as at the start.

        That of a volatile fluent is a kind of its own.
        """
        if value is not ABSENT or fluent.volatile:
            return hash(value)
        return hash(canonical(self.values.start.get(fluent, fluent.default)))


class Recording(RecordingView):
    """A view of a search's state that remembers what it was asked for.

    The same as a ``RecordingView`` of the state, in one call instead of two: plain functions read
    through it.
    """

    __slots__ = ("_values",)

    def __init__(self, view: ProjectedState) -> None:
        self._view = view
        self._values = view.values
        self.readings = {}

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent as projected."""
        value = self._view.get(fluent) if fluent.volatile else self._values[fluent]
        self.readings[fluent] = value
        return value


def weight(fluent: Fluent[Any]) -> int:
    """The number by which changes of a fluent count in a fingerprint."""
    return hash(fluent) % WEIGHTS


def canonical(value: Any) -> Any:
    """The value; always the same object for a NaN, so that it is found to be itself."""
    return nan if type(value) is float and value != value else value  # noqa: PLR0124 - NaN
