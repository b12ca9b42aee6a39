"""Parallel and priority nodes: every branch is planned from the state at the node.

The branches are planned one after the other. A branch that is done is left by writing its
changes back, so that the next one starts where it did; when all are done, the state becomes
what they do together. For a priority alternative there is a choice point of its own: when
nothing it could become is possible, the alternative is dropped.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bthtn.domain.network import ParallelNetwork, PriorityNetwork, network_text
from bthtn.plan.merge import after_parallel, after_priority, conflict
from bthtn.plan.nodes import Dropped
from bthtn.planning import trace
from bthtn.planning.htn.duplicates import EVERYTHING
from bthtn.planning.htn.frames import (
    AlternativeChoice,
    Branch,
    EndBranch,
    Expand,
    Frame,
)
from bthtn.planning.htn.output import OpenBranches
from bthtn.planning.htn.state import SearchState
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent


def open_branches(
    search: SearchState, network: ParallelNetwork | PriorityNetwork, binding: Binding
) -> bool:
    """Begin a parallel or priority node."""
    search.output.open(OpenBranches(network))
    if isinstance(network, PriorityNetwork) and search.duplicates is not None:
        search.duplicates.guard(EVERYTHING)
    guard = search.path.steps if isinstance(network, PriorityNetwork) else search.guard
    search.frame = Frame(network, binding, search.path, search.agenda, search.frame, guard)
    return _next_branch(search, search.frame)


def end_branch(search: SearchState, retained: AlternativeChoice | None) -> bool:
    """A branch is done: leave it, and go on with the next one."""
    frame = search.frame
    assert frame is not None, "a branch ends in its frame"
    if retained is not None:
        retained.planned = True
    written = search.projected.written_since(frame.mark)
    branch = Branch(written, search.output.end_branch(frame.output), search.path)
    search.projected.leave(frame.mark)
    return _next_branch(search, frame.with_branch(branch))


def drop_alternative(search: SearchState, frame: Frame) -> bool:
    """Go on without the alternative that turned out to be impossible."""
    index = len(frame.branches)
    text = network_text(frame.network.parts[index], frame.binding)
    if not search.choose(1):
        return False
    search.output.add(Dropped(index, text, search.reason))
    search.tell(trace.AlternativeDropped(index, text, frame.entry.depth))
    return _next_branch(search, frame.with_branch(None))


def _next_branch(search: SearchState, frame: Frame) -> bool:
    """Plan the frame's next branch, or join the branches when all are planned."""
    index = len(frame.branches)
    if index == len(frame.network.parts):
        return _join(search, frame)
    search.frame, search.path = frame, replace(frame.entry, cost=0.0)
    retained = None
    if isinstance(frame.network, PriorityNetwork):
        retained = AlternativeChoice(*search.here())
        if not search.choose(0):
            return False
        search.choices.append(retained)
    mark, output = search.projected.mark(), len(search.output)
    search.frame = replace(frame, mark=mark, output=output, outside=_outside(search, frame))
    search.agenda = None
    search.push(EndBranch(retained))
    search.push(Expand(frame.network.parts[index], frame.binding))
    return True


def _outside(search: SearchState, frame: Frame) -> float:
    """The least cost of everything that is not in the branch about to be planned."""
    if search.costs is None:
        return 0
    above = frame.above.outside if frame.above is not None else 0
    behind = frame.behind.least if frame.behind is not None else 0
    beside = search.least(*frame.network.parts[len(frame.branches) + 1 :])
    done = sum(branch.path.cost for branch in frame.branches if branch is not None)
    return above + frame.entry.cost + behind + beside + done


def _join(search: SearchState, frame: Frame) -> bool:
    """All branches are planned: the state becomes what they do together."""
    kept = [branch for branch in frame.branches if branch is not None]
    search.frame, search.agenda, search.path = frame.above, frame.behind, frame.entry
    if not kept:
        return False
    if isinstance(frame.network, PriorityNetwork):
        _merge_alternatives(search, kept)
    elif not _merge_parallel(search, frame.network, kept):
        return False
    together = max if isinstance(frame.network, PriorityNetwork) else sum
    search.path = replace(
        frame.entry,
        steps=max(branch.path.steps for branch in kept),
        elapsed=max(branch.path.elapsed for branch in kept),
        cause=next((b.path.cause for b in kept if b.path.cause is not None), None),
        cost=frame.entry.cost + together(branch.path.cost for branch in kept),
    )
    search.output.close()
    return True


def _merge_parallel(search: SearchState, network: ParallelNetwork, branches: list[Branch]) -> bool:
    footprints = [branch.footprint for branch in branches]
    clash = conflict(footprints)
    if clash is not None:
        first, second, over = clash
        search.reason = f"branches {first} and {second} both touch {over}"
        search.tell(trace.BranchesConflict(first, second, over, search.path.depth))
        return False
    search.foresee()
    together = after_parallel(
        footprints, network.policy, lambda i, fluent: branches[i].written[fluent]
    )
    for fluent, write in together.items():
        search.projected.apply(fluent, write)
    return True


def _merge_alternatives(search: SearchState, kept: list[Branch]) -> None:
    written = {fluent: None for branch in kept for fluent in branch.written}
    search.projected.foreseeable = False

    def at_the_end(branch: int, fluent: Fluent[Any]) -> Any:
        """The state before is read only where it matters."""
        changes = kept[branch].written
        return changes[fluent] if fluent in changes else search.projected.get(fluent)

    values = after_priority(range(len(kept)), written, at_the_end)
    for fluent, value in values.items():
        search.projected.put(fluent, value)
