"""find_plan: ask once, search to the end."""

from __future__ import annotations

from typing import TypeVar

from bthtn.domain.builder import Domain
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import NetworkLike
from bthtn.errors import Diagnostic, PlanningError
from bthtn.plan.plan import Plan
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import DEFAULT_SETTINGS, SearchStatus, Settings, request
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

    With ``Settings(cheapest=True)`` it is the one that costs least; if the limit of expansions
    was reached before everything was tried, the cheapest that was found.

    Raises DomainError when the domain or the goal is not well made, and PlanningError when a
    user's function raises or the limit of expansions is reached without a plan.
    """
    search = HtnSearch(request(domain, state, goal, settings), listener)
    if search.advance() is SearchStatus.LIMIT and search.plan is None:
        raise PlanningError(
            Diagnostic(
                "BT203",
                f"no answer after {search.expansions} expansions",
                hint="is there a recursion that never ends? raise max_expansions if not",
            )
        )
    return search.plan
