"""Heuristics: estimates of the cost from the start state to a set of subgoals.

A heuristic is *admissible* if it never overestimates; only then is the first plan the cheapest.
``hmax`` and ``hadd`` use the delete relaxation (Bonet and Geffner 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Final

from bthtn.planning.strips.regress import Problem, StartState, bits

Estimate = Callable[[int], float]
"""From a mask of subgoals to a cost; infinite if they are unreachable."""


@dataclass(frozen=True, slots=True)
class Heuristic:
    """A factory of estimates for a start state, and the searches that it suits."""

    make: Callable[[Problem, StartState], Estimate]
    admissible: bool
    forward: bool = False


def _zero(_problem: Problem, _start: StartState) -> Estimate:
    return lambda _: 0


def _unmet(_problem: Problem, start: StartState) -> Estimate:
    return lambda subgoals: start.unmet(subgoals).bit_count()


def _hmax(problem: Problem, start: StartState) -> Estimate:
    """The relaxed cost of the most expensive subgoal."""
    levels = _atoms_by_cost(relaxed_costs(problem, start, max))
    return lambda subgoals: next((cost for cost, mask in levels if subgoals & mask), 0)


def _hadd(problem: Problem, start: StartState) -> Estimate:
    """The sum of the relaxed costs of the subgoals, as if they were independent."""
    levels = _atoms_by_cost(relaxed_costs(problem, start, sum))

    def estimate(subgoals: int) -> float:
        total: float = 0
        for cost, mask in levels:
            count = (subgoals & mask).bit_count()
            if count:
                total += cost * count
        return total

    return estimate


HEURISTICS: Final[Mapping[str, Heuristic]] = MappingProxyType(
    {
        "unmet": Heuristic(_unmet, admissible=False, forward=True),
        "zero": Heuristic(_zero, admissible=True, forward=True),
        "hmax": Heuristic(_hmax, admissible=True),
        "hadd": Heuristic(_hadd, admissible=False),
    }
)


def relaxed_costs(
    problem: Problem, start: StartState, combine: Callable[[list[float]], float]
) -> list[float]:
    """The cost of each atom in the delete relaxation; infinite if unreachable.

    ``combine`` combines the costs of an action's preconditions: max or sum. Atoms that are
    unknown in the start state cost nothing.
    """
    met = start.possible
    costs = [0.0 if met >> number & 1 else inf for number in range(len(problem.atoms))]
    needs = [list(bits(step.preconditions)) for step in problem.steps]
    adds = [list(bits(step.adds)) for step in problem.steps]
    grown = True
    while grown:
        grown = False
        for step, needed, brought in zip(problem.steps, needs, adds, strict=True):
            price = step.cost + (combine([costs[n] for n in needed]) if needed else 0)
            for number in brought:
                if price < costs[number]:
                    costs[number] = price
                    grown = True
    return costs


def _atoms_by_cost(costs: list[float]) -> list[tuple[float, int]]:
    """Pairs of a positive cost and the mask of atoms with it, highest cost first."""
    masks: dict[float, int] = {}
    for number, cost in enumerate(costs):
        if cost > 0:
            masks[cost] = masks.get(cost, 0) | 1 << number
    return sorted(masks.items(), reverse=True)
