"""LM-cut: an admissible estimate by landmarks (Helmert and Domshlak 2009).

A *landmark* of an atom is a set of actions of which every plan for the atom contains one.

    until the dearest subgoal costs nothing in the delete relaxation:
        find a landmark of it whose actions all cost something
        add the cost of the cheapest of them to the estimate
        make all of them cheaper by as much

If an action counts as if its dearest precondition were its only one, a landmark is a cut: the
actions that lead from what is reached without them to the atoms from which the subgoal costs
nothing.

Regression never changes the start state, so a landmark of an atom is one for every set of
subgoals with that atom. Those that are known come first, and few are ever searched for.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from math import inf

from bthtn.planning.strips.regress import bits
from bthtn.planning.strips.relaxation import (
    Estimate,
    Relaxation,
    RelaxedCosts,
    relaxed_plan_cost,
)

Landmark = list[int]
"""The numbers of its actions."""


def landmark_cost(relaxation: Relaxation) -> Estimate:
    """The sum of what landmarks cost, never more than the cheapest relaxed plan."""
    explored = relaxation.explored(max)
    at_most = relaxed_plan_cost(relaxation)
    known: dict[int, list[Landmark]] = {}

    def estimate(subgoals: int) -> float:
        most = at_most(subgoals)
        if most == inf:
            return inf
        ahead = list(bits(subgoals & ~relaxation.met))
        remaining = _RemainingCosts(relaxation, explored)
        total = remaining.charge(mark for atom in ahead for mark in known.get(atom, ()))
        while total < most and (subgoal := remaining.dearest_of(ahead)) is not None:
            landmark = remaining.landmark(subgoal)
            known.setdefault(subgoal, []).append(landmark)
            total += remaining.charge([landmark])
        return total

    return estimate


class _RemainingCosts:
    """What actions and atoms still cost, after landmarks were charged for."""

    def __init__(self, relaxation: Relaxation, explored: RelaxedCosts) -> None:
        self._relaxation = relaxation
        self._costs = relaxation.costs.copy()
        self._of_atoms = explored.of_atoms.copy()
        self._dearest = explored.dearest.copy()
        self._cheaper: set[int] = set()
        """Actions that have become cheaper since the costs of atoms were computed."""

    def charge(self, landmarks: Iterable[Landmark]) -> float:
        """Make actions cheaper, landmark by landmark. Returns by how much in all."""
        costs, total = self._costs, 0.0
        for landmark in landmarks:
            least = min([costs[action] for action in landmark])
            if least:
                total += least
                self._cheaper.update(landmark)
                for action in landmark:
                    costs[action] -= least
        return total

    def dearest_of(self, atoms: list[int]) -> int | None:
        """The atom that costs the most; None if all of them cost nothing."""
        self._lower(self._cheaper)
        self._cheaper = set()
        dearest = max(atoms, key=self._of_atoms.__getitem__)
        return dearest if self._of_atoms[dearest] else None

    def _lower(self, actions: Iterable[int]) -> None:
        """Lower the costs of atoms to what they are with these actions cheaper than before."""
        users, needs, adds = self._relaxation.users, self._relaxation.needs, self._relaxation.adds
        costs, of_atoms, dearest = self._costs, self._of_atoms, self._dearest
        lowered = [
            (of_atoms[dearest[action]] + costs[action], atom)
            for action in actions
            for atom in adds[action]
        ]
        heapify(lowered)
        while lowered:
            price, atom = heappop(lowered)
            if price >= of_atoms[atom]:
                continue
            of_atoms[atom] = price
            for action in users[atom]:
                if dearest[action] == atom:
                    for needed in needs[action]:
                        if of_atoms[needed] > of_atoms[dearest[action]]:
                            dearest[action] = needed
                    price = of_atoms[dearest[action]] + costs[action]
                    for added in adds[action]:
                        if price < of_atoms[added]:
                            heappush(lowered, (price, added))

    def landmark(self, subgoal: int) -> Landmark:
        """A landmark of a subgoal that costs something; all of its actions do."""
        adds, dearest = self._relaxation.adds, self._dearest
        beyond = self._for_nothing(subgoal)
        reached = {self._relaxation.start}
        stack, cut = [self._relaxation.start], []
        while stack:
            atom = stack.pop()
            for action in self._relaxation.users[atom]:
                if dearest[action] != atom:
                    continue
                if not beyond.isdisjoint(adds[action]):
                    cut.append(action)
                    continue
                fresh = [added for added in adds[action] if added not in reached]
                reached.update(fresh)
                stack += fresh
        return cut

    def _for_nothing(self, subgoal: int) -> set[int]:
        """The atoms from which actions that cost nothing lead to the subgoal."""
        found, stack = {subgoal}, [subgoal]
        while stack:
            for action in self._relaxation.achievers[stack.pop()]:
                atom = self._dearest[action]
                if not self._costs[action] and atom >= 0 and atom not in found:
                    found.add(atom)
                    stack.append(atom)
        return found
