"""Hierarchical planning: decompose tasks by methods, depth first, down to single steps.

``reference`` says what is to be found, in a page of recursion. ``search`` finds the same,
in the same order, without recursion and a little at a time.
"""
