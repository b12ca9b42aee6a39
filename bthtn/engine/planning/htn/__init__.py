"""Hierarchical planning: decompose tasks by methods, depth first, down to single steps.

``search`` finds the plans iteratively and in slices of a given number of expansions. What a plan
is, and in which order they come, is specified by a short recursive planner, ``tests/reference.py``.
"""
