"""Batches: one function for many items, on all cores or a cluster.

``run_batch`` gives the results in the order of the items, however many workers there are.
``resumed`` keeps them in a file of JSON lines and goes on where an earlier batch stopped. Both
leave the distribution to joblib. The meaning of a run and of its results is not decided here.
"""

from bthtn.batch.resume import Kept, resumed
from bthtn.batch.runner import Deaths, run_batch
from bthtn.batch.workers import LOCAL, Workers

__all__ = ["LOCAL", "Deaths", "Kept", "Workers", "resumed", "run_batch"]
