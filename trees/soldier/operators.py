"""Operators: how the combat domain's primitive tasks are done with this body.

Most give the body an order, wait until it is carried out, and take it back at the end,
however that end comes. Each of the three forms that an operator may have is used where it
reads best.
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from bthtn import seconds
from bthtn.behaviours import Agent, Believes, Elapsed, OperatorFailed, Operators, Running
from bthtn.examples.domains.combat import domain as combat
from bthtn.examples.domains.combat.domain import Soldier

from .body import Body, Order
from .steps import CarryOut

Rifle = Agent[Soldier, Body]

operators = Operators()


def carried_out(order: Order) -> Running:
    """Wait for the order; what a generator operator ends with."""
    try:
        while order.pending:
            yield
        if order.end != "done":
            raise OperatorFailed(order.reason or f"'{order.name}' was {order.end}")
    finally:
        order.take_back()


@operators.on_resume(combat.move_to_cover)
@operators.on_resume(combat.cover)
def go_on(agent: Rifle, elapsed: Elapsed) -> Running:  # noqa: ARG001 - the order knows
    """The legs are at it."""
    yield from carried_out(agent.body.orders["legs"])


@operators.on_resume(combat.reload)
@operators.on_resume(combat.shoot)
def handle_on(agent: Rifle, elapsed: Elapsed) -> Running:  # noqa: ARG001 - the order knows
    """The hands are at it."""
    yield from carried_out(agent.body.orders["hands"])


@operators.bind(combat.move_to_cover)
def move_to_cover(agent: Rifle) -> Running:
    yield from carried_out(agent.body.run_to_cover())


@operators.bind(combat.cover)
def cover(agent: Rifle) -> Running:
    yield from carried_out(agent.body.duck())


@operators.bind(combat.reload)
def reload(agent: Rifle) -> Running:
    yield from carried_out(agent.body.reload())


@operators.bind(combat.shoot)
def shoot(agent: Rifle) -> Running:
    yield from carried_out(agent.body.shoot())


@operators.bind(combat.wait)
@operators.on_resume(combat.wait)
def wait(agent: Rifle, time: int, elapsed: Elapsed = Elapsed()) -> Running:  # noqa: ARG001 - every operator is given the agent
    yield seconds(time - elapsed.seconds)


@operators.bind(combat.do_nothing)
def do_nothing(agent: Rifle) -> None:
    """A function without ``yield`` is done when it returns."""


@operators.bind(combat.no_line_of_fire)
def no_line_of_fire(agent: Rifle) -> None:
    """Hold fire: the domain has asked whether there is a line of fire."""


@operators.bind(combat.search_enemy)
def search_enemy(agent: Rifle) -> Behaviour:
    """A step may be a behaviour tree of its own: go and look, until the enemy is in sight."""
    found = Believes("found", agent, Soldier.target & Soldier.line_of_fire)
    go = CarryOut("go to the noise", agent.body, Body.go_to_noise)
    look = CarryOut("look around", agent.body, Body.look_around)
    seek = Sequence("seek", memory=True, children=[go, look])
    return Selector("search", memory=False, children=[found, seek])


@operators.bind(combat.keep_distance)
class KeepDistance:
    """A step may be an object: start once, tick until it answers, or abort."""

    def __init__(self, agent: Rifle, order: Order | None = None) -> None:
        self._body = agent.body
        self._order = order

    def start(self) -> None:
        """Turn away from the enemy, unless he does already."""
        self._order = self._order or self._body.back_off()

    def tick(self) -> Status:
        """See how far it is."""
        assert self._order is not None, "a step is started before it is ticked"
        if self._order.pending:
            return Status.RUNNING
        return Status.SUCCESS if self._order.end == "done" else Status.FAILURE

    def abort(self) -> None:
        """Stop running."""
        if self._order is not None:
            self._order.take_back()


@operators.on_resume(combat.keep_distance)
def keep_on(agent: Rifle, elapsed: Elapsed) -> KeepDistance:  # noqa: ARG001 - the order knows
    return KeepDistance(agent, agent.body.orders["legs"])
