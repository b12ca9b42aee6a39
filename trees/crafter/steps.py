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

    def __init__(self, name: str, body: Body, choose: Callable[[Body], Action]) -> None:
        super().__init__(name)
        self._body = body
        self._choose = choose

    def update(self) -> Status:
        """Act."""
        self._body.act(self._choose(self._body))
        return Status.RUNNING


def reflex(body: Body) -> Action | None:
    """Strike who stands beside him, or turn to him; get out of the way of an arrow, or block it."""
    foes = [c for c in beside(body.here) if body.creatures.get(c) in ("zombie", "skeleton")]
    if body.front in foes:
        return Action.DO
    if foes:
        return body.into(foes[0])
    flights = {heading for cell, heading in body.arrows.items() if hits(body, cell, heading)}
    if turned(body.heading) in flights and body.has["stone"] and body.is_free(body.front):
        return Action.PLACE_STONE
    for heading, step in STEPS.items():
        if flights and heading not in flights and turned(heading) not in flights:
            if body.is_free(moved(body.here, heading)):
                return step
    return None


def hits(body: Body, cell: Cell, heading: Cell) -> bool:
    """Whether an arrow there will hit him soon."""
    for ahead in range(1, 4):
        there = moved(cell, heading, ahead)
        if there == body.here:
            return True
        if body.map.get(there) not in (*FREE, "water", "lava"):
            return False
    return False


def turned(heading: Cell) -> Cell:
    """The other way round."""
    return -heading[0], -heading[1]


def defended(body: Body) -> Action:
    """What he does in danger."""
    return reflex(body) or Action.WAIT


def waiting(_: Body) -> Action:
    """Wait: the world goes on."""
    return Action.WAIT
