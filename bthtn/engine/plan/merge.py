"""Merging the branches of parallel and priority nodes into one state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, assert_never

from bthtn.engine.domain.network import ParallelPolicy
from bthtn.engine.world.expression import Expression
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.footprint import Footprint, Write, WriteKind
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import UNKNOWN

FinalValue = Callable[[int, Fluent[Any]], Any]
"""Value of a fluent at the end of the branch with this number."""


def conflict(footprints: Sequence[Footprint]) -> tuple[int, int, str] | None:
    """The first two branches that interfere, and the fluent or resource (semantics 2.3).

    Takes linear time. Where any two branches interfere over something, the first that has to do
    with it interferes with another, since two writes that commute with a third commute.
    """
    concerned: dict[Any, list[int]] = {}
    for branch, footprint in enumerate(footprints):
        for item in chain(
            footprint.uses, footprint.writes, footprint.reads - footprint.writes.keys()
        ):
            concerned.setdefault(item, []).append(branch)
    pairs = (_first_pair(footprints, item, branches) for item, branches in concerned.items())
    first = min((pair for pair in pairs if pair is not None), default=None)
    if first is None:
        return None
    over = footprints[first[0]].conflict_with(footprints[first[1]])
    assert over is not None, "they interfere"
    return *first, over


def _first_pair(
    footprints: Sequence[Footprint], item: Any, branches: Sequence[int]
) -> tuple[int, int] | None:
    """The first two of these branches that interfere over one fluent or resource."""
    first, *others = branches
    one = footprints[first]
    for other in others:
        if one.interferes_over(item, footprints[other]):
            return first, other
    return None


def _sure(policy: ParallelPolicy, branches: int) -> range:
    """The branches that have certainly succeeded when the node succeeds."""
    match policy:
        case ParallelPolicy.ALL:
            return range(branches)
        case ParallelPolicy.PRIMARY:
            return range(1)
        case ParallelPolicy.ANY:
            return range(branches == 1)
        case _:
            assert_never(policy)


def _common_values(footprints: Sequence[Footprint], policy: ParallelPolicy) -> set[Expression[Any]]:
    """Fluents with the same final value, whichever branches are aborted.

    All branches that may be the successful one write them, and all branches that write them
    write the same constant.
    """
    if policy is ParallelPolicy.ALL:
        return set()  # nothing is aborted
    done = footprints[:1] if policy is ParallelPolicy.PRIMARY else footprints
    return {
        fluent
        for footprint in done[:1]
        for fluent, write in footprint.writes.items()
        if write.kind is WriteKind.CONSTANT
        and all(fluent in other.writes for other in done)
        and all(other.writes.get(fluent, write) == write for other in footprints)
    }


def side_by_side(footprints: Sequence[Footprint], policy: ParallelPolicy) -> Footprint:
    """The footprint of a parallel node. Writes of branches that may be aborted are not certain."""
    sure, common = _sure(policy, len(footprints)), _common_values(footprints, policy)
    return Footprint.in_turn(
        [
            footprint if branch in sure else footprint.unsure(but=common)
            for branch, footprint in enumerate(footprints)
        ]
    )


def after_parallel(
    footprints: Sequence[Footprint], policy: ParallelPolicy, final: FinalValue
) -> dict[Fluent[Any], Write]:
    """The writes of all parallel branches together (semantics 2.3.4).

    A fluent is unknown if a branch that writes it may be aborted.
    """
    sure, common = _sure(policy, len(footprints)), _common_values(footprints, policy)
    writers: dict[Fluent[Any], list[int]] = {}
    for branch, footprint in enumerate(footprints):
        for fluent in footprint.writes:
            writers.setdefault(fluent, []).append(branch)
    together: dict[Fluent[Any], Write] = {}
    for fluent, branches in writers.items():
        writes = [footprints[branch].writes[fluent] for branch in branches]
        if fluent not in common and any(branch not in sure for branch in branches):
            together[fluent] = Write(WriteKind.COMPUTED, UNKNOWN)
        elif len(branches) > 1 and any(write.kind is WriteKind.INCREASE for write in writes):
            # A choice inside a branch may have a known value at its end, but no known increase.
            if any(write.kind is not WriteKind.INCREASE for write in writes):
                together[fluent] = Write(WriteKind.COMPUTED, UNKNOWN)
            else:
                together[fluent] = Write(WriteKind.INCREASE, sum(write.value for write in writes))
        else:
            together[fluent] = Write(WriteKind.COMPUTED, final(branches[0], fluent))
    return together


def after_priority(
    written: Sequence[Mapping[Fluent[Any], Any]], unwritten: Callable[[Fluent[Any]], Any]
) -> dict[Fluent[Any], Any]:
    """The values on which all kept alternatives agree, unknown for the others (semantics 2.4).

    ``written`` has the values that each alternative leaves behind; ``unwritten`` is asked for the
    value of a fluent where an alternative does not write it. Takes linear time.
    """
    ends: dict[Fluent[Any], list[Any]] = {}
    for values in written:
        for fluent, value in values.items():
            ends.setdefault(fluent, []).append(value)
    agreed: dict[Fluent[Any], Any] = {}
    for fluent, found in ends.items():
        if len(found) < len(written):
            found.insert(len(found) if fluent in written[0] else 0, unwritten(fluent))
        first, *others = found
        agreed[fluent] = first if all(first == other for other in others) else UNKNOWN
    return agreed


def merge_into(
    state: WorkingState,
    ends: Sequence[tuple[Footprint, Mapping[Fluent[Any], Any]]],
    policy: ParallelPolicy | None,
) -> Footprint:
    """Write the merged effects of branches into a state. Returns the node's footprint.

    ``ends`` has the footprint of each branch and the values that it has written; ``policy`` is
    that of a parallel node, None for alternatives.
    """
    footprints = [footprint for footprint, _ in ends]
    if policy is not None:
        writes = after_parallel(footprints, policy, lambda branch, fluent: ends[branch][1][fluent])
        for fluent, write in writes.items():
            state.apply(fluent, write)
        return side_by_side(footprints, policy)
    # A value that all branches overwrite is not read, as reads may be recorded: it is nothing that
    # a plan relies on.
    for fluent, value in after_priority([written for _, written in ends], state.get).items():
        state.put(fluent, value)
    return Footprint.one_of(footprints)
