"""Operators: each step is a goal of an action server, or a call of a service."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bthtn.behaviours import Operators
from bthtn.ros import ActionOperator, ServiceOperator

from . import domain
from .body import Body, Result
from .domain import Hindrance, Robot
from .flat import PERSON, STICKS
from .senses import Fetcher

LIMIT: Final = 60
"""Seconds after which a goal is cancelled: the longest, to charge, takes forty."""
HINDRANCES: Final[Mapping[str, Hindrance]] = MappingProxyType(
    {PERSON: Hindrance.PERSON, STICKS: Hindrance.STUCK}
)
"""What it means for a doorway that something has failed there. Other reasons mean nothing."""


def operators_of(body: Body) -> Operators:
    """The operators of a robot that has these servers."""
    operators = Operators()
    operators.simulate(domain.wait_before)
    ask = ServiceOperator(body.asking.client, lambda agent, door: door, judge=heard)  # noqa: ARG005
    operators.bind(domain.ask_to_move)(ask)
    for task in (domain.drive, domain.open_door, domain.grasp, domain.place, domain.dock):
        client = body.servers[task.name].client
        operators.bind(task)(ActionOperator(client, goal_of, judge=learn, time_limit=LIMIT))
    return operators


def goal_of(agent: Fetcher, *args: str) -> tuple[str, ...]:  # noqa: ARG001 - how operators call it
    """The arguments of the task: these servers need nothing else."""
    return args


def learn(agent: Fetcher, result: Result) -> str:
    """Why it failed, if it did; what that means for a doorway is remembered."""
    if result.why in HINDRANCES:
        agent.believe(Robot.hindrance[result.about], HINDRANCES[result.why])
    return result.why


def heard(agent: Fetcher, response: str) -> str:  # noqa: ARG001 - how operators call it
    """Why asking was in vain, if it was."""
    return response
