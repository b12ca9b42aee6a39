"""The explorer's senses: from what he sees, where he is and what is around him."""

from __future__ import annotations

from typing import Any

from bthtn import UNKNOWN, Expression, Fluent, fluent
from bthtn.behaviours import Agent
from bthtn.examples.domains.minigrid.beliefs import MOVABLE, Explorer, around, is_free, kind, names

from .body import Body, moved
from .level import Action


class Walker(Explorer):
    """What an explorer believes, and what only his tree asks."""

    crowded: Fluent[bool] = fluent(default=False)


Explorers = Agent[Explorer, Body]
News = dict[Expression[Any], Any]
"""Values that are new, by fluent."""


def sense(agent: Explorers) -> None:
    """Believe what can be told from the observation. What was seen once is remembered."""
    for variable, value in perceived(agent).items():
        agent.believe(variable, value)


def perceived(agent: Explorers) -> News:
    """What is to be believed after an observation."""
    body, here = agent.body, _here(agent)
    front = moved(here, body.heading, ahead=1)
    view = dict(body.view_from(here))
    # What he cannot lift moves by itself: it belongs to no map, and the tree looks after it.
    can_lift = body.level.actions > Action.PICK_UP
    moving = [p for p, what in view.items() if kind(what) in MOVABLE and not can_lift]
    return {
        Explorer.at: here,
        Explorer.front: front,
        Explorer.carrying: body.carried,
        Walker.crowded: any(there in moving for there in (front, *around(front))),
        **_mapped(agent, view | dict.fromkeys(moving, "floor")),
    }


def _here(agent: Explorers) -> str:
    """Where he stands: nobody tells him, so he counts his steps."""
    now = agent.beliefs.now
    walked = agent.body.done is Action.FORWARD and is_free(now.cell[now.front])
    return now.front if walked else now.at


def _mapped(agent: Explorers, view: dict[str, str]) -> News:
    """What changes on the map, and where things are now, each under all its names."""
    cell, where = Explorer.cell, Explorer.where
    before: dict[str, Any] = {there: agent.beliefs.get(cell[there]) for there in view}
    news = {there: what for there, what in view.items() if what != before[there]}
    cells: News = {cell[there]: what for there, what in news.items()}
    gone: News = {where[old]: UNKNOWN for there in news for old in names(before[there])}
    gone = {old: UNKNOWN for old in gone if agent.beliefs.get(old) in news}
    found: News = {where[new]: there for there, what in news.items() for new in names(what)}
    return {**cells, **gone, **found}
