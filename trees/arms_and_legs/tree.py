"""Arms and legs: two goals side by side, two domains, one set of beliefs."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel
from py_trees.decorators import Repeat

from bthtn import Domain, NetworkLike, PrimitiveTask
from bthtn.behaviours import Agent, Character, Elapsed, Operators, PlanGoal, Running
from bthtn.examples.domains.body import domain, literal
from bthtn.examples.domains.body.beliefs import Troll, Walker

from .senses import senses
from .world import World

Body = Agent[Any, World]


def character(seed: int = 0, running: Character | None = None) -> Character:  # noqa: ARG001 - nothing here is left to chance
    """The troll in his world, arms and legs planned for apart."""
    return two_halves(running)


def two_halves(running: Character | None = None) -> Character:
    """He walks and guards at the same time: the arms see what the legs have set."""
    operators = Operators()
    operators.simulate(domain.arms_idle, domain.legs_idle)
    operators.bind(domain.slam)(_striking)
    operators.on_resume(domain.slam)(_striking)
    operators.bind(domain.guard_face)(_guarding)

    @operators.bind(domain.walk)
    def walk(agent: Body) -> Running:
        agent.body.walk()
        agent.believe(Troll.navigating, True, source="legs")
        yield from walk_on(agent)

    @operators.on_resume(domain.walk)
    def walk_on(agent: Body, _: Elapsed = Elapsed()) -> Running:
        try:
            while agent.body.walking:
                yield
        finally:
            agent.believe(Troll.navigating, False, source="legs")

    agent = Agent(
        "troll",
        [domain.upper, domain.lower],
        Walker(),
        body=World() if running is None else running.agent.body,
        operators=operators,
        sensors=senses(feels_his_legs=False),
    )
    if running is not None:
        agent = running.agent.reload(agent)
    legs = _for_ever("legs", agent, domain.use_legs())
    arms = _for_ever("arms", agent, domain.use_arms())
    root = Parallel("body", ParallelPolicy.SuccessOnAll(), [legs, arms])
    return _placed(root, agent)


class Attack(NamedTuple):
    """A domain that walks in the background: the goal, and the tasks that somebody has to do."""

    domain: Domain[Any]
    goal: NetworkLike
    strike: PrimitiveTask[[]]
    set_out: PrimitiveTask[[]]
    guard: PrimitiveTask[[]]
    idle: PrimitiveTask[[]]


CORRECTED: Final = Attack(
    domain.body, domain.attack(), domain.strike, domain.set_out, domain.guard, domain.idle
)
LITERAL: Final = Attack(
    literal.literal_body,
    literal.attack(),
    literal.strike,
    literal.set_out,
    literal.guard,
    literal.idle,
)


def in_background(attack: Attack = CORRECTED) -> Character:
    """One domain, one goal: setting out is done at once, and the legs walk on by themselves."""
    world, operators = World(), Operators()
    operators.simulate(attack.idle)
    operators.bind(attack.strike)(_striking)
    operators.on_resume(attack.strike)(_striking)
    operators.bind(attack.set_out)(_setting_out)
    operators.bind(attack.guard)(_guarding)
    agent = Agent(
        "troll",
        attack.domain,
        Walker(),
        body=world,
        operators=operators,
        sensors=senses(feels_his_legs=True),
    )
    return _placed(_for_ever("attack", agent, attack.goal), agent)


def _placed(root: Behaviour, agent: Body) -> Character:
    world = agent.body
    return Character(root, agent, sense=world.step, finished=lambda: world.slams > 0, world=world)


def _for_ever(name: str, agent: Body, goal: NetworkLike) -> Behaviour:
    return Repeat(f"{name}, for ever", PlanGoal(name, agent, goal), num_success=-1)


def _striking(agent: Body, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - one tick
    yield
    agent.body.slams += 1


def _guarding(agent: Body) -> None:
    agent.body.guards += 1


def _setting_out(agent: Body) -> None:
    agent.body.walk()
