"""BranchFootprints: finds the branches of a parallel node that a plan could disturb.

In a tick in which many branches have suspended parts planned, comparing each plan with all that is
left of the other branches would take quadratic time. So what is left is written down once per tick,
by fluent and by resource. Steps that end during the tick stay in it, so a branch that
is found has to be asked.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from bthtn.engine.behaviours.branch import remaining
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.world.footprint import Footprint


class BranchFootprints:
    """The remaining footprints of the branches of one parallel node, in one tick."""

    def __init__(self, node: PlanParallel) -> None:
        self._readers: defaultdict[Any, set[int]] = defaultdict(set)
        self._writers: defaultdict[Any, set[int]] = defaultdict(set)
        self._users: defaultdict[str, set[int]] = defaultdict(set)
        for branch, child in enumerate(node.children):
            self.add(branch, remaining(child))

    def add(self, branch: int, footprint: Footprint) -> None:
        for fluent in footprint.reads:
            self._readers[fluent].add(branch)
        for fluent in footprint.writes:
            self._writers[fluent].add(branch)
        for resource in footprint.uses:
            self._users[resource].add(branch)

    def suspects(self, branch: int, wanted: Footprint) -> list[int]:
        """The other branches that a plan for this one could disturb, or that could disturb it."""
        found: set[int] = set()
        for fluent in wanted.reads:
            found |= self._writers.get(fluent, _NONE)
        for fluent in wanted.writes:
            found |= self._writers.get(fluent, _NONE) | self._readers.get(fluent, _NONE)
        for resource in wanted.uses:
            found |= self._users.get(resource, _NONE)
        return sorted(found - {branch})


_NONE: frozenset[int] = frozenset()
