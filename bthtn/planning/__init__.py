"""Searches that turn a domain, a state and a goal into a plan.

A search is determined by its request: the same request gives the same steps, events and
plan, however its budget is sliced. Nothing here reads a clock or runs anything.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
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
        Unachievable,
    )

__all__ = [
    "ActionRejected",
    "AlternativeDropped",
    "Backtracked",
    "BranchesConflict",
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
    "Unachievable",
    "avoidable",
    "explained",
    "explanation_text",
    "request",
]

__getattr__, __dir__ = late_names(
    __name__,
    {
        "bthtn.planning.exclusions": "avoidable",
        "bthtn.planning.explain": "Reason explained explanation_text",
        "bthtn.planning.htn.search": "HtnSearch",
        "bthtn.planning.planner": "Trace",
        "bthtn.planning.protocol": "PlanRequest Search SearchStatus request",
        "bthtn.planning.strips.strips_search": "StripsSearch",
        "bthtn.planning.trace": (
            "ActionRejected AlternativeDropped Backtracked BranchesConflict GoalsExpanded "
            "MethodEntered MethodRejected PlanningSuspended RecursionCut SearchEvent "
            "SearchListener TaskPlanned TaskRejected Unachievable"
        ),
    },
)
