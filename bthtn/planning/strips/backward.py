"""Backward A*: from what is wanted through actions to what holds already.

    take the set of conditions with the least  cost so far + estimate
    all of them hold at the start: solved
    for every action that is of use: what has to hold before it is a set to be looked at, too

A set that was reached at a cost is looked at again only when it is reached at a lower one. Of
equal sets the one found first is taken first, so equal problems have equal searches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from typing import Final

from bthtn.domain.goal import Action
from bthtn.planning import trace
from bthtn.planning.strips.heuristics import HEURISTICS, alone
from bthtn.planning.strips.mutex import mutex
from bthtn.planning.strips.regress import Problem, Start, Step, ones
from bthtn.world.expression import Expression, StateView

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """Conditions, and the step that leads from them to those behind it."""

    conditions: int
    cost: float
    step: Step | None = None
    behind: Wanted | None = None


class Backward:
    """One search, an expansion at a time."""

    def __init__(
        self,
        problem: Problem,
        view: StateView,
        heuristic: str,
        listener: trace.SearchListener | None = None,
    ) -> None:
        self._problem = problem
        self._start = Start(problem, view)
        self._mutex = mutex(problem, self._start)
        self._estimate = HEURISTICS[heuristic].make(problem, self._start)
        self._listener = listener
        self._open: list[tuple[float, int, Wanted]] = []
        self._least: dict[int, float] = {}
        self._pushed = 0
        self._found: Wanted | None = None
        self.expansions = 0
        for goal in problem.goals:
            if self._mutex.allows(goal):
                self._push(Wanted(goal, 0))

    def expand(self) -> bool:
        """Look at one set of conditions; whether there is any reason to go on."""
        wanted = self._taken()
        if wanted is None:
            return False
        self.expansions += 1
        if self._listener is not None:
            self._tell(wanted, self._listener)
        if not self._start.unmet(wanted.conditions):
            self._found = wanted
            return False
        for number in self._problem.candidates(wanted.conditions):
            self._go_back(number, wanted)
        return True

    @property
    def steps(self) -> tuple[Action, ...] | None:
        """The steps of the plan, None while there is none."""
        if self._found is None:
            return None
        steps: list[Action] = []
        wanted: Wanted | None = self._found
        while wanted is not None and wanted.step is not None:
            steps.append(wanted.step.action.action)
            wanted = wanted.behind
        return tuple(steps)

    @property
    def unknown(self) -> Expression[bool] | None:
        """The first fluent that was asked for and is unknown."""
        return self._start.unknown

    def why_not(self) -> Iterator[str]:
        """Why there is no plan, once everything was tried."""
        problem, start = self._problem, self._start
        costs = alone(problem, start, max)
        hopeless = 0
        for goal in problem.goals:
            out_of_reach = _picked(goal, costs)
            if not out_of_reach:
                yield self._why_not_together(goal)
            hopeless |= out_of_reach
        told = 0
        while hopeless & ~told:
            atom = next(ones(hopeless & ~told))
            told |= 1 << atom
            blocked = [step for step in problem.steps if step.brings >> atom & 1]
            for step in blocked:
                hopeless |= _picked(step.needs, costs)
            yield _why(problem, atom, blocked, costs)

    def _why_not_together(self, goal: int) -> str:
        """Why conditions that can be had one by one cannot be had together."""
        problem = self._problem
        for atom in ones(goal):
            against = goal & ~self._mutex.atoms[atom]
            if against:
                other = problem.text(against & -against)
                return f"{problem.text(1 << atom)} and {other} never hold at the same time"
        return (
            f"any two of {problem.text(goal)} can hold at the same time, but not all of them:"
            f" {self.expansions} sets of conditions were tried"
        )

    def _go_back(self, number: int, wanted: Wanted) -> None:
        """Look at what has to hold before a step, unless that cannot be."""
        step = self._problem.steps[number]
        before = self._problem.regressed(wanted.conditions, step)
        # What was kept could hold together before this step, so only its needs are new; but a
        # condition on a volatile fluent asks for more, once a step comes before.
        beside = self._mutex.needs[number]
        if before is not None and not before & ~beside:
            if before & self._problem.later and not self._mutex.allows(before):
                return
            self._push(Wanted(before, wanted.cost + step.cost, step, wanted))
        elif self._listener is not None:
            reason = "it needs what can never hold together with the rest"
            if before is None:
                reason = self._problem.obstacle(wanted.conditions, step)
            self._listener(trace.ActionRejected(str(step.action), reason))

    def _taken(self) -> Wanted | None:
        """The best of what is open; what has been reached at a lower cost since is left out."""
        while self._open:
            wanted = heappop(self._open)[2]
            if wanted.cost <= self._least[wanted.conditions]:
                return wanted
        return None

    def _push(self, wanted: Wanted) -> None:
        if wanted.cost >= self._least.get(wanted.conditions, inf):
            return
        estimate = self._estimate(wanted.conditions)
        if estimate == inf:
            return
        self._least[wanted.conditions] = wanted.cost
        self._pushed += 1
        heappush(self._open, (wanted.cost + estimate, self._pushed, wanted))

    def _tell(self, wanted: Wanted, listener: trace.SearchListener) -> None:
        estimate = self._estimate(wanted.conditions)
        what = self._problem.text(wanted.conditions)
        listener(trace.GoalsExpanded(what, wanted.cost, estimate))


def _picked(mask: int, costs: list[float]) -> int:
    """Those of the atoms that nothing leads to."""
    return sum(1 << atom for atom in ones(mask) if costs[atom] == inf)


def _why(problem: Problem, atom: int, steps: list[Step], costs: list[float]) -> str:
    text = problem.text(1 << atom)
    if not steps:
        return f"{text}: no action brings it about"
    shown = [
        f"{step.action} needs {problem.text(_picked(step.needs, costs))}" for step in steps[:3]
    ]
    more = f", and {len(steps) - 3} more like that" if len(steps) > 3 else ""  # noqa: PLR2004 - as many are shown
    return f"{text}: {', '.join(shown)}{more}"
