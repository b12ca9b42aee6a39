"""Where a search stands in parallel and priority nodes. Frames are never changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bthtn.domain.network import ParallelNetwork, PriorityNetwork
from bthtn.plan.nodes import Suspension
from bthtn.planning.htn.compiled.kinds import Entry
from bthtn.world.footprint import Footprint

Cell = tuple[Any, ...]
"""What is left to do: function, scope, arguments …, the cell behind it."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A planned branch: what it did, and how far it came."""

    written: dict[Any, Any]
    footprint: Footprint
    steps: int
    elapsed: float
    cause: Suspension | None


@dataclass(frozen=True, slots=True, eq=False)
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
