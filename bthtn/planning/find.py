"""find_plan: ask once, search to the end."""

from __future__ import annotations

from typing import TypeVar

from bthtn.domain.builder import Domain
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import NetworkLike
from bthtn.plan.plan import Plan
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import DEFAULT_SETTINGS, SearchStatus, Settings, no_answer, request
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

    Raises DomainError when the domain or the goal is not well made, and PlanningError when a
    user's function raises or the limit of expansions is reached.
    """
    search = HtnSearch(request(domain, state, goal, settings), listener)
    if search.advance() is SearchStatus.LIMIT:
        raise no_answer(search.expansions)
    return search.plan
