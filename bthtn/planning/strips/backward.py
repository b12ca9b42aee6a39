"""Backward A*: regresses the goal through actions until the start state satisfies it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bthtn.planning import trace
from bthtn.planning.strips.a_star import AStar, SearchNode
from bthtn.planning.strips.heuristics import HEURISTICS
from bthtn.planning.strips.mutex import mutex_table
from bthtn.planning.strips.regress import Problem, StartState, StripsAction, bits
from bthtn.planning.strips.relaxation import Relaxation
from bthtn.world.expression import Expression, StateView

_SHOWN: Final = 3


class BackwardSearch(AStar[int]):
    """The states of the search are masks of subgoals."""

    goes_back = True

    def __init__(
        self,
        problem: Problem,
        view: StateView,
        heuristic: str,
        listener: trace.SearchListener | None = None,
    ) -> None:
        super().__init__(listener)
        self._problem = problem
        self._start = StartState(problem, view)
        self._mutex = mutex_table(problem, self._start)
        self._estimate = HEURISTICS[heuristic].make(problem, self._start)
        self._weight = HEURISTICS[heuristic].weight
        for goal in problem.goals:
            if self._mutex.allows(goal):
                self._push(SearchNode(goal, goal, 0))

    @property
    def unknown(self) -> Expression[bool] | None:
        """The first unknown fluent that a subgoal depends on, if any."""
        return self._start.unknown

    def why_not(self) -> Iterator[str]:
        """Reasons why there is no plan, one a line; valid once the frontier is empty."""
        problem, start = self._problem, self._start
        unreachable = Relaxation(problem, start).explored(max).unreachable
        hopeless = 0
        for goal in problem.goals:
            if not goal & unreachable:
                yield self._why_not_together(goal)
            hopeless |= goal & unreachable
        explained = 0
        while hopeless & ~explained:
            atom = next(bits(hopeless & ~explained))
            explained |= 1 << atom
            blocked = [step for step in problem.steps if step.adds >> atom & 1]
            for step in blocked:
                hopeless |= step.preconditions & unreachable
            yield _why_unreachable(problem, atom, blocked, unreachable)

    def _why_not_together(self, goal: int) -> str:
        """The reason why atoms that are reachable one by one are not reachable together."""
        problem = self._problem
        for atom in bits(goal):
            against = goal & ~self._mutex.with_atom[atom]
            if against:
                other = problem.text(against & -against)
                return f"{problem.text(1 << atom)} and {other} never hold at the same time"
        return (
            f"any two of {problem.text(goal)} can hold at the same time, but not all of them:"
            f" {self.expansions} sets of conditions were tried"
        )

    def _is_solved(self, state: int) -> bool:
        return not self._start.unmet(state)

    def _text(self, state: int) -> str:
        return self._problem.text(state)

    def _push_successors(self, node: SearchNode[int]) -> None:
        for number in self._problem.candidates(node.state):
            self._regress(number, node)

    def _regress(self, number: int, node: SearchNode[int]) -> None:
        """Push the regression through an action, unless it is unreachable."""
        step = self._problem.steps[number]
        before = self._problem.regressed(node.state, step)
        # The subgoals that remain are known to be compatible, so only those with the
        # preconditions are checked; but an atom on a volatile fluent becomes a stronger one
        # once an action precedes it, and then all pairs are.
        compatible = self._mutex.with_preconditions[number]
        if before is not None and not before & ~compatible:
            if before & self._problem.later and not self._mutex.allows(before):
                return
            cost, action = node.cost + step.cost, step.action.action
            self._push(SearchNode(before, before, cost, action, node))
        elif self._listener is not None:
            reason = "it needs what can never hold together with the rest"
            if before is None:
                reason = self._problem.obstacle(node.state, step)
            self._listener(trace.ActionRejected(str(step.action), reason))


def _why_unreachable(
    problem: Problem, atom: int, steps: list[StripsAction], unreachable: int
) -> str:
    text = problem.text(1 << atom)
    if not steps:
        return f"{text}: no action brings it about"
    shown = [
        f"{step.action} needs {problem.text(step.preconditions & unreachable)}"
        for step in steps[:_SHOWN]
    ]
    more = f", and {len(steps) - _SHOWN} more like that" if len(steps) > _SHOWN else ""
    return f"{text}: {', '.join(shown)}{more}"
