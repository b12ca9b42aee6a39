"""Forward A*: applies actions to the state until a state satisfies the goal.

It only simulates actions, so conditions and effects may be plain functions, which regression
cannot analyse. The branching factor is larger, as actions irrelevant to the goal are tried too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from bthtn.domain.condition import why
from bthtn.domain.goal import Action, Pursuit
from bthtn.domain.task import call_text
from bthtn.errors import PlanningError
from bthtn.planning import trace
from bthtn.planning.least_cost import below_zero
from bthtn.planning.strips.a_star import AStar, SearchNode
from bthtn.planning.strips.simulate import MemoizedAction, SimulatedState
from bthtn.world.expression import Binding, Expression, StateView, conjuncts
from bthtn.world.footprint import RecordingView
from bthtn.world.truth import UNKNOWN, value_text

_START: Final = "the start"


class ForwardSearch(AStar[SimulatedState]):
    """The states of the search are those that actions lead to."""

    unknown: Expression[Any] | None = None
    """The first fluent that was read and is unknown in the start state, if any."""

    def __init__(
        self,
        pursuit: Pursuit,
        actions: Sequence[Action],
        view: StateView,
        binding: Binding,
        heuristic: str,
        listener: trace.SearchListener | None = None,
    ) -> None:
        super().__init__(listener)
        self._pursuit = pursuit
        self._actions = tuple(map(MemoizedAction, actions))
        self._view = view
        self._binding = binding
        self._conjuncts = conjuncts(pursuit.condition) if heuristic == "unmet" else ()
        start = SimulatedState(view)
        self._push(SearchNode(start, start.key(), 0))

    def why_not(self) -> Iterator[str]:
        """Reasons why there is no plan, one a line; valid once the frontier is empty."""
        goal = why(self._pursuit.condition, self._view, self._binding)
        states = "1 state" if self.expansions == 1 else f"{self.expansions} states"
        yield f"{goal}, and so it stays in all of the {states} that actions lead to"

    def _push_successors(self, node: SearchNode[SimulatedState]) -> None:
        for action in self._actions:
            self._try(action, node)

    def _try(self, memoized: MemoizedAction, node: SearchNode[SimulatedState]) -> None:
        action, (step, read) = memoized.action, memoized.outcome(node.state)
        if step.possible is True and step.writes is not None:
            if not step.cost >= 0:
                raise PlanningError.of(below_zero(step.cost, f"action '{call_text(*action)}'"))
            state = node.state.after(step.writes)
            self._push(SearchNode(state, state.key(), node.cost + step.cost, action, node))
            return
        if step.possible is not False:
            self._note_unknown(read)
        elif self._listener is not None:
            task, args = action
            reason = why(task.precondition, node.state, args)
            self._listener(trace.ActionRejected(call_text(task, args), reason))

    def _is_solved(self, state: SimulatedState) -> bool:
        read = RecordingView(state)
        truth = self._pursuit.condition.evaluate(read, self._binding)
        if truth is UNKNOWN:
            self._note_unknown(read.readings)
        return truth is True

    def _note_unknown(self, readings: Mapping[Expression[Any], Any]) -> None:
        """Record the first unknown fluent, unless only actions have made it unknown."""
        for fluent, value in readings.items():
            if value is UNKNOWN and self.unknown is None and self._view.get(fluent) is UNKNOWN:
                self.unknown = fluent

    def _estimate(self, state: SimulatedState) -> float:
        """The number of conjuncts of the goal that do not hold; 0 with another heuristic."""
        parts = self._conjuncts
        return sum(part.evaluate(state, self._binding) is not True for part in parts)

    def _text(self, state: SimulatedState) -> str:
        items = state.written.items()
        written = sorted(((str(fluent), value) for fluent, value in items), key=itemgetter(0))
        return ", ".join(f"{name} = {value_text(value)}" for name, value in written) or _START
