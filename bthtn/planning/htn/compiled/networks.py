"""Networks that are not written as source: what becomes of each when planning gets there."""

from __future__ import annotations

from typing import Any, Final

from bthtn.domain.effect import writes_of
from bthtn.domain.network import (
    DeferNetwork,
    ParallelNetwork,
    PauseNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import TaskCall
from bthtn.domain.task_effects import grounded
from bthtn.plan.nodes import DEFERRED, HORIZON, PAUSED, Suspension, SuspensionKind
from bthtn.planning.htn.compiled.branches import end_branch, open_branches
from bthtn.planning.htn.compiled.cells import end
from bthtn.planning.htn.compiled.choosing import choose
from bthtn.planning.htn.compiled.frames import Cell
from bthtn.planning.htn.compiled.kinds import TOLD
from bthtn.planning.htn.compiled.machine import Machine
from bthtn.planning.htn.compiled.parts import Part
from bthtn.planning.htn.compiled.past import Entry, Values
from bthtn.planning.htn.compiled.program import Planning
from bthtn.world.fluent import UnknownRead
from bthtn.world.footprint import RecordingView


def at_place(
    _values: Values, log: list[Entry], _choices: list[Any], m: Machine, cell: Cell
) -> Cell | None:
    """Go on with a sequence behind its first part, unless the horizon is reached."""
    _, sc, place, rest = cell
    settings, (steps, elapsed, _) = m.settings, m.at
    near = (settings.horizon is not None and steps >= settings.horizon) or (
        settings.horizon_time is not None and elapsed >= settings.horizon_time
    )
    if near:
        m.free += 1
        log.append((TOLD, sc, (), (), m.at, Part(cause=HORIZON, place=place)))
        return m.stop(HORIZON)
    m.free += 1
    ahead: Cell = rest
    return ahead


def expand(
    _values: Values, _log: list[Entry], _choices: list[Any], m: Machine, cell: Cell
) -> Cell | None:
    """Plan any network: what is not a call with ground arguments comes here."""
    _, sc, network, rest = cell
    match network:
        case TaskCall():
            return _call(m, sc, network, rest)
        case SequenceNetwork():
            m.free += 1
            return m.link(network, sc, rest)
        case ParallelNetwork() | PriorityNetwork():
            m.free += 1
            return open_branches(m, sc, network, rest)
        case DeferNetwork():
            m.free += 1
            return _defer(m, sc, network, rest)
        case PauseNetwork():
            m.free += 1
            return m.stop(PAUSED)
    raise AssertionError(f"no network: {network!r}")


def _call(m: Machine, sc: Entry, call: TaskCall, rest: Cell) -> Cell | None:
    view = RecordingView(m)
    args = grounded(call, view, sc[2])
    if args is None:
        m.view = view
        return m.undecided(sc)
    if view.readings:
        m.L.append((TOLD, sc, (), (), m.at, Part(reads=view.reads)))
    function = m.program.functions[call.task]
    answer: Cell | None = function(m.S, m.L, m.C, m, (function, sc, *args, rest))
    return answer


def _defer(m: Machine, sc: Entry, network: DeferNetwork, rest: Cell) -> Cell:
    view = RecordingView(m)
    try:
        ensured = writes_of(network.ensures, view, sc[2])
    except UnknownRead as signal:
        return m.suspend(sc, Suspension(SuspensionKind.UNKNOWN, str(signal.fluent)))
    if not ensured:
        return m.suspend(sc, DEFERRED)
    at, undone = m.at, m.written(ensured)
    m.L.append((TOLD, sc, (), undone, at, Part(ensured=ensured, reads=view.reads)))
    return rest


PLANNING: Final = Planning(expand, choose, at_place, frozenset({end, end_branch, at_place}))
