"""Parallel and priority nodes: every branch is planned from the state at the node.

The branches are planned one after the other. When a branch is complete, its changes are undone,
so that the next one starts from the same state; when all are complete, their joint effects are
applied. Each priority alternative has a choice point of its own: when no decomposition of it is
possible, the alternative is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from bthtn.domain.network import BranchingNetwork, ParallelNetwork, PriorityNetwork, network_text
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
    JOINED,
    LEFT,
    NOTHING_PLANNED,
    Branch,
    Cell,
    Entry,
    Frame,
    OpenNode,
    PlannedBranches,
)
from bthtn.planning.htn.reasons import text_of
from bthtn.planning.htn.rows import Body
from bthtn.planning.htn.search_state import DONE, END, SearchState
from bthtn.planning.htn.tree import NOTHING_TOUCHED, footprint_of
from bthtn.planning.htn.values import ABSENT, Overwritten
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, Write, WriteKind
from bthtn.world.truth import UNKNOWN


def open_branches(
    search: SearchState,
    network: BranchingNetwork,
    bodies: tuple[Body, ...],
    scope: Entry,
    behind: Cell,
) -> Cell | None:
    """Open a parallel or priority node and return the continuation of its first branch."""
    at = search.at
    guard = None if at[3] is None else at[3].guard
    if isinstance(network, PriorityNetwork):
        guard = at[0]
        if search.duplicates is not None:
            search.duplicates.guard(EVERYTHING)
    entry = (BRANCHES, scope, scope[BINDING], (), at, network, scope[DEPTH], None)
    begin, fingerprint = len(search.log), search.view.fingerprint
    node = OpenNode(network, bodies, entry, begin, at, behind, guard, fingerprint)
    search.log.append(entry)
    return _next_branch(search, node, NOTHING_PLANNED)


def end_branch(search: SearchState, cell: Cell) -> Cell | None:
    """Close the current branch and start the next; ``DONE`` at the end of the goal."""
    frame = search.at[3]
    if frame is None:
        return DONE
    has_plan: list[bool] = cell[2][0]
    has_plan.append(True)
    node, log, values = frame.node, search.log, search.values
    changed = first_overwritten(log, frame.place)
    written = {fluent: values[fluent] for fluent in changed if fluent in values}
    cause, search.cause = search.cause, None
    is_compared = isinstance(node.network, ParallelNetwork) or node.at[3] is not None
    footprint = footprint_of(log, frame.place, values) if is_compared else NOTHING_TOUCHED
    branch = Branch(written, footprint, search.at, cause)
    overwritten = [(fluent, values.get(fluent, ABSENT)) for fluent in changed]
    log.append((LEFT, None, (), _flat(overwritten), search.at, frame.place))
    values.undo(_flat(changed.items()))
    search.view.fingerprint = node.fingerprint
    return _next_branch(search, node, frame.planned.and_then(branch))


def _flat(pairs: Iterable[tuple[Any, Any]]) -> Overwritten:
    return tuple(chain.from_iterable(pairs))


def _next_branch(search: SearchState, node: OpenNode, planned: PlannedBranches) -> Cell | None:
    """Start the next branch behind these, or join the branches when all are planned."""
    if planned.length == len(node.bodies):
        return _join(search, node, planned.kept())
    steps, elapsed, _, _ = node.at
    has_plan: list[bool] = []
    outside = 0.0 if search.costs is None else search.costs.outside(node, planned)
    end: Cell = (END, 0, (has_plan,), None, 0.0)
    frame = Frame(node, node.guard, planned, len(search.log), outside, end)
    search.moved((steps, elapsed, 0.0, frame))
    if isinstance(node.network, PriorityNetwork):
        search.keep(frame, has_plan)
        if not search.choose(0):
            search.choices.pop()
            return None
    body, entry = node.bodies[planned.length], node.entry
    scope = (BRANCH, entry, entry[BINDING], (), search.at, body, entry[DEPTH], None)
    search.log.append(scope)
    return search.cell(body, scope, end)


def without_alternative(search: SearchState, frame: Frame, has_plan: list[bool]) -> Cell | None:
    """Drop an alternative that has no plan; None if it had one or the record forbids it."""
    if has_plan or search.is_closing:  # one that was not tried to the end is not impossible
        return None
    index, entry = frame.planned.length, frame.node.entry
    text = network_text(frame.node.network.parts[index], entry[BINDING])
    if not search.choose(1):
        return None
    dropped = Dropped(index, text, text_of(search.reason))
    search.log.append((dropped, entry, (), (), search.at))
    search.emit(trace.AlternativeDropped, index, text, entry[DEPTH])
    return _next_branch(search, frame.node, frame.planned.and_then(None))


def _join(search: SearchState, node: OpenNode, kept: list[Branch]) -> Cell | None:
    """Apply the joint effects of the branches; None when they conflict or all were dropped."""
    search.moved(node.at)
    if not kept:
        return None
    is_choice = isinstance(node.network, PriorityNetwork)
    writes = (
        _merged_alternatives(search, kept) if is_choice else _merged_branches(search, node, kept)
    )
    if writes is None:
        return None
    at, overwritten = search.at, search.view.apply(writes)
    touched = None if node.at[3] is None else _touched(node.network, kept)
    search.log.append((JOINED, None, (), overwritten, at, node.begin, touched))
    _, _, cost, outer = node.at
    steps, elapsed, costs, _ = zip(*[branch.at for branch in kept], strict=True)
    cost += max(costs) if is_choice else sum(costs)
    search.moved((max(steps), max(elapsed), cost, outer))
    cause = next((branch.cause for branch in kept if branch.cause is not None), None)
    return node.behind if cause is None else search.leave(cause, node.behind)


def _merged_branches(
    search: SearchState, node: OpenNode, branches: list[Branch]
) -> Mapping[Fluent[Any], Write] | None:
    footprints = [branch.footprint for branch in branches]
    clash = conflict(footprints)
    if clash is not None:
        first, second, over = clash
        search.reason = f"branches {first} and {second} both touch {over}"
        search.emit(trace.BranchesConflict, first, second, over, node.entry[DEPTH])
        return None
    assert isinstance(node.network, ParallelNetwork), "alternatives are merged otherwise"
    policy = node.network.policy
    return after_parallel(footprints, policy, lambda i, fluent: branches[i].written[fluent])


def _merged_alternatives(search: SearchState, kept: list[Branch]) -> Mapping[Fluent[Any], Write]:
    """The writes on which all alternatives agree; the others become unknown.

    A volatile fluent that is not written counts as unknown, since it may change before the choice.
    """

    def unwritten(fluent: Fluent[Any]) -> Any:
        if fluent.volatile and fluent not in search.values:
            return UNKNOWN
        return search.view.get(fluent)

    values = after_priority([branch.written for branch in kept], unwritten)
    return {fluent: Write(WriteKind.COMPUTED, value) for fluent, value in values.items()}


def _touched(network: BranchingNetwork, kept: list[Branch]) -> Footprint:
    """The footprint of the whole node, for the branch that contains it."""
    footprints = [branch.footprint for branch in kept]
    if isinstance(network, PriorityNetwork):
        return Footprint.one_of(footprints)
    return side_by_side(footprints, network.policy)
