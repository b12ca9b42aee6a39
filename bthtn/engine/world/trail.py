"""WorkingState: one mutable state with save points and undo.

Every write leaves an entry on a trail: the fluent, and its value before. A save point is the length
of the trail; undoing pops entries. Branches that start from one state are projected one after the
other that way. A search has a state of its own, ``bthtn.engine.planning.htn.projected_state``.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar, cast

from bthtn.engine.world.expression import Expression, StateView
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.footprint import Write
from bthtn.engine.world.state import FrozenState
from bthtn.engine.world.truth import UNKNOWN, Unknown

V = TypeVar("V")

_ABSENT: Final = object()


class WorkingState:
    """A state with one owner: reads go through its own writes to the snapshot below.

    The snapshot is read through ``view``, if there is one, which may record that. While
    ``foreseeable`` is false, volatile fluents are unknown unless they were written here
    (semantics 2.4).
    """

    __slots__ = ("_base", "_trail", "_values", "_view", "foreseeable")

    def __init__(self, base: FrozenState, view: StateView | None = None) -> None:
        self._base = base
        self._view = base if view is None else view
        self._values: dict[Fluent[Any], Any] = {}
        self._trail: list[tuple[Fluent[Any], Any]] = []
        self.foreseeable = True

    def get(self, fluent: Expression[V], /) -> V | Unknown:
        """Value of the fluent, with the writes made so far."""
        value = self._values.get(cast("Fluent[V]", fluent), _ABSENT)
        if value is not _ABSENT:
            return cast("V | Unknown", value)
        if not self.foreseeable and cast("Fluent[V]", fluent).volatile:
            return UNKNOWN
        return self._view.get(fluent)

    def put(self, fluent: Fluent[Any], value: Any) -> None:
        self._trail.append((fluent, self._values.get(fluent, _ABSENT)))
        self._values[fluent] = value

    def apply(self, fluent: Fluent[Any], write: Write) -> None:
        """Apply a write of a task, or of a whole branch."""
        self.put(fluent, write.applied(fluent, self))

    @property
    def latest(self) -> object:
        """The latest write that is not undone: while it is the same, all values are."""
        return self._trail[-1] if self._trail else None

    def mark(self) -> int:
        """A save point: the length of the trail."""
        return len(self._trail)

    def undo(self, mark: int) -> None:
        """Revert all writes since the save point."""
        while len(self._trail) > mark:
            fluent, before = self._trail.pop()
            if before is _ABSENT:
                del self._values[fluent]
            else:
                self._values[fluent] = before

    def written_since(self, mark: int) -> dict[Fluent[Any], Any]:
        """The fluents written since the save point, with their values now."""
        return {fluent: self._values[fluent] for fluent, _ in self._trail[mark:]}

    def written(self) -> dict[Fluent[Any], Any]:
        """Every fluent that was written, with its value now."""
        return dict(self._values)

    def freeze(self) -> FrozenState:
        return self._base.changed(self.written())
