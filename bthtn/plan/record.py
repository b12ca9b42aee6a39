"""MethodTraversalRecord: which choice was made at each place, in pre-order."""

from __future__ import annotations


class MethodTraversalRecord(tuple[int, ...]):
    """Index of the chosen method at every decomposition, skipped methods counted.

    Every alternative of a priority node leaves 0 when it is retained, followed by its own
    entries, and 1 when it was dropped, so that records of one goal stay aligned.
    """

    __slots__ = ()

    def beats(self, other: MethodTraversalRecord) -> bool:
        """Whether this record is strictly better: smaller at the first difference.

        Of two records where one continues the other, neither is better.
        """
        for mine, theirs in zip(self, other, strict=False):
            if mine != theirs:
                return mine < theirs
        return False

    def __repr__(self) -> str:
        return f"[{','.join(map(str, self))}]"
