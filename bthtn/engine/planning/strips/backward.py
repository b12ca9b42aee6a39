"""Going back: the goal is regressed through actions until the start state satisfies it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bthtn.engine.domain.goal import Action
from bthtn.engine.planning.strips.heuristics import HEURISTICS, Relaxation
from bthtn.engine.planning.strips.mutex import mutex_table
from bthtn.engine.planning.strips.regress import Grounding, StartState, StripsAction, bits
from bthtn.engine.world.expression import Expression, StateView

_SHOWN: Final = 3


class BackwardProblem:
    """The states of the search are masks of subgoals."""

    goes_back: Final = True

    def __init__(self, grounding: Grounding, view: StateView, heuristic: str) -> None:
        self.grounding: Final = grounding
        self.start: Final = StartState(grounding, view)
        self._mutex = mutex_table(grounding, self.start)
        self.weight: Final = HEURISTICS[heuristic].weight
        self.estimate: Final = HEURISTICS[heuristic].make(grounding, self.start)
        self._constant = self.start.met & ~grounding.changing
        """The atoms that always hold: there is no need to ask for them."""
        self._impossible = [self._impossible_after(*step) for step in enumerate(grounding.steps)]
        self._hindered: dict[int, int] = {}
        """For each atom the actions that it cannot hold after; filled when it is asked for."""

    @property
    def unknown(self) -> Expression[bool] | None:
        """The first unknown fluent that a subgoal depends on, if any."""
        return self.start.unknown

    def initial(self) -> Iterator[int]:
        """The goals that do not contradict themselves."""
        goals = filter(self._mutex.allows, self.grounding.goals)
        return (goal & ~self._constant for goal in goals)

    def is_goal(self, subgoals: int, /) -> bool:
        """Whether all subgoals hold in the start state."""
        return not self.start.unmet(subgoals)

    def successors(self, subgoals: int, /) -> Iterator[tuple[Action, float, int]]:
        """The actions that may come last, in order of definition, and what has to hold before."""
        grounding = self.grounding
        adding, hindered = self._candidates(subgoals)
        for number in bits(adding & ~hindered):
            step = grounding.steps[number]
            before = grounding.regressed(subgoals, step) & ~self._constant
            # An atom on a volatile fluent becomes a stronger one once an action precedes it, so
            # all pairs are looked at; without such atoms, what remains is known to be compatible.
            if not before & grounding.later or self._mutex.allows(before):
                yield step.action.action, step.cost, before

    def key(self, subgoals: int, /) -> int:
        """The mask itself."""
        return subgoals

    def text(self, subgoals: int, /) -> str:
        """The subgoals, separated by commas."""
        return self.grounding.text(subgoals)

    def rejected(self, subgoals: int, /) -> Iterator[tuple[Action, str]]:
        """The actions that add a subgoal and cannot come last, with reasons."""
        adding, hindered = self._candidates(subgoals)
        for number in bits(adding & hindered):
            step = self.grounding.steps[number]
            reason = self.grounding.obstacle(subgoals, step)
            reason = reason or "it needs what can never hold together with the rest"
            yield step.action.action, reason

    def why_not(self, expansions: int) -> Iterator[str]:
        """Reasons why there is no plan, one a line; valid once everything was tried."""
        grounding, start = self.grounding, self.start
        unreachable = Relaxation(grounding, start).explored(max).unreachable
        hopeless = 0
        for goal in grounding.goals:
            if not goal & unreachable:
                yield self._why_not_together(goal, expansions)
            hopeless |= goal & unreachable
        explained = 0
        while hopeless & ~explained:
            atom = next(bits(hopeless & ~explained))
            explained |= 1 << atom
            blocked = [step for step in grounding.steps if step.adds >> atom & 1]
            for step in blocked:
                hopeless |= step.preconditions & unreachable
            yield _why_unreachable(grounding, atom, blocked, unreachable)

    def _why_not_together(self, goal: int, expansions: int) -> str:
        """The reason why atoms that are reachable one by one are not reachable together."""
        grounding = self.grounding
        for atom in bits(goal):
            against = goal & ~self._mutex.with_atom[atom]
            if against:
                other = grounding.text(against & -against)
                return f"{grounding.text(1 << atom)} and {other} never hold at the same time"
        return (
            f"any two of {grounding.text(goal)} can hold at the same time, but not all of them:"
            f" {expansions} sets of conditions were tried"
        )

    def _candidates(self, subgoals: int) -> tuple[int, int]:
        """The actions that add a subgoal, and those after which one cannot hold, as masks."""
        useful, known = self.grounding.useful, self._hindered
        adding = hindered = 0
        for atom in bits(subgoals):
            if atom not in known:
                known[atom] = sum(
                    1 << number for number, mask in enumerate(self._impossible) if mask >> atom & 1
                )
            adding |= useful[atom]
            hindered |= known[atom]
        return adding, hindered

    def _impossible_after(self, number: int, step: StripsAction) -> int:
        """The atoms that cannot hold after an action, as a mask."""
        grounding = self.grounding
        compatible = self._mutex.with_preconditions[number]
        if not compatible:
            return -1
        # What is sensed now would have to hold as the later atom beside it.
        kept = compatible & ~grounding.sensed | (compatible & grounding.later) >> 1
        return step.deletes | step.excludes | ~kept & ~step.adds


def _why_unreachable(
    grounding: Grounding, atom: int, steps: list[StripsAction], unreachable: int
) -> str:
    text = grounding.text(1 << atom)
    if not steps:
        return f"{text}: no action brings it about"
    shown = [
        f"{step.action} needs {grounding.text(step.preconditions & unreachable)}"
        for step in steps[:_SHOWN]
    ]
    more = f", and {len(steps) - _SHOWN} more like that" if len(steps) > _SHOWN else ""
    return f"{text}: {', '.join(shown)}{more}"
