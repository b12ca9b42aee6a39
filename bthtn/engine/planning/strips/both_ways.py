"""Both ways: back from the goal, and where that takes too long, forward from the state.

Going back finds short plans and looks only at what the goal needs, so small problems, as those of
games, are solved at once. It gets lost where many sets of subgoals are reached from no state, or
where there are very many ways to the same; there a greedy search from the state comes to a plan.
"""

from __future__ import annotations

from typing import Final

from bthtn.engine.domain.goal import Action
from bthtn.engine.planning import trace
from bthtn.engine.planning.strips.a_star import AStar
from bthtn.engine.planning.strips.backward import BackwardProblem
from bthtn.engine.planning.strips.greedy import GreedySearch, relevant

MOST_BACK: Final = 2_000
"""Expansions after which the search turns round."""


class BothWays:
    """A search for the actions that lead to a goal, advanced by one expansion at a time."""

    def __init__(
        self, problem: BackwardProblem, listener: trace.SearchListener | None = None
    ) -> None:
        self.problem: Final = problem
        self._listener = listener
        self._search: AStar[int] | GreedySearch = AStar(problem, listener)
        self.expansions = 0

    @property
    def steps(self) -> tuple[Action, ...] | None:
        """The actions of the plan; None until the search is solved."""
        return self._search.steps

    def expand(self) -> bool:
        """Expand one node. Returns False when the search is solved or nothing is left."""
        problem = self.problem
        if self.expansions == MOST_BACK:
            self._search = GreedySearch(problem.grounding, problem.start, self._listener)
        before = self._search.expansions
        going = self._search.expand()
        self.expansions += self._search.expansions - before
        if not going and self.steps is None and self.expansions >= MOST_BACK:
            problem.start.unmet(relevant(problem.grounding))  # which notes what is unknown
        return going
