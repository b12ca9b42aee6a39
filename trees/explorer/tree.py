"""The explorer's tree: give way to what moves, then the mission; needs bthtn[minigrid]."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Final

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector, Sequence

from bthtn import TaskCall
from bthtn.behaviours import Agent, Believes, Character, PlanGoal
from bthtn.examples.domains.minigrid.domain import get, minigrid, reach, unbar

from .body import Body
from .level import Level, level
from .operators import operators
from .senses import Explorers, Walker, sense
from .steps import Turn

WISHES: Final = MappingProxyType({"pick up": get, "open": unbar, "get to": reach})


def mission(sentence: str) -> TaskCall:
    """The task that a sentence such as "pick up the red box" asks for. Raises ValueError."""
    asked = re.fullmatch(r"(.+?) the (.+?)( square)?", sentence)
    if asked is None or asked[1] not in WISHES:
        raise ValueError(f"an explorer does not know how to '{sentence}'")
    return WISHES[asked[1]](asked[2])


def pursue(agent: Explorers) -> Behaviour:
    """Do what the level asks for: the one leaf that plans."""
    return PlanGoal("mission", agent, mission(agent.body.level.observation["mission"]))


def explorer(agent: Explorers, work: Callable[[Explorers], Behaviour] = pursue) -> Behaviour:
    """The whole character. He steps nowhere where something may step at the same time.

    When nothing can be planned he looks again: what is in the way may have moved.
    """
    crowded = Believes("crowded", agent, Walker.crowded)
    give_way = Sequence("give way", memory=False, children=[crowded, Turn("turn", agent.body)])
    look_again = Turn("look again", agent.body)
    return Selector("explorer", memory=False, children=[give_way, work(agent), look_again])


def placed_in(world: Level, tree: Callable[[Explorers], Behaviour] = explorer) -> Character:
    """Somebody with such a tree in a level."""
    return living(walker(Body(world)), tree)


def walker(body: Body) -> Explorers:
    """The explorer with a body, who has seen nothing yet."""
    return Agent("explorer", minigrid, Walker(), body=body, operators=operators)


def living(agent: Explorers, tree: Callable[[Explorers], Behaviour] = explorer) -> Character:
    """The explorer with a tree, in the level of his body."""
    body = agent.body

    def live() -> None:
        body.step()
        sense(agent)

    return Character(tree(agent), agent, sense=live, finished=lambda: body.level.over, world=body)


def character(
    seed: int = 0, running: Character | None = None, name: str = "MiniGrid-KeyCorridorS3R3-v0"
) -> Character:
    """The explorer in a level, ready to be watched; reloaded, in the level where he is."""
    if running is None:
        return placed_in(level(name, seed))
    return living(running.agent.reload(walker(running.agent.body)))


unlock = partial(character, name="MiniGrid-Unlock-v0")
unlock_pickup = partial(character, name="MiniGrid-UnlockPickup-v0")
blocked_unlock_pickup = partial(character, name="MiniGrid-BlockedUnlockPickup-v0")
large_key_corridor = partial(character, name="MiniGrid-KeyCorridorS6R3-v0")
obstructed_maze = partial(character, name="MiniGrid-ObstructedMaze-2Dlhb-v1")
full_obstructed_maze = partial(character, name="MiniGrid-ObstructedMaze-Full-v1")
dynamic_obstacles = partial(character, name="MiniGrid-Dynamic-Obstacles-16x16-v0")
