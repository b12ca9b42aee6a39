"""The castaway's tree: live through the day and the night, then the next achievement."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector, Sequence

from bthtn.behaviours import Agent, Believes, Character, PlanGoal, Repeat
from bthtn.examples.domains.crafter.beliefs import MOST, Castaway
from bthtn.examples.domains.crafter.domain import crafter, live, quench, rest, slay

from .body import Body
from .level import Action, Level, level
from .operators import operators
from .senses import Castaways, Survivor, sense
from .steps import Act, reflex


def castaway(agent: Castaways) -> Behaviour:
    """The whole character: what stands further left takes over in any step."""
    food, drink, health = Castaway.food, Castaway.drink, Castaway.health
    evening, dark, well = Survivor.evening, Castaway.dark, Survivor.well

    danger = Believes("danger", agent, Survivor.danger)
    strike = Act("strike back", agent.body, reflex)
    defend = Sequence("defend", memory=False, children=[danger, strike])

    # In the shelter, water in reach costs nothing.
    at_well = Believes("at the well", agent, well & (drink < 7), until=(drink == MOST) | ~well)
    # Who starves has to go out at night, as long as he can stand two zombies.
    can_rest = ((food > 0) & (drink > 0)) | (health > 4)
    worn = (Castaway.energy < 3) | dark | (health < 4)
    rested = ~dark & (health > 6) & (Castaway.energy > 5)
    tired = Believes("tired", agent, worn & can_rest, until=rested | ~can_rest)
    # A night takes half of what one can eat and drink: in the evening he fills up.
    parched = (drink < 4) | (evening & (drink < 8))
    thirsty = Believes("thirsty", agent, parched, until=drink == MOST)
    famished = (food < 4) | ((food < 7) & (evening | Survivor.cow_at_hand))
    hungry = Believes("hungry", agent, famished)

    children = [
        defend,
        see_to("sip", at_well, PlanGoal("sip", agent, quench())),
        see_to("recover", tired, PlanGoal("rest", agent, rest())),
        see_to("water", thirsty, PlanGoal("quench", agent, quench())),
        see_to("food", hungry, PlanGoal("eat", agent, slay("cow"))),
        PlanGoal("mission", agent, live()),
        Act("wait", agent.body, lambda _: Action.WAIT),
    ]
    return Selector("castaway", memory=False, children=children)


def see_to(name: str, guard: Believes, goal: PlanGoal) -> Behaviour:
    """A goal under a condition: as long as that holds, it is pursued again when it is reached."""
    return Sequence(name, memory=False, children=[guard, Repeat("again", goal, -1)])


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
