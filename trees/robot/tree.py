"""The robot's tree: be honest before charge before fetch before go home."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from py_trees.behaviour import Behaviour
from py_trees.behaviours import Running
from py_trees.common import Status
from py_trees.composites import Selector, Sequence

from bthtn import seconds
from bthtn.behaviours import (
    Agent,
    AgentEvent,
    Believes,
    Character,
    PlanGoal,
    Replanning,
    RetryPolicy,
)
from bthtn.events import LeafEnded
from bthtn.ros import RosClock

from .body import Body
from .domain import WANTED, WANTED_IN, Robot, bring, charge, flat, go
from .flat import Flat
from .operators import operators_of
from .places import CHARGER, NOTHING, THINGS
from .senses import PATIENCE, Fetcher, sensors_of

LOW: Final = 20
"""Enough to come home from anywhere, by the longer way as well, and to wait on it."""
CHARGED: Final = 80
"""Enough for two errands; the last percents can wait."""
PATIENT: Final = Replanning(retrying=RetryPolicy(after=2, backoff=seconds(5), longest=seconds(20)))
"""What fails twice is left alone for as long as a server takes to start, then for longer.

Not at once: a failure whose reason is believed leaves the step in the next plan, behind another.
"""


class Apologise(Behaviour):
    """Says why something was not brought: the last thing that went wrong."""

    def __init__(self, agent: Fetcher) -> None:
        super().__init__("say why not")
        self._agent = agent

    def update(self) -> Status:
        """Say it."""
        body = self._agent.body
        thing, room = body.flat.order
        body.flat.answer(f"cannot bring the {thing} to the {room}: {body.trouble}")
        return Status.SUCCESS


def fetcher(agent: Fetcher) -> Behaviour:
    """The whole character. Every tick begins at the top: what stands further left takes over."""
    overdue = Believes("overdue?", agent, Robot.overdue)
    admit = Sequence("admit", memory=False, children=[overdue, Apologise(agent)])
    low = Believes("low?", agent, Robot.battery < LOW, until=Robot.battery >= CHARGED)
    asked = Believes("asked?", agent, Robot.wanted != NOTHING)
    home = PlanGoal("go home", agent, go(CHARGER), replanning=PATIENT)
    branches = [
        admit,
        while_true(low, PlanGoal("charge", agent, charge(), replanning=PATIENT)),
        while_true(asked, PlanGoal("fetch", agent, bring(WANTED, WANTED_IN), replanning=PATIENT)),
        or_wait(home),
    ]
    return Selector("robot", memory=False, children=branches)


def while_true(guard: Believes, goal: PlanGoal) -> Behaviour:
    """A goal for as long as a condition holds."""
    return Sequence(f"while {guard.name}", memory=False, children=[guard, or_wait(goal)])


def or_wait(goal: PlanGoal) -> Behaviour:
    """A goal; while there is no plan, the robot stands still instead of doing something else."""
    return Selector(f"{goal.name}, or wait", memory=False, children=[goal, Running("wait")])


def character(seed: int = 0, running: Character | None = None) -> Character:
    """The robot in its flat; reloaded, in the one where it is."""
    if running is None:
        return living(robot(Body(Flat(Random(seed)))))  # noqa: S311 - dice, not secrets
    return living(running.agent.reload(robot(running.agent.body)))


def robot(body: Body) -> Fetcher:
    """The robot with a body, which knows where things usually lie."""

    def note(event: AgentEvent) -> None:
        if isinstance(event, LeafEnded) and not event.succeeded:
            body.trouble = f"{event.task}: {event.reason}"

    return Agent(
        "robot",
        flat,
        Robot(lies=THINGS.copy()),
        body=body,
        operators=operators_of(body),
        sensors=sensors_of(body),
        clock=RosClock(body.node),
        listener=note,
    )


def living(agent: Fetcher) -> Character:
    """The robot with its tree, in the flat of its body, until it is home and nobody asks."""
    body, root = agent.body, fetcher(agent)
    home = root.children[-1]
    return Character(
        root,
        agent,
        sense=body.step,
        finished=lambda: home.status is Status.SUCCESS,
        world=body,
    )


def end(character: Character) -> None:
    """Stop the robot: what its servers do is cancelled, and has ended when this returns."""
    agent = character.agent
    character.root.stop(Status.INVALID)
    while agent.aborts:
        agent.body.step()
        agent.sense()
    character.stop()


def invariants(character: Character) -> Iterator[str]:
    """It does one thing at a time, for somebody; it gets home; and nobody waits in vain."""
    agent, resting = character.agent, character.root.tip()
    body: Body = agent.body
    if len(body.running) > 1:
        yield f"two goals run at once: {body.running}"
    if body.running and not agent.aborts and isinstance(resting, Running):
        yield f"a goal goes on, and no step: {body.running}"
    if not body.flat.battery:
        yield f"the battery has run out in the {body.flat.at}"
    if body.flat.order[0] and body.flat.asked_for > PATIENCE + 1:
        yield f"nobody says why the {body.flat.order[0]} does not come"
