"""IS THE PLAN STILL GOOD? What is done about a plan that breaks, fails, or is not there.

Nothing here knows behaviour trees or agents: it is data about plans, states and ticks, and what
follows from it. `behaviours` asks, and does what is decided.
"""
