"""Sightings: where things that move were seen last."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Generic, TypeVar

from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.grids.cells import Cell

K = TypeVar("K")


class Sightings(Unpicklable, Generic[K]):
    """Things that come, move and are forgotten, each in the cell where it was seen last.

    One that is not there when its cell is seen again has gone, nobody knows where to. What was not
    seen for ``memory`` ticks is forgotten, for it will have moved on.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._seen: dict[Cell, tuple[K, int]] = {}

    def see(self, things: Mapping[Cell, K], view: Container[Cell], now: int) -> None:
        """Remember the things that are seen now; ``view`` is all that is seen."""
        kept = (
            (cell, seen)
            for cell, seen in self._seen.items()
            if cell not in view and now - seen[1] < self._memory
        )
        self._seen = dict(kept) | {cell: (kind, now) for cell, kind in things.items()}

    def forget(self, kind: K) -> None:
        """Forget where things of this kind are."""
        self._seen = {cell: seen for cell, seen in self._seen.items() if seen[0] != kind}

    def cells_of(self, kind: K) -> list[Cell]:
        """Where things of this kind are believed to be."""
        return [cell for cell, (seen, _) in self._seen.items() if seen == kind]

    def __contains__(self, cell: object) -> bool:
        return cell in self._seen

    def get(self, cell: Cell) -> K | None:
        """What is believed to be in a cell."""
        return self._seen[cell][0] if cell in self._seen else None
