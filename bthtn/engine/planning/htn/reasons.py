"""The events of a search and the reasons for its failures, as texts that are built lazily.

Few of these texts are ever read, and building one takes as long as several expansions. So an
event holds a function and its arguments in place of each text, and for a condition the values
that it has read, since the state changes afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from bthtn.engine.domain.choice import ValueChoice
from bthtn.engine.domain.condition import why_so
from bthtn.engine.domain.network import Network, network_text
from bthtn.engine.domain.task import CompoundTask, Task, call_text
from bthtn.engine.plan.traversal_record import MethodTraversalRecord
from bthtn.engine.planning.htn.projected_state import ProjectedState
from bthtn.engine.world.expression import Binding, Condition
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.truth import value_text

Reason = str | tuple[Any, ...]
"""A text, or a function that returns it, followed by the arguments."""

event: Final[Any] = tuple.__new__
"""Creates an event without the checks of its constructor."""


def text_of(reason: Reason) -> str:
    if isinstance(reason, str):
        return reason
    text: str = reason[0](*reason[1:])
    return text


def cut_by_bound(bound: MethodTraversalRecord) -> str:
    """Return why a bounded search does not enter a method that is usable."""
    return f"no plan by it or a later method beats the record {bound!r}"


def because(condition: Condition, view: ProjectedState, binding: Binding) -> Reason:
    """Return why the condition does not hold, for instance ``ammo > 0 is false: ammo = 0``."""
    asked = RecordingView(view)
    condition.evaluate(asked, binding)
    return (why_so, condition, binding, False, asked.readings)


def failed(task: Task, args: Binding, reason: Reason) -> str:
    """Return the text of a reason, prefixed with the call that failed."""
    return f"{call_text(task, args)}: {text_of(reason)}"


def no_values(task: CompoundTask[...], readings: dict[Any, Any]) -> str:
    """Return why a task with one decomposition per value has no values."""
    read = ", ".join(f"{fluent} = {value_text(value)}" for fluent, value in readings.items())
    join = task.choice.join if isinstance(task.choice, ValueChoice) else None
    conditions = [] if join is None else [condition.text() for condition in join.conditions]
    such = f" with {' and '.join(conditions)}" if conditions else ""
    return f"there is no {task.doc}{such}" + (f": {read}" if read else "")


def listed(networks: Sequence[Network], binding: Binding) -> str:
    """Return the text of networks that are left unplanned."""
    return ", ".join(network_text(network, binding) for network in networks)
