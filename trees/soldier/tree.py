"""The soldier's tree: survive before fight before patrol."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from bthtn.behaviours import Agent, Believes, Character, Operators, PlanGoal
from bthtn.examples.domains.combat.domain import Soldier, combat, fight

from .body import Body
from .operators import operators
from .senses import Rifleman, sense
from .steps import CarryOut
from .world import World

SECONDS_PER_TICK = 1.0


def soldier(agent: Agent[Soldier, Body]) -> Behaviour:
    """The whole character. Every tick begins at the top: what stands further left takes over."""
    body = agent.body

    hurt = Believes("hurt", agent, (Rifleman.health < 40) & Rifleman.medkit)
    hide = CarryOut("break contact", body, Body.break_contact)
    heal = CarryOut("use medkit", body, Body.use_medkit)
    recover = Sequence("recover", memory=True, children=[hide, heal])
    survive = Sequence("survive", memory=False, children=[hurt, recover])

    alarmed = Believes("alarmed", agent, Soldier.target | Rifleman.noise)
    combat_plan = PlanGoal("fight", agent, fight())
    engage = Sequence("engage", memory=False, children=[alarmed, combat_plan])

    patrol = CarryOut("patrol", body, Body.patrol)
    act = Selector("act", memory=False, children=[survive, engage, patrol])

    alive = Believes("alive", agent, Rifleman.health > 0)
    return Sequence("soldier", memory=False, children=[alive, act])


def character(seed: int = 0, running: Character | None = None) -> Character:
    """The soldier in his world, ready to be watched; reloaded, in the one where he is."""
    if running is None:
        return placed_in(World(Random(seed)))  # noqa: S311 - dice, not secrets
    return living(running.agent.reload(rifleman(running.agent.body)))


def placed_in(world: World, code: Operators = operators) -> Character:
    """The soldier in some world, with some code for what he can do."""
    return living(rifleman(Body(world), code))


def rifleman(body: Body, code: Operators = operators) -> Agent[Soldier, Body]:
    """The soldier with a body, who knows nothing yet."""
    return Agent("soldier", combat, Rifleman(), body=body, operators=code, clock=body.clock)


def living(agent: Agent[Soldier, Body]) -> Character:
    """The soldier with his tree, in the world of his body."""
    body, world = agent.body, agent.body.world
    sense(agent)

    def live() -> None:
        body.clock.advance(SECONDS_PER_TICK)
        world.step()
        body.step()
        sense(agent)

    return Character(soldier(agent), agent, sense=live, finished=lambda: world.over, world=body)


def invariants(character: Character) -> Iterator[str]:
    """His hands do nothing that nobody wants any more."""
    body: Body = character.agent.body
    running = {node.name for node in character.root.iterate() if node.status is Status.RUNNING}
    order = body.orders.get("hands")
    if order is not None and order.pending and order.name in {"shoot", "reload"} - running:
        yield f"his hands go on with '{order.name}', which is over"
