"""The trees of equal plans for one goal, made once and shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bthtn.plan.nodes import Node
from bthtn.planning.htn.by_arguments import ByReadings
from bthtn.planning.htn.fastpath.tree_entries import PlannedMethod, TreeEntry

MOST_SHARED: Final = 5_000
"""Entries of all plans for one goal whose trees are kept; when there are more, all are dropped."""


class SharedTrees:
    """Trees by the entries they were made of, each of which is kept for its arguments."""

    __slots__ = ("_entries", "_known")

    def __init__(self) -> None:
        self._entries = 0
        self._known: dict[tuple[int, ...], tuple[Sequence[TreeEntry], Node]] = {}
        """By the ids of entries, which it keeps."""

    def find(self, planned: Sequence[TreeEntry]) -> Node | None:
        """Return the tree that was made of these entries, or None."""
        known = self._known.get(tuple(map(id, planned)))
        return None if known is None else known[1]

    def keep(self, planned: Sequence[TreeEntry], tree: Node) -> None:
        """Share a tree from now on, if nothing but its entries has a part in it."""
        if len(planned) > MOST_SHARED or any(map(_varies, planned)):
            return
        self._entries += len(planned)
        if self._entries > MOST_SHARED:
            self._entries, self._known = len(planned), {}
        self._known[tuple(map(id, planned))] = planned, tree


def _varies(entry: TreeEntry) -> bool:
    """Whether the reads for an argument in the body of a method depend on the state."""
    return isinstance(entry, PlannedMethod) and any(
        isinstance(reads, ByReadings) for reads in entry.asked.values()
    )
