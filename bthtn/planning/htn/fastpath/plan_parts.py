"""Makes the parts of a plan from the entries that the generated functions recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bthtn.domain.domain import FrozenDomain
from bthtn.domain.network import Network, NullNetwork, SequenceNetwork
from bthtn.domain.task import PrimitiveTask, TaskCall
from bthtn.domain.task_effects import TaskEffects, grounded, projected
from bthtn.plan.nodes import NULL_NODE, Node, ScopeNode, SequenceNode, TaskNode
from bthtn.plan.record import MethodTraversalRecord
from bthtn.planning.htn.by_arguments import ByArguments
from bthtn.planning.htn.fastpath.reachable import PlainMethod
from bthtn.planning.htn.rows import (
    Body,
    CallPart,
    MethodRow,
    PrimitiveRow,
    SubSequencePart,
)
from bthtn.planning.htn.table import TaskTable
from bthtn.planning.htn.values import ProjectedState, Values
from bthtn.planning.protocol import seeded
from bthtn.world.expression import Binding
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.state import FrozenState

Entry = tuple[Any, tuple[Any, ...]]
"""A method or a primitive task, with the values of its parameters."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedGoal:
    """A goal to plan for from many states; ``body`` is the task table's body for it."""

    domain: FrozenDomain
    goal: Network
    binding: Binding
    seed: int
    body: Body


def part_of(
    question: PreparedGoal, base: FrozenState, record: list[Any], expansions: int, part: str
) -> Any:
    """One part, by name, of the plan for a goal from the state ``base``."""
    match part:
        case "record":
            methods = [one for one, _ in entries(record) if type(one) is PlainMethod]
            return MethodTraversalRecord([one.index for one in methods])
        case "actions":
            return tuple([one for one in entries(record) if type(one[0]) is PrimitiveTask])
        case "expansions":
            return expansions
        case "written":
            return _Parts(question, base, entries(record)).written()
        case "predicted":
            start = seeded(base, question.seed)
            return start.changed(_Parts(question, base, entries(record)).written())
        case "tree":
            return _tree(question, base, entries(record))
        case _:
            return getattr(question, part)


def entries(record: list[Any]) -> list[Entry]:
    """The entries of a plan, made by calling the recorded functions."""
    made: list[Entry] = []
    for one in record:
        made += one[0](*one[1:]) if type(one) is tuple else one()
    return made


class _Parts:
    """Projects the state through the primitive tasks of a plan."""

    def __init__(self, question: PreparedGoal, base: FrozenState, entries: Sequence[Entry]) -> None:
        self._table = question.domain.derived(TaskTable)
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


def _tree(question: PreparedGoal, base: FrozenState, entries: Sequence[Entry]) -> Node:
    steps = _Parts(question, base, entries)
    root = question.body
    calls, nodes, binding = _calls(root), list[Node](), question.binding
    around: list[tuple[Any, ...]] = []
    for place, (what, args) in enumerate(entries):
        part = calls[len(nodes)]
        row, reads = part.row, None
        if part.reads:
            reads = _remembered(part.readings, binding, _readings, part, steps, place)
        if isinstance(row, PrimitiveRow):
            step: TaskEffects = _remembered(row.projections, args, _projection, row, steps, place)
            touched = step.footprint if reads is None else _with(reads, step.footprint)
            numbers = (step.duration, step.cost)
            nodes.append(TaskNode(row.task, args, touched, *numbers, part.network, binding))
        else:
            method = row.methods[what.index]
            asked = _remembered(method.footprints, args, _asked, method, steps, place)
            if reads is not None:
                asked = _with(reads, asked)
            around.append((method, args, asked, part.network, calls, nodes, binding))
            assert method.body is not None, "methods are plain data"
            calls, nodes, binding = _calls(method.body), [], args
        while around and len(nodes) == len(calls):
            method, own, asked, call, calls, outside, binding = around.pop()
            outside.append(_scope(method, own, asked, nodes, call, binding))
            nodes = outside
    return _node(root, nodes)


def _calls(body: Body) -> Sequence[CallPart]:
    """The calls of a body in order."""
    return body.parts if body.calls else list(_nested_calls(body))  # type: ignore[return-value]  # if all are calls


def _nested_calls(body: Body) -> Iterator[CallPart]:
    for part in body.parts:
        if isinstance(part, CallPart):
            yield part
        elif isinstance(part, SubSequencePart):
            yield from _nested_calls(part.body)


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
    """The plan node for a body, made of the nodes for its calls."""
    if body.calls:
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
    steps: _Parts,
    place: int,
) -> Any:
    """The stored footprint or effects of a row; computed at this entry if there are none."""
    known = None if memory is None else memory.find(args)
    if known is None:
        known = work_out(row, args, steps.before(place))
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
