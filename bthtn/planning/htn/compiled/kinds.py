"""The log of a search, and how it becomes a plan tree.

An entry is a tuple that begins with its kind, the scope it is in, the values of its
arguments, what it overwrote (fluent, value before, fluent, value before, …), and where the
path had come to (``Machine.at``, None where that does not matter). The rest depends on the
kind.

Nothing of a plan but the log is made while searching. Read backwards, the log gives the
state at each of its entries, since every entry tells what it overwrote: so what a condition
read, or a task wrote, is worked out when somebody looks at the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import (
    Network,
    ParallelNetwork,
    PriorityNetwork,
)
from bthtn.domain.number import number_of
from bthtn.domain.projection import Projection, grounded, projected
from bthtn.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.plan.nodes import (
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    TaskNode,
)
from bthtn.planning.htn.compiled.alike import Alike, condition_alike, reads_all, task_alike
from bthtn.planning.htn.compiled.parts import Given, Part, calls_alone, part_of, put_together
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.state import FrozenState
from bthtn.world.truth import UNKNOWN

Entry = tuple[Any, ...]
Values = dict[Fluent[Any], Any]
Call = tuple[CompoundTask[Any], tuple[Any, ...]]

_INLINED: Final = 5
"""Length of the entry of a task that generated source planned."""
ABSENT: Final = object()
"""Stands where a volatile fluent has not been written."""


class Past:
    """A view of the state as it was at one entry of the log after the other, backwards.

    ``is_known`` says that nothing that was asked for has ever been unknown.
    """

    def __init__(self, base: FrozenState, values: Values, *, is_known: bool) -> None:
        self.is_known = is_known
        self._base = base
        self._values = values
        self._foreseeable = False

    def before(self, entry: Entry) -> None:
        """Go back to where the entry was planned."""
        undo(entry, self._values)
        if entry[4] is not None:
            steps, _, frame = entry[4]
            self._foreseeable = steps == 0 and (frame is None or frame.guard is None)

    def get(self, fluent: Any, /) -> Any:
        """Value of the fluent there."""
        if not fluent.volatile:
            return self._values.get(fluent, fluent.default)
        sensed = self._base.get(fluent) if self._foreseeable else UNKNOWN
        return self._values.get(fluent, sensed)


def undo(entry: Entry, values: Values) -> None:
    """Put back what the entry overwrote."""
    undone = entry[3]
    for number in range(len(undone) - 2, -1, -2):
        if undone[number + 1] is ABSENT:
            values.pop(undone[number], None)
        else:
            values[undone[number]] = undone[number + 1]


class Kind:
    """What an entry of the log is; entries of this very kind are not part of the tree."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Given], past: Past) -> Given | None:  # noqa: ARG002 - protocol
        """What the entry contributes, given what the entries in it do."""
        return None


CHANGE: Final = Kind()
"""Fluents were written by no task: branches were left, or merged."""


class TaskKind(Kind):
    """A primitive task was planned. Entry: …, its projection if it was planned by evaluation."""

    __slots__ = ("_alike", "task")

    def __init__(self, task: PrimitiveTask[Any]) -> None:
        self.task = task
        self._alike: Alike[Projection] | None = Alike() if task_alike(task) else None

    def part(self, entry: Entry, below: list[Given], past: Past) -> Node:  # noqa: ARG002 - leaf
        """The task's node."""
        step = entry[5] if len(entry) > _INLINED else self._step(entry[2], past)
        return TaskNode(self.task, entry[2], step.footprint, step.duration, step.cost)

    def _step(self, args: tuple[Any, ...], past: Past) -> Projection:
        if self._alike is None or not past.is_known:
            return projected(self.task, args, RecordingView(past))
        step = self._alike.find(args)
        if step is None:
            step = projected(self.task, args, RecordingView(past))
            self._alike.keep(args, step)
        return step


class ScopeKind(Kind):
    """A compound task was decomposed by one of its methods.

    Entry: …, the network if the method's body is a plain function, depth, key of the
    recursion guard, place in the log, what was read if the condition or the body is a plain
    function: such are not called again.
    """

    __slots__ = ("_alike", "_calls", "index", "method", "task")

    def __init__(self, task: CompoundTask[Any], index: int, method: Method) -> None:
        self.task = task
        self.index = index
        self.method = method
        is_alike = condition_alike(method.condition)
        self._alike: Alike[Footprint] | None = Alike() if is_alike else None
        self._calls = 0 if isinstance(method.body, PlainBody) else calls_alone(method.body)

    def part(self, entry: Entry, below: list[Given], past: Past) -> Given:
        """The scope with everything in it."""
        args, reads = entry[2], entry[9]
        footprint = self._asked(args, past) if reads is None else Footprint(reads)
        network: Network = entry[5] if entry[5] is not None else as_written(self.method)
        child, cause = put_together(network, args, below, self._calls)
        cost, name = number_of(self.method.cost, past, args), self.method.name
        node = ScopeNode(self.task, args, self.index, child, footprint, name, cost)
        return node if cause is None else Part(node, cause)

    def _asked(self, args: tuple[Any, ...], past: Past) -> Footprint:
        """What the condition has read."""
        alike = self._alike if past.is_known else None
        footprint = None if alike is None else alike.find(args)
        if footprint is None:
            view = RecordingView(past)
            self.method.condition.evaluate(view, args)
            footprint = Footprint(view.reads)
            if alike is not None:
                alike.keep(args, footprint)
        return footprint

    def call(self, entry: Entry) -> Call:
        """What was decomposed."""
        return self.task, entry[2]


