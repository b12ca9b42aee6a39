"""Entries of plans, which the generated functions record as functions with arguments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from bthtn.domain.task import PrimitiveTask
from bthtn.planning.htn.by_arguments import are_interchangeable
from bthtn.planning.htn.fastpath.items import BranchMark

MOST_KEPT: Final = 10_000
"""Number of items for which something is kept; when there are more, all is dropped."""
_FEW: Final = 3

Entry = tuple[Any, tuple[Any, ...]]
"""A PlainMethod or a primitive task, with the values of its parameters; a BranchMark or a Stop.

Those of a method that is a function are followed by the values which were computed to enter it.
"""


class Recorded:
    """The entries of the items that one program records, made once for equal items."""

    def __init__(self) -> None:
        self._entries: dict[Any, tuple[Entry, ...]] = {}
        self._steps: dict[Any, tuple[Entry, ...]] = {}

    def entries(self, record: Iterable[Any]) -> list[Entry]:
        """The entries of a plan, in order."""
        made: list[Entry] = []
        for item in record:
            made += self._entries.get(key_of(item)) or self._kept(item, self._entries)
        return made

    def steps_and_choices(self, record: Iterable[Any]) -> list[Entry]:
        """The primitive tasks of a plan and the marks of its choices, in order."""
        made: list[Entry] = []
        for item in record:
            known = self._steps.get(item if type(item) is not tuple else key_of(item))
            made += self._kept(item, self._steps) if known is None else known
        return made

    def _kept(self, item: Any, kept: dict[Any, tuple[Entry, ...]]) -> tuple[Entry, ...]:
        made = tuple(one for one in entries([item]) if kept is self._entries or _is_needed(one[0]))
        if is_kept(item):
            if len(kept) >= MOST_KEPT:
                kept.clear()
            kept[key_of(item)] = made
        return made


def _is_needed(what: Any) -> bool:
    return type(what) is PrimitiveTask or (type(what) is BranchMark and what.node.is_choice)


def entries(record: Iterable[Any]) -> list[Entry]:
    """The entries of a plan, made by calling the recorded functions."""
    made: list[Entry] = []
    for one in record:
        made += one[0](*one[1:]) if type(one) is tuple else one()
    return made


def key_of(item: Any) -> Any:
    """A key for a recorded item and all that are like it: ``1`` and ``True`` are not alike."""
    if type(item) is not tuple:
        return item
    if len(item) <= _FEW:  # most have one argument, or two
        return (item, type(item[1]), type(item[-1]))
    return (item, *map(type, item))


def is_kept(item: Any) -> bool:
    """Whether items with an equal key can stand for this one."""
    return type(item) is not tuple or are_interchangeable(item[1:])
