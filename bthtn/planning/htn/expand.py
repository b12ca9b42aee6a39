"""One expansion: the first network on the agenda becomes part of the plan, or more agenda.

Every function here does one thing to the search and answers whether that was possible.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bthtn.domain.condition import why
from bthtn.domain.effect import writes_of
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
from bthtn.domain.progress import Progress
from bthtn.domain.projection import grounded, projected
from bthtn.domain.task import CompoundTask, PrimitiveTask, TaskCall, call_text
from bthtn.plan.nodes import (
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
from bthtn.planning.htn.branches import open_branches
from bthtn.planning.htn.frames import Agenda, CloseScope, Compound, Continue, Expand, MethodChoice
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
            return go_on(search, Continue(parts, 0, binding))
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
    rest = sequence.parts[sequence.index :]
    if rest and cause is None:
        behind = replace(sequence, index=sequence.index + 1)
        search.agenda = Agenda(Expand(rest[0], sequence.binding), Agenda(behind, search.agenda))
        return True
    if rest and cause is not None:
        _suspend(search, rest, sequence.binding, cause)
    search.output.close()
    return True


def decompose(search: SearchState, compound: Compound, start: int) -> bool:
    """Enter the first usable method from ``start`` on."""
    ways = compound.ways
    for index in range(start, len(ways)):
        view = search.view()
        try:
            body = search.domain.network(ways.method(index), view, ways.binding(index))
        except UnknownRead as signal:
            return _undecided(search, compound.call, compound.binding, str(signal.fluent))
        if body is None:
            _reject_method(search, compound, index)
            continue
        if index + 1 < len(ways):
            later = MethodChoice(*search.here(), compound=compound, method=index + 1)
            search.choices.append(later)
        _enter(search, compound, index, body, compound.reads | view.reads)
        return True
    return False


def _call(search: SearchState, call: TaskCall, binding: Binding) -> bool:
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
    search.path = replace(path, steps=path.steps + 1, elapsed=path.elapsed + step.duration)
    if search.is_watched:
        search.tell(trace.TaskPlanned(call_text(task, args), path.depth))
    return True


def _enter(
    search: SearchState, compound: Compound, index: int, body: Network, reads: frozenset[Any]
) -> None:
    task, args, depth = compound.task, compound.args, search.path.depth
    search.expansions += 1
    search.record.append(index)
    entered = (_key(search, task, args), search.projected.fingerprint, search.projected.mark())
    name, binding = compound.ways.name(index), compound.ways.binding(index)
    search.output.open(OpenScope(task, args, index, Footprint(reads), *entered, name))
    search.agenda = Agenda(Expand(body, binding), Agenda(CloseScope(), search.agenda))
    search.path = replace(search.path, depth=depth + 1)
    if search.is_watched:
        search.tell(trace.MethodEntered(call_text(task, args), index, name, depth))


def _cut(search: SearchState, task: CompoundTask[Any], args: tuple[Any, ...]) -> bool:
    """Whether the call is its own ancestor in an unchanged state, or nested too deep."""
    reason = ""
    if search.settings.strict_recursion and _nothing_changed(search, task, args):
        reason = "entered again inside itself, with nothing changed"
    elif search.path.depth >= search.settings.max_depth:
        reason = f"nested deeper than {search.settings.max_depth}"
    if reason:
        text = call_text(task, args)
        search.reason = f"{text}: {reason}"
        search.tell(trace.RecursionCut(text, reason, search.path.depth))
    return bool(reason)


def _nothing_changed(search: SearchState, task: CompoundTask[Any], args: tuple[Any, ...]) -> bool:
    """Whether the call is open already, entered in the state as it is now."""
    entered = search.output.entered(_key(search, task, args))
    if not entered:
        return False
    search.projected.reveal()
    marks = entered.get(search.projected.fingerprint, ())
    return any(map(search.projected.same_as_at, marks))


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
    return True


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
    search.path = replace(search.path, cause=cause)
    return True


def _reject_task(search: SearchState, task: PrimitiveTask[Any], args: tuple[Any, ...]) -> None:
    if search.wants_reasons:
        text = call_text(task, args)
        search.reason = f"{text}: {why(task.precondition, search.projected, args)}"
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
    if method.condition.evaluate(search.projected, binding) is True:
        reason = f"{method.body} does not apply"
    text = call_text(compound.task, compound.args)
    search.reason = f"{text}: {reason}"
    name, depth = compound.ways.name(index), search.path.depth
    search.tell(trace.MethodRejected(text, index, name, reason, depth))
