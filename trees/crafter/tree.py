"""The castaway's tree: live through the day and the night, then the next achievement."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector, Sequence
from py_trees.decorators import SuccessIsFailure

from bthtn.behaviours import Agent, Believes, Character, PlanGoal
from bthtn.examples.domains.crafter.beliefs import Castaway
from bthtn.examples.domains.crafter.domain import crafter, live, quench, rest, slay

from .body import Body
from .level import Level, level
from .operators import operators
from .senses import Castaways, Survivor, sense
from .steps import Act, defended, waiting


def castaway(agent: Castaways) -> Behaviour:
    """The whole character: what stands further left takes over in any step."""
    body = agent.body
    over = partial(SuccessIsFailure, "then go on")
    danger = Believes("danger", agent, Survivor.danger)
    defend = Sequence("defend", memory=False, children=[danger, Act("strike back", body, defended)])
    evening, fed = Survivor.evening, (Castaway.food > 0) & (Castaway.drink > 0)
    can_rest = fed | (Castaway.health > 4)
    worn = (Castaway.energy < 3) | Castaway.dark | (Castaway.health < 4)
    rested = ~Castaway.dark & (Castaway.health > 6) & (Castaway.energy > 5)
    tired = Believes("tired", agent, worn & can_rest, until=rested | ~can_rest)
    recover = Sequence(
        "recover", memory=False, children=[tired, over(PlanGoal("rest", agent, rest()))]
    )
    at_well = Believes(
        "at the well",
        agent,
        Survivor.well & (Castaway.drink < 7),
        until=(Castaway.drink > 8) | ~Survivor.well,
    )
    sip = Sequence("sip", memory=False, children=[at_well, over(PlanGoal("sip", agent, quench()))])
    parched = (Castaway.drink < 4) | (evening & (Castaway.drink < 8))
    thirsty = Believes("thirsty", agent, parched, until=Castaway.drink > 8)
    water = Sequence(
        "water", memory=False, children=[thirsty, over(PlanGoal("quench", agent, quench()))]
    )
    famished = (Castaway.food < 4) | ((Castaway.food < 7) & (evening | Survivor.cow_at_hand))
    hungry = Believes("hungry", agent, famished)
    food = Sequence(
        "food", memory=False, children=[hungry, over(PlanGoal("eat", agent, slay("cow")))]
    )
    work = PlanGoal("mission", agent, live())
    idle = Act("wait", body, waiting)
    children = [defend, sip, recover, water, food, work, idle]
    return Selector("castaway", memory=False, children=children)


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
