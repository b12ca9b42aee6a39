"""TaskEffects: precondition and effects of one task, evaluated in one state.

Planning and replay share this meaning of a task, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bthtn.engine.domain.effect import writes_of
from bthtn.engine.domain.number import no_duration, number_of
from bthtn.engine.domain.task import PrimitiveTask, TaskCall, call_text
from bthtn.engine.world.expression import Binding, StateView
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import Footprint, ReadRecorder, Write
from bthtn.engine.world.truth import UNKNOWN, Truth
from bthtn.errors import PlanningError


class TaskEffects(NamedTuple):
    """The outcome of a primitive task in one state.

    ``possible`` is the value of its precondition. ``writes`` are those of its effects and
    expected effects together, None if they depend on an unknown fluent. ``unknown`` is the name
    of the unknown fluent that was read, or "".
    """

    possible: Truth
    writes: Mapping[Fluent[Any], Write] | None
    footprint: Footprint
    duration: float = 0
    cost: float = 0
    unknown: str = ""


def grounded(call: TaskCall, view: ReadRecorder, binding: Binding) -> tuple[Any, ...] | None:
    """Values of the call's arguments in this state, or None if one is unknown."""
    values = tuple(argument.evaluate(view, binding) for argument in call.args)
    return None if any(value is UNKNOWN for value in values) else values


def duration_of(task: PrimitiveTask[...], view: StateView, args: Binding) -> float:
    """The planned duration in this state; 0 if it is unknown.

    Raises PlanningError if it is no number, or below zero.
    """
    duration = number_of(task.duration, view, args)
    if duration < 0:
        raise PlanningError.of(no_duration(duration, call_text(task, args)))
    return duration


def projected(
    task: PrimitiveTask[...], args: tuple[Any, ...], recorder: ReadRecorder
) -> TaskEffects:
    """The outcome of the task in this state, called with these values."""
    possible = task.precondition.evaluate(recorder, args)
    if possible is False:
        return TaskEffects(possible, {}, Footprint(recorder.reads))
    unknown = "" if recorder.unknown is None else str(recorder.unknown)
    try:
        writes = writes_of((*task.effects, *task.expected), recorder, args)
    except UnknownRead as signal:
        footprint = Footprint(recorder.reads, uses=task.uses)
        return TaskEffects(possible, None, footprint, unknown=str(signal.fluent))
    duration = duration_of(task, recorder, args)
    cost = number_of(task.cost, recorder, args)
    footprint = Footprint(recorder.reads, writes, task.uses)
    return TaskEffects(possible, writes, footprint, duration, cost, unknown)
