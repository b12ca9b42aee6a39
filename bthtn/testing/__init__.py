"""HOW DO WE KNOW IT WORKS? What tests of domains, planners and trees are made of.

``strategies`` needs Hypothesis, so it is imported by those who have it, and by nothing here.
"""
