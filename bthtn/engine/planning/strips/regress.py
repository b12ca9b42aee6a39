"""Regression: the weakest condition before an action that implies subgoals after it.

    regression  =  (subgoals - added atoms)  +  preconditions

Of these, atoms that others imply are left out: ``at != 'tent'`` beside ``at == 'lake'``.

An action is relevant if it adds a subgoal and deletes none. It is irrelevant if a precondition
contradicts a subgoal that it does not write, since an atom that is not written held before the
action as well; without that rule one state would have to satisfy an atom and its opposite.

Sets of atoms are bit masks over ``Grounding.atoms``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bthtn.engine.planning.strips.ground import (
    Atom,
    Conjunction,
    GroundAction,
    is_sensed,
)
from bthtn.engine.world.expression import Expression, PartlyKnown, StateView
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.truth import UNKNOWN
from bthtn.errors import DomainError
from bthtn.records import record


@record(eq=False)
class StripsAction:
    """An action as masks of atoms.

    ``excludes`` are the atoms that contradict a precondition, and that it does not add.
    """

    action: GroundAction
    preconditions: int
    adds: int
    deletes: int
    excludes: int
    cost: float


class Grounding:
    """Goals and actions with numbered atoms, independent of any state.

    An atom on a volatile fluent has two consecutive numbers: in the start state, where the
    sensed value counts (``sensed``), and after an action, where only a write counts (``later``).
    """

    def __init__(self, actions: Iterable[GroundAction], goals: Sequence[Conjunction]) -> None:
        """Raises DomainError if an atom compares two fluents and an action writes only one."""
        actions = tuple(actions)
        self.atoms: list[Atom] = []
        self._numbers: dict[Atom, int] = {}
        self._of_fluent: dict[Fluent[Any], list[int]] = {}
        self._of_several: dict[Fluent[Any], list[int]] = {}
        """For each fluent the atoms on it alone, and those on several fluents."""
        self.sensed = 0
        self.later = 0
        self.goals = tuple(self._mask(goal) for goal in goals)
        preconditions = [self._mask(action.preconditions) for action in actions]
        self._outcomes: dict[tuple[Any, ...], tuple[int, int]] = {}
        self._conflicts = [0] * len(self.atoms)
        self._implied = [0] * len(self.atoms)
        self._compare_atoms()
        self.steps = tuple(
            self._step(action, mask)
            for action, mask in zip(actions, preconditions, strict=True)
            if not mask & self.excluded(mask)
        )
        self.useful = [0] * len(self.atoms)
        """For each atom the actions that add it, as a mask over the numbers of actions."""
        self.changing = self.sensed | self.later
        """The atoms that can become false, by an action or unnoticed."""
        for number, step in enumerate(self.steps):
            self.changing |= step.deletes
            for atom in bits(step.adds):
                self.useful[atom] |= 1 << number

    def regressed(self, subgoals: int, step: StripsAction) -> int:
        """The regression of the subgoals through a relevant action."""
        before = self.before(subgoals & ~step.adds) | step.preconditions
        for atom in bits(before & self._implying):
            if before >> atom & 1:  # not left out itself, as 1.0 is beside 1
                before &= ~self._implied[atom]
        return before

    def before(self, kept: int) -> int:
        """Subgoals that an action does not add, as they must hold before the action."""
        sensed = kept & self.sensed
        return kept ^ sensed | sensed << 1

    def obstacle(self, subgoals: int, step: StripsAction) -> str:
        """The reason why an action that adds a subgoal is irrelevant; empty if it is not."""
        if subgoals & step.deletes:
            return f"it would spoil {self.text(subgoals & step.deletes)}"
        if subgoals & step.excludes:
            return f"it needs the opposite of {self.text(subgoals & step.excludes)}"
        return ""

    def text(self, subgoals: int) -> str:
        """The atoms as text, separated by commas."""
        atoms = dict.fromkeys(str(self.atoms[number]) for number in bits(subgoals))
        return ", ".join(atoms) or "nothing"

    def excluded(self, mask: int) -> int:
        """The atoms that contradict any of these."""
        union = 0
        for number in bits(mask):
            union |= self._conflicts[number]
        return union

    def _mask(self, conjunction: Conjunction) -> int:
        mask = 0
        for atom in conjunction:
            if atom not in self._numbers:
                self._number(atom)
            mask |= 1 << self._numbers[atom]
        return mask

    def _number(self, atom: Atom) -> None:
        number = len(self.atoms)
        self._numbers[atom] = number
        copies = 1
        if any(fluent.volatile for fluent in atom.fluents):
            self.sensed |= 1 << number
            self.later |= 1 << number + 1
            copies = 2
        self.atoms += [atom] * copies
        numbers = self._of_fluent if len(atom.fluents) == 1 else self._of_several
        for fluent in atom.fluents:
            numbers.setdefault(fluent, []).extend(range(number, number + copies))

    def _compare_atoms(self) -> None:
        """Note which atoms contradict each other in every state, and which imply others."""
        self._implying = 0
        for number, atom in enumerate(self.atoms):
            symbol, *_, value = atom.key
            if symbol == "==":  # the fluent must have this value, and no other would do
                implied, against = self._outcome(atom.fluents[0], value)
                self._conflicts[number] |= against
                for other in bits(against):
                    self._conflicts[other] |= 1 << number
                self._implied[number] = implied & ~(1 << number) & ~self.sensed & ~self.later
                self._implying |= (self._implied[number] > 0) << number

    def _outcome(self, fluent: Fluent[Any], value: Any) -> tuple[int, int]:
        """The atoms on the fluent alone that hold if it has the value, and those that do not."""
        key = (fluent, type(value), value)
        if key not in self._outcomes:
            true = others = 0
            view = PartlyKnown({fluent: value})
            for number in self._of_fluent.get(fluent, ()):
                if self.atoms[number].evaluate(view) is True:
                    true |= 1 << number
                else:
                    others |= 1 << number
            self._outcomes[key] = (true, others)
        return self._outcomes[key]

    def _step(self, action: GroundAction, preconditions: int) -> StripsAction:
        adds = deletes = 0
        for fluent, value in action.writes.items():
            true, others = self._outcome(fluent, value)
            adds |= true
            deletes |= others
            for number in self._of_several.get(fluent, ()):
                atom = self.atoms[number]
                if not all(fluent in action.writes for fluent in atom.fluents):
                    raise _partly_written(action, atom)
                if atom.evaluate(PartlyKnown(action.writes)) is True:
                    adds |= 1 << number
                else:
                    deletes |= 1 << number
        excludes = self.excluded(preconditions) & ~adds
        return StripsAction(action, preconditions, adds, deletes, excludes, action.cost)


class StartState:
    """The truth of the atoms in the start state, evaluated on demand."""

    def __init__(self, grounding: Grounding, view: StateView) -> None:
        self._grounding = grounding
        self._view = view
        self._evaluated = grounding.later if is_sensed(view) else 0
        self._met = 0
        self._unknown = 0
        self.unknown: Expression[Any] | None = None
        """The first unknown fluent that a subgoal depends on, if any."""

    def unmet(self, subgoals: int) -> int:
        self._evaluate(subgoals)
        if self.unknown is None and subgoals & self._unknown:
            number = next(bits(subgoals & self._unknown))
            fluents = self._grounding.atoms[number].fluents
            self.unknown = next(f for f in fluents if self._view.get(f) is UNKNOWN)
        return subgoals & ~self._met

    @property
    def met(self) -> int:
        self._evaluate((1 << len(self._grounding.atoms)) - 1)
        return self._met

    @property
    def possible(self) -> int:
        """All atoms that are true or unknown."""
        return self.met | self._unknown

    def _evaluate(self, subgoals: int) -> None:
        for number in bits(subgoals & ~self._evaluated):
            truth = self._grounding.atoms[number].evaluate(self._view)
            if truth is UNKNOWN:
                self._unknown |= 1 << number
            elif truth:
                self._met |= 1 << number
        self._evaluated |= subgoals


def bits(mask: int) -> Iterator[int]:
    """Positions of the set bits, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _partly_written(action: GroundAction, atom: Atom) -> DomainError:
    written = next(fluent for fluent in atom.fluents if fluent in action.writes)
    message = f"'{atom}' cannot be gone back through '{action}', which writes only {written}"
    hint = "compare one fluent with a value, or search from the state: forward=True"
    return DomainError("BT211", message, "achieve", hint)
