"""Comparison of two characters or domains over the same seeds, in pairs.

``run_seed`` and ``plan_seed`` observe one side for a seed, ``paired`` has two of them beside
each other, and ``findings`` judges the registered measures over all seeds. Where the sides
come from, and where the seeds run, is not decided here.
"""
