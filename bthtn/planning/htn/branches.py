"""Parallel and priority nodes: every branch is planned from the state at the node.

The branches are planned one after the other. When a branch is complete, its changes are undone,
so that the next one starts from the same state; when all are complete, their joint effects are
applied. Each priority alternative has a choice point of its own: when no decomposition of it is
possible, the alternative is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bthtn.domain.network import ParallelNetwork, PriorityNetwork, network_text
from bthtn.plan.merge import after_parallel, after_priority, conflict, side_by_side
from bthtn.plan.nodes import Dropped
from bthtn.planning import trace
from bthtn.planning.htn.duplicates import EVERYTHING
from bthtn.planning.htn.guard import first_overwritten
from bthtn.planning.htn.log import (
    BINDING,
    BRANCH,
    BRANCHES,
    DEPTH,
    GIVEN,
    JOINED,
    LEFT,
    Branch,
    Cell,
    Contribution,
    Entry,
    Frame,
)
from bthtn.planning.htn.reasons import text_of
from bthtn.planning.htn.rows import BranchesPart
from bthtn.planning.htn.search_state import DONE, END, SearchState
from bthtn.planning.htn.tree import footprint_of
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, Write, WriteKind
from bthtn.world.truth import UNKNOWN


def open_branches(
    search: SearchState, part: BranchesPart, scope: Entry, behind: Cell
) -> Cell | None:
    """Open a parallel or priority node and return the continuation of its first branch."""
    at, network = search.at, part.network
    if isinstance(network, PriorityNetwork) and search.duplicates is not None:
        search.duplicates.guard(EVERYTHING)
    entry = (BRANCHES, scope, scope[BINDING], (), at, network, scope[DEPTH], None)
    begin = len(search.log)
    search.log.append(entry)
    outer = None if at[3] is None else at[3].guard
    guard = at[0] if isinstance(network, PriorityNetwork) else outer
    return _next_branch(search, Frame(network, part.branches, entry, begin, at, behind, guard))


def end_branch(search: SearchState, cell: Cell) -> Cell | None:
    """Close the current branch and start the next; ``DONE`` at the end of the goal."""
    frame = search.at[3]
    if frame is None:
        return DONE
    planned: list[bool] = cell[2][0]
    planned.append(True)
    log, values = search.log, search.values
    changed = first_overwritten(log, frame.place)
    written = {fluent: values[fluent] for fluent in changed if fluent in values}
    cause, search.cause = search.cause, None
    branch = Branch(written, footprint_of(log, frame.place, values), search.at, cause)
    overwritten: list[Any] = []
    for fluent, before in changed.items():
        overwritten += (fluent, search.view.put(fluent, before))
    log.append((LEFT, None, (), tuple(overwritten), search.at, frame.place))
    return _next_branch(search, _behind_branch(frame, branch))


def _next_branch(search: SearchState, frame: Frame) -> Cell | None:
    """Start the frame's next branch, or join the branches when all are planned."""
    index = len(frame.branches)
    if index == len(frame.bodies):
        return _join(search, frame)
    steps, elapsed, _, _ = frame.at
    search.moved((steps, elapsed, 0.0, frame))
    planned: list[bool] = []
    if isinstance(frame.network, PriorityNetwork):
        search.keep(frame, planned)
        if not search.choose(0):
            search.choices.pop()
            return None
    outside = 0.0 if search.costs is None else search.costs.outside(frame)
    end: Cell = (END, 0, (planned,), None, 0.0)
    inside = replace(frame, place=len(search.log), outside=outside, end=end)
    at, body, entry = search.at, frame.bodies[index], frame.entry
    scope = (BRANCH, entry, entry[BINDING], (), at, body, entry[DEPTH], None)
    search.log.append(scope)
    search.moved((steps, elapsed, 0.0, inside))
    return search.cell(body, scope, end)


def without_alternative(search: SearchState, frame: Frame, planned: list[bool]) -> Cell | None:
    """Drop an alternative that has no plan; None if it had one or the record forbids it."""
    if planned or search.is_closing:  # one that was not tried to the end is not impossible
        return None
    index, network = len(frame.branches), frame.network
    text = network_text(network.parts[index], frame.entry[BINDING])
    if not search.choose(1):
        return None
    dropped = Dropped(index, text, text_of(search.reason))
    search.log.append((GIVEN, frame.entry, (), (), search.at, Contribution(dropped=dropped)))
    search.tell(trace.AlternativeDropped(index, text, frame.entry[DEPTH]))
    return _next_branch(search, _behind_branch(frame, None))


def _behind_branch(frame: Frame, branch: Branch | None) -> Frame:
    """The frame with this branch appended, None for a dropped one."""
    return replace(frame, branches=(*frame.branches, branch))


def _join(search: SearchState, frame: Frame) -> Cell | None:
    """Apply the joint effects of all branches; None when they conflict or all were dropped."""
    kept = [branch for branch in frame.branches if branch is not None]
    search.moved(frame.at)
    if not kept:
        return None
    is_choice = isinstance(frame.network, PriorityNetwork)
    writes = (
        _merged_alternatives(search, kept) if is_choice else _merged_branches(search, frame, kept)
    )
    if writes is None:
        return None
    at, overwritten = search.at, search.view.apply(writes)
    touched = None if frame.at[3] is None else _touched(frame.network, kept)
    search.log.append((JOINED, None, (), overwritten, at, frame.begin, touched))
    _, _, cost, outer = frame.at
    steps = max(branch.at[0] for branch in kept)
    elapsed = max(branch.at[1] for branch in kept)
    costs = [branch.at[2] for branch in kept]
    cost += max(costs) if is_choice else sum(costs)
    search.moved((steps, elapsed, cost, outer))
    cause = next((branch.cause for branch in kept if branch.cause is not None), None)
    return frame.behind if cause is None else search.leave(cause, frame.behind)


def _merged_branches(
    search: SearchState, frame: Frame, branches: list[Branch]
) -> Mapping[Fluent[Any], Write] | None:
    footprints = [branch.footprint for branch in branches]
    clash = conflict(footprints)
    if clash is not None:
        first, second, over = clash
        search.reason = f"branches {first} and {second} both touch {over}"
        search.tell(trace.BranchesConflict(first, second, over, frame.entry[DEPTH]))
        return None
    assert isinstance(frame.network, ParallelNetwork), "alternatives are merged otherwise"
    policy = frame.network.policy
    return after_parallel(footprints, policy, lambda i, fluent: branches[i].written[fluent])


def _merged_alternatives(search: SearchState, kept: list[Branch]) -> Mapping[Fluent[Any], Write]:
    """The writes on which all alternatives agree; the others become unknown.

    A volatile fluent that is not written counts as unknown, since it may change before the choice.
    """
    written = {fluent: None for branch in kept for fluent in branch.written}

    def at_the_end(branch: int, fluent: Fluent[Any]) -> Any:
        changes = kept[branch].written
        if fluent in changes:
            return changes[fluent]
        if fluent.volatile and fluent not in search.values:
            return UNKNOWN
        return search.view.get(fluent)

    values = after_priority(range(len(kept)), written, at_the_end)
    return {fluent: Write(WriteKind.COMPUTED, value) for fluent, value in values.items()}


def _touched(network: ParallelNetwork | PriorityNetwork, kept: list[Branch]) -> Footprint:
    """The footprint of the whole node, for the branch that contains it."""
    footprints = [branch.footprint for branch in kept]
    if isinstance(network, PriorityNetwork):
        return Footprint.one_of(footprints)
    return side_by_side(footprints, network.policy)
