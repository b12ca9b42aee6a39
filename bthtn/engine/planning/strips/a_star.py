"""A*: the one search of this package, for problems of either direction.

    pop the search node with the least  cost so far + weight x estimate
    if it satisfies the goal: solved
    push its successors

A state is expanded again only when it is reached at a lower cost. Of equal sums the one with the
smaller estimate comes first, of those the one that was pushed first, so equal problems have equal
searches. It knows no status and no limit: `strips_search` has those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from math import inf
from typing import Any, Final, Generic, Protocol, TypeVar

from bthtn.engine.domain.goal import Action
from bthtn.engine.domain.task import call_text
from bthtn.engine.planning import trace
from bthtn.engine.world.expression import Expression
from bthtn.records import record

S = TypeVar("S")


class Problem(Protocol[S]):
    """**Protocol:** the states that a search can be in, and the actions that lead to others."""

    @property
    def goes_back(self) -> bool:
        """Whether the search begins at the end of the plan."""
        ...

    @property
    def weight(self) -> float:
        """Factor of the estimates. Above 1 the plan may be dearer by it, and is found sooner."""
        ...

    @property
    def unknown(self) -> Expression[Any] | None:
        """The first unknown fluent that the goal has depended on so far, if any."""
        ...

    def initial(self) -> Iterable[S]:
        """The states in which the search begins."""
        ...

    def is_goal(self, state: S, /) -> bool:
        """Whether the search may end in this state."""
        ...

    def successors(self, state: S, /) -> Iterable[tuple[Action, float, S]]:
        """The actions that lead on from this state, what each costs, and where it leads."""
        ...

    def estimate(self, state: S, /) -> float:
        """The cost from here to a goal; infinite if there is no way."""
        ...

    def key(self, state: S, /) -> Any:
        """A value that is equal for states with the same successors."""
        ...

    def text(self, state: S, /) -> str: ...

    def rejected(self, state: S, /) -> Iterable[tuple[Action, str]]:
        """The actions that lead nowhere from this state, with reasons."""
        ...

    def why_not(self, expansions: int) -> Iterator[str]:
        """Reasons why there is no plan, one a line; valid once everything was tried."""
        ...


@record(eq=False)
class SearchNode(Generic[S]):
    """A state of the search, its key for comparison, and the action between it and the parent's."""

    state: S
    key: Any
    cost: float
    action: Action | None = None
    parent: SearchNode[S] | None = None


class AStar(Generic[S]):
    """An A* search for the actions that solve a problem, advanced by one expansion at a time."""

    def __init__(self, problem: Problem[S], listener: trace.SearchListener | None = None) -> None:
        self.problem: Final = problem
        self.expansions = 0
        self._listener = listener
        self._frontier: list[tuple[float, float, int, SearchNode[S]]] = []
        self._best_costs: dict[Any, float] = {}
        self._pushed = 0
        self._found: SearchNode[S] | None = None
        for state in problem.initial():
            self._push(state, 0)

    @property
    def steps(self) -> tuple[Action, ...] | None:
        """The actions of the plan; None until the search is solved."""
        steps: list[Action] = []
        node = self._found
        while node is not None and node.action is not None:
            steps.append(node.action)
            node = node.parent
        goes_back = self.problem.goes_back
        return None if self._found is None else tuple(steps if goes_back else steps[::-1])

    def expand(self) -> bool:
        """Expand one node. Returns False when the search is solved or the frontier is empty."""
        node = self._pop()
        if node is None:
            return False
        self.expansions += 1
        problem, state, cost = self.problem, node.state, node.cost
        if self._listener is not None:
            self._listener(trace.GoalsExpanded(problem.text(state), cost, problem.estimate(state)))
        if problem.is_goal(state):
            self._found = node
            return False
        for action, price, successor in problem.successors(state):
            self._push(successor, cost + price, action, node)
        if self._listener is not None:
            for (task, args), reason in problem.rejected(state):
                self._listener(trace.ActionRejected(call_text(task, args), reason))
        return True

    def _push(
        self,
        state: S,
        cost: float,
        action: Action | None = None,
        parent: SearchNode[S] | None = None,
    ) -> None:
        """Put a node into the frontier, unless it is hopeless or was reached as cheaply before."""
        key = self.problem.key(state)
        if cost >= self._best_costs.get(key, inf):
            return
        estimate = self.problem.estimate(state)
        if estimate == inf:
            return
        self._best_costs[key] = cost
        self._pushed += 1
        rank = cost + self.problem.weight * estimate
        node = SearchNode(state, key, cost, action, parent)
        heappush(self._frontier, (rank, estimate, self._pushed, node))

    def _pop(self) -> SearchNode[S] | None:
        """The best node of the frontier; skips nodes that a cheaper one has superseded."""
        while self._frontier:
            node = heappop(self._frontier)[3]
            if node.cost <= self._best_costs[node.key]:
                return node
        return None
