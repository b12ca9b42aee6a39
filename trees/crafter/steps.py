"""The leaves of the authored tree that act without a plan, an action at every tick."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.kit.grids import beside, moved

from .body import STEPS, Body
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


def defended(body: Body) -> Action:
    """Strike who stands beside him; turn to him first. Step out of the way of an arrow."""
    foes = [c for c in beside(body.here) if body.creatures.get(c) in ("zombie", "skeleton")]
    if body.front in foes:
        return Action.DO
    if foes:
        return body.into(foes[0])
    lines = {(cell, heading) for cell, heading in body.arrows.items()}
    flights = {heading for _, heading in lines}
    for heading, step in STEPS.items():
        aside = moved(body.here, heading)
        if (
            body.is_free(aside)
            and heading not in flights
            and (-heading[0], -heading[1]) not in flights
        ):
            return step
    return Action.PLACE_STONE if body.has["stone"] else Action.WAIT


def waiting(_: Body) -> Action:
    """Wait: the world goes on."""
    return Action.WAIT
