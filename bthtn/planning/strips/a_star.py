"""A*: the loop and the frontier that both directions of search share.

    pop the search node with the least  cost so far + weight x estimate
    if it satisfies the goal: solved
    push its successors

A state is expanded again only when it is reached at a lower cost. Of equal sums the one with the
smaller estimate comes first, of those the one that was pushed first, so equal problems have equal
searches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from math import inf
from typing import Any, Generic, TypeVar

from bthtn.domain.goal import Action
from bthtn.planning import trace
from bthtn.records import record
from bthtn.world.expression import Expression

S = TypeVar("S")


@record(eq=False)
class SearchNode(Generic[S]):
    """A state of the search, its key for comparison, and the action between it and the parent's."""

    state: S
    key: Any
    cost: float
    action: Action | None = None
    parent: SearchNode[S] | None = None


class AStar(ABC, Generic[S]):
    """An A* search for the actions that achieve a goal, advanced by one expansion at a time.

    A subclass defines the states, sets ``_estimate`` and pushes the first nodes. With a weight
    above 1 the search is greedier: its plan may be dearer by that factor, and is found sooner.
    """

    goes_back = False
    """Whether the search begins at the end of the plan."""
    _estimate: Callable[[S], float]
    _weight: float = 1

    def __init__(self, listener: trace.SearchListener | None) -> None:
        self.expansions = 0
        self._listener = listener
        self._frontier: list[tuple[float, float, int, SearchNode[S]]] = []
        self._best_costs: dict[Any, float] = {}
        self._pushed = 0
        self._found: SearchNode[S] | None = None

    @property
    def steps(self) -> tuple[Action, ...] | None:
        """The actions of the plan; None until the search is solved."""
        steps: list[Action] = []
        node = self._found
        while node is not None and node.action is not None:
            steps.append(node.action)
            node = node.parent
        return None if self._found is None else tuple(steps if self.goes_back else steps[::-1])

    @property
    @abstractmethod
    def unknown(self) -> Expression[Any] | None:
        """The first unknown fluent that the goal depends on, if any."""

    @abstractmethod
    def why_not(self) -> Iterator[str]:
        """Reasons why there is no plan, one a line; valid once the frontier is empty."""

    def expand(self) -> bool:
        """Expand one node. Returns False when the search is solved or the frontier is empty."""
        node = self._pop()
        if node is None:
            return False
        self.expansions += 1
        if self._listener is not None:
            text, estimate = self._text(node.state), self._estimate(node.state)
            self._listener(trace.GoalsExpanded(text, node.cost, estimate))
        if self._is_solved(node.state):
            self._found = node
            return False
        self._push_successors(node)
        return True

    @abstractmethod
    def _is_solved(self, state: S) -> bool:
        """Whether the state satisfies the goal."""

    @abstractmethod
    def _text(self, state: S) -> str:
        """The state as events show it."""

    @abstractmethod
    def _push_successors(self, node: SearchNode[S]) -> None:
        """Push a node for each action that leads on from this one."""

    def _push(self, node: SearchNode[S]) -> None:
        """Put a node into the frontier, unless it is hopeless or was reached as cheaply before."""
        if node.cost >= self._best_costs.get(node.key, inf):
            return
        estimate = self._estimate(node.state)
        if estimate == inf:
            return
        self._best_costs[node.key] = node.cost
        self._pushed += 1
        rank = node.cost + self._weight * estimate
        heappush(self._frontier, (rank, estimate, self._pushed, node))

    def _pop(self) -> SearchNode[S] | None:
        """The best node of the frontier; skips nodes that a cheaper one has superseded."""
        while self._frontier:
            node = heappop(self._frontier)[3]
            if node.cost <= self._best_costs[node.key]:
                return node
        return None
