"""Heuristics: estimates of the cost from the start state to a set of subgoals.

A heuristic is *admissible* if it never overestimates; only then is the first plan the cheapest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from bthtn.planning.strips.landmarks import landmark_cost
from bthtn.planning.strips.regress import Problem, StartState
from bthtn.planning.strips.relaxation import Estimate, Relaxation, relaxed_plan_cost
from bthtn.records import record

Factory = Callable[[Problem, StartState], Estimate]


@record
class Heuristic:
    """A factory of estimates for a start state, and the searches that it suits.

    The search multiplies the estimates with ``weight``: above 1 it prefers nodes that are
    near the start state to plans that are cheap.
    """

    make: Factory
    admissible: bool
    forward: bool = False
    weight: float = 1


def _unmet(_: Problem, start: StartState) -> Estimate:
    return lambda subgoals: start.unmet(subgoals).bit_count()


def _of_relaxation(estimate: Callable[[Relaxation], Estimate]) -> Factory:
    return lambda problem, start: estimate(Relaxation(problem, start))


HEURISTICS: Final[Mapping[str, Heuristic]] = {
    "hff": Heuristic(_of_relaxation(relaxed_plan_cost), admissible=False, weight=1.5),
    "lmcut": Heuristic(_of_relaxation(landmark_cost), admissible=True),
    "unmet": Heuristic(_unmet, admissible=False, forward=True),
    "zero": Heuristic(lambda *_: lambda _: 0, admissible=True, forward=True),
}
