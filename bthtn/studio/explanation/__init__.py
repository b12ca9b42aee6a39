"""Explanation of plans: the conditions of a plan, and the changes that lead to others.

Everything here is worked out from a request and its plan, by planning again: nothing is recorded
while an agent plans. Results are frozen; ``str`` gives their text and ``data`` plain data for JSON.
"""

from bthtn.studio.explanation.better import BetterPlan, better_plan
from bthtn.studio.explanation.changes import Changes, changes_for
from bthtn.studio.explanation.decomposition_table import TableRow, decomposition_table, table_text
from bthtn.studio.explanation.why import Reliance, StepReasons, ValueUsed, why
from bthtn.studio.explanation.why_not import MethodAnswer, MethodOutcome, methods_of, why_not

__all__ = [
    "BetterPlan",
    "Changes",
    "MethodAnswer",
    "MethodOutcome",
    "Reliance",
    "StepReasons",
    "TableRow",
    "ValueUsed",
    "better_plan",
    "changes_for",
    "decomposition_table",
    "methods_of",
    "table_text",
    "why",
    "why_not",
]
