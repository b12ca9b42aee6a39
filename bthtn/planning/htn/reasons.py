"""What a search tells its listener, and why something was impossible.

Few of these texts are ever read, and making one takes as long as several expansions. So an event
has in place of each text a function and what to call it with. What a condition has read is put
beside it, since the state goes on.
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
"""A text, or a function and what to call it with to get the text."""

event: Final[Any] = tuple.__new__
"""Makes an event without the checks that are for those who write events by hand."""


def text_of(reason: Reason) -> str:
    """The text itself."""
    if isinstance(reason, str):
        return reason
    text: str = reason[0](*reason[1:])
    return text


class Moment:
    """Values of some fluents as they were at one moment of a search."""

    __slots__ = ("_values",)

    def __init__(self, values: dict[Fluent[Any], Any]) -> None:
        self._values = values

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent at that moment."""
        return self._values[fluent]


def because(condition: Condition, view: ProjectedState, binding: Binding) -> Reason:
    """Why the condition does not hold now, as ``ammo > 0 is false: ammo = 0``."""
    fluents = _fluents(condition, binding)
    if fluents is None:
        return why(condition, view, binding)
    return (why, condition, Moment({one: view.peek(one) for one in fluents}), binding)


def _fluents(expression: Expression[Any], binding: Binding) -> list[Fluent[Any]] | None:
    """The fluents that an evaluation may read, None where only a state tells which these are."""
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
    """The reason with the call in front that it is about."""
    return (_prefixed, task, args, reason)


def no_values(task: CompoundTask[Any], readings: dict[Any, Any]) -> str:
    """Why a variable has nothing that it could stand for."""
    read = ", ".join(f"{one} = {value_text(value)}" for one, value in readings.items())
    return f"there is no {task.doc}" + (f": {read}" if read else "")


def is_silent(condition: Condition) -> bool:
    """Whether a condition that does not hold says nothing about the world."""
    return isinstance(condition, TurnCondition)


def planned(task: Task, args: Binding, depth: int) -> SearchEvent:
    """A primitive task was put into the plan."""
    made: SearchEvent = event(trace.TaskPlanned, ((call_text, task, args), depth))
    return made


def task_rejected(task: Task, args: Binding, reason: Reason, depth: int) -> SearchEvent:
    """A task cannot be done here."""
    made: SearchEvent = event(trace.TaskRejected, ((call_text, task, args), reason, depth))
    return made


def entered(task: Task, args: Binding, index: int, name: str, depth: int) -> SearchEvent:
    """A method was chosen."""
    made: SearchEvent = event(trace.MethodEntered, ((call_text, task, args), index, name, depth))
    return made


def method_rejected(
    task: Task, args: Binding, index: int, name: str, reason: Reason, depth: int
) -> SearchEvent:
    """A method cannot be used here."""
    made: SearchEvent = event(
        trace.MethodRejected, ((call_text, task, args), index, name, reason, depth)
    )
    return made


def recursion_cut(task: Task, args: Binding, reason: str, depth: int) -> SearchEvent:
    """A call is nested too deep, or in itself with nothing changed."""
    made: SearchEvent = event(trace.RecursionCut, ((call_text, task, args), reason, depth))
    return made


def backtracked(task: Task, args: Binding) -> SearchEvent:
    """The search went back to a call."""
    made: SearchEvent = event(trace.Backtracked, ((call_text, task, args),))
    return made


def tried_before(network: Network, binding: Binding, depth: int) -> SearchEvent:
    """The same was left to do in the same state once before."""
    made: SearchEvent = event(trace.TriedBefore, ((network_text, network, binding), depth))
    return made


def left_open(
    networks: Sequence[Network], binding: Binding, cause: Suspension, depth: int
) -> SearchEvent:
    """Planning stops here."""
    made: SearchEvent = event(
        trace.PlanningSuspended, ((_listed, networks, binding), str(cause), depth)
    )
    return made


def suspended(cell: Cell, cause: Suspension) -> Iterator[SearchEvent]:
    """An event for every sequence that is left open where planning stops."""
    while cell[3] is not None:
        body, part, scope, behind, _ = cell
        yield left_open(body.rest[part:], scope[BINDING], cause, scope[DEPTH])
        cell = behind


def _listed(networks: Sequence[Network], binding: Binding) -> str:
    return ", ".join(network_text(network, binding) for network in networks)
