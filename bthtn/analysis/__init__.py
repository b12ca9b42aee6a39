"""IS THE DOMAIN WELL MADE? What can be found out without a state, as diagnostics.

The builder has refused what cannot work at all; here is what works and is still a mistake,
most likely; and what a plan's footprints say about it. Nothing here searches. This is the only
door to networkx below the views.
"""

from bthtn.analysis.checks import findings
from bthtn.analysis.parallelize import makespan, parallelize
from bthtn.analysis.retriggering import Retriggering, retriggering

__all__ = [
    "Retriggering",
    "findings",
    "makespan",
    "parallelize",
    "retriggering",
]
