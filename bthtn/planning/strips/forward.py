"""Forward A*: applies actions to the state until a state satisfies the goal.

It only simulates actions, so conditions and effects may be plain functions, which regression
cannot analyse. The branching factor is larger, as actions irrelevant to the goal are tried too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from operator import itemgetter
from typing import Any, Final

from bthtn.domain.condition import why
from bthtn.domain.goal import Action, Pursuit
from bthtn.domain.task import call_text
from bthtn.errors import PlanningError
from bthtn.planning import trace
from bthtn.planning.least_cost import below_zero
from bthtn.planning.strips.simulate import SimulatedState, simulate_action
from bthtn.world.expression import Binding, Condition, Expression, Junction, StateView
from bthtn.world.footprint import RecordingView
from bthtn.world.truth import UNKNOWN, Truth, value_text

_START: Final = "the start"


@dataclass(frozen=True, slots=True, eq=False)
class StateNode:
    """A search node: a state, and the action that leads to it from the parent's state."""

    state: SimulatedState
    cost: float
    action: Action | None = None
    parent: StateNode | None = None


class ForwardSearch:
    """One search, advanced by one expansion at a time."""

    def __init__(
        self,
        pursuit: Pursuit,
        actions: Sequence[Action],
        view: StateView,
        binding: Binding,
        heuristic: str,
        listener: trace.SearchListener | None = None,
    ) -> None:
        self._pursuit = pursuit
        self._actions = actions
        self._view = view
        self._binding = binding
        self._conjuncts = _conjuncts(pursuit.condition) if heuristic == "unmet" else ()
        self._listener = listener
        self._frontier: list[tuple[float, int, StateNode]] = []
        self._best_costs: dict[Any, float] = {}
        self._pushed = 0
        self._found: StateNode | None = None
        self.expansions = 0
        self.unknown: Expression[Any] | None = None
        """The first fluent that was read and is unknown in the start state, if any."""
        self._push(StateNode(SimulatedState(view), 0))

    def expand(self) -> bool:
        """Expand one node. Returns False when the search is solved or the frontier is empty."""
        node = self._pop()
        if node is None:
            return False
        self.expansions += 1
        if self._listener is not None:
            self._report(node, self._listener)
        if self._holds(node.state) is True:
            self._found = node
            return False
        for action in self._actions:
            self._try(action, node)
        return True

    @property
    def steps(self) -> tuple[Action, ...] | None:
        """The actions of the plan; None until the search is solved."""
        steps: list[Action] = []
        node = self._found
        while node is not None and node.action is not None:
            steps.append(node.action)
            node = node.parent
        return None if self._found is None else tuple(reversed(steps))

    def why_not(self) -> Iterator[str]:
        """Reasons why there is no plan, one a line; valid once the frontier is empty."""
        goal = why(self._pursuit.condition, self._view, self._binding)
        states = "1 state" if self.expansions == 1 else f"{self.expansions} states"
        yield f"{goal}, and so it stays in all of the {states} that actions lead to"

    def _try(self, action: Action, node: StateNode) -> None:
        step, read = simulate_action(action, node.state)
        if step.possible is True and step.writes is not None:
            if not step.cost >= 0:
                raise PlanningError(below_zero(step.cost, f"action '{call_text(*action)}'"))
            state = node.state.after(step.writes)
            self._push(StateNode(state, node.cost + step.cost, action, node))
            return
        if step.possible is not False:
            self._note_unknown(read)
        elif self._listener is not None:
            task, args = action
            reason = why(task.precondition, node.state, args)
            self._listener(trace.ActionRejected(call_text(task, args), reason))

    def _holds(self, state: SimulatedState) -> Truth:
        read = RecordingView(state)
        truth = self._pursuit.condition.evaluate(read, self._binding)
        if truth is UNKNOWN:
            self._note_unknown(read)
        return truth

    def _note_unknown(self, read: RecordingView) -> None:
        """Record the first unknown fluent, unless only actions have made it unknown."""
        for fluent, value in read.readings.items():
            if value is UNKNOWN and self.unknown is None and self._view.get(fluent) is UNKNOWN:
                self.unknown = fluent

    def _pop(self) -> StateNode | None:
        while self._frontier:
            node = heappop(self._frontier)[2]
            if node.cost <= self._best_costs[self._key(node)]:
                return node
        return None

    def _push(self, node: StateNode) -> None:
        key = self._key(node)
        if node.cost < self._best_costs.get(key, inf):
            self._best_costs[key] = node.cost
            self._pushed += 1
            estimate = self._estimate(node)
            heappush(self._frontier, (node.cost + estimate, self._pushed, node))

    def _key(self, node: StateNode) -> Any:
        return node.state.key()

    def _estimate(self, node: StateNode) -> int:
        """The number of conjuncts of the goal that do not hold; 0 with another heuristic."""
        parts = self._conjuncts
        return sum(part.evaluate(node.state, self._binding) is not True for part in parts)

    def _report(self, node: StateNode, listener: trace.SearchListener) -> None:
        items = node.state.written.items()
        written = sorted(((str(fluent), value) for fluent, value in items), key=itemgetter(0))
        text = ", ".join(f"{fluent} = {value_text(value)}" for fluent, value in written)
        listener(trace.GoalsExpanded(text or _START, node.cost, self._estimate(node)))


def _conjuncts(condition: Condition) -> tuple[Condition, ...]:
    is_and = isinstance(condition, Junction) and not condition.decisive
    return condition.parts if is_and and isinstance(condition, Junction) else (condition,)
