"""WorkingState: one mutable state with save points and undo.

Every write leaves an entry on a trail. A save point is the length of the trail; undoing
pops entries. ``leave`` goes the other way: it takes back a stretch of writes by writing
again, so that the stretch itself stays on the trail and can still be returned to. That is
how branches which start from one state are planned one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, TypeVar, cast

from bthtn.world.expression import Expression
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Write
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN, Unknown

V = TypeVar("V")

_ABSENT: Final = object()


class Stretch(NamedTuple):
    """A stretch of the trail that ``leave`` has reverted, so that its net effect is nothing.

    ``before`` is the index, among all such stretches, of the last one that ended before it.
    """

    start: int
    end: int
    before: int


class WorkingState:
    """A state that one search owns: reads go through its own writes to the snapshot below.

    While ``foreseeable`` is false, volatile fluents are unknown unless they were written
    here (semantics 2.4).
    """

    __slots__ = ("_base", "_left", "_trail", "_values", "foreseeable")

    def __init__(self, base: FrozenState) -> None:
        self._base = base
        self._values: dict[Fluent[Any], Any] = {}
        self._trail: list[tuple[Fluent[Any], Any]] = []
        self._left: list[Stretch] = []
        self.foreseeable = True

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent, with the writes made so far."""
        value = self._values.get(cast("Fluent[V]", fluent), _ABSENT)
        if value is not _ABSENT:
            return cast("V | Unknown", value)
        if not self.foreseeable and cast("Fluent[V]", fluent).volatile:
            return UNKNOWN
        return self._base.get(fluent)

    def put(self, fluent: Fluent[Any], value: Any) -> None:
        """Write a value."""
        self._swap(fluent, value)

    def apply(self, fluent: Fluent[Any], write: Write) -> None:
        """Apply a write of a task, or of a whole branch."""
        self._swap(fluent, write.applied(fluent, self))

    def mark(self) -> int:
        """A save point: the length of the trail."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Revert all writes since the save point, and remove them from the trail."""
        while len(self._trail) > mark:
            fluent, before = self._trail.pop()
            self._store(fluent, before)
        while self._left and self._left[-1].end > mark:
            self._left.pop()

    def written_since(self, mark: int) -> dict[Fluent[Any], Any]:
        """The fluents written since the save point, with their values now.

        Writes that ``leave`` has reverted do not count.
        """
        return {
            fluent: self._values[fluent]
            for fluent in self._first_since(mark)
            if fluent in self._values
        }

    def written(self) -> dict[Fluent[Any], Any]:
        """Every fluent that was written and not reverted, with its value now."""
        return dict(self._values)

    def leave(self, mark: int) -> None:
        """Restore the state of the save point by further writes, which stay on the trail."""
        for fluent, before in self._first_since(mark).items():
            self._swap(fluent, before)
        if len(self._trail) > mark:
            before = next(
                (place for place, stretch in self._last_left() if stretch.end <= mark), -1
            )
            self._left.append(Stretch(mark, len(self._trail), before))

    def freeze(self) -> FrozenState:
        """A snapshot of the state now."""
        return self._base.changed(self.written())

    def _first_since(self, mark: int) -> dict[Fluent[Any], Any]:
        first: dict[Fluent[Any], Any] = {}
        for start, end in reversed(list(self._kept_since(mark))):
            for fluent, before in self._trail[start:end]:
                first.setdefault(fluent, before)
        return first

    def _kept_since(self, mark: int) -> Iterator[tuple[int, int]]:
        """Ranges of the trail since the save point that were not reverted, newest first."""
        end = len(self._trail)
        for _, stretch in self._last_left():
            if stretch.start < mark:
                break
            yield stretch.end, end
            end = stretch.start
        yield mark, end

    def _last_left(self) -> Iterator[tuple[int, Stretch]]:
        """The outermost reverted stretches with their indices, newest first."""
        place = len(self._left) - 1
        while place >= 0:
            yield place, self._left[place]
            place = self._left[place].before

    def _swap(self, fluent: Fluent[Any], value: Any) -> None:
        self._trail.append((fluent, self._values.get(fluent, _ABSENT)))
        self._store(fluent, value)

    def _store(self, fluent: Fluent[Any], value: Any) -> None:
        if value is _ABSENT:
            self._values.pop(fluent, None)
        else:
            self._values[fluent] = value
