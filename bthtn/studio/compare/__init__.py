"""Comparison of two characters or domains over the same seeds, in pairs.

Calling a ``Comparison`` with a seed observes both sides and returns a row: their measures beside
each other, and the first difference. ``means`` and ``most_different`` sum up rows for the table of
the command. Where the seeds run is not decided here.
"""

from bthtn.studio.compare.sides import Comparison

__all__ = ["Comparison"]
