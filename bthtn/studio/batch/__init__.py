"""Batches: one function for many items, on all cores or a cluster.

``run_batch`` gives the results in the order of the items, however many workers there are.
``resumed`` keeps them in a file of JSON lines and goes on where an earlier batch stopped. Both
leave the distribution to joblib. The meaning of a run and of its results is not decided here.
"""
