"""Batches: one function for many items, in the processes that joblib is configured for.

``run_batch`` gives the results in the order of the items, however many processes there are.
``resumed`` keeps them in a file of JSON lines and goes on where an earlier batch stopped. The
meaning of a run and of its results is not decided here.
"""
