"""Going forward: actions are applied to the state until it satisfies the goal.

It only simulates actions, so conditions and effects may be plain functions, which regression
cannot analyse. The branching factor is larger, as actions irrelevant to the goal are tried too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from operator import itemgetter
from typing import Any, Final, NamedTuple

from bthtn.engine.domain.condition import why
from bthtn.engine.domain.goal import Action, Pursuit
from bthtn.engine.domain.task import call_text
from bthtn.engine.domain.task_effects import TaskEffects, projected
from bthtn.engine.plan.nodes import TaskNode
from bthtn.engine.planning.least_cost import below_zero
from bthtn.engine.planning.strips.ground import is_sensed
from bthtn.engine.world.expression import Binding, Expression, StateView, conjuncts
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.footprint import RecordingView, Write
from bthtn.engine.world.truth import UNKNOWN, value_text
from bthtn.errors import PlanningError
from bthtn.records import record

_ABSENT: Final = object()
_MOST_KNOWN: Final = 10_000
"""Outcomes and reads that one action remembers; then it begins anew."""
_START: Final = "the start"


class ForwardProblem:
    """The states of the search are those that actions lead to."""

    goes_back: Final = False
    weight: Final = 1
    unknown: Expression[Any] | None = None
    """The first fluent that was read and is unknown in the start state, if any."""

    def __init__(
        self,
        pursuit: Pursuit,
        actions: Iterable[Action],
        view: StateView,
        binding: Binding,
        heuristic: str,
    ) -> None:
        self._pursuit = pursuit
        self._actions = tuple(map(MemoizedAction, actions))
        self._view = view
        self._binding = binding
        self._conjuncts = conjuncts(pursuit.condition) if heuristic == "unmet" else ()

    def initial(self) -> tuple[SimulatedState, ...]:
        return (SimulatedState(self._view),)

    def is_goal(self, state: SimulatedState, /) -> bool:
        read = RecordingView(state)
        truth = self._pursuit.condition.evaluate(read, self._binding)
        if truth is UNKNOWN:
            self._note_unknown(read.readings)
        return truth is True

    def successors(
        self, state: SimulatedState, /
    ) -> Iterator[tuple[Action, float, SimulatedState]]:
        """The applicable actions, in order of definition, with the states after them."""
        for memoized in self._actions:
            step, readings = memoized.outcome(state)
            if step.possible is True and step.writes is not None:
                action, cost = memoized.action, step.cost
                if not cost >= 0:
                    raise PlanningError.of(below_zero(cost, f"action '{call_text(*action)}'"))
                yield action, cost, state.after(step.writes)
            elif step.possible is not False:
                self._note_unknown(readings)

    def estimate(self, state: SimulatedState, /) -> float:
        """The number of conjuncts of the goal that do not hold; 0 with another heuristic."""
        parts = self._conjuncts
        return sum(part.evaluate(state, self._binding) is not True for part in parts)

    def key(self, state: SimulatedState, /) -> Any:
        """A value that is equal for states with the same futures."""
        return state.key()

    def text(self, state: SimulatedState, /) -> str:
        """What was written over the start state."""
        items = state.written.items()
        written = sorted(((str(fluent), value) for fluent, value in items), key=itemgetter(0))
        return ", ".join(f"{name} = {value_text(value)}" for name, value in written) or _START

    def rejected(self, state: SimulatedState, /) -> Iterator[tuple[Action, str]]:
        for memoized in self._actions:
            if memoized.outcome(state).effects.possible is False:
                task, args = memoized.action
                yield memoized.action, why(task.precondition, state, args)

    def why_not(self, expansions: int) -> Iterator[str]:
        """Reasons why there is no plan, one a line; valid once everything was tried."""
        goal = why(self._pursuit.condition, self._view, self._binding)
        states = "1 state" if expansions == 1 else f"{expansions} states"
        yield f"{goal}, and so it stays in all of the {states} that actions lead to"

    def _note_unknown(self, readings: Mapping[Expression[Any], Any]) -> None:
        """Record the first unknown fluent, unless only actions have made it unknown."""
        for fluent, value in readings.items():
            if value is UNKNOWN and self.unknown is None and self._view.get(fluent) is UNKNOWN:
                self.unknown = fluent


@record(eq=False)
class SimulatedState:
    """A successor state: the start state, and the values that actions have written over it.

    After the first action a volatile fluent that was not written is unknown (semantics 1.3.1).
    """

    base: StateView
    written: Mapping[Fluent[Any], Any] = field(default_factory=dict)
    steps: int = 0

    def get(self, fluent: Any, /) -> Any:
        value = self.written.get(fluent, _ABSENT)
        if value is not _ABSENT:
            return value
        is_gone = self.steps and fluent.volatile and is_sensed(self.base)
        return UNKNOWN if is_gone else self.base.get(fluent)

    def after(self, writes: Mapping[Fluent[Any], Write]) -> SimulatedState:
        """The state after one more action with these writes."""
        values = {fluent: write.applied(fluent, self) for fluent, write in writes.items()}
        return SimulatedState(self.base, {**self.written, **values}, self.steps + 1)

    def key(self) -> Any:
        """A key for duplicate detection, equal for states with the same futures.

        A volatile fluent that was written is part of it whatever its value, as it stays known.
        """
        different = frozenset(
            (fluent, value)
            for fluent, value in self.written.items()
            if fluent.volatile or value != self.base.get(fluent)
        )
        return (different, self.steps > 0)


class Transition(NamedTuple):
    """The effects of an action in a state, and the values of the fluents they depend on."""

    effects: TaskEffects
    readings: Mapping[Expression[Any], Any]


class MemoizedAction:
    """An action that is evaluated once for each combination of the values that it reads.

    A search tries every action in thousands of states, and most actions read two or three fluents.
    """

    __slots__ = ("_known", "action")

    def __init__(self, action: Action) -> None:
        self.action = action
        self._known: dict[tuple[Any, ...], Expression[Any] | Transition] = {}
        """For the values read so far, with their types: the fluent to read next, or the outcome."""

    def outcome(self, state: SimulatedState) -> Transition:
        read: tuple[Any, ...] = ()
        found = self._known.get(read)
        while not (found is None or isinstance(found, Transition)):
            value = state.get(found)
            read += (type(value), value)
            found = self._known.get(read)
        return self._evaluated(state) if found is None else found

    def _evaluated(self, state: SimulatedState) -> Transition:
        view = RecordingView(state)
        outcome = Transition(projected(*self.action, view), view.readings)
        known = self._known
        if len(known) >= _MOST_KNOWN:
            known.clear()
        read: tuple[Any, ...] = ()
        for fluent, value in view.readings.items():
            known[read] = fluent
            read += (type(value), value)
        known[read] = outcome
        return outcome


def stands(steps: Iterable[Action], pursuit: Pursuit, base: StateView, binding: Binding) -> bool:
    """Whether each action is possible where it comes, and the goal holds behind them."""
    state = SimulatedState(base)
    for task, args in steps:
        step = projected(task, args, RecordingView(state))
        if step.possible is not True or step.writes is None:
            return False
        state = state.after(step.writes)
    return pursuit.condition.evaluate(state, binding) is True


def simulate_plan(
    steps: Iterable[Action], base: StateView
) -> tuple[SimulatedState, list[TaskNode]]:
    """The final state of a sequence of actions, and the actions as plan nodes.

    An inapplicable action is a bug of the search that returned it.
    """
    state, nodes = SimulatedState(base), []
    for task, args in steps:
        step = projected(task, args, RecordingView(state))
        assert step.possible is True, f"{task.name}{args} is not applicable where it was planned"
        assert step.writes is not None, f"{task.name}{args} has unknown writes where it was planned"
        nodes.append(TaskNode(task, args, step.footprint, step.duration, step.cost))
        state = state.after(step.writes)
    return state, nodes
