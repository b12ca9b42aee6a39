"""One expansion: the first network on the agenda becomes part of the plan, or more agenda.

Every function here does one thing to the search and answers whether that was possible.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bthtn.domain.condition import why
from bthtn.domain.effect import writes_of
from bthtn.domain.method import PlainBody
from bthtn.domain.network import (
    DeferNetwork,
    Network,
    NullNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
    network_text,
)
from bthtn.domain.number import number_of
from bthtn.domain.progress import Progress
from bthtn.domain.task import CompoundTask, PrimitiveTask, TaskCall, call_text
from bthtn.domain.task_effects import grounded, projected
from bthtn.plan.nodes import (
    BUDGET,
    DEFERRED,
    HORIZON,
    NULL_NODE,
    PAUSED,
    SuspendedNode,
    Suspension,
    SuspensionKind,
    TaskNode,
)
from bthtn.planning import trace
from bthtn.planning.avoided import task_avoided, way_avoided
from bthtn.planning.htn.branches import open_branches
from bthtn.planning.htn.frames import CloseScope, Compound, Continue, Expand, MethodChoice
from bthtn.planning.htn.output import OpenScope, OpenSequence, ScopeKey
from bthtn.planning.htn.state import SearchState
from bthtn.world.expression import Binding
from bthtn.world.fluent import UnknownRead
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.truth import UNKNOWN, value_text


def expand(search: SearchState, network: Network, binding: Binding) -> bool:
    """Plan a network from the state as projected so far."""
    match network:
        case TaskCall():
            return _call(search, network, binding)
        case SequenceNetwork(parts):
            search.output.open(OpenSequence())
            least = search.costs.from_each(parts) if search.costs is not None else ()
            return go_on(search, Continue(parts, 0, binding, least))
        case ParallelNetwork() | PriorityNetwork():
            return open_branches(search, network, binding)
        case DeferNetwork(call) if search.settings.check_rest:
            return _call(search, call, binding)
        case DeferNetwork():
            return _defer(search, network, binding)
        case PauseNetwork() if not search.settings.check_rest:
            return _suspend(search, (), binding, PAUSED)
        case PauseNetwork() | NullNetwork():
            search.output.add(NULL_NODE)
            return True


def go_on(search: SearchState, sequence: Continue) -> bool:
    """Go on with a sequence: its next part, or what is left of it suspended, or its end."""
    cause = search.path.cause
    if cause is None and sequence.index > 0 and search.at_horizon:
        cause = HORIZON
    is_done = sequence.index == len(sequence.parts)
    if not is_done and cause is None:
        behind = replace(sequence, index=sequence.index + 1)
        search.push(behind)
        search.push(Expand(sequence.parts[sequence.index], sequence.binding))
        return True
    if not is_done and cause is not None:
        _suspend(search, sequence.parts[sequence.index :], sequence.binding, cause)
    search.output.close()
    return True


def decompose(search: SearchState, compound: Compound, start: int) -> bool:
    """Enter the first usable method from ``start`` on."""
    ways = compound.ways
    for index in range(start, len(ways)):
        if avoided := way_avoided(ways, index, search.avoiding):
            _tell_rejected(search, compound, index, avoided)
            continue
        view = search.view()
        try:
            body = search.domain.network(ways.method(index), view, ways.binding(index))
        except UnknownRead as signal:
            return _undecided(search, compound.call, compound.binding, str(signal.fluent))
        if body is None:
            _reject_method(search, compound, index)
            continue
        if not search.may_beat(index):
            if search.frame is None:
                return False
            # Inside a branch a later method may be undecided: that leaves a shorter record.
            continue
        if index + 1 < len(ways) and (search.frame is not None or search.may_beat(index + 1)):
            later = MethodChoice(*search.here(), compound=compound, method=index + 1)
            search.choices.append(later)
        _enter(search, compound, index, body, view)
        return True
    return False


def _call(search: SearchState, call: TaskCall, binding: Binding) -> bool:
    if search.is_closing:
        return leave_open(search, call, binding)
    view = search.view()
    args = grounded(call, view, binding)
    if args is None:
        return _undecided(search, call, binding, str(view.unknown))
    if isinstance(call.task, PrimitiveTask):
        return _primitive(search, call, binding, args, view)
    if _cut(search, call.task, args):
        return False
    try:
        ways = search.domain.ways(call.task, args, view)
    except UnknownRead as signal:
        return _undecided(search, call, binding, str(signal.fluent))
    if not ways:
        _reject_values(search, call.task, args, view)
    return decompose(search, Compound(call, binding, call.task, args, ways, view.reads), 0)


def _primitive(
    search: SearchState,
    call: TaskCall,
    binding: Binding,
    args: tuple[Any, ...],
    view: RecordingView,
) -> bool:
    task, path = call.task, search.path
    assert isinstance(task, PrimitiveTask), "only primitive tasks are done"
    search.expansions += 1
    if avoided := task_avoided(task, args, search.avoiding):
        _reject_task(search, task, args, avoided)
        return False
    step = projected(task, args, view)
    if step.possible is False:
        _reject_task(search, task, args)
        return False
    undecided = step.possible is UNKNOWN and search.guard != path.steps
    if step.writes is None or undecided:
        return _undecided(search, call, binding, step.unknown)
    for fluent, write in step.writes.items():
        search.projected.apply(fluent, write)
    search.output.add(TaskNode(task, args, step.footprint, step.duration, step.cost))
    search.path = path.behind(step.duration, search.price(step.cost, 0, task, args))
    if search.is_watched:
        search.tell(trace.TaskPlanned(call_text(task, args), path.depth))
    return True


def _enter(
    search: SearchState, compound: Compound, index: int, body: Network, view: RecordingView
) -> None:
    task, args, depth = compound.task, compound.args, search.path.depth
    search.expansions += 1
    search.choose(index)
    entered = (_key(search, task, args), search.projected.fingerprint, search.projected.mark())
    name, binding = compound.ways.name(index), compound.ways.binding(index)
    method = compound.ways.method(index)
    cost, value = (number_of(one, view, binding) for one in (method.cost, method.value))
    reads = Footprint(compound.reads | view.reads)
    search.output.open(OpenScope(task, args, index, reads, *entered, name, cost, value))
    search.push(CloseScope())
    search.push(Expand(body, binding))
    search.path = search.path.inside(search.price(cost, value, task, args))
    if search.is_watched:
        search.tell(trace.MethodEntered(call_text(task, args), index, name, depth))


def _cut(search: SearchState, task: CompoundTask[Any], args: tuple[Any, ...]) -> bool:
    """Whether the call is its own ancestor in an unchanged state, or nested too deep."""
    reason = ""
    last = _last_unchanged(search, task, args) if search.settings.strict_recursion else None
    if last is not None:
        if search.duplicates is not None:
            search.duplicates.guard(last)
        reason = trace.GOES_ROUND
    elif search.path.depth >= search.settings.max_depth:
        reason = f"nested deeper than {search.settings.max_depth}"
    if reason:
        text = call_text(task, args)
        search.reason = f"{text}: {reason}"
        search.tell(trace.RecursionCut(text, reason, search.path.depth))
    return bool(reason)


def _last_unchanged(
    search: SearchState, task: CompoundTask[Any], args: tuple[Any, ...]
) -> int | None:
    """Where the call was entered last that is open in the state as it is now."""
    entered = search.output.entered(_key(search, task, args))
    if not entered:
        return None
    search.projected.reveal()
    marks = entered.get(search.projected.fingerprint, ())
    return next(filter(search.projected.same_as_at, reversed(marks)), None)


def _key(search: SearchState, task: CompoundTask[Any], args: tuple[Any, ...]) -> ScopeKey:
    foreseeable = search.projected.foreseeable or not search.has_volatile
    return (task, args, foreseeable)


def _defer(search: SearchState, network: DeferNetwork, binding: Binding) -> bool:
    view = search.view()
    try:
        ensured = writes_of(network.ensures, view, binding)
    except UnknownRead as signal:
        return _undecided(search, network.call, binding, str(signal.fluent))
    if not ensured:
        return _suspend(search, (network.call,), binding, DEFERRED)
    for fluent, write in ensured.items():
        search.projected.apply(fluent, write)
    rest = (network.call,)
    search.output.add(SuspendedNode(rest, binding, DEFERRED, ensured, view.reads))
    search.path = replace(search.path, cost=search.path.cost + search.least(*rest))
    return True


def leave_open(search: SearchState, call: TaskCall, binding: Binding) -> bool:
    """Suspend a call for which there is no budget left."""
    return _suspend(search, (call,), binding, BUDGET)


def _undecided(search: SearchState, call: TaskCall, binding: Binding, unknown: str) -> bool:
    return _suspend(search, (call,), binding, Suspension(SuspensionKind.UNKNOWN, unknown))


def _suspend(
    search: SearchState, rest: tuple[Network, ...], binding: Binding, cause: Suspension
) -> bool:
    """Stop planning on this path; what is left is planned when execution gets here."""
    search.output.add(SuspendedNode(rest, binding, cause) if rest else NULL_NODE)
    if search.is_watched:
        what = ", ".join(network_text(network, binding) for network in rest)
        search.tell(trace.PlanningSuspended(what, str(cause), search.path.depth))
    search.path = replace(search.path, cause=cause, cost=search.path.cost + search.least(*rest))
    return True


def _reject_task(
    search: SearchState, task: PrimitiveTask[Any], args: tuple[Any, ...], avoided: str = ""
) -> None:
    if search.wants_reasons:
        text = call_text(task, args)
        reason = avoided or why(task.precondition, search.projected, args)
        search.reason = f"{text}: {reason}"
        search.tell(trace.TaskRejected(text, search.reason, search.path.depth))


def _reject_values(
    search: SearchState, task: CompoundTask[Any], args: tuple[Any, ...], view: RecordingView
) -> None:
    if search.wants_reasons:
        text = call_text(task, args)
        read = ", ".join(f"{one} = {value_text(value)}" for one, value in view.readings.items())
        search.reason = f"{text}: there is no {task.doc}" + (f": {read}" if read else "")
        search.tell(trace.TaskRejected(text, search.reason, search.path.depth))


def _reject_method(search: SearchState, compound: Compound, index: int) -> None:
    method, binding = compound.ways.method(index), compound.ways.binding(index)
    if not search.wants_reasons or isinstance(method.condition, Progress):
        return
    reason = why(method.condition, search.projected, binding)
    plain = method.body if isinstance(method.body, PlainBody) else None
    if plain is not None and method.condition.evaluate(search.projected, binding) is True:
        reason = plain.why_not(search.projected, binding)
    _tell_rejected(search, compound, index, reason)


def _tell_rejected(search: SearchState, compound: Compound, index: int, reason: str) -> None:
    if not search.wants_reasons:
        return
    text = call_text(compound.task, compound.args)
    search.reason = f"{text}: {reason}"
    name, depth = compound.ways.name(index), search.path.depth
    search.tell(trace.MethodRejected(text, index, name, reason, depth))
