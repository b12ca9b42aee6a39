"""The ways in which bthtn can be asked: add a mode with one line in MODES."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any

from bthtn import Domain, Plan, PlanCache, Planner, Settings, State, find_plan
from bthtn.domain.network import NetworkLike
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.protocol import DEFAULT_SETTINGS, request
from bthtn.planning.trace import SearchListener


@dataclass(frozen=True, slots=True)
class Question:
    """What a planner is asked once: from this state, how is the goal reached?"""

    domain: Domain[Any]
    state: State
    goal: NetworkLike
    settings: Settings = DEFAULT_SETTINGS
    listener: SearchListener | None = None


Ask = Callable[[], Any]
"""Asks, and gives the answer. What can be made ready before is no part of it."""


def interpreter(question: Question) -> Callable[[], Plan | None]:
    """The search of bthtn.planning.htn.search, driven by hand."""
    q = question

    def ask() -> Plan | None:
        search = HtnSearch(request(q.domain, q.state, q.goal, q.settings), q.listener)
        search.advance()
        return search.plan

    return ask


def simple_call(question: Question) -> Callable[[], Plan | None]:
    """find_plan, whatever search stands behind it."""
    q = question
    return lambda: find_plan(q.domain, q.state, q.goal, q.settings, q.listener)


def prepared(question: Question) -> Callable[[], Plan | None]:
    """A Planner, made once for domain and goal: the call for a game loop."""
    q = question
    planner = Planner(q.domain, q.goal, q.settings)
    return lambda: planner.plan(q.state, q.listener)


def looking_at(part: str) -> Callable[[Question], Callable[[], Plan | None]]:
    """The same, and a part of the plan, which is made when it is looked at.

    ``actions`` are the plan as other planners write it, the ``tree`` what is needed to run it.
    """
    look = attrgetter(part)

    def prepare(question: Question) -> Callable[[], Plan | None]:
        ask = prepared(question)

        def asked() -> Plan | None:
            plan = ask()
            if plan is not None:
                look(plan)
            return plan

        return asked

    return prepare


def traced(question: Question) -> Callable[[], Plan | None]:
    """Planner.trace: the plan, every event of the search, and all that it has read."""
    q = question
    planner = Planner(q.domain, q.goal, q.settings)
    return lambda: planner.trace(q.state).plan


def from_cache(question: Question) -> Callable[[], Plan | None]:
    """A Planner that shares a cache, which has the answer from the second time on."""
    q = question
    planner = Planner(q.domain, q.goal, q.settings, cache=PlanCache())
    return lambda: planner.plan(q.state, q.listener)


MODES: Mapping[str, Callable[[Question], Callable[[], Plan | None]]] = MappingProxyType(
    {
        "interpreter": interpreter,
        "find_plan": simple_call,
        "Planner": prepared,
        "Planner, actions": looking_at("actions"),
        "Planner, trace": traced,
        "Planner, tree": looking_at("tree"),
        "Planner, cache": from_cache,
    }
)


def steps_of(plan: Plan | None) -> list[tuple[Any, ...]] | None:
    """The plan as other planners write it: a tuple of name and arguments for each step."""
    return None if plan is None else [(step.task.name, *step.args) for step in plan.steps]
