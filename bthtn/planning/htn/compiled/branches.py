"""Parallel and priority nodes on the machine: as in the interpreter, branch after branch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bthtn.domain.network import ParallelNetwork, PriorityNetwork, network_text
from bthtn.plan.merge import after_parallel, after_priority, conflict
from bthtn.plan.nodes import Dropped
from bthtn.plan.walk import footprint
from bthtn.planning.htn.compiled.frames import Branch, Cell, Frame
from bthtn.planning.htn.compiled.kinds import BRANCH, BRANCHES, CHANGE, TOLD, footprint_of, tree
from bthtn.planning.htn.compiled.machine import Machine
from bthtn.planning.htn.compiled.parts import Part
from bthtn.planning.htn.compiled.past import ABSENT, Entry, Past
from bthtn.world.footprint import Footprint


def open_branches(
    m: Machine, sc: Entry, network: ParallelNetwork | PriorityNetwork, rest: Cell
) -> Cell | None:
    """Begin a parallel or priority node."""
    steps, elapsed, above = m.at
    entry = (BRANCHES, sc, sc[2], (), m.at, network, sc[6], None, len(m.L))
    m.L.append(entry)
    outer = None if above is None else above.guard
    guard = steps if isinstance(network, PriorityNetwork) else outer
    return _next_branch(m, Frame(network, entry, steps, elapsed, rest, above, guard))


def _next_branch(m: Machine, frame: Frame) -> Cell | None:
    """Plan the frame's next branch, or join the branches when all are planned."""
    index = len(frame.branches)
    if index == len(frame.network.parts):
        return _join(m, frame)
    planned: list[bool] = []
    m.at = (frame.steps, frame.elapsed, frame)
    if isinstance(frame.network, PriorityNetwork):
        cell = (retake_alternative, frame.entry, frame, planned)
        m.C.append((retake_alternative, cell, len(m.L), m.at, m.h))
    part = frame.network.parts[index]
    sc = (BRANCH, frame.entry, frame.entry[2], (), m.at, part, frame.entry[6], None, len(m.L))
    end = (end_branch, planned)
    m.at = (frame.steps, frame.elapsed, frame.inside(len(m.L), end))
    m.L.append(sc)
    return m.link(part, sc, end)


def end_branch(
    _values: Any, log: list[Entry], _choices: Any, m: Machine, cell: Cell
) -> Cell | None:
    """A branch is done: leave it, and go on with the next one."""
    m.free += 1
    _, planned = cell
    planned.append(True)
    steps, elapsed, frame = m.at
    cause, m.cause = m.cause, None
    inside = log[frame.mark :]
    changed = {fluent: before for entry in reversed(inside) for fluent, before in _undone(entry)}
    written = {fluent: m.S[fluent] for fluent in changed if fluent in m.S}
    branch = Branch(written, _footprint(m, inside), steps, elapsed, cause)
    undone: list[Any] = []
    for fluent, before in changed.items():
        now = m.S.get(fluent, ABSENT)
        undone += (fluent, now)
        m.replace(fluent, now, before)
    log.append((CHANGE, None, (), tuple(undone), m.at))
    return _next_branch(m, frame.behind_branch(branch))


def _footprint(m: Machine, log: list[Entry]) -> Footprint:
    """What a branch has touched: of each entry, or of its tree where there are branches in it."""
    touched = footprint_of(log, Past(m.base, m.S.copy()))
    if touched is not None:
        return touched
    part = tree(reversed(log[1:]), log[0], Past(m.base, m.S.copy()))
    assert part.node is not None, "a branch has become a node"
    return footprint(part.node)


def retake_alternative(
    _values: Any, log: list[Entry], _choices: Any, m: Machine, cell: Cell
) -> Cell | None:
    """Go on without an alternative that turned out to be impossible."""
    m.free += 1
    _, _, frame, planned = cell
    if planned:
        return None
    index = len(frame.branches)
    text = network_text(frame.network.parts[index], frame.entry[2])
    part = Part(dropped=Dropped(index, text, m.reason))
    log.append((TOLD, frame.entry, (), (), m.at, part))
    return _next_branch(m, frame.behind_branch(None))


def _join(m: Machine, frame: Frame) -> Cell | None:
    """All branches are planned: the state becomes what they do together."""
    kept = [branch for branch in frame.branches if branch is not None]
    m.at = (frame.steps, frame.elapsed, frame.above)
    if not kept:
        return None
    undone: list[Any] = []
    if isinstance(frame.network, PriorityNetwork):
        _merge_alternatives(m, kept, undone)
    elif not _merge_parallel(m, frame.network, kept, undone):
        return None
    m.L.append((CHANGE, None, (), tuple(undone), m.at))
    steps = max(branch.steps for branch in kept)
    elapsed = max(branch.elapsed for branch in kept)
    m.at = (steps, elapsed, frame.above)
    cause = next((branch.cause for branch in kept if branch.cause is not None), None)
    return frame.behind if cause is None else m.stop(cause)


def _merge_parallel(
    m: Machine, network: ParallelNetwork, branches: list[Branch], undone: list[Any]
) -> bool:
    footprints = [branch.footprint for branch in branches]
    clash = conflict(footprints)
    if clash is not None:
        first, second, over = clash
        m.reason = f"branches {first} and {second} both touch {over}"
        return False
    together = after_parallel(
        footprints, network.policy, lambda i, fluent: branches[i].written[fluent]
    )
    for fluent, write in together.items():
        m.put(fluent, m.after(fluent, write), undone)
    return True


def _merge_alternatives(m: Machine, kept: list[Branch], undone: list[Any]) -> None:
    written = {fluent: None for branch in kept for fluent in branch.written}
    before = {fluent: m.unforeseen(fluent) for fluent in written}
    values = after_priority(
        range(len(kept)), written, lambda i, fluent: kept[i].written.get(fluent, before[fluent])
    )
    for fluent, value in values.items():
        m.put(fluent, value, undone)


def _undone(entry: Entry) -> Iterable[tuple[Any, Any]]:
    """Fluents that the entry's task wrote, latest first, with what was there before."""
    undone = entry[3]
    return ((undone[i], undone[i + 1]) for i in range(len(undone) - 2, -1, -2))
