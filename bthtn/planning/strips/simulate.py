"""Simulation of actions: successor states for forward search, and nodes of the plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Final, NamedTuple

from bthtn.domain.goal import Action
from bthtn.domain.task_effects import TaskEffects, projected
from bthtn.plan.nodes import TaskNode
from bthtn.records import record
from bthtn.world.expression import Expression, StateView
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import RecordingView, Write
from bthtn.world.truth import UNKNOWN

_ABSENT: Final = object()
_MOST_KNOWN: Final = 10_000
"""Outcomes and reads that one action remembers; then it begins anew."""


@record(eq=False)
class SimulatedState:
    """A successor state: the start state, and the values that actions have written over it.

    After the first action a volatile fluent that was not written is unknown (semantics 1.3.1).
    """

    base: StateView
    written: Mapping[Fluent[Any], Any] = field(default_factory=dict)
    steps: int = 0

    def get(self, fluent: Any, /) -> Any:
        """The value of the fluent, or UNKNOWN."""
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


def is_sensed(view: StateView) -> bool:
    """Whether the values of volatile fluents in this view come from sensors.

    In a state predicted by a plan they come from the plan's effects, and persist.
    """
    return bool(getattr(view, "foreseeable", True))


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
        """The outcome of the action in this state."""
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
