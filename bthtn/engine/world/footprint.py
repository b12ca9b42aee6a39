"""Footprints: the fluents that a part of a plan reads and writes, and its resources.

Two branches may run in parallel only if neither interferes with the other. That is decided here,
from footprints alone (the interference rule, semantics 2.3).

The difficulty is to be safe without forbidding too much. Two branches that both add to a counter
may run in any order, but only if they add whole numbers: a sum of floats depends on the order. A
write that may not happen, in one of several alternatives or in a part that may be aborted, is
treated as ``COMPUTED``, which commutes with nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from bthtn.engine.world.expression import Expression, StateView
from bthtn.engine.world.truth import UNKNOWN, Unknown
from bthtn.records import record

V = TypeVar("V")


class WriteKind(Enum):
    """How a written value was computed: a constant, an amount to add, or from other fluents."""

    CONSTANT = "constant"
    INCREASE = "increase"
    COMPUTED = "computed"


INCREASE: Final = WriteKind.INCREASE
"""For code that runs in every tick: to look up a member of an Enum takes longer than a call."""


class Write(NamedTuple):
    """A write to one fluent: ``value`` is the new value, or the amount to add for ``INCREASE``."""

    kind: WriteKind
    value: Any

    def applied(self, fluent: Expression[Any], view: StateView) -> Any:
        """The value of the fluent behind the write in this state; unknown if that grows from it."""
        if self.kind is not INCREASE:
            return self.value
        before = view.get(fluent)
        return UNKNOWN if before is UNKNOWN else before + self.value

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


@record
class Footprint:
    """The fluents that a part of a plan reads and writes, and the resources that it uses."""

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
            frozenset().union(*[part.reads for part in parts]),
            writes,
            frozenset().union(*[part.uses for part in parts]),
        )

    def unsure(self, *, but: Collection[Expression[Any]] = ()) -> Footprint:
        """The footprint of a part that may be aborted: only ``but`` are certain."""
        writes = {
            fluent: write if fluent in but else Write(WriteKind.COMPUTED, write.value)
            for fluent, write in self.writes.items()
        }
        return Footprint(self.reads, writes, self.uses)

    @staticmethod
    def one_of(alternatives: Iterable[Footprint]) -> Footprint:
        """The footprint of a choice: all reads and uses; a write is certain only if all agree.

        Takes linear time.
        """
        choices = list(alternatives)
        written: dict[Expression[Any], list[Write]] = {}
        for choice in choices:
            for fluent, write in choice.writes.items():
                written.setdefault(fluent, []).append(write)
        writes: dict[Expression[Any], Write] = {}
        for fluent, found in written.items():
            write = found[-1]
            sure = len(found) == len(choices) and all(other == write for other in found)
            writes[fluent] = write if sure else Write(WriteKind.COMPUTED, write.value)
        return Footprint(
            frozenset().union(*(choice.reads for choice in choices)),
            writes,
            frozenset().union(*(choice.uses for choice in choices)),
        )

    def interferes_over(self, item: Any, other: Footprint) -> bool:
        """Whether both may not run in parallel because of a fluent or resource that both have."""
        mine, its = self.writes.get(item), other.writes.get(item)
        if mine is None or its is None:
            return mine is not its or item in self.uses
        return item in self.reads or item in other.reads or not mine.commutes_with(its)

    def conflict_with(self, other: Footprint) -> str | None:
        """The name of a fluent or resource in conflict, or None when they may run in parallel."""
        shared = self.uses & other.uses
        if shared:
            return min(shared)
        both = (self.reads | self.writes.keys()) & (other.reads | other.writes.keys())
        return min((str(mine) for mine in both if self.interferes_over(mine, other)), default=None)


class ReadRecorder(StateView, Protocol):
    """A view that records the fluents that are read through it."""

    @property
    def below(self) -> StateView:
        """The view below, for reads that are not to be recorded."""

    @property
    def reads(self) -> frozenset[Expression[Any]]:
        """The fluents that were read."""

    @property
    def unknown(self) -> Expression[Any] | None:
        """The first fluent that was read and is unknown, or None."""


class RecordingView:
    """A view that records, in order, the fluents that are read through it and their values."""

    __slots__ = ("_view", "readings")

    def __init__(self, view: StateView) -> None:
        self._view = view
        self.readings: dict[Any, Any] = {}

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        value = self._view.get(fluent)
        self.readings[fluent] = value
        return value

    @property
    def below(self) -> StateView:
        """The view below, for reads that are not to be recorded."""
        return self._view

    @property
    def reads(self) -> frozenset[Expression[Any]]:
        """The fluents that were read."""
        return frozenset(self.readings)

    @property
    def unknown(self) -> Expression[Any] | None:
        """The first fluent that was read and is unknown, or None."""
        unknown = (fluent for fluent, value in self.readings.items() if value is UNKNOWN)
        return next(unknown, None)
