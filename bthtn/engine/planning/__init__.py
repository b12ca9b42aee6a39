"""Searches that turn a domain, a state and a goal into a plan.

A search is determined by its request: the same request gives the same steps, events and
plan, however its budget is sliced. Nothing here reads a clock or runs anything.
"""

from typing import TYPE_CHECKING

from bthtn.late_names import late_names

if TYPE_CHECKING:
    from bthtn.engine.planning.exclusions import avoidable
    from bthtn.engine.planning.explain import Reason, explained, explanation_text
    from bthtn.engine.planning.htn.search import HtnSearch
    from bthtn.engine.planning.planner import Trace
    from bthtn.engine.planning.protocol import PlanRequest, Search, SearchStatus, request
    from bthtn.engine.planning.strips.strips_search import StripsSearch
    from bthtn.engine.planning.trace import (
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
        "bthtn.engine.planning.exclusions": "avoidable",
        "bthtn.engine.planning.explain": "Reason explained explanation_text",
        "bthtn.engine.planning.htn.search": "HtnSearch",
        "bthtn.engine.planning.planner": "Trace",
        "bthtn.engine.planning.protocol": "PlanRequest Search SearchStatus request",
        "bthtn.engine.planning.strips.strips_search": "StripsSearch",
        "bthtn.engine.planning.trace": (
            "ActionRejected AlternativeDropped Backtracked BranchesConflict GoalsExpanded "
            "MethodEntered MethodRejected PlanningSuspended RecursionCut SearchEvent "
            "SearchListener TaskPlanned TaskRejected Unachievable"
        ),
    },
)
