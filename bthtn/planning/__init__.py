"""Searches that turn a domain, a state and a goal into a plan.

A search is determined by its request: the same request gives the same steps, events and
plan, however its budget is sliced. Nothing here reads a clock or runs anything.
"""

from bthtn.planning.cache import CacheStatistics
from bthtn.planning.exclusions import avoidable
from bthtn.planning.explain import Reason, explained, explanation_text
from bthtn.planning.htn.search import HtnSearch
from bthtn.planning.planner import Trace
from bthtn.planning.protocol import PlanRequest, Search, SearchStatus, request
from bthtn.planning.strips.strips_search import StripsSearch
from bthtn.planning.trace import (
    ActionRejected,
    AlternativeDropped,
    Backtracked,
    BranchesConflict,
    GoalsExpanded,
    MethodEntered,
    MethodRejected,
    PlanningSuspended,
    RecursionCut,
    SearchEvent,
    SearchListener,
    TaskPlanned,
    TaskRejected,
    TriedBefore,
    Unachievable,
)

__all__ = [
    "ActionRejected",
    "AlternativeDropped",
    "Backtracked",
    "BranchesConflict",
    "CacheStatistics",
    "GoalsExpanded",
    "HtnSearch",
    "MethodEntered",
    "MethodRejected",
    "PlanRequest",
    "PlanningSuspended",
    "Reason",
    "RecursionCut",
    "Search",
    "SearchEvent",
    "SearchListener",
    "SearchStatus",
    "StripsSearch",
    "TaskPlanned",
    "TaskRejected",
    "Trace",
    "TriedBefore",
    "Unachievable",
    "avoidable",
    "explained",
    "explanation_text",
    "request",
]
