"""find_plan: one search from one state, run to its end."""

from __future__ import annotations

from typing import Any, TypeVar

from bthtn.domain.builder import Domain
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import NetworkLike
from bthtn.plan.plan import Plan
from bthtn.planning.planner import Planner
from bthtn.planning.protocol import DEFAULT_SETTINGS, Settings
from bthtn.planning.trace import SearchListener
from bthtn.world.state import FrozenState, State

S = TypeVar("S", bound=State)


def find_plan(
    domain: Domain[S] | FrozenDomain,
    state: S | FrozenState,
    goal: NetworkLike,
    settings: Settings = DEFAULT_SETTINGS,
    listener: SearchListener | None = None,
) -> Plan | None:
    """The most preferred plan for the goal from this state, or None when there is none.

    With ``Settings(cheapest=True)`` it is the plan that costs least; if the limit of expansions
    is reached first, the cheapest plan found so far.

    Raises DomainError when the domain or the goal is not well made, and PlanningError when a
    user's function raises or the limit of expansions is reached without a plan.
    """
    planner: Planner[Any] = Planner(domain, goal, settings)
    return planner.plan(state, listener)
