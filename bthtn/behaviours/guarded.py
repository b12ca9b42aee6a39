"""Guarded: a part of a plan that is cleaned up after, whatever becomes of it.

guarded ── draw, attack, cleanup ── holster        all goes well: as planned
guarded ── draw, [attack]                          it fails, or is given up: the cleanup is
                                                   owed, and ``run.clean_up`` sees to it
"""

from __future__ import annotations

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from bthtn.behaviours.run import Path, PlanRun
from bthtn.behaviours.sequence import PlanSequence
from bthtn.plan.nodes import ScopeNode


class PlanCleanup(PlanSequence):
    """The last part of what is guarded, as it was planned with it."""


class PlanGuarded(PlanSequence):
    """What ``with_cleanup`` was written around, and its cleanup, one after the other.

    It ``is_open`` from the start of the first step in it until the cleanup was done, has failed, or
    is owed. Once for every time that it is opened, one of these comes about.
    """

    def __init__(self, node: ScopeNode, path: Path, run: PlanRun, steps: list[Behaviour]) -> None:
        super().__init__(steps, str(node))
        self.node = node
        self.path = path
        self.is_open = False
        self._run = run

    def terminate(self, new_status: Status) -> None:
        """Called by py_trees at every end, when everything inside has ended."""
        was_open, self.is_open = self.is_open, False
        if not was_open or new_status is Status.SUCCESS:
            return
        self._run.is_mendable = False
        if new_status is Status.FAILURE and isinstance(self.current_child, PlanCleanup):
            return  # it was tried
        self._run.clean_up(self.node, self.path, self._run)


def guarded_above(node: Behaviour) -> Iterator[PlanGuarded]:
    """The guarded parts of its plan that a behaviour stands in, innermost first."""
    above = node.parent
    while isinstance(above, Composite):
        if isinstance(above, PlanGuarded):
            yield above
        above = above.parent
