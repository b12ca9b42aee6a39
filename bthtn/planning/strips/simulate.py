"""Carrying actions out on paper: states that forward search reaches, and steps of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from bthtn.domain.goal import Action
from bthtn.domain.task_effects import TaskEffects, projected
from bthtn.plan.nodes import TaskNode
from bthtn.world.expression import StateView
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import RecordingView, Write, WriteKind
from bthtn.world.truth import UNKNOWN

_ABSENT: Final = object()


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """A state that steps lead to, as what they have written over the state they began in.

    Behind the first step a volatile fluent that was not written is unknown (semantics 1.3.1).
    """

    base: StateView
    written: Mapping[Fluent[Any], Any] = field(default_factory=dict)
    steps: int = 0

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent."""
        value = self.written.get(fluent, _ABSENT)
        if value is not _ABSENT:
            return value
        is_gone = self.steps and fluent.volatile and is_sensed(self.base)
        return UNKNOWN if is_gone else self.base.get(fluent)

    def after(self, writes: Mapping[Fluent[Any], Write]) -> Reached:
        """The state behind one more step."""
        values = dict(self.written)
        for fluent, write in writes.items():
            value = write.value
            if write.kind is WriteKind.INCREASE:
                before = self.get(fluent)
                value = UNKNOWN if before is UNKNOWN else before + value
            values[fluent] = value
        return Reached(self.base, values, self.steps + 1)

    def key(self) -> Any:
        """Equal for states from which planning on gives the same.

        A volatile fluent that was written is known from there on, whatever its value.
        """
        different = frozenset(
            (fluent, value)
            for fluent, value in self.written.items()
            if fluent.volatile or value != self.base.get(fluent)
        )
        return (different, self.steps > 0)


def is_sensed(view: StateView) -> bool:
    """Whether what the view says of volatile fluents is what sensors say.

    A view that a plan has led to says only what the plan has written, and that stays.
    """
    return bool(getattr(view, "foreseeable", True))


def attempted(action: Action, state: Reached) -> tuple[TaskEffects, RecordingView]:
    """How the action would go in this state, and what was read to tell."""
    view = RecordingView(state)
    return projected(*action, view), view


def carried_out(steps: Iterable[Action], base: StateView) -> tuple[Reached, list[TaskNode]]:
    """The state that the steps lead to, and the steps as nodes of a plan.

    A search answers with nothing that cannot be carried out, so that is a mistake of the search.
    """
    state, nodes = Reached(base), []
    for task, args in steps:
        step, _ = attempted((task, args), state)
        assert step.possible is True, f"{task.name}{args} was planned where it is not possible"
        assert step.writes is not None, f"{task.name}{args} was planned where it writes anything"
        nodes.append(TaskNode(task, args, step.footprint, step.duration, step.cost))
        state = state.after(step.writes)
    return state, nodes
