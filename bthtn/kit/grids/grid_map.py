"""GridMap: what was seen in each cell, and when."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Generic, TypeVar, overload

from bthtn.kit.grids.cells import Cell, beside

K = TypeVar("K")
D = TypeVar("D")


class GridMap(Mapping[Cell, K], Generic[K]):
    """A map of what was seen where: a mapping of cells, in which what was never seen is missing.

    It keeps the cells of each kind of thing together, so that nobody has to look through the map.
    """

    def __init__(self) -> None:
        self._cells: dict[Cell, K] = {}
        self._times: dict[Cell, int] = {}
        # Dictionaries without values are sets that keep the order in which things were seen.
        self._kinds: dict[K, dict[Cell, None]] = {}
        self._border: dict[Cell, None] = {}

    def __getitem__(self, cell: Cell) -> K:
        return self._cells[cell]

    # Those of Mapping ask __getitem__; what is asked in every step of a search has to be quick.
    def __contains__(self, cell: object) -> bool:
        return cell in self._cells

    @overload
    def get(self, cell: Cell, /) -> K | None: ...

    @overload
    def get(self, cell: Cell, /, default: K | D) -> K | D: ...

    def get(self, cell: Cell, /, default: Any = None) -> Any:
        """What was seen in a cell, or the default."""
        return self._cells.get(cell, default)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def see(self, view: Mapping[Cell, K], now: int = 0) -> dict[Cell, K | None]:
        """Remember what is seen at this time. Returns what was believed before, where that differs.

        There it says None for a cell that was never seen.
        """
        self._times.update(dict.fromkeys(view, now))
        changed = {cell: None for cell, kind in view.items() if self._cells.get(cell) != kind}
        before = {cell: self._cells.get(cell) for cell in changed}
        for cell in changed:
            old, new = before[cell], view[cell]
            if old is None:
                self._border.pop(cell, None)
                self._border.update(
                    dict.fromkeys(near for near in beside(cell) if near not in self._cells)
                )
            else:
                del self._kinds[old][cell]
            self._cells[cell] = new
            self._kinds.setdefault(new, {})[cell] = None
        return before

    def cells_of(self, kind: K) -> Collection[Cell]:
        """Where things of this kind were seen, in the order in which they were."""
        return self._kinds.get(kind, {}).keys()

    @property
    def border(self) -> Collection[Cell]:
        """The cells that were never seen and lie beside one that was."""
        return self._border.keys()

    def age(self, cell: Cell, now: int) -> int | None:
        """How long ago a cell was seen; None if it never was."""
        return None if cell not in self._times else now - self._times[cell]
