"""Forward A*: from the state through all possible actions to where the goal holds.

It only asks what actions do in a state, so functions do as well as data: what backward search
has to look into, this one tries out. There is more to try, too: every action that is possible,
whether it has to do with the goal or not.
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
from bthtn.planning.strips.simulate import Reached, attempted
from bthtn.world.expression import Binding, Condition, Expression, Junction, StateView
from bthtn.world.footprint import RecordingView
from bthtn.world.truth import UNKNOWN, Truth, value_text

_START: Final = "the start"


@dataclass(frozen=True, slots=True, eq=False)
class Arrived:
    """A state, and the action that led there from the one before."""

    state: Reached
    cost: float
    action: Action | None = None
    before: Arrived | None = None


class Forward:
    """One search, an expansion at a time."""

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
        self._parts = _conjuncts(pursuit.condition) if heuristic == "unmet" else ()
        self._listener = listener
        self._open: list[tuple[float, int, Arrived]] = []
        self._least: dict[Any, float] = {}
        self._pushed = 0
        self._found: Arrived | None = None
        self.expansions = 0
        self.unknown: Expression[Any] | None = None
        """The first fluent that was asked for and is unknown."""
        self._push(Arrived(Reached(view), 0))

    def expand(self) -> bool:
        """Look at one state; whether there is any reason to go on."""
        arrived = self._taken()
        if arrived is None:
            return False
        self.expansions += 1
        if self._listener is not None:
            self._tell(arrived, self._listener)
        if self._holds(arrived.state) is True:
            self._found = arrived
            return False
        for action in self._actions:
            self._try(action, arrived)
        return True

    @property
    def steps(self) -> tuple[Action, ...] | None:
        """The steps of the plan, None while there is none."""
        steps: list[Action] = []
        arrived = self._found
        while arrived is not None and arrived.action is not None:
            steps.append(arrived.action)
            arrived = arrived.before
        return None if self._found is None else tuple(reversed(steps))

    def why_not(self) -> Iterator[str]:
        """Why there is no plan, once everything was tried."""
        goal = why(self._pursuit.condition, self._view, self._binding)
        states = "1 state" if self.expansions == 1 else f"{self.expansions} states"
        yield f"{goal}, and so it stays in all of the {states} that actions lead to"

    def _try(self, action: Action, arrived: Arrived) -> None:
        step, read = attempted(action, arrived.state)
        if step.possible is True and step.writes is not None:
            if not step.cost >= 0:
                raise PlanningError(below_zero(step.cost, f"action '{call_text(*action)}'"))
            state = arrived.state.after(step.writes)
            self._push(Arrived(state, arrived.cost + step.cost, action, arrived))
            return
        if step.possible is not False:
            self._note(read)
        elif self._listener is not None:
            task, args = action
            reason = why(task.precondition, arrived.state, args)
            self._listener(trace.ActionRejected(call_text(task, args), reason))

    def _holds(self, state: Reached) -> Truth:
        read = RecordingView(state)
        truth = self._pursuit.condition.evaluate(read, self._binding)
        if truth is UNKNOWN:
            self._note(read)
        return truth

    def _note(self, read: RecordingView) -> None:
        """Remember what was unknown, unless it is only not known any more."""
        for fluent, value in read.readings.items():
            if value is UNKNOWN and self.unknown is None and self._view.get(fluent) is UNKNOWN:
                self.unknown = fluent

    def _taken(self) -> Arrived | None:
        while self._open:
            arrived = heappop(self._open)[2]
            if arrived.cost <= self._least[self._key(arrived)]:
                return arrived
        return None

    def _push(self, arrived: Arrived) -> None:
        key = self._key(arrived)
        if arrived.cost < self._least.get(key, inf):
            self._least[key] = arrived.cost
            self._pushed += 1
            estimate = self._estimate(arrived)
            heappush(self._open, (arrived.cost + estimate, self._pushed, arrived))

    def _key(self, arrived: Arrived) -> Any:
        return arrived.state.key()

    def _estimate(self, arrived: Arrived) -> int:
        """The parts of the goal that do not hold."""
        parts = self._parts
        return sum(part.evaluate(arrived.state, self._binding) is not True for part in parts)

    def _tell(self, arrived: Arrived, listener: trace.SearchListener) -> None:
        items = arrived.state.written.items()
        written = sorted(((str(fluent), value) for fluent, value in items), key=itemgetter(0))
        what = ", ".join(f"{fluent} = {value_text(value)}" for fluent, value in written)
        listener(trace.GoalsExpanded(what or _START, arrived.cost, self._estimate(arrived)))


def _conjuncts(condition: Condition) -> tuple[Condition, ...]:
    is_and = isinstance(condition, Junction) and not condition.decisive
    return condition.parts if is_and and isinstance(condition, Junction) else (condition,)
