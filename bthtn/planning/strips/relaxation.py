"""The delete relaxation: the costs of atoms if no action ever makes one false.

The cost of an action's preconditions is the largest of their costs (``max``: never too much) or
their sum (``sum``: as if each were achieved on its own). Atoms that are true or unknown in the
start state cost nothing (Bonet and Geffner 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from math import inf

from bthtn.planning.strips.regress import Problem, StartState, bits
from bthtn.records import record

Estimate = Callable[[int], float]
"""From a mask of subgoals to a cost; infinite if they are unreachable."""


@record(eq=False)
class RelaxedCosts:
    """The relaxed costs of atoms, and the actions that they are due to."""

    of_atoms: list[float]
    """By atom; infinite if it is unreachable."""
    achiever: list[int]
    """By atom: an action that adds it at this cost; -1 if it needs none or has none."""

    @property
    def unreachable(self) -> int:
        """The atoms with infinite cost, as a mask."""
        return sum(1 << atom for atom, cost in enumerate(self.of_atoms) if cost == inf)


class Relaxation:
    """The actions as tuples of the atoms that do not hold in the start state.

    An action that needs none of them needs ``start``, an atom of its own that costs nothing.
    """

    def __init__(self, problem: Problem, start: StartState) -> None:
        self.start = len(problem.atoms)
        self.met = start.possible
        ahead = ~self.met
        self._unexplored = [0.0 if self.met >> atom & 1 else inf for atom in range(self.start)]
        self._unexplored.append(0.0)
        self.costs = [step.cost for step in problem.steps]
        self.needs = [
            tuple(bits(step.preconditions & ahead)) or (self.start,) for step in problem.steps
        ]
        self.adds = [tuple(bits(step.adds & ahead)) for step in problem.steps]
        self.users = _by_atom(self.needs, self.start + 1)
        """By atom: the actions that need it."""
        self.achievers = _by_atom(self.adds, self.start + 1)
        """By atom: the actions that add it."""

    def explored(
        self, combine: Callable[[Iterable[float]], float], action_costs: Sequence[float] = ()
    ) -> RelaxedCosts:
        """The costs of all atoms, those of preconditions combined by ``max`` or ``sum``.

        Actions have the costs of the problem, unless others are given.
        """
        action_costs = action_costs or self.costs
        users, needs, adds = self.users, self.needs, self.adds
        costs = self._unexplored.copy()
        achiever = [-1] * len(costs)
        missing = list(map(len, needs))
        frontier = [(0.0, self.start)]
        while frontier:
            cost, atom = heappop(frontier)
            if cost > costs[atom]:
                continue
            for action in users[atom]:
                missing[action] -= 1
                if not missing[action]:
                    needed = needs[action]
                    before = combine([costs[atom] for atom in needed]) if len(needed) > 1 else cost
                    price = action_costs[action] + before
                    for added in adds[action]:
                        if price < costs[added]:
                            costs[added], achiever[added] = price, action
                            heappush(frontier, (price, added))
        return RelaxedCosts(costs, achiever)


def relaxed_plan_cost(relaxation: Relaxation) -> Estimate:
    """The cost of a relaxed plan, in which an action counts once (FF, Hoffmann and Nebel 2001).

    Regression never changes the start state, so each atom has one relaxed plan, a mask of actions,
    and the union of those of several atoms is a relaxed plan for all of them.
    """
    explored = relaxation.explored(sum)
    achiever, unreachable = explored.achiever, explored.unreachable
    plans = [0] * len(achiever)
    for atom in sorted(range(len(plans)), key=explored.of_atoms.__getitem__):
        if achiever[atom] >= 0:
            plans[atom] = 1 << achiever[atom]
            for needed in relaxation.needs[achiever[atom]]:
                plans[atom] |= plans[needed]
    by_cost: dict[float, int] = {}
    for action, cost in enumerate(relaxation.costs):
        by_cost[cost] = by_cost.get(cost, 0) | 1 << action

    def estimate(subgoals: int) -> float:
        if subgoals & unreachable:
            return inf
        plan = 0
        for atom in bits(subgoals):
            plan |= plans[atom]
        return sum(
            cost * (plan & actions).bit_count()
            for cost, actions in by_cost.items()
            if plan & actions  # none that costs infinitely much
        )

    return estimate


def _by_atom(atoms: list[tuple[int, ...]], count: int) -> list[list[int]]:
    """For each atom the actions in whose tuples it is."""
    actions: list[list[int]] = [[] for _ in range(count)]
    for action, needed in enumerate(atoms):
        for atom in needed:
            actions[atom].append(action)
    return actions
