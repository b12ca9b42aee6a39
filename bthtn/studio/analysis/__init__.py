"""Static analysis of domains and plans, without a state and without a search.

The builder rejects domains that cannot work. The checks here report definitions that work but are
most likely mistakes. ``parallelize`` rearranges a plan by its footprints. Below the views, only
this package uses networkx.
"""

from bthtn.studio.analysis.checks import findings
from bthtn.studio.analysis.parallelize import makespan, parallelize
from bthtn.studio.analysis.retriggering import Retriggering, retriggering

__all__ = ["Retriggering", "findings", "makespan", "parallelize", "retriggering"]
