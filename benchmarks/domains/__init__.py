"""What is planned: one module for each problem, the same for every planner.

A module has cases, which are plain data, and ``question``, which puts one to bthtn. The module of
the same name in ``benchmarks.peers`` puts the same cases to another planner.
"""
