"""Parallel and priority nodes on the machine: as in the interpreter, branch after branch."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bthtn.domain.network import ParallelNetwork, PriorityNetwork, network_text
from bthtn.plan.merge import after_parallel, after_priority, conflict
from bthtn.plan.nodes import Dropped, Suspension
from bthtn.plan.walk import footprint
from bthtn.planning.htn.compiled.kinds import (
    ABSENT,
    BRANCH,
    BRANCHES,
    CHANGE,
    TOLD,
    Entry,
    Part,
    Past,
    tree,
)
from bthtn.world.footprint import Footprint

if TYPE_CHECKING:
    from bthtn.planning.htn.compiled.machine import Cell, Machine


@dataclass(frozen=True, slots=True)
class Branch:
    """A planned branch: what it did, and how far it came."""

    written: dict[Any, Any]
    footprint: Footprint
    steps: int
    elapsed: float
    cause: Suspension | None


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A parallel or priority node whose branches are planned one after the other.

    ``entry`` is the node's entry in the log, ``steps`` and ``elapsed`` how far the path had
    come there. ``mark`` is the place in the log where the branch being planned begins, and
    ``end`` the cell at its end. ``branches`` holds None for an alternative that was dropped.
    """

    network: ParallelNetwork | PriorityNetwork
    entry: Entry
    steps: int
    elapsed: float
    behind: Cell
    above: Frame | None
    guard: int | None
    mark: int = 0
    end: Cell = ()
    branches: tuple[Branch | None, ...] = ()


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
        m.C.append((retake_alternative, (frame, planned), len(m.L), m.at, m.h))
    part = frame.network.parts[index]
    sc = (BRANCH, frame.entry, frame.entry[2], (), m.at, part, frame.entry[6], None, len(m.L))
    end = (end_branch, planned)
    m.at = (frame.steps, frame.elapsed, replace(frame, mark=len(m.L), end=end))
    m.L.append(sc)
    return m.link(part, sc, end)


def end_branch(S: Any, L: list[Entry], C: Any, m: Machine, cell: Cell) -> Cell | None:  # noqa: ARG001, N803
    """A branch is done: leave it, and go on with the next one."""
    m.free += 1
    cell[1].append(True)
    steps, elapsed, frame = m.at
    cause, m.cause = m.cause, None
    log = L[frame.mark :]
    past = Past(m.domain, m.base, m.S.copy())
    part = tree(reversed(log[1:]), log[0], past)
    assert part.node is not None, "a branch has become a node"
    changed = {fluent: before for entry in reversed(log) for fluent, before in _undone(entry)}
    written = {fluent: m.S[fluent] for fluent in changed if fluent in m.S}
    branch = Branch(written, footprint(part.node), steps, elapsed, cause)
    undone: list[Any] = []
    for fluent, before in changed.items():
        now = m.S.get(fluent, ABSENT)
        undone += (fluent, now)
        m.replace(fluent, now, before)
    L.append((CHANGE, None, (), tuple(undone), m.at))
    return _next_branch(m, replace(frame, branches=(*frame.branches, branch)))


def retake_alternative(
    S: Any, L: list[Entry], C: Any, m: Machine, cell: Any  # noqa: ARG001, N803
) -> Cell | None:
    """Go on without an alternative that turned out to be impossible."""
    m.free += 1
    frame, planned = cell
    if planned:
        return None
    index = len(frame.branches)
    text = network_text(frame.network.parts[index], frame.entry[2])
    part = Part(dropped=Dropped(index, text, m.reason))
    L.append((TOLD, frame.entry, (), (), m.at, part))
    return _next_branch(m, replace(frame, branches=(*frame.branches, None)))


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

