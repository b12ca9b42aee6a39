"""The castaway's tree: live through the day and the night, then the next achievement."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector, Sequence
from py_trees.decorators import SuccessIsFailure

from bthtn import TaskCall
from bthtn.behaviours import Agent, Believes, Character, PlanGoal
from bthtn.examples.domains.crafter.beliefs import Castaway
from bthtn.examples.domains.crafter.domain import crafter, live, quench, rest, slay

from .body import Body
from .level import Level, level
from .operators import operators
from .senses import Castaways, Survivor, sense
from .steps import Act, defended, waiting


Goals = Callable[[str, Castaways, TaskCall], Behaviour]
"""Makes the leaf of this name that sees to a task."""


def castaway(agent: Castaways, goal: Goals = PlanGoal, *, memory: bool = False) -> Behaviour:
    """The whole character: what stands further left takes over in any step.

    With ``memory``, only when what was begun has ended.
    """
    body = agent.body
    over = partial(SuccessIsFailure, "then go on")
    asleep = Believes("asleep", agent, Survivor.asleep)
    dream = Sequence("dream", memory=False, children=[asleep, Act("dream on", body, waiting)])
    danger = Believes("danger", agent, Survivor.danger)
    defend = Sequence("defend", memory=False, children=[danger, Act("strike back", body, defended)])
    worn = (Castaway.energy < 3) | Castaway.dark | (Castaway.health < 4)
    worn &= (Castaway.food > 2) & (Castaway.drink > 2)
    tired = Believes("tired", agent, worn)
    recover = Sequence(
        "recover", memory=memory, children=[tired, over(goal("rest", agent, rest()))]
    )
    thirsty = Believes("thirsty", agent, Castaway.drink < 4, until=Castaway.drink > 8)
    water = Sequence(
        "water", memory=memory, children=[thirsty, over(goal("quench", agent, quench()))]
    )
    hungry = Believes("hungry", agent, Castaway.food < 4, until=Castaway.food > 5)
    food = Sequence("food", memory=memory, children=[hungry, over(goal("eat", agent, slay("cow")))])
    work = goal("mission", agent, live())
    idle = Act("wait", body, waiting)
    children = [defend, recover, water, food, work, idle]
    return Selector("castaway", memory=memory, children=children)


def placed_in(world: Level, tree: Callable[[Castaways], Behaviour] = castaway) -> Character:
    """Somebody with such a tree in a game."""
    return living(survivor(Body(world)), tree)


def survivor(body: Body) -> Castaways:
    """The castaway with a body, who knows nothing yet."""
    return Agent("castaway", crafter, Survivor(), body=body, operators=operators)


def living(agent: Castaways, tree: Callable[[Castaways], Behaviour] = castaway) -> Character:
    """The castaway with a tree, in the game of his body."""
    body = agent.body
    sense(agent)

    def live() -> None:
        body.step()
        sense(agent)

    return Character(tree(agent), agent, sense=live, finished=lambda: body.level.over, world=body)


def character(seed: int = 0, running: Character | None = None) -> Character:
    """The castaway in a new game, ready to be watched; reloaded, in the one where he is."""
    if running is None:
        return placed_in(level(seed))
    return living(running.agent.reload(survivor(running.agent.body)))
