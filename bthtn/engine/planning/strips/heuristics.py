"""Heuristics: estimates of the cost from the start state to a set of subgoals.

A heuristic is *admissible* if it never overestimates; only then is the first plan the cheapest.
Those that look further than one step solve the *delete relaxation*, in which no action ever
makes an atom false. Regression never changes the start state, so what is known of an atom holds
for every set of subgoals with it: a set is looked at, not searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain
from math import inf
from typing import Final, NamedTuple

from bthtn.engine.planning.strips.regress import Grounding, StartState, bits
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
    order: list[int]
    """The reachable atoms that do not hold at first: each behind those that it needs."""

    @property
    def unreachable(self) -> int:
        """The atoms with infinite cost, as a mask."""
        return sum(1 << atom for atom, cost in enumerate(self.of_atoms) if cost == inf)


class Relaxation:
    """The delete relaxation of a problem: actions as tuples of the atoms that do not hold at first.

    An action that needs none of them needs ``start``, an atom of its own that costs nothing.
    Atoms that are true or unknown in the start state cost nothing (Bonet and Geffner 2001).
    """

    def __init__(self, grounding: Grounding, start: StartState) -> None:
        self.start = len(grounding.atoms)
        self.met = start.possible
        ahead = ~self.met
        self._unexplored = [0.0 if self.met >> atom & 1 else inf for atom in range(self.start)]
        self._unexplored.append(0.0)
        self.costs = [step.cost for step in grounding.steps]
        self.needs = [
            tuple(bits(step.preconditions & ahead)) or (self.start,) for step in grounding.steps
        ]
        self.adds = [tuple(bits(step.adds & ahead)) for step in grounding.steps]
        self.users = _by_atom(self.needs, self.start + 1)
        """By atom: the actions that need it."""
        self.achievers = _by_atom(self.adds, self.start + 1)
        """By atom: the actions that add it."""

    def explored(
        self, combine: Callable[[Iterable[float]], float], action_costs: Sequence[float] = ()
    ) -> RelaxedCosts:
        """The costs of all atoms. Actions have the costs of the problem, unless others are given.

        The cost of preconditions is the largest of their costs (``max``: never too much) or the
        sum (``sum``: as if each were achieved on its own).
        """
        action_costs = action_costs or self.costs
        users, needs, adds = self.users, self.needs, self.adds
        costs = self._unexplored.copy()
        achiever = [-1] * len(costs)
        missing = list(map(len, needs))
        frontier = [(0.0, self.start)]
        order = []
        while frontier:
            cost, atom = heappop(frontier)
            if cost > costs[atom]:
                continue
            order.append(atom)
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
        return RelaxedCosts(costs, achiever, order[1:])

    def plans(self, explored: RelaxedCosts) -> list[int]:
        """For each atom the actions that its cost is due to, as a mask."""
        plans = [0] * len(explored.of_atoms)
        for atom in explored.order:
            plan = 1 << explored.achiever[atom]
            for needed in self.needs[explored.achiever[atom]]:
                plan |= plans[needed]
            plans[atom] = plan
        return plans


def relaxed_plan_cost(relaxation: Relaxation) -> Estimate:
    """The cost of a plan that ignores deletes, in which an action counts once.

    It need not be the cheapest: it is the union of the plans of the atoms, each with those of what
    it needs (FF, Hoffmann and Nebel 2001).
    """
    explored = relaxation.explored(sum)
    plans, unreachable = relaxation.plans(explored), explored.unreachable
    by_cost: dict[float, int] = {}
    for action, cost in enumerate(relaxation.costs):
        by_cost[cost] = by_cost.get(cost, 0) | 1 << action
    classes = tuple(by_cost.items())

    def estimate(subgoals: int) -> float:
        if subgoals & unreachable:
            return inf
        plan = 0
        total: float = 0
        for atom in bits(subgoals):
            plan |= plans[atom]
        for cost, actions in classes:
            if plan & actions:  # none that costs infinitely much
                total += cost * (plan & actions).bit_count()
        return total

    return estimate


class Landmark(NamedTuple):
    """A set of actions of which every plan for an atom contains one, as a mask."""

    actions: int
    least: float
    """The cost of the cheapest of them."""
    cheapest: int
    """Those that cost no more, as a mask."""
    dearer: tuple[int, ...]
    """The numbers of the others."""


class Charges:
    """What actions still cost when some landmarks have been counted."""

    def __init__(self, costs: Sequence[float]) -> None:
        self._costs = costs
        self.free = 0
        """The actions that cost nothing any more, as a mask."""
        self._left: dict[int, float] = {}
        """By action: what it still costs, if it costs less than at first."""
        self._reduced = 0
        """The actions in ``_left``, as a mask."""

    def costs(self) -> list[float]:
        costs = list(self._costs)
        for action, left in self._left.items():
            costs[action] = left
        for action in bits(self.free):
            costs[action] = 0
        return costs

    def charge(self, landmarks: Iterable[Landmark]) -> float:
        """Make the actions of one landmark after the other cheaper by the cost of the cheapest.

        Returns the sum of these costs.
        """
        total: float = 0
        free, left = self.free, self._left
        for landmark in landmarks:
            actions, least, cheapest, dearer = landmark
            if actions & free:
                continue
            if actions & self._reduced:
                now = {action: left.get(action, self._costs[action]) for action in bits(actions)}
                _, least, cheapest, dearer = landmark_of(now)
            total += least
            free |= cheapest
            for action in dearer:
                left[action] = left.get(action, self._costs[action]) - least
                self._reduced |= 1 << action
        self.free = free
        return total


def landmark_of(costs: Mapping[int, float]) -> Landmark:
    """The landmark of these actions, each with its cost."""
    least = min(costs.values())
    cheapest = sum(1 << action for action, cost in costs.items() if cost == least)
    dearer = tuple(action for action, cost in costs.items() if cost != least)
    return Landmark(sum(1 << action for action in costs), least, cheapest, dearer)


def landmark_cost(relaxation: Relaxation) -> Estimate:
    """The sum of the costs of landmarks, never more than the cheapest relaxed plan's: LM-cut.

        until all subgoals cost nothing in the delete relaxation:
            find a landmark of the most expensive whose actions all cost something
            add the cost of the cheapest of them to the estimate
            make all of them cheaper by as much

    If an action counts as if its most expensive precondition were its only one, a landmark is a
    cut: the actions that lead from what is reached without them to the atoms from which the subgoal
    costs nothing. Of equally expensive preconditions it is the one that was the most expensive
    before any landmark (Helmert and Domshlak 2009).

    Landmarks of an atom that are known come first, and a subgoal is known to cost nothing if one
    of the plans that were found for it does: the relaxation is seldom explored.
    """
    explored = relaxation.explored(max)
    before, unreachable = explored.of_atoms, explored.unreachable
    landmarks: list[list[Landmark]] = [[] for _ in before]
    plans = [[plan] for plan in relaxation.plans(explored)]

    def estimate(subgoals: int) -> float:
        if subgoals & unreachable:
            return inf
        ahead = list(bits(subgoals & ~relaxation.met))
        charges = Charges(relaxation.costs)
        total = charges.charge(chain.from_iterable([landmarks[atom] for atom in ahead]))
        while dear := _dear(ahead, plans, charges.free):
            costs = charges.costs()
            explored = relaxation.explored(max, costs)
            subgoal = max(dear, key=explored.of_atoms.__getitem__)
            if not explored.of_atoms[subgoal]:
                for atom in dear:
                    plans[atom].append(relaxation.plans(explored)[atom])
                return total
            cut = _cut(relaxation, costs, _dearest(relaxation, explored, before), subgoal)
            total += charges.charge([landmark_of({action: costs[action] for action in cut})])
            whole = landmark_of({action: relaxation.costs[action] for action in cut})
            landmarks[subgoal].append(whole)
        return total

    return estimate


def _dear(atoms: Iterable[int], plans: Sequence[list[int]], free: int) -> list[int]:
    """The atoms of which no known plan costs nothing."""
    dear = []
    charged = ~free
    for atom in atoms:
        for plan in plans[atom]:
            if not plan & charged:
                break
        else:
            dear.append(atom)
    return dear


def _dearest(relaxation: Relaxation, explored: RelaxedCosts, before: Sequence[float]) -> list[int]:
    """The most expensive precondition of each action."""
    ranks = list(zip(explored.of_atoms, before, strict=True))
    return [
        max(needed, key=ranks.__getitem__) if len(needed) > 1 else needed[0]
        for needed in relaxation.needs
    ]


def _cut(relaxation: Relaxation, costs: list[float], dearest: list[int], subgoal: int) -> list[int]:
    """The actions of a landmark of a subgoal that costs something; all of them do."""
    beyond = _for_nothing(relaxation, costs, dearest, subgoal)
    reached = {relaxation.start}
    stack, cut = [relaxation.start], []
    while stack:
        atom = stack.pop()
        for action in relaxation.users[atom]:
            if dearest[action] == atom:
                if not beyond.isdisjoint(relaxation.adds[action]):
                    cut.append(action)
                    continue
                fresh = [added for added in relaxation.adds[action] if added not in reached]
                reached.update(fresh)
                stack += fresh
    return cut


def _for_nothing(
    relaxation: Relaxation, costs: list[float], dearest: list[int], subgoal: int
) -> set[int]:
    """The atoms from which actions that cost nothing lead to the subgoal."""
    found, stack = {subgoal}, [subgoal]
    while stack:
        for action in relaxation.achievers[stack.pop()]:
            atom = dearest[action]
            if not costs[action] and atom not in found:
                found.add(atom)
                stack.append(atom)
    return found


def _by_atom(atoms: list[tuple[int, ...]], count: int) -> list[list[int]]:
    """For each atom the actions in whose tuples it is."""
    actions: list[list[int]] = [[] for _ in range(count)]
    for action, needed in enumerate(atoms):
        for atom in needed:
            actions[atom].append(action)
    return actions


Factory = Callable[[Grounding, StartState], Estimate]


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


def _unmet(_: Grounding, start: StartState) -> Estimate:
    return lambda subgoals: start.unmet(subgoals).bit_count()


def _of_relaxation(estimate: Callable[[Relaxation], Estimate]) -> Factory:
    return lambda grounding, start: estimate(Relaxation(grounding, start))


HEURISTICS: Final[Mapping[str, Heuristic]] = {
    "hff": Heuristic(_of_relaxation(relaxed_plan_cost), admissible=False, weight=1.5),
    "lmcut": Heuristic(_of_relaxation(landmark_cost), admissible=True),
    "unmet": Heuristic(_unmet, admissible=False, forward=True),
    "zero": Heuristic(lambda *_: lambda _: 0, admissible=True, forward=True),
}
