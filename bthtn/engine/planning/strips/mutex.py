"""Mutexes: pairs of atoms that hold together in no state reachable from the start.

Regression produces unreachable subgoals, such as a block in the hand that stands on another
one. Compatible pairs are computed beforehand by a fixpoint of forward reachability over pairs
(h^2, Haslum and Geffner 2000):

    an action is applicable  if its preconditions are pairwise compatible
    its added atoms are      compatible with each other, and with every atom that is compatible
                             with all preconditions and not deleted

This overestimates the reachable pairs, so pruning by it loses no plan.
"""

from __future__ import annotations

from bthtn.engine.planning.strips.regress import Grounding, StartState, StripsAction, bits
from bthtn.records import record


@record(eq=False)
class MutexTable:
    """For each atom, and for each action's preconditions, the mask of compatible atoms."""

    with_atom: tuple[int, ...]
    with_preconditions: tuple[int, ...]
    """By the action's number; 0 for an action that is never applicable."""

    def allows(self, subgoals: int) -> bool:
        """Whether the subgoals are pairwise compatible."""
        return not any(subgoals & ~self.with_atom[atom] for atom in bits(subgoals))


def mutex_table(grounding: Grounding, start: StartState) -> MutexTable:
    """The table for a start state, in which unknown atoms are assumed to be possible."""
    possible = start.possible
    compatible = [possible if possible >> atom & 1 else 0 for atom in range(len(grounding.atoms))]
    grown = True
    while grown:
        grown = False
        for step in grounding.steps:
            grown = _apply(grounding, step, compatible) or grown
    with_preconditions = (_with_preconditions(step, compatible) for step in grounding.steps)
    return MutexTable(tuple(compatible), tuple(with_preconditions))


def _with_preconditions(step: StripsAction, compatible: list[int]) -> int:
    """The atoms compatible with all preconditions; 0 if those are not compatible."""
    common = -1
    for atom in bits(step.preconditions):
        common &= compatible[atom]
    return 0 if step.preconditions & ~common else common


def _apply(grounding: Grounding, step: StripsAction, compatible: list[int]) -> bool:
    """Add the pairs that the action makes possible. Returns whether any are new."""
    common = _with_preconditions(step, compatible)
    if not common:
        return False
    if common < 0:  # no preconditions: compatible with every reachable atom
        common = sum(1 << atom for atom, others in enumerate(compatible) if others)
    kept = common & ~step.deletes
    kept = kept & ~grounding.sensed | (kept & grounding.later) >> 1
    grown = False
    for atom in bits(step.adds):
        fresh = (kept | step.adds) & ~compatible[atom]
        if fresh:
            grown = True
            compatible[atom] |= fresh
            for other in bits(fresh):
                compatible[other] |= 1 << atom
    return grown
