"""The leaves of the authored tree that act without a plan, an action at every tick."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.kit.grids import Cell, beside, moved

from .body import FREE, STEPS, Body
from .level import Action


class Act(Behaviour):
    """Does what a function of the body says, again in every tick."""

    def __init__(self, name: str, body: Body, choose: Callable[[Body], Action | None]) -> None:
        super().__init__(name)
        self._body = body
        self._choose = choose

    def update(self) -> Status:
        """Act."""
        self._body.act(self._choose(self._body) or Action.WAIT)
        return Status.RUNNING


def reflex(body: Body) -> Action | None:
    """Strike who stands beside him, or turn to him; block an arrow, or get out of its way."""
    foes = [c for c in beside(body.here) if body.creatures.get(c) in ("zombie", "skeleton")]
    if body.front in foes:
        return Action.DO
    if foes:
        (x, y), (foe_x, foe_y) = body.here, foes[0]
        return STEPS[foe_x - x, foe_y - y]
    flights = {heading for cell, heading in body.arrows.items() if _hits(body, cell, heading)}
    if not flights:
        return None
    if _turned(body.heading) in flights and body.has["stone"] and body.is_free(body.front):
        return Action.PLACE_STONE
    for heading, step in STEPS.items():
        is_aside = heading not in flights and _turned(heading) not in flights
        if is_aside and body.is_free(moved(body.here, heading)):
            return step
    return None


def _hits(body: Body, arrow: Cell, heading: Cell) -> bool:
    """Whether an arrow will hit him within three steps: what flies farther can still be passed."""
    for ahead in range(1, 4):
        there = moved(arrow, heading, ahead)
        if there == body.here:
            return True
        if body.map.get(there) not in (*FREE, "water", "lava"):
            return False
    return False


def _turned(heading: Cell) -> Cell:
    """The other way round."""
    return -heading[0], -heading[1]
