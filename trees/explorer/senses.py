"""The explorer's senses: from what he sees, where he is and what is around him."""

from __future__ import annotations

from bthtn import UNKNOWN, Fluent, fluent
from bthtn.behaviours import Agent
from domains.minigrid.beliefs import MOVABLE, PLAIN, Explorer, around, is_free, kind, name

from .body import Body, moved
from .level import Action


class Walker(Explorer):
    """What an explorer believes, and what only his tree asks."""

    crowded: Fluent[bool] = fluent(default=False)


Explorers = Agent[Explorer, Body]


def sense(agent: Explorers) -> None:
    """Believe what can be told from the observation. What was seen once is remembered."""
    body, here = agent.body, _here(agent)
    front = moved(here, body.heading, ahead=1)
    can_lift = body.level.actions > Action.PICK_UP
    agent.believe(Explorer.at, here)
    agent.believe(Explorer.front, front)
    agent.believe(Explorer.carrying, body.carried)
    view = dict(body.view_from(here))
    # What he cannot lift moves by itself: it belongs to no map, and the tree looks after it.
    moving = [p for p, what in view.items() if kind(what) in MOVABLE and not can_lift]
    for there, what in view.items():
        _see(agent, there, "floor" if there in moving else what)
    agent.believe(Walker.crowded, any(there in moving for there in (front, *around(front))))


def _here(agent: Explorers) -> str:
    """Where he stands: nobody tells him, so he counts his steps."""
    now = agent.beliefs.now
    walked = agent.body.done is Action.FORWARD and is_free(now.cell[now.front])
    return now.front if walked else now.at


def _see(agent: Explorers, there: str, what: str) -> None:
    """Put what is there on the map, under both its names, and forget what was there before."""
    change = agent.believe(Explorer.cell[there], what)
    if change is None:
        return
    before = "" if change.before is UNKNOWN else change.before
    names = set() if what in PLAIN else {name(what), kind(what)}
    for old in sorted({name(before), kind(before)} - names):
        if agent.beliefs.get(Explorer.where[old]) == there:
            agent.believe(Explorer.where[old], UNKNOWN)
    for new in sorted(names):
        agent.believe(Explorer.where[new], there)
