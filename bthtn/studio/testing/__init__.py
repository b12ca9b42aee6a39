"""What tests ask of domains, planners and trees: cases, scenarios, coverage, doubles.

The public names are those of ``bthtn.testing``.
"""
