"""Tasks that are decomposed in ways which only the state tells: values, draws, prices."""

from __future__ import annotations

from typing import Any

from bthtn.domain.number import number_of
from bthtn.domain.task import CompoundTask, call_text
from bthtn.planning.htn.compiled.frames import Cell
from bthtn.planning.htn.compiled.kinds import CHOSEN
from bthtn.planning.htn.compiled.machine import Machine
from bthtn.world.fluent import UnknownRead
from bthtn.world.footprint import RecordingView
from bthtn.world.truth import value_text


def choose(m: Machine, task: CompoundTask[Any], cell: Cell, key: Any) -> Cell | None:
    """Decompose a call; its cell is a call of its function, ``key`` that of the guard."""
    sc, args, rest = cell[1], cell[2:-1], cell[-1]
    view = RecordingView(m)
    try:
        ways = m.domain.ways(task, args, view)
    except UnknownRead as signal:
        return m.unknown(sc, signal.fluent)
    if not ways:
        _no_values(m, task, args, view)
    return _retake(m.S, m.L, m.C, m, (_retake, sc, (task, args, ways, view.reads, key), 0, rest))


def _retake(_values: Any, log: Any, choices: Any, m: Machine, cell: Cell) -> Cell | None:
    """Enter the first usable way from one on."""
    _, sc, call, start, rest = cell
    task, args, ways, reads, key = call
    for index in range(start, len(ways)):
        m.view = RecordingView(m)
        binding = ways.binding(index)
        try:
            body = m.domain.network(ways.method(index), m.view, binding)
        except UnknownRead as signal:
            return m.unknown(sc, signal.fluent)
        if body is None:
            m.no_way(task, args, ways.method(index), binding)
            continue
        if index + 1 < len(ways):
            later = (_retake, sc, call, index + 1, rest)
            choices.append((_retake, later, len(log), m.at, m.h))
        cost = number_of(ways.method(index).cost, m.view, binding)
        seen = reads | m.view.reads
        told = (task, args, index, ways.name(index), cost)
        s = (CHOSEN, sc, binding, (), m.at, body, sc[6] + 1, key, len(log), seen, *told)
        log.append(s)
        return m.link(body, s, rest)
    m.free += 1
    return None


def _no_values(
    m: Machine, task: CompoundTask[Any], args: tuple[Any, ...], view: RecordingView
) -> None:
    """Note that there is nothing to choose from, where somebody will ask."""
    if m.at[2] is not None:
        read = ", ".join(f"{one} = {value_text(value)}" for one, value in view.readings.items())
        text = f"{call_text(task, args)}: there is no {task.doc}"
        m.reason = text + (f": {read}" if read else "")
