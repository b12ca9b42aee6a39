"""Entries of plans, which the generated functions record as functions with arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from bthtn.domain.task import PrimitiveTask
from bthtn.planning.htn.fastpath.items import BranchMark

Entry = tuple[Any, tuple[Any, ...]]
"""A PlainMethod or a primitive task, with the values of its parameters; a BranchMark or a Stop.

Those of a method that is a function are followed by the values which were computed to enter it.
"""


Acting = Callable[[Any, list[Entry]], None] | None
"""What adds the actions of a recorded item to a list; None if it has none."""


def is_action(what: Any) -> bool:
    """Whether the entry is a primitive task, or the mark of a choice between such tasks."""
    return type(what) is PrimitiveTask or (type(what) is BranchMark and what.node.is_choice)


def entries(record: Iterable[Any]) -> list[Entry]:
    """The entries of a plan, made by calling the recorded functions."""
    made: list[Entry] = []
    for one in record:
        made += one[0](*one[1:])
    return made
