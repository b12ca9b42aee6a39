"""Footprints: which fluents something read and what it did to which.

Two branches that run side by side may only do so when neither disturbs the other. That is
decided here, from footprints alone (the interference rule, semantics 2.3).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar

from bthtn.world.expression import Expression, StateView
from bthtn.world.truth import UNKNOWN, Unknown

V = TypeVar("V")


class WriteKind(Enum):
    """How a written value came about."""

    CONSTANT = "constant"
    INCREASE = "increase"
    COMPUTED = "computed"


@dataclass(frozen=True, slots=True)
class Write:
    """What happens to one fluent.

    ``value`` is the new value, or the amount when the kind is ``INCREASE``.
    """

    kind: WriteKind
    value: Any

    def then(self, later: Write) -> Write:
        """Both writes as one, this one first."""
        if self.kind is WriteKind.INCREASE and later.kind is WriteKind.INCREASE:
            return Write(WriteKind.INCREASE, self.value + later.value)
        if self == later:
            return later
        if later.kind is not WriteKind.INCREASE:
            return Write(WriteKind.COMPUTED, later.value)
        sure = self.value is not UNKNOWN
        return Write(WriteKind.COMPUTED, self.value + later.value if sure else UNKNOWN)

    def commutes_with(self, other: Write) -> bool:
        """Whether the order of the two writes cannot matter.

        Equal constants commute, and so do whole numbers that are added. Sums of floats depend
        on their order.
        """
        if self.kind is WriteKind.CONSTANT:
            return self == other
        return all(w.kind is WriteKind.INCREASE and type(w.value) is int for w in (self, other))


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a task, a condition or a whole branch reads, writes and occupies."""

    reads: frozenset[Expression[Any]] = frozenset()
    writes: Mapping[Any, Write] = field(default_factory=dict)
    uses: frozenset[str] = frozenset()

    def then(self, later: Footprint) -> Footprint:
        """The footprint of both, this one first."""
        return Footprint.in_turn((self, later))

    @staticmethod
    def in_turn(parts: Sequence[Footprint]) -> Footprint:
        """The footprint of all, one after the other."""
        if len(parts) == 1:
            return parts[0]
        writes: dict[Any, Write] = {}
        for part in parts:
            for fluent, write in part.writes.items():
                writes[fluent] = writes[fluent].then(write) if fluent in writes else write
        return Footprint(
            frozenset().union(*(part.reads for part in parts)),
            writes,
            frozenset().union(*(part.uses for part in parts)),
        )

    def unsure(self, *, but: Collection[Expression[Any]] = ()) -> Footprint:
        """The same, of something that may be broken off: only ``but`` is certainly written."""
        writes = {
            fluent: write if fluent in but else Write(WriteKind.COMPUTED, write.value)
            for fluent, write in self.writes.items()
        }
        return Footprint(self.reads, writes, self.uses)

    @staticmethod
    def one_of(alternatives: Iterable[Footprint]) -> Footprint:
        """The footprint of a choice: reads and uses of all; a write is sure only if all agree."""
        choices = list(alternatives)
        writes: dict[Expression[Any], Write] = {}
        for choice in choices:
            for fluent, write in choice.writes.items():
                sure = all(other.writes.get(fluent) == write for other in choices)
                writes[fluent] = write if sure else Write(WriteKind.COMPUTED, write.value)
        return Footprint(
            frozenset().union(*(choice.reads for choice in choices)),
            writes,
            frozenset().union(*(choice.uses for choice in choices)),
        )

    def conflict_with(self, other: Footprint) -> str | None:
        """The name of what the two would fight over, or None when they may run side by side."""
        shared = self.uses & other.uses
        if shared:
            return min(shared)
        disturbed = (self.writes.keys() & other.reads) | (other.writes.keys() & self.reads)
        disturbed |= {
            fluent
            for fluent in self.writes.keys() & other.writes.keys()
            if not self.writes[fluent].commutes_with(other.writes[fluent])
        }
        return min((str(fluent) for fluent in disturbed), default=None)


class RecordingView:
    """A view that remembers, in order, every fluent it was asked for and the answer."""

    __slots__ = ("_view", "readings")

    def __init__(self, view: StateView) -> None:
        self._view = view
        self.readings: dict[Expression[Any], Any] = {}

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent in the view below."""
        value = self._view.get(fluent)
        self.readings[fluent] = value
        return value

    @property
    def below(self) -> StateView:
        """The view below, for a look that nothing will rely on."""
        return self._view

    @property
    def reads(self) -> frozenset[Expression[Any]]:
        """The fluents that were asked for."""
        return frozenset(self.readings)

    @property
    def unknown(self) -> Expression[Any] | None:
        """The first fluent that was asked for and is unknown."""
        unknown = (fluent for fluent, value in self.readings.items() if value is UNKNOWN)
        return next(unknown, None)
