"""The trees of equal plans for one goal, made once and shared."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from bthtn.domain.chance import SEED
from bthtn.plan.plan import SharedTree
from bthtn.planning.htn.by_arguments import are_interchangeable
from bthtn.planning.htn.fastpath.reachable import Reachable
from bthtn.world.fluent import Fluent

MOST_SHARED: Final = 5_000
"""Entries of all plans for one goal whose trees are kept; when there are more, all are dropped."""
MOST_READ: Final = 3
"""Sets of fluents that are tried for one record: what is read depends on what was kept before."""

Reads = tuple[Fluent[Any], ...]
Trees = dict[Reads, dict[tuple[Any, ...], SharedTree]]


class SharedTrees:
    """Trees by the records they were made of, and by the values that were read for them."""

    __slots__ = ("_entries", "_key_of", "_known")

    def __init__(self, found: Reachable) -> None:
        """The trees of plans of these tasks; if none has arguments, records are their own keys."""
        methods = (method for of_task in found.methods.values() for method in of_task)
        self._key_of: Callable[[Sequence[Any]], tuple[Any, ...]] = tuple
        if any(task.parameters for task in found.tasks) or any(method.values for method in methods):
            self._key_of = _key_of
        self._entries = 0
        self._known: dict[tuple[Any, ...], Trees] = {}

    def find(self, record: Sequence[Any], start: Mapping[Fluent[Any], Any]) -> SharedTree | None:
        """Return the tree that was made of this record from such a start state, or None."""
        for fluents, trees in self._known.get(self._key_of(record), {}).items():
            key = _key([start.get(fluent, fluent.default) for fluent in fluents]) if fluents else ()
            tree = trees.get(key)
            if tree is not None:
                return tree
        return None

    def keep(
        self,
        record: Sequence[Any],
        reads: Mapping[Fluent[Any], Any],
        tree: SharedTree,
        entries: int,
    ) -> None:
        """Share a tree of so many entries from now on.

        ``reads`` are the values of the start state that have a part in it. Without effect if
        arguments or values could be distinguished from equal ones.
        """
        is_shareable = are_interchangeable(reads.values()) and all(map(_is_interchangeable, record))
        if entries > MOST_SHARED or SEED in reads or not is_shareable:
            return
        self._entries += entries
        if self._entries > MOST_SHARED:
            self._entries, self._known = entries, {}
        known = self._known.setdefault(self._key_of(record), {})
        if len(known) < MOST_READ or tuple(reads) in known:
            known.setdefault(tuple(reads), {})[_key(reads.values())] = tree


def _key(values: Collection[Any]) -> tuple[Any, ...]:
    """A key for values and all that are like them: ``1`` and ``True`` are not alike."""
    return (*values, *map(type, values))


def _key_of(record: Sequence[Any]) -> tuple[Any, ...]:
    """A key for a record and all that are like it."""
    return (*record, *map(type, chain.from_iterable(record)))


def _is_interchangeable(item: Any) -> bool:
    """Whether items with an equal key can stand for this one."""
    return are_interchangeable(item[1:])
