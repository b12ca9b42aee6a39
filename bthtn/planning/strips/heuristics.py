"""Heuristics: what is still missing, as a number.

Backward search estimates what it takes to come from the start to a set of conditions. An
estimate is *admissible* when it is never too high; only then is the first plan the cheapest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from types import MappingProxyType
from typing import Final

from bthtn.planning.strips.regress import Problem, Start, ones

Estimate = Callable[[int], float]
"""From a set of conditions to a cost; infinite where they can never hold."""


@dataclass(frozen=True, slots=True)
class Heuristic:
    """How an estimate is made for a start, and whether it is never too high."""

    make: Callable[[Problem, Start], Estimate]
    admissible: bool
    forward: bool = False


def _zero(_problem: Problem, _start: Start) -> Estimate:
    return lambda _: 0


def _unmet(_problem: Problem, start: Start) -> Estimate:
    return lambda wanted: start.unmet(wanted).bit_count()


def _hmax(problem: Problem, start: Start) -> Estimate:
    """The dearest of the conditions, were it wanted alone."""
    levels = _levels(alone(problem, start, max))
    return lambda wanted: next((cost for cost, mask in levels if wanted & mask), 0)


def _hadd(problem: Problem, start: Start) -> Estimate:
    """The conditions' costs together, as if nothing helped with two of them."""
    levels = _levels(alone(problem, start, sum))

    def estimate(wanted: int) -> float:
        total: float = 0
        for cost, mask in levels:
            count = (wanted & mask).bit_count()
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


def alone(problem: Problem, start: Start, together: Callable[[list[float]], float]) -> list[float]:
    """What each atom costs when actions spoil nothing; infinite when nothing leads to it.

    What an action needs is reached at a cost that ``together`` makes of the costs of its parts.
    What is unknown may hold, and costs nothing.
    """
    met = start.possible
    costs = [0.0 if met >> number & 1 else inf for number in range(len(problem.atoms))]
    needs = [list(ones(step.needs)) for step in problem.steps]
    brings = [list(ones(step.brings)) for step in problem.steps]
    grown = True
    while grown:
        grown = False
        for step, needed, brought in zip(problem.steps, needs, brings, strict=True):
            price = step.cost + (together([costs[n] for n in needed]) if needed else 0)
            for number in brought:
                if price < costs[number]:
                    costs[number] = price
                    grown = True
    return costs


def _levels(costs: list[float]) -> list[tuple[float, int]]:
    """The atoms of each cost above zero, the dearest first."""
    masks: dict[float, int] = {}
    for number, cost in enumerate(costs):
        if cost > 0:
            masks[cost] = masks.get(cost, 0) | 1 << number
    return sorted(masks.items(), reverse=True)
