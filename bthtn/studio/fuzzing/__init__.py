"""Fuzzing of characters: random scenarios, and the shortest in which one fails.

``scenarios`` is the Hypothesis strategy of them, for tests of one's own, and ``material_of`` finds
their parts. ``find_failure`` tries a number of them. It needs Hypothesis, the extra ``fuzz``.
"""

from bthtn.studio.fuzzing.material import Material, material_of
from bthtn.studio.fuzzing.rounds import FailedScenario, find_failure
from bthtn.studio.fuzzing.strategy import scenarios

__all__ = ["FailedScenario", "Material", "find_failure", "material_of", "scenarios"]
