"""HOW DO WE FIND IT? Searches that turn a domain, a state and a goal into a plan.

A search is determined by its request: the same request gives the same steps, events and
plan, however its budget is sliced. Nothing here reads a clock or runs anything.
"""
