"""MethodTraversalRecord: the choices of a plan in pre-order, for comparing plans."""

from __future__ import annotations

from typing import Final

LONGEST_RECORD: Final = 1_000
"""Entries kept of a record that grows with every suspended part; it only distinguishes plans."""


class MethodTraversalRecord(tuple[int, ...]):
    """The index of the chosen method at every decomposition, in pre-order.

    Each alternative of a priority node adds 0 if it was kept, followed by its own entries, and 1
    if it was dropped, so that records of one goal stay aligned.
    """

    __slots__ = ()

    def beats(self, other: MethodTraversalRecord) -> bool:
        """Whether this record is strictly better: smaller at the first difference.

        If one record is a prefix of the other, neither is better.
        """
        for mine, theirs in zip(self, other, strict=False):
            if mine != theirs:
                return mine < theirs
        return False

    def followed_by(self, part: MethodTraversalRecord) -> MethodTraversalRecord:
        """The record with that of a part that was suspended, cut after ``LONGEST_RECORD``."""
        return MethodTraversalRecord((*self, *part)[:LONGEST_RECORD])

    def __repr__(self) -> str:
        return f"[{','.join(map(str, self))}]"


NO_RECORD: Final = MethodTraversalRecord()
"""The record of a goal that has no plan."""
