"""IS THE DOMAIN WELL MADE? What can be found out without a state, as diagnostics.

The builder has refused what cannot work at all; here is what works and is still a mistake,
most likely. Nothing here searches. This is the only door to networkx below the views.
"""
