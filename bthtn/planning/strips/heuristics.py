"""Heuristics: estimates of the cost from the start state to a set of subgoals.

A heuristic is *admissible* if it never overestimates; only then is the first plan the cheapest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from bthtn.planning.strips.landmarks import landmark_cost
from bthtn.planning.strips.regress import Problem, StartState
from bthtn.planning.strips.relaxation import Estimate, Relaxation, relaxed_plan_cost


@dataclass(frozen=True, slots=True)
class Heuristic:
    """A factory of estimates for a start state, and the searches that it suits.

    ``weight`` is what the search multiplies the estimates with: above 1 it prefers nodes that are
    near the start state to plans that are cheap.
    """

    make: Callable[[Problem, StartState], Estimate]
    admissible: bool
    forward: bool = False
    weight: float = 1


def _zero(_problem: Problem, _start: StartState) -> Estimate:
    return lambda _: 0


def _unmet(_problem: Problem, start: StartState) -> Estimate:
    return lambda subgoals: start.unmet(subgoals).bit_count()


def _hff(problem: Problem, start: StartState) -> Estimate:
    return relaxed_plan_cost(Relaxation(problem, start))


def _lmcut(problem: Problem, start: StartState) -> Estimate:
    return landmark_cost(Relaxation(problem, start))


HEURISTICS: Final[Mapping[str, Heuristic]] = MappingProxyType(
    {
        "hff": Heuristic(_hff, admissible=False, weight=1.5),
        "lmcut": Heuristic(_lmcut, admissible=True),
        "unmet": Heuristic(_unmet, admissible=False, forward=True),
        "zero": Heuristic(_zero, admissible=True, forward=True),
    }
)
