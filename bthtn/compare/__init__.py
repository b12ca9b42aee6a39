"""Comparison of two characters or domains over the same seeds, in pairs.

``run_seed`` and ``plan_seed`` observe one side for a seed, ``paired`` has two of them beside
each other, and ``findings`` judges the registered measures over all seeds. Where the sides
come from, and where the seeds run, is not decided here.
"""

from bthtn.compare.measure import Measure, measures_from
from bthtn.compare.observe import Observation, drawn_state, plan_seed, run_seed
from bthtn.compare.pair import most_different, other_plans, paired
from bthtn.compare.statistics import Finding, findings

__all__ = [
    "Finding",
    "Measure",
    "Observation",
    "drawn_state",
    "findings",
    "measures_from",
    "most_different",
    "other_plans",
    "paired",
    "plan_seed",
    "run_seed",
]
