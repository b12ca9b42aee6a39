"""Makes the parts of a plan from the entries that the generated functions recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import (
    Network,
    NullNetwork,
    ParallelNetwork,
    PriorityNetwork,
    SequenceNetwork,
)
from bthtn.domain.task import PrimitiveTask, TaskCall
from bthtn.domain.task_effects import TaskEffects, grounded, projected
from bthtn.plan.nodes import (
    NULL_NODE,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    TaskNode,
)
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn.by_arguments import ByArguments
from bthtn.planning.htn.fastpath.body import BranchMark
from bthtn.planning.htn.fastpath.reachable import PlainMethod
from bthtn.planning.htn.rows import (
    Body,
    CallPart,
    MethodRow,
    PrimitiveRow,
)
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.htn.values import ProjectedState, Values
from bthtn.planning.protocol import seeded
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN

Entry = tuple[Any, tuple[Any, ...]]
"""A method or a primitive task, with the values of its parameters."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedGoal:
    """A goal to plan for from many states; ``body`` is the task table's body for it."""

    domain: FrozenDomain
    goal: Network
    binding: Binding
    seed: int
    table: TaskTable
    body: Body


def part_of(question: PreparedGoal, base: FrozenState, record: list[Any], part: str) -> Any:
    """One part, by name, of the plan for a goal from the state ``base``."""
    match part:
        case "record":
            return MethodTraversalRecord(_choices(entries(record)))
        case "actions":
            return tuple([one for one in entries(record) if type(one[0]) is PrimitiveTask])
        case "written":
            return _Projection(question, base, entries(record)).written()
        case "predicted":
            start = seeded(base, question.seed)
            return start.changed(_Projection(question, base, entries(record)).written())
        case "tree":
            planned = entries(record)
            before = _Projection(question, base, planned).before
            return tree_of(question.body, question.binding, planned, before)
        case _:
            return getattr(question, part)


def branched_part_of(
    fluents: Sequence[Fluent[Any]],
    question: PreparedGoal,
    base: FrozenState,
    planned: tuple[list[Any], Sequence[Any]],
    part: str,
) -> Any:
    """One part of a plan that may have branches.

    ``planned`` is its record, and the values of the fluents at its end.
    """
    record, values = planned
    match part:
        case "tree":
            made = entries(record)
            return tree_of(question.body, question.binding, made, fixed_effects)
        case "actions":
            return tuple(_preferred(entries(record)))
        case "written":
            written = _written(entries(record))
            ends = zip(fluents, values, strict=True)
            return {fluent: value for fluent, value in ends if fluent in written}
        case "predicted":
            ends = branched_part_of(fluents, question, base, planned, "written")
            return seeded(base, question.seed).changed(ends)
        case _:
            return part_of(question, base, record, part)


