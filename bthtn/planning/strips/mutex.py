"""Which conditions can hold at the same time, in any state that the start leads to.

Going back from a goal asks for states that no course of events leads to: a block in the hand
that stands on another one. Two atoms that never hold together are found beforehand, by going
forward from the start with pairs of atoms in place of states:

    an action is possible  where its needs, two at a time, can hold together
    behind it              what it brings about holds together, and with whatever can hold
                           together with each of its needs and is not spoilt

That allows more than what can happen, never less, so nothing is given up that could be a plan.
"""

from __future__ import annotations

from dataclasses import dataclass

from bthtn.planning.strips.regress import Problem, Start, Step, ones


@dataclass(frozen=True, slots=True, eq=False)
class Mutex:
    """For each atom, and for the needs of each step, the atoms that can hold beside."""

    atoms: tuple[int, ...]
    needs: tuple[int, ...]
    """By number of step; nothing for a step that is never possible."""

    def allows(self, wanted: int) -> bool:
        """Whether all of it can hold together, as far as pairs can tell."""
        return not any(wanted & ~self.atoms[atom] for atom in ones(wanted))


def mutex(problem: Problem, start: Start) -> Mutex:
    """What can hold together from this start on. What is unknown there may hold."""
    possible = start.possible
    beside = [possible if possible >> atom & 1 else 0 for atom in range(len(problem.atoms))]
    grown = True
    while grown:
        grown = False
        for step in problem.steps:
            grown = _happens(problem, step, beside) or grown
    needs = (_beside_needs(step, beside) for step in problem.steps)
    return Mutex(tuple(beside), tuple(needs))


def _beside_needs(step: Step, beside: list[int]) -> int:
    """What can hold together with all that the step needs; nothing if that cannot itself."""
    common = -1
    for atom in ones(step.needs):
        common &= beside[atom]
    return 0 if step.needs & ~common else common


def _happens(problem: Problem, step: Step, beside: list[int]) -> bool:
    """Let the step happen wherever it can; whether that makes anything possible."""
    common = _beside_needs(step, beside)
    if not common:
        return False
    if common < 0:  # it needs nothing, so it stands beside all that can hold at all
        common = sum(1 << atom for atom, others in enumerate(beside) if others)
    kept = common & ~step.spoils
    kept = kept & ~problem.sensed | (kept & problem.later) >> 1
    grown = False
    for atom in ones(step.brings):
        fresh = (kept | step.brings) & ~beside[atom]
        if fresh:
            grown = True
            beside[atom] |= fresh
            for other in ones(fresh):
                beside[other] |= 1 << atom
    return grown
