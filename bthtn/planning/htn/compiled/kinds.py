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

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import (
    Network,
    ParallelNetwork,
    PriorityNetwork,
)
from bthtn.domain.number import number_of
from bthtn.domain.task import CompoundTask, PrimitiveTask, TaskCall
from bthtn.domain.task_effects import TaskEffects, grounded, projected
from bthtn.plan.nodes import (
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    TaskNode,
)
from bthtn.planning.htn.compiled.alike import Alike, condition_alike, reads_all, task_alike
from bthtn.planning.htn.compiled.parts import Given, Part, calls_alone, part_of, put_together
from bthtn.planning.htn.compiled.past import Entry, Past
from bthtn.world.footprint import Footprint, RecordingView

Call = tuple[CompoundTask[Any], tuple[Any, ...]]

_INLINED: Final = 5
"""Length of the entry of a task that generated source planned."""
NOTHING_TOUCHED: Final = Footprint()


class Kind:
    """What an entry of the log is; entries of this very kind are not part of the tree."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Given], past: Past) -> Given | None:  # noqa: ARG002 - protocol
        """What the entry contributes, given what the entries in it do."""
        return None

    def touched(self, entry: Entry, past: Past) -> Footprint | None:  # noqa: ARG002 - protocol
        """What the entry itself reads, writes and uses; None where only its part can tell."""
        return NOTHING_TOUCHED


CHANGE: Final = Kind()
"""Fluents were written by no task: branches were left, or merged."""


class TaskKind(Kind):
    """A primitive task was planned. Entry: …, its projection if it was planned by evaluation."""

    __slots__ = ("_alike", "task")

    def __init__(self, task: PrimitiveTask[Any]) -> None:
        self.task = task
        self._alike: Alike[TaskEffects] | None = Alike() if task_alike(task) else None

    def part(self, entry: Entry, below: list[Given], past: Past) -> Node:  # noqa: ARG002 - leaf
        """The task's node."""
        step = self._step(entry, past)
        return TaskNode(self.task, entry[2], step.footprint, step.duration, step.cost)

    def touched(self, entry: Entry, past: Past) -> Footprint:
        """What the task touches."""
        return self._step(entry, past).footprint

    def _step(self, entry: Entry, past: Past) -> TaskEffects:
        if len(entry) > _INLINED:
            step: TaskEffects = entry[5]
            return step
        args, alike = entry[2], self._alike
        known = None if alike is None else alike.find(args)
        if known is None:
            known = projected(self.task, args, RecordingView(past))
            if alike is not None:
                alike.keep(args, known)
        return known


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
        args, footprint = entry[2], self.touched(entry, past)
        network: Network = entry[5] if entry[5] is not None else as_written(self.method)
        child, cause = put_together(network, args, below, self._calls)
        cost, name = number_of(self.method.cost, past, args), self.method.name
        node = ScopeNode(self.task, args, self.index, child, footprint, name, cost)
        return node if cause is None else Part(node, cause)

    def touched(self, entry: Entry, past: Past) -> Footprint:
        """What the condition has read."""
        args, alike = entry[2], self._alike
        if entry[9] is not None:
            return Footprint(entry[9])
        known = None if alike is None else alike.find(args)
        if known is None:
            view = RecordingView(past)
            self.method.condition.evaluate(view, args)
            known = Footprint(view.reads)
            if alike is not None:
                alike.keep(args, known)
        return known

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

    def touched(self, entry: Entry, past: Past) -> Footprint:  # noqa: ARG002 - told
        """What told the way."""
        return Footprint(entry[9])

    def call(self, entry: Entry) -> Call:
        """What was decomposed."""
        return entry[10], entry[11]


CHOSEN: Final = ChosenKind()


def as_written(method: Method) -> Network:
    """The body of a method that is no plain function."""
    assert not isinstance(method.body, PlainBody), "what a function answered is in the log"
    return method.body


class InnerKind(Kind):
    """An entry that stands for more than itself."""

    __slots__ = ()

    def touched(self, entry: Entry, past: Past) -> None:
        """Only the part can tell."""


class NetworkKind(InnerKind):
    """A network begins: the goal, or a branch. Entry: …, the network, depth, None, place."""

    __slots__ = ()

    def part(self, entry: Entry, below: list[Given], past: Past) -> Given:  # noqa: ARG002 - inner
        """What the network became."""
        node, cause = put_together(entry[5], entry[2], below)
        return node if cause is None else Part(node, cause)


ROOT: Final = NetworkKind()
BRANCH: Final = NetworkKind()


class BranchesKind(InnerKind):
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
        args, alike = entry[2], self._alike
        known = None if alike is None else alike.find(args)
        if known is None:
            view = RecordingView(past)
            grounded(self.call, view, args)
            known = Part(reads=view.reads)
            if alike is not None:
                alike.keep(args, known)
        return known

    def touched(self, entry: Entry, past: Past) -> Footprint:
        """What they are computed from."""
        return Footprint(self.part(entry, [], past).reads)


class ToldKind(InnerKind):
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


def footprint_of(branch: Sequence[Entry], past: Past) -> Footprint | None:
    """What the entries of a branch touch together, behind the one with which it begins.

    None where only the tree can tell: where something in it is left open, or branches itself.
    """
    found: list[Footprint] = []
    for entry in reversed(branch[1:]):
        past.before(entry)
        touched = entry[0].touched(entry, past)
        if touched is None:
            return None
        found.append(touched)
    return Footprint.in_turn(found[::-1])


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


def actions(log: Iterable[Entry]) -> Iterator[tuple[PrimitiveTask[Any], tuple[Any, ...]]]:
    """The primitive tasks that a log has planned, with their arguments."""
    return ((entry[0].task, entry[2]) for entry in log if isinstance(entry[0], TaskKind))
