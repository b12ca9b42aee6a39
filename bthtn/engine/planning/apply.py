"""apply: the state after one primitive task, as planning predicts it."""

from __future__ import annotations

from typing import TypeVar

from bthtn.checked import checked
from bthtn.engine.domain.builder import Domain
from bthtn.engine.domain.condition import held
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.task import PrimitiveTask, TaskCall
from bthtn.engine.domain.task_effects import grounded, projected
from bthtn.engine.planning.protocol import DEFAULT_SETTINGS, question_of, start_of
from bthtn.engine.world.footprint import RecordingView
from bthtn.engine.world.state import State
from bthtn.engine.world.trail import WorkingState
from bthtn.errors import DomainError, PlanningError

S = TypeVar("S", bound=State)


@checked
def apply(domain: Domain[S] | FrozenDomain, state: S, call: TaskCall) -> S:
    """The state after a primitive task, as planning predicts it from this state.

    Raises PlanningError if its precondition does not hold, or if the task's effects are not
    known; DomainError for a compound task, and for a task or state of another domain.
    """
    whole, _ = question_of(domain, call, DEFAULT_SETTINGS)
    start, task = start_of(whole, state), call.task
    if not isinstance(task, PrimitiveTask):
        message = f"'{task.name}' is a compound task: it is decomposed, not applied"
        hint = f"find_plan(domain, state, {task.name}(…)).predicted is the state after it"
        raise DomainError("BT110", message, hint=hint)
    recorder = RecordingView(start)
    args = grounded(call, recorder, ())
    if args is None:
        raise _not_possible(call, f"{recorder.unknown} is unknown")
    possible = held(task.precondition, start, args)
    if not possible:
        raise _not_possible(call, possible.why)
    done = projected(task, args, recorder)
    if done.writes is None:
        raise _not_possible(call, f"its effects depend on {done.unknown}, which is unknown")
    after = WorkingState(start)
    for fluent, write in done.writes.items():
        after.apply(fluent, write)
    return whole.state_class.over(after.freeze())  # type: ignore[return-value]  # S is that class


def _not_possible(call: TaskCall, reason: str) -> PlanningError:
    message = f"{call} is not possible in this state: {reason}"
    return PlanningError("BT205", message, hint="plan what makes it possible, or apply that first")
