"""Entries of plans, which the generated functions record as notes with arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, final

from bthtn.domain.task import PrimitiveTask
from bthtn.planning.htn.fastpath.items import BranchMark

Entry = tuple[Any, tuple[Any, ...]]
"""A PlainMethod or a primitive task, with the values of its parameters; a BranchMark; a Suspension.

Those of a method that is a function are followed by the values which were computed to enter it.
"""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Note:
    """The first part of a recorded item, which makes entries of the other parts.

    ``entries`` is called with these; ``act`` adds the actions of an item to a list, and is None if
    there are none.
    """

    entries: Callable[..., tuple[Entry, ...]]
    act: Callable[[Any, list[Entry]], None] | None = None


def is_action(what: Any) -> bool:
    """Whether the entry is a primitive task, or the mark of a choice between such tasks."""
    return type(what) is PrimitiveTask or (type(what) is BranchMark and what.node.is_choice)


def entries(record: Iterable[Any]) -> list[Entry]:
    """The entries of a plan, made of the recorded items."""
    made: list[Entry] = []
    for note, *given in record:
        made += note.entries(*given)
    return made
