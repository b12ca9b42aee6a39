"""Backward A*: regresses the goal through actions until the start state satisfies it.

    pop the search node with the least  cost so far + estimate
    if the start state satisfies its subgoals: solved
    push the regression of its subgoals through every relevant action

Subgoals are expanded again only when they are reached at a lower cost. Ties are broken by
insertion order, so equal problems have equal searches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from typing import Final

from bthtn.domain.goal import Action
from bthtn.planning import trace
from bthtn.planning.strips.heuristics import HEURISTICS, relaxed_costs
from bthtn.planning.strips.mutex import mutex_table
from bthtn.planning.strips.regress import Problem, StartState, StripsAction, bits
from bthtn.world.expression import Expression, StateView

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, eq=False)
class RegressionNode:
    """A search node: subgoals, and the action that leads from them to those of the parent."""

    subgoals: int
    cost: float
    step: StripsAction | None = None
    parent: RegressionNode | None = None


class BackwardSearch:
    """One search, advanced by one expansion at a time."""

    def __init__(
        self,
        problem: Problem,
        view: StateView,
        heuristic: str,
        listener: trace.SearchListener | None = None,
    ) -> None:
        self._problem = problem
        self._start = StartState(problem, view)
        self._mutex = mutex_table(problem, self._start)
        self._estimate = HEURISTICS[heuristic].make(problem, self._start)
        self._listener = listener
        self._frontier: list[tuple[float, int, RegressionNode]] = []
        self._best_costs: dict[int, float] = {}
        self._pushed = 0
        self._found: RegressionNode | None = None
        self.expansions = 0
        for goal in problem.goals:
            if self._mutex.allows(goal):
                self._push(RegressionNode(goal, 0))

    def expand(self) -> bool:
        """Expand one node. Returns False when the search is solved or the frontier is empty."""
        node = self._pop()
        if node is None:
            return False
        self.expansions += 1
        if self._listener is not None:
            self._report(node, self._listener)
        if not self._start.unmet(node.subgoals):
            self._found = node
            return False
        for number in self._problem.candidates(node.subgoals):
            self._regress(number, node)
        return True

    @property
    def steps(self) -> tuple[Action, ...] | None:
        """The actions of the plan; None until the search is solved."""
        if self._found is None:
            return None
        steps: list[Action] = []
        node: RegressionNode | None = self._found
        while node is not None and node.step is not None:
            steps.append(node.step.action.action)
            node = node.parent
        return tuple(steps)

    @property
    def unknown(self) -> Expression[bool] | None:
        """The first unknown fluent that a subgoal depends on, if any."""
        return self._start.unknown

    def why_not(self) -> Iterator[str]:
        """Reasons why there is no plan, one a line; valid once the frontier is empty."""
        problem, start = self._problem, self._start
        costs = relaxed_costs(problem, start, max)
        hopeless = 0
        for goal in problem.goals:
            unreachable = _unreachable(goal, costs)
            if not unreachable:
                yield self._why_not_together(goal)
            hopeless |= unreachable
        explained = 0
        while hopeless & ~explained:
            atom = next(bits(hopeless & ~explained))
            explained |= 1 << atom
            blocked = [step for step in problem.steps if step.adds >> atom & 1]
            for step in blocked:
                hopeless |= _unreachable(step.preconditions, costs)
            yield _why_unreachable(problem, atom, blocked, costs)

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

    def _regress(self, number: int, node: RegressionNode) -> None:
        """Push the regression through an action, unless it is unreachable."""
        step = self._problem.steps[number]
        before = self._problem.regressed(node.subgoals, step)
        # The subgoals that remain are known to be compatible, so only those with the
        # preconditions are checked; but an atom on a volatile fluent becomes a stronger one
        # once an action precedes it, and then all pairs are.
        compatible = self._mutex.with_preconditions[number]
        if before is not None and not before & ~compatible:
            if before & self._problem.later and not self._mutex.allows(before):
                return
            self._push(RegressionNode(before, node.cost + step.cost, step, node))
        elif self._listener is not None:
            reason = "it needs what can never hold together with the rest"
            if before is None:
                reason = self._problem.obstacle(node.subgoals, step)
            self._listener(trace.ActionRejected(str(step.action), reason))

    def _pop(self) -> RegressionNode | None:
        """Pop the best node of the frontier; skips nodes that a cheaper one has superseded."""
        while self._frontier:
            node = heappop(self._frontier)[2]
            if node.cost <= self._best_costs[node.subgoals]:
                return node
        return None

    def _push(self, node: RegressionNode) -> None:
        if node.cost >= self._best_costs.get(node.subgoals, inf):
            return
        estimate = self._estimate(node.subgoals)
        if estimate == inf:
            return
        self._best_costs[node.subgoals] = node.cost
        self._pushed += 1
        heappush(self._frontier, (node.cost + estimate, self._pushed, node))

    def _report(self, node: RegressionNode, listener: trace.SearchListener) -> None:
        estimate = self._estimate(node.subgoals)
        text = self._problem.text(node.subgoals)
        listener(trace.GoalsExpanded(text, node.cost, estimate))


def _unreachable(mask: int, costs: list[float]) -> int:
    """The atoms of the mask with infinite cost."""
    return sum(1 << atom for atom in bits(mask) if costs[atom] == inf)


def _why_unreachable(
    problem: Problem, atom: int, steps: list[StripsAction], costs: list[float]
) -> str:
    text = problem.text(1 << atom)
    if not steps:
        return f"{text}: no action brings it about"
    shown = [
        f"{step.action} needs {problem.text(_unreachable(step.preconditions, costs))}"
        for step in steps[:3]
    ]
    more = f", and {len(steps) - 3} more like that" if len(steps) > 3 else ""  # noqa: PLR2004 - as many are shown
    return f"{text}: {', '.join(shown)}{more}"
