"""Where a search stands in parallel and priority nodes.

Frames and branches are never changed; that they are not `frozen` is because making them would
take three times as long.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bthtn.domain.network import ParallelNetwork, PriorityNetwork
from bthtn.plan.nodes import Suspension
from bthtn.planning.htn.compiled.past import Entry
from bthtn.world.footprint import Footprint

Cell = tuple[Any, ...]
"""What is left to do: function, scope, arguments …, the cell behind it."""


@dataclass(slots=True, eq=False)
class Branch:
    """A planned branch: what it did, and how far it came."""

    written: dict[Any, Any]
    footprint: Footprint
    steps: int
    elapsed: float
    cause: Suspension | None


@dataclass(slots=True, eq=False)
class Frame:
    """A parallel or priority node whose branches are planned one after the other.

    ``entry`` is the node's entry in the log, ``steps`` and ``elapsed`` how far the path had
    come there. ``mark`` is the place in the log where the branch being planned begins, and
    ``end`` the cell at its end. ``branches`` holds None for an alternative that was dropped.
    """

    network: ParallelNetwork | PriorityNetwork
    entry: Entry
    steps: int
    elapsed: float
    behind: Cell
    above: Frame | None
    guard: int | None
    mark: int = 0
    end: Cell = ()
    branches: tuple[Branch | None, ...] = ()

    def inside(self, mark: int, end: Cell) -> Frame:
        """The frame while its next branch is being planned."""
        return self._with(mark, end, self.branches)

    def behind_branch(self, branch: Branch | None) -> Frame:
        """The frame with one more branch done, or dropped."""
        return self._with(0, (), (*self.branches, branch))

    def _with(self, mark: int, end: Cell, branches: tuple[Branch | None, ...]) -> Frame:
        return Frame(
            self.network,
            self.entry,
            self.steps,
            self.elapsed,
            self.behind,
            self.above,
            self.guard,
            mark,
            end,
            branches,
        )