def _preferred(planned: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the primitive tasks, of each choice those of its first alternative."""
    others = 0  # choices around, later alternatives of which are being left out
    for one in planned:
        mark = one[0]
        if type(mark) is BranchMark and mark.node.is_choice:
            is_later = mark.number == 1 and not mark.is_end
            others += is_later - (mark.is_end and mark.number > 1)
        elif type(mark) is PrimitiveTask and not others:
            yield one


def _written(planned: Iterable[Entry]) -> set[Fluent[Any]]:
    """The fluents that the primitive tasks write."""
    return {
        fluent
        for task, args in planned
        if isinstance(task, PrimitiveTask)
        for fluent in projected(task, args, fixed_effects(0)).writes or ()
    }


def entries(record: list[Any]) -> list[Entry]:
    """The entries of a plan, made by calling the recorded functions."""
    made: list[Entry] = []
    for one in record:
        made += one[0](*one[1:]) if type(one) is tuple else one()
    return made


def _choices(planned: Sequence[Entry]) -> Iterator[int]:
    """Yield the index of each method, and 0 for each alternative that was kept."""
    for one, _ in planned:
        if type(one) is PlainMethod:
            yield one.index
        elif type(one) is BranchMark and one.node.is_choice and not one.is_end:
            yield 0


class _Projection:
    """Projects the state through the primitive tasks of a plan without branches."""

    def __init__(self, question: PreparedGoal, base: FrozenState, entries: Sequence[Entry]) -> None:
        self._table = question.table
        self._entries = entries
        self._place = 0
        self._values = Values(seeded(base, question.seed).values)
        self._view = ProjectedState(self._values)
        self._written: dict[Fluent[Any], None] = {}

    def before(self, place: int) -> RecordingView:
        """The projected state before the entry with this index; indices must not decrease."""
        for what, args in self._entries[self._place : place]:
            if isinstance(what, PrimitiveTask):
                row = self._table.row(what)
                assert isinstance(row, PrimitiveRow), "primitive tasks have such rows"
                overwritten = row.step and row.step(self._values, args, self._view)
                if not overwritten:
                    writes = projected(what, args, RecordingView(self._view)).writes
                    overwritten = self._view.apply(writes or {})
                self._written.update(dict.fromkeys(overwritten[::2]))
        self._place = max(self._place, place)
        return RecordingView(self._view)

    def written(self) -> dict[Fluent[Any], Any]:
        """Every fluent that the plan writes, with its final value."""
        self.before(len(self._entries))
        return {fluent: self._values[fluent] for fluent in self._written}


class _NothingKnown:
    """A view of a state in which nothing is known."""

    def get(self, _: Any, /) -> Any:
        return UNKNOWN


def fixed_effects(_place: int) -> RecordingView:
    """A state to evaluate tasks in whose reads and effects depend on their arguments alone."""
    return RecordingView(_NothingKnown())


def tree_of(
    body: Body,
    binding: Binding,
    planned: Sequence[Entry],
    before: Callable[[int], RecordingView],
) -> Node:
    """The plan tree of a body; ``before`` gives the projected state before an entry."""
    calls: Sequence[Any] = body.items
    nodes: list[Node] = []
    around: list[tuple[Any, ...]] = []
    opened: list[tuple[Any, ...]] = []
    for place, (what, args) in enumerate(planned):
        if type(what) is BranchMark:
            calls, nodes, around = _at_mark(what, opened, calls, nodes, around)
            if not what.is_end:
                continue
        else:
            part = calls[len(nodes)]
            row, reads = part.row, None
            if part.reads:
                reads = _remembered(part.readings, binding, _readings, part, before, place)
            if row.is_primitive:
                step = _remembered(row.projections, args, _projection, row, before, place)
                nodes.append(_step(part.network, row, args, step, reads, binding))
            else:
                method = row.methods[what.index]
                asked = _remembered(method.footprints, args, _asked, method, before, place)
                if reads is not None:
                    asked = _with(reads, asked)
                around.append((method, args, asked, part.network, calls, nodes, binding))
                assert method.body is not None, "methods are plain data"
                calls, nodes, binding = method.body.items, [], args
        while around and len(nodes) == len(calls):
            method, own, asked, call, calls, outside, binding = around.pop()
            outside.append(_scope(method, own, asked, nodes, call, binding))
            nodes = outside
    return _node(body, nodes)


def _at_mark(
    mark: BranchMark,
    opened: list[tuple[Any, ...]],
    calls: Sequence[Any],
    nodes: list[Node],
    around: list[tuple[Any, ...]],
) -> tuple[Sequence[Any], list[Node], list[tuple[Any, ...]]]:
    """Go on with the next branch of a node, or behind it; return what is left to do there.

    ``opened`` has, for each open node, its part, the nodes of its branches, and what is around it.
    """
    if mark.number == 0:
        opened.append((calls[len(nodes)], [], calls, nodes, around))
    part, branches, *outside = opened[-1]
    if mark.number > 0:
        branches.append(_node(part.branches[mark.number - 1], nodes))
    if not mark.is_end:
        return part.branches[mark.number].items, [], []
    opened.pop()
    calls, nodes, around = outside
    nodes.append(_joined(part.network, tuple(branches)))
    return calls, nodes, around


def _step(
    call: TaskCall,
    row: PrimitiveRow,
    args: tuple[Any, ...],
    step: TaskEffects,
    reads: Footprint | None,
    binding: Binding,
) -> TaskNode:
    touched = step.footprint if reads is None else _with(reads, step.footprint)
    return TaskNode(row.task, args, touched, step.duration, step.cost, call, binding)


def _joined(network: ParallelNetwork | PriorityNetwork, branches: tuple[Node, ...]) -> Node:
    """The node of a network all of whose branches were planned."""
    if isinstance(network, PriorityNetwork):
        return PriorityNode(branches, tuple(range(len(branches))), network.reactive)
    return ParallelNode(branches, network.policy)


def _scope(
    row: MethodRow,
    args: tuple[Any, ...],
    asked: Footprint,
    nodes: list[Node],
    call: TaskCall,
    binding: Binding,
) -> Node:
    body, cost, value = row.body, row.cost, row.value
    assert body is not None, "methods are plain data"
    assert cost is not None, "so are their costs"
    assert value is not None, "so are their values"
    child = _node(body, nodes)
    what = (row.task, args, row.index, child, asked, row.method.name)
    return ScopeNode(*what, cost, value, call, binding)


def _node(body: Body, nodes: list[Node]) -> Node:
    """The plan node for a body, made of the nodes for its items."""
    if len(body.items) == body.length > 0:
        return SequenceNode(tuple(nodes)) if isinstance(body.network, SequenceNetwork) else nodes[0]
    return _taken(body.network, iter(nodes))


def _taken(network: Network | None, nodes: Iterator[Node]) -> Node:
    if isinstance(network, SequenceNetwork):
        return SequenceNode(tuple([_taken(one, nodes) for one in network.parts]))
    return NULL_NODE if isinstance(network, NullNetwork) else next(nodes)


def _remembered(
    memory: ByArguments[Any] | None,
    args: tuple[Any, ...],
    work_out: Callable[..., Any],
    row: Any,
    before: Callable[[int], RecordingView],
    place: int,
) -> Any:
    """The stored footprint or effects of a row; computed at this entry if there are none."""
    known = None if memory is None else memory.find(args)
    if known is None:
        known = work_out(row, args, before(place))
        if memory is not None:
            memory.keep(args, known)
    return known


def _projection(row: PrimitiveRow, args: tuple[Any, ...], view: RecordingView) -> TaskEffects:
    return projected(row.task, args, view)


def _asked(row: MethodRow, args: tuple[Any, ...], view: RecordingView) -> Footprint:
    row.method.condition.evaluate(view, args)
    return Footprint(view.reads)


def _readings(part: CallPart, args: tuple[Any, ...], view: RecordingView) -> Footprint:
    grounded(part.network, view, args)
    return Footprint(view.reads)


def _with(reads: Footprint, own: Footprint) -> Footprint:
    """The node's own footprint plus the reads of its computed arguments."""
    return Footprint(reads.reads | own.reads, own.writes, own.uses)
