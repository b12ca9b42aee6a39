"""How the branches of a parallel node are joined, worked out once for equal branches.

Whether branches conflict, and what is true after them, depends on their footprints alone; the
values that they leave behind are put in afterwards. The footprints of the parts of a plan are kept
by arguments, so that equal branches have the very same ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.plan.merge import after_parallel, conflict, side_by_side
from bthtn.engine.world.expression import StateView
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.footprint import Footprint

_MOST: Final = 100
"""As many joins of one node are kept; when there are more, all are dropped."""


class BranchJoin:
    """Branches with these footprints of their parts, side by side.

    ``clash`` are two branches that interfere, and what over; else None.
    """

    __slots__ = ("_footprint", "_footprints", "_policy", "_writes", "clash", "touched")

    def __init__(self, policy: ParallelPolicy, touched: Sequence[Sequence[Footprint]]) -> None:
        self._policy = policy
        self.touched = touched
        self._footprints = [Footprint.in_turn(parts) for parts in touched]
        self._footprint: Footprint | None = None
        self.clash = conflict(self._footprints)
        if self.clash is None:
            self._writes = after_parallel(self._footprints, policy, _End)

    @property
    def footprint(self) -> Footprint:
        if self._footprint is None:
            self._footprint = side_by_side(self._footprints, self._policy)
        return self._footprint

    def values(
        self, written: Sequence[Mapping[Fluent[Any], Any]], view: StateView
    ) -> dict[Fluent[Any], Any]:
        """What the branches write together, from the state at the node and their final values."""
        values: dict[Fluent[Any], Any] = {}
        for fluent, write in self._writes.items():
            end = write.value
            is_end = type(end) is _End
            values[fluent] = written[end.branch][fluent] if is_end else write.applied(fluent, view)
        return values


class _End:
    """Stands for the value that a fluent has at the end of a branch."""

    __slots__ = ("branch",)

    def __init__(self, branch: int, _: object) -> None:
        self.branch = branch


class BranchJoins:
    """The joins of one parallel node, by the identities of the footprints, which they hold."""

    __slots__ = ("_known", "_policy")

    def __init__(self, policy: ParallelPolicy) -> None:
        self._policy = policy
        self._known: dict[tuple[tuple[int, ...], ...], BranchJoin] = {}

    def of(self, touched: Sequence[Sequence[Footprint]]) -> BranchJoin:
        """The join of branches with these footprints of their parts."""
        key = tuple([tuple(map(id, parts)) for parts in touched])
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= _MOST:
                self._known = {}
            known = self._known[key] = BranchJoin(self._policy, touched)
        return known


NO_JOINS: Final = BranchJoins(ParallelPolicy.ALL)
"""That of an instruction that joins nothing."""
