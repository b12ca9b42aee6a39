"""The events of a search and the reasons for its failures, as texts that are built lazily.

Few of these texts are ever read, and building one takes as long as several expansions. So an
event holds a function and its arguments in place of each text, and for a condition the values it
has read, since the state changes afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from bthtn.domain.condition import why
from bthtn.domain.construct_progress import TurnCondition
from bthtn.domain.network import Network, network_text
from bthtn.domain.task import CompoundTask, Task, call_text
from bthtn.plan.nodes import Suspension
from bthtn.planning import trace
from bthtn.planning.htn.log import BINDING, DEPTH, Cell
from bthtn.planning.htn.values import ProjectedState
from bthtn.planning.trace import SearchEvent
from bthtn.world.expression import (
    Arithmetic,
    Binding,
    Comparison,
    Condition,
    Constant,
    Expression,
    Junction,
    Negation,
    Parameter,
)
from bthtn.world.fluent import Fluent, MemberOf
from bthtn.world.truth import value_text

Reason = str | tuple[Any, ...]
"""A text, or a function that returns it, followed by the arguments."""

event: Final[Any] = tuple.__new__
"""Creates an event without the checks of its constructor."""


def text_of(reason: Reason) -> str:
    """Return the text of a reason."""
    if isinstance(reason, str):
        return reason
    text: str = reason[0](*reason[1:])
    return text


class ReadValues:
    """A snapshot of the fluents that a condition reads."""

    __slots__ = ("_values",)

    def __init__(self, values: dict[Fluent[Any], Any]) -> None:
        self._values = values

    def get(self, fluent: Any, /) -> Any:
        """Return the value of the fluent in the snapshot."""
        return self._values[fluent]


def because(condition: Condition, view: ProjectedState, binding: Binding) -> Reason:
    """Return why the condition does not hold, for instance ``ammo > 0 is false: ammo = 0``."""
    fluents = _fluents(condition, binding)
    if fluents is None:
        return why(condition, view, binding)
    return (why, condition, ReadValues({one: view.peek(one) for one in fluents}), binding)


def _fluents(expression: Expression[Any], binding: Binding) -> list[Fluent[Any]] | None:
    """Return the fluents that an evaluation may read, or None if they depend on the state."""
    found: list[Fluent[Any]] = []
    pending = [expression]
    while pending:
        match pending.pop():
            case Constant() | Parameter():
                pass
            case Fluent() as fluent:
                found.append(fluent)
            case MemberOf(family=family, index=Parameter(position=position)):
                found.append(family.member(binding[position]))
            case MemberOf(family=family, index=Constant(value=value)):
                found.append(family.member(value))
            case Comparison(left=left, right=right) | Arithmetic(left=left, right=right):
                pending += (left, right)
            case Negation(operand=operand):
                pending.append(operand)
            case Junction(parts=parts):
                pending += parts
            case _:
                return None
    return found


def _prefixed(task: Task, args: Binding, reason: Reason) -> str:
    return f"{call_text(task, args)}: {text_of(reason)}"


def failed(task: Task, args: Binding, reason: Reason) -> Reason:
    """Return the reason, prefixed with the call that failed."""
    return (_prefixed, task, args, reason)


def no_values(task: CompoundTask[Any], readings: dict[Any, Any]) -> str:
    """Return why a task with one decomposition per value has no values."""
    read = ", ".join(f"{one} = {value_text(value)}" for one, value in readings.items())
    return f"there is no {task.doc}" + (f": {read}" if read else "")


def is_silent(condition: Condition) -> bool:
    """Whether the failure of the condition is no reason worth reporting."""
    return isinstance(condition, TurnCondition)


def planned(task: Task, args: Binding, depth: int) -> SearchEvent:
    """Return the event of a primitive task added to the plan."""
    made: SearchEvent = event(trace.TaskPlanned, ((call_text, task, args), depth))
    return made


def task_rejected(task: Task, args: Binding, reason: Reason, depth: int) -> SearchEvent:
    """Return the event of a task that is impossible here."""
    made: SearchEvent = event(trace.TaskRejected, ((call_text, task, args), reason, depth))
    return made


def entered(task: Task, args: Binding, index: int, name: str, depth: int) -> SearchEvent:
    """Return the event of a method that was entered."""
    made: SearchEvent = event(trace.MethodEntered, ((call_text, task, args), index, name, depth))
    return made


def method_rejected(
    task: Task, args: Binding, index: int, name: str, reason: Reason, depth: int
) -> SearchEvent:
    """Return the event of a method that is not usable here."""
    made: SearchEvent = event(
        trace.MethodRejected, ((call_text, task, args), index, name, reason, depth)
    )
    return made


def recursion_cut(task: Task, args: Binding, reason: str, depth: int) -> SearchEvent:
    """Return the event of a call nested too deep, or in itself in an unchanged state."""
    made: SearchEvent = event(trace.RecursionCut, ((call_text, task, args), reason, depth))
    return made


def backtracked(task: Task, args: Binding) -> SearchEvent:
    """Return the event of a search that backtracked to a call."""
    made: SearchEvent = event(trace.Backtracked, ((call_text, task, args),))
    return made


def tried_before(network: Network, binding: Binding, depth: int) -> SearchEvent:
    """Return the event of a search state that had failed before."""
    made: SearchEvent = event(trace.TriedBefore, ((network_text, network, binding), depth))
    return made


def left_open(
    networks: Sequence[Network], binding: Binding, cause: Suspension, depth: int
) -> SearchEvent:
    """Return the event of networks that are left unplanned."""
    made: SearchEvent = event(
        trace.PlanningSuspended, ((_listed, networks, binding), str(cause), depth)
    )
    return made


def suspended(cell: Cell, cause: Suspension) -> Iterator[SearchEvent]:
    """Yield an event for every sequence in the continuation that is left unplanned."""
    while cell[3] is not None:
        body, part, scope, behind, _ = cell
        yield left_open(body.rest[part:], scope[BINDING], cause, scope[DEPTH])
        cell = behind


def _listed(networks: Sequence[Network], binding: Binding) -> str:
    return ", ".join(network_text(network, binding) for network in networks)
