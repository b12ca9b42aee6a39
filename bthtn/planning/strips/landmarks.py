"""LM-cut: an admissible estimate by landmarks (Helmert and Domshlak 2009).

A *landmark* of an atom is a set of actions of which every plan for the atom contains one.

    until the dearest subgoal costs nothing in the delete relaxation:
        find a landmark of it whose actions all cost something
        add the cost of the cheapest of them to the estimate
        make all of them cheaper by as much

If an action counts as if its dearest precondition were its only one, a landmark is a cut: the
actions that lead from what is reached without them to the atoms from which the subgoal costs
nothing. Of equally dear preconditions it is the one that was the dearest before any landmark.

Regression never changes the start state, so a landmark of an atom is one for every set of
subgoals with that atom. Those that are known come first, and few are ever searched for.
"""

from __future__ import annotations

from math import inf

from bthtn.planning.strips.regress import bits
from bthtn.planning.strips.relaxation import Estimate, Relaxation, relaxed_plan_cost

Landmark = list[int]
"""The numbers of its actions."""


def landmark_cost(relaxation: Relaxation) -> Estimate:
    """The sum of the landmarks' costs, never more than the cheapest relaxed plan's."""
    before = relaxation.explored(max).of_atoms
    at_most = relaxed_plan_cost(relaxation)
    known: dict[int, list[Landmark]] = {}

    def estimate(subgoals: int) -> float:
        most = at_most(subgoals)
        if most == inf:
            return inf
        ahead = list(bits(subgoals & ~relaxation.met))
        costs = relaxation.costs.copy()
        total = sum(_charge(costs, landmark) for atom in ahead for landmark in known.get(atom, ()))
        while total < most:
            of_atoms = relaxation.explored(max, costs).of_atoms
            subgoal = max(ahead, key=of_atoms.__getitem__)
            if not of_atoms[subgoal]:
                break
            ranks = list(zip(of_atoms, before, strict=True))
            dearest = [
                max(needed, key=ranks.__getitem__) if len(needed) > 1 else needed[0]
                for needed in relaxation.needs
            ]
            landmark = _landmark(relaxation, costs, dearest, subgoal)
            known.setdefault(subgoal, []).append(landmark)
            total += _charge(costs, landmark)
        return total

    return estimate


def _charge(costs: list[float], landmark: Landmark) -> float:
    """Make the actions cheaper by the cost of the cheapest. Returns that cost."""
    least = min([costs[action] for action in landmark])
    if least:
        for action in landmark:
            costs[action] -= least
    return least


def _landmark(
    relaxation: Relaxation, costs: list[float], dearest: list[int], subgoal: int
) -> Landmark:
    """A landmark of a subgoal that costs something; all of its actions do."""
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
