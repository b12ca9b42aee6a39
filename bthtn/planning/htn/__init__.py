"""Hierarchical planning: decompose tasks by methods, depth first, down to single steps.

``reference`` is the specification, a short recursive planner. ``search`` finds the same plans
in the same order, iteratively and in slices of a given number of expansions.
"""