class ChosenKind(Kind):
    """A compound task that was decomposed in a way that only the state tells.

    Entry: as of a scope, with what the method's network sees in place of the arguments; then
    the task, its arguments, the number of the way, its name, and its cost.
    """

    __slots__ = ()

    def part(self, entry: Entry, below: list[Given], past: Past) -> Given:  # noqa: ARG002 - told
        """The scope with everything in it."""
        task, args, index, name, cost = entry[10:]
        child, cause = put_together(entry[5], entry[2], below)
        node = ScopeNode(task, args, index, child, Footprint(entry[9]), name, cost)
        return node if cause is None else Part(node, cause)

    def call(self, entry: Entry) -> Call:
        """What was decomposed."""
        return entry[10], entry[11]


CHOSEN: Final = ChosenKind()


def as_written(method: Method) -> Network:
    """The body of a method that is no plain function."""
    assert not isinstance(method.body, PlainBody), "what a function answered is in the log"
    return method.body


class NetworkKind(Kind):
    """A network begins: the goal, or a branch. Entry: …, the network, depth, None, place."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Given], past: Past) -> Given:  # noqa: ARG002 - inner
        """What the network became."""
        node, cause = put_together(entry[5], entry[2], below)
        return node if cause is None else Part(node, cause)


ROOT: Final = NetworkKind()
BRANCH: Final = NetworkKind()


class BranchesKind(Kind):
    """A parallel or priority node. Entry: …, the network, depth, None, place."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Given], past: Past) -> Part:  # noqa: ARG002 - inner
        """The node with its branches."""
        network: ParallelNetwork | PriorityNetwork = entry[5]
        parts = [part_of(one) for one in below]
        nodes = tuple(part.node for part in parts if part.node is not None)
        cause = next((part.cause for part in parts if part.cause is not None), None)
        if isinstance(network, ParallelNetwork):
            return Part(ParallelNode(nodes, network.policy), cause)
        dropped = tuple(part.dropped for part in parts if part.dropped is not None)
        gone = {one.alternative for one in dropped}
        kept = tuple(index for index in range(len(network.parts)) if index not in gone)
        return Part(PriorityNode(nodes, kept, network.reactive, dropped), cause)


BRANCHES: Final = BranchesKind()


class ComputedKind(Kind):
    """Arguments of the call that follows are computed."""

    __slots__ = ("_alike", "call")

    def __init__(self, call: TaskCall) -> None:
        self.call = call
        self._alike: Alike[Part] | None = Alike() if all(map(reads_all, call.args)) else None

    def part(self, entry: Entry, below: list[Given], past: Past) -> Part:  # noqa: ARG002 - leaf
        """What they are computed from, for the next part."""
        alike = self._alike if past.is_known else None
        part = None if alike is None else alike.find(entry[2])
        if part is None:
            view = RecordingView(past)
            grounded(self.call, view, entry[2])
            part = Part(reads=view.reads)
            if alike is not None:
                alike.keep(entry[2], part)
        return part


class ToldKind(Kind):
    """A suspension, a promise, a dropped alternative. Entry: …, the part itself."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Given], past: Past) -> Part:  # noqa: ARG002 - leaf
        """The part."""
        part: Part = entry[5]
        return part


TOLD: Final = ToldKind()


def tree(log: Iterable[Entry], root: Entry, past: Past) -> Part:
    """What the entries below ``root`` make; ``log`` is given backwards, from its end on."""
    below: dict[int, list[Given]] = {}
    for entry in log:
        past.before(entry)
        inside = below.pop(id(entry), [])
        inside.reverse()
        part = entry[0].part(entry, inside, past)
        if part is not None:
            below.setdefault(id(entry[1]), []).append(part)
    inside = below.get(id(root), [])
    inside.reverse()
    return part_of(root[0].part(root, inside, past))


def record(log: Iterable[Entry]) -> Iterator[int]:
    """The method traversal record that a log makes."""
    for entry in log:
        kind = entry[0]
        if isinstance(kind, ScopeKind):
            yield kind.index
        elif kind is CHOSEN:
            yield entry[12]
        elif kind is BRANCH and isinstance(entry[1][5], PriorityNetwork):
            yield 0
        elif kind is TOLD and entry[5].dropped is not None:
            yield 1
