"""The forms in which bthtn can be asked for a plan: add a mode with one line in MODES."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from types import MappingProxyType
from typing import Any

from bthtn import Domain, NetworkLike, Plan, Planner, Settings, State, find_plan
from bthtn.engine.planning import SearchStatus

PER_TICK = 1_000
"""Expansions that a goal may use in a tick if nothing else is said."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a planner is asked once: from this state, how is the goal reached?"""

    domain: Domain[Any]
    state: State
    goal: NetworkLike
    settings: Settings = field(default_factory=Settings)


Ask = Callable[[], Any]
"""Asks, and gives the answer. What can be made ready before is no part of it."""


@cache
def planner_of(
    domain: Domain[Any], goal: NetworkLike, settings: Settings, part: str = ""
) -> Planner[Any]:
    """A Planner, made once for domain and goal, and for the ``part`` of plans that it is asked for.

    It remembers the plans whose trees were made, so whoever asks for less has one of his own.
    """
    return Planner(domain, goal, settings)


def simple_call(question: Question) -> Ask:
    """find_plan, which finds out anew what it was asked before."""
    q = question
    return partial(find_plan, q.domain, q.state, q.goal, q.settings)


def prepared(question: Question, part: str = "") -> Ask:
    """A Planner, and a part of the plan, made when it is asked for.

    ``actions`` are the plan as other planners write it, the ``tree`` what is needed to run it.
    """
    q = question
    planner, state = planner_of(q.domain, q.goal, q.settings, part), q.state.frozen()

    def ask() -> Plan | None:
        plan = planner.plan(state)
        if plan is not None and part:
            getattr(plan, part)
        return plan

    return ask


def searched(question: Question) -> Ask:
    """The search that an agent makes, with the budget of one tick after the other."""
    q = question
    planner, state = planner_of(q.domain, q.goal, q.settings), q.state.frozen()

    def ask() -> Plan | None:
        search = planner.search(state)
        while search.advance(PER_TICK) is SearchStatus.RUNNING:
            pass
        return search.plan

    return ask


MODES: Mapping[str, Callable[[Question], Ask]] = MappingProxyType(
    {
        "actions": partial(prepared, part="actions"),
        "tree, not seen before": partial(prepared, part="tree"),
        "tree, seen before": partial(prepared, part="tree"),
        "agent's search": searched,
        "find_plan": simple_call,
        "choices": prepared,
    }
)
AGAIN = ("tree, seen before",)
"""Those that are asked the same question again; all others are asked another one each time."""


def steps_of(plan: Plan | None) -> list[tuple[Any, ...]] | None:
    """The plan as other planners write it: a tuple of name and arguments for each step."""
    return None if plan is None else [(task.name, *args) for task, args in plan.actions]
