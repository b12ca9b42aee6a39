"""A fast path: generated functions that search where all is plain data in a row.

``accelerator`` is the only door. Nothing depends on it: what it cannot answer, and everything
that only a search knows, the search finds out in the same order with the same counts.

``reachable`` tells what a goal can come to, ``cycles`` which tasks may come to themselves with
nothing changed, ``layout`` what stands where. ``functions`` and ``body`` write the functions, by
``reading`` and ``known``; ``program`` makes them, and ``guard`` is what they call. ``found`` makes
the parts of plans.
"""

from __future__ import annotations

from collections.abc import Callable

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network
from bthtn.plan.plan import Plan
from bthtn.planning.htn.fastpath.found import Question, part_of
from bthtn.planning.htn.fastpath.program import Program, Programs
from bthtn.planning.htn.fastpath.reachable import calls_of
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.protocol import Settings
from bthtn.world.expression import Binding
from bthtn.world.state import FrozenState

Answer = Plan | int | None
"""A plan; the number of expansions after which there was none; None where that is not known."""
Accelerator = Callable[[FrozenState, int], Answer]
"""Answers from a state within so many expansions."""


def accelerator(
    domain: FrozenDomain, goal: Network, binding: Binding, settings: Settings
) -> Accelerator | None:
    """What answers the question faster than a search; None where nothing does.

    It may be asked for no more expansions than tasks may be nested: then they are not deeper.
    """
    program = program_for(domain, goal, settings)
    start = None if program is None else program.cell(goal, binding)
    if program is None or start is None:
        return None
    body = domain.derived(TaskTable).goal(goal)
    question = Question(domain, goal, binding, settings.seed, body)
    made: Accelerator = program.asking(start, question, part_of)
    return made


def program_for(domain: FrozenDomain, goal: Network, settings: Settings) -> Program | None:
    """The functions for a goal; None where there can be none."""
    partial = settings.horizon is not None or settings.horizon_time is not None
    rarely = settings.check_rest or settings.cheapest or domain.prunes_duplicates
    calls = calls_of(goal)
    if partial or rarely or domain.has_values or not calls:
        return None
    roots = frozenset(call.task for call in calls)
    return domain.derived(Programs).program(roots, strict=settings.strict_recursion)
