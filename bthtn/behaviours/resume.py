"""Resuming: the plan of a suspended part, made when execution gets there (semantics 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bthtn.agent.agent import Agent
from bthtn.behaviours.failure_tracking import FailureTracking
from bthtn.behaviours.run import Arrival, ResumeFailed
from bthtn.domain.domain import FrozenDomain
from bthtn.errors import BthtnError
from bthtn.plan.nodes import SuspendedNode, TaskNode
from bthtn.plan.plan import Plan
from bthtn.plan.walk import preorder
from bthtn.planning.partial import go_on
from bthtn.planning.planner import Planner
from bthtn.planning.protocol import Search, SearchStatus, Settings
from bthtn.replanning.schedule import Budget


def plan_of(search: Search, budget: Budget) -> Plan | None:
    """The plan, or None while it needs more ticks. Raises ResumeFailed without one."""
    status = budget.advance(search)
    if status is SearchStatus.RUNNING:
        return None
    if search.plan is None:
        limit = f"no plan within {search.expansions} expansions"
        raise ResumeFailed(limit if status is SearchStatus.LIMIT else "there is no plan")
    return search.plan


def resuming(
    arrival: Arrival,
    agent: Agent[Any, Any],
    domain: FrozenDomain,
    settings: Settings,
    budget: Budget,
    failures: FailureTracking,
) -> Callable[[], Plan | None]:
    """Begin to plan a suspended part from the beliefs as they are now, or as was foreseen.

    The answer is called every tick until it gives a plan. Both raise ResumeFailed.
    """
    state = agent.beliefs.frozen()
    planner: Planner[Any] = Planner.resuming(domain, arrival.node, settings, cache=agent.cache)
    try:
        avoids = bool(failures.avoided)  # what was foreseen may be part of it
        foreseen = None if avoids else go_on(arrival.node, state, domain, settings)
        search = failures.search(planner, state, resumes=True) if foreseen is None else None
    except BthtnError as error:
        raise ResumeFailed(str(error)) from error

    def ask() -> Plan | None:
        try:
            plan = foreseen if search is None else plan_of(search, budget)
        except BthtnError as error:
            raise ResumeFailed(str(error)) from error
        if plan is not None and stands_still(plan, arrival.node):
            cause = arrival.node.cause
            unknown = f"'{cause.fluent}' is still unknown" if cause.fluent else ""
            raise ResumeFailed(unknown or f"planning stops at the same place again ({cause})")
        return plan

    return ask


def stands_still(plan: Plan, resumed: SuspendedNode) -> bool:
    """Whether the plan of a suspended part begins by suspending the same part again."""
    first = next(
        (n for _, n in preorder(plan.tree) if isinstance(n, TaskNode | SuspendedNode)), None
    )
    return (
        isinstance(first, SuspendedNode)
        and first.rest == resumed.rest
        and first.binding == resumed.binding
    )
