"""Regression: what has to hold before an action, so that something holds behind it.

    before  =  (wanted without what the action brings about)  and  what it needs

An action is of use where it brings about some of what is wanted and spoils nothing of it. It is
of no use, either, where it needs the opposite of something wanted that it does not touch: what
holds behind an action and is not written by it held before as well. Without that rule two
opposite conditions would be asked of one state.

Sets of conditions are bit masks over the atoms of the problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bthtn.errors import Diagnostic, DomainError
from bthtn.planning.strips.ground import Atom, Conjunction, GroundAction, Written
from bthtn.planning.strips.simulate import is_sensed
from bthtn.world.expression import Expression, StateView
from bthtn.world.fluent import Fluent
from bthtn.world.truth import UNKNOWN


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """An action as bit masks: what it needs, brings about, spoils, and cannot stand beside."""

    action: GroundAction
    needs: int
    brings: int
    spoils: int
    excludes: int
    cost: float


class Problem:
    """Goals and actions whose conditions are numbered. Depends on no state.

    A volatile fluent has two atoms for each question: one that what is sensed may answer, and
    behind it one for wherever a step comes before, which only a write can answer.
    """

    def __init__(self, actions: Iterable[GroundAction], goals: Sequence[Conjunction]) -> None:
        """Raises DomainError when an atom compares fluents of which an action writes only some."""
        actions = tuple(actions)
        self.atoms: list[Atom] = []
        self._numbers: dict[Atom, int] = {}
        self._of_fluent: dict[Fluent[Any], list[int]] = {}
        self.sensed = 0
        self.later = 0
        self.goals = tuple(self._mask(goal) for goal in goals)
        needs = [self._mask(action.needs) for action in actions]
        self.conflicts = [self._conflicts(number) for number in range(len(self.atoms))]
        self.steps = tuple(
            self._step(action, mask)
            for action, mask in zip(actions, needs, strict=True)
            if not mask & self.excluded(mask)
        )
        self.useful = [0] * len(self.atoms)
        """For each atom the steps that bring it about, as a mask over the numbers of steps."""
        for number, step in enumerate(self.steps):
            for atom in ones(step.brings):
                self.useful[atom] |= 1 << number

    def regressed(self, wanted: int, step: Step) -> int | None:
        """What has to hold before the step, so that all that is wanted holds behind it.

        None when the step is of no use: it brings about nothing wanted, or cannot come last.
        """
        kept = wanted & ~step.brings
        if kept == wanted or wanted & step.spoils or kept & step.excludes:
            return None
        return self.before(kept) | step.needs

    def before(self, kept: int) -> int:
        """What is kept through a step, as it has to hold before that step."""
        sensed = kept & self.sensed
        return kept ^ sensed | sensed << 1

    def candidates(self, wanted: int) -> Iterator[int]:
        """Numbers of the steps that bring about something wanted, in order of definition."""
        together = 0
        for atom in ones(wanted):
            together |= self.useful[atom]
        return ones(together)

    def obstacle(self, wanted: int, step: Step) -> str:
        """Why a candidate cannot come last."""
        spoilt = wanted & step.spoils
        if spoilt:
            return f"it would spoil {self.text(spoilt)}"
        against = wanted & ~step.brings & step.excludes
        return f"it needs the opposite of {self.text(against)}"

    def text(self, wanted: int) -> str:
        """The conditions as people read them."""
        atoms = dict.fromkeys(str(self.atoms[number]) for number in ones(wanted))
        return ", ".join(atoms) or "nothing"

    def excluded(self, mask: int) -> int:
        """The atoms that cannot hold together with all of these."""
        together = 0
        for number in ones(mask):
            together |= self.conflicts[number]
        return together

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
        for fluent in atom.fluents:
            self._of_fluent.setdefault(fluent, []).extend(range(number, number + copies))

    def _conflicts(self, number: int) -> int:
        """The atoms on the same fluent that differ from this one in every state."""
        atom = self.atoms[number]
        mask = 0
        for other in self._of_fluent[atom.fluents[0]] if len(atom.fluents) == 1 else ():
            two = self.atoms[other]
            for one, against in ((atom, two), (two, atom)):
                if one.equal_to and len(against.fluents) == 1:
                    view = Written({one.fluents[0]: one.equal_to[0]})
                    mask |= (against.evaluate(view) is not True) << other
        return mask

    def _step(self, action: GroundAction, needs: int) -> Step:
        brings = spoils = 0
        view = Written(action.writes)
        touched = {number for one in action.writes for number in self._of_fluent.get(one, ())}
        for number in sorted(touched):
            atom = self.atoms[number]
            if not all(fluent in action.writes for fluent in atom.fluents):
                raise _halfway(action, atom)
            if atom.evaluate(view) is True:
                brings |= 1 << number
            else:
                spoils |= 1 << number
        return Step(action, needs, brings, spoils, self.excluded(needs), action.cost)


class Start:
    """Which atoms hold in the state that a plan begins in; asked of it when first wanted."""

    def __init__(self, problem: Problem, view: StateView) -> None:
        self._problem = problem
        self._view = view
        self._asked = problem.later if is_sensed(view) else 0
        self._met = 0
        self._unknown = 0
        self.unknown: Expression[Any] | None = None
        """A fluent that something wanted depends on, and that is unknown."""

    def unmet(self, wanted: int) -> int:
        """What of it does not hold."""
        self._ask_all(wanted)
        if self.unknown is None and wanted & self._unknown:
            number = next(ones(wanted & self._unknown))
            fluents = self._problem.atoms[number].fluents
            self.unknown = next(f for f in fluents if self._view.get(f) is UNKNOWN)
        return wanted & ~self._met

    @property
    def possible(self) -> int:
        """All atoms that hold, or are unknown."""
        self._ask_all((1 << len(self._problem.atoms)) - 1)
        return self._met | self._unknown

    def _ask_all(self, wanted: int) -> None:
        for number in ones(wanted & ~self._asked):
            truth = self._problem.atoms[number].evaluate(self._view)
            if truth is UNKNOWN:
                self._unknown |= 1 << number
            elif truth:
                self._met |= 1 << number
        self._asked |= wanted


def ones(mask: int) -> Iterator[int]:
    """The places of the bits that are set, lowest first."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _halfway(action: GroundAction, atom: Atom) -> DomainError:
    written = next(fluent for fluent in atom.fluents if fluent in action.writes)
    return DomainError(
        Diagnostic(
            "BT211",
            f"'{atom}' cannot be gone back through '{action}', which writes only {written}",
            "achieve",
            "compare one fluent with a value, or search from the state: forward=True",
        )
    )
