"""Course: the state that a tree leads to, from what was planned to be written on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bthtn.plan.merge import after_parallel, after_priority
from bthtn.plan.nodes import (
    Foreseen,
    Node,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    Suspension,
    TaskNode,
)
from bthtn.plan.walk import Visit, footprint
from bthtn.world.fluent import Fluent
from bthtn.world.trail import WorkingState

R = TypeVar("R")

Branches = ParallelNode | PriorityNode


@dataclass(frozen=True, slots=True)
class _Branch:
    written: dict[Fluent[Any], Any]
    steps: int
    elapsed: float
    cause: Suspension | None


class Course:
    """The state that a tree leads to, from the writes that were planned: nothing is evaluated.

    ``cause`` is set behind a suspension, ``choosing`` inside an alternative.
    """

    def __init__(self, start: Foreseen) -> None:
        self.start = start
        self.state = WorkingState(start.before)
        for fluent, value in start.written.items():
            self.state.put(fluent, value)
        self.steps = 0
        self.elapsed: float = 0
        self.cause: Suspension | None = None
        self.choosing = False

    @property
    def sensed(self) -> bool:
        """Whether volatile fluents could be relied on here."""
        return self.start.sensed and self.steps == 0 and not self.choosing

    def follow(self, node: Node) -> Visit[None]:
        """Project the state through a part of the tree."""
        match node:
            case TaskNode():
                self.step(node)
            case ScopeNode(child=child):
                yield self.follow(child)
            case SequenceNode(children):
                for child in children:
                    yield self.follow(child)
            case ParallelNode() | PriorityNode():
                children = node.children
                yield self.branches(node, lambda index: self.follow(children[index]))
            case _:
                pass

    def step(self, node: TaskNode) -> None:
        """One task is done."""
        self.state.foreseeable = self.sensed
        for fluent, write in node.footprint.writes.items():
            self.state.apply(fluent, write)
        self.steps += 1
        self.elapsed += node.duration

    def branches(self, node: Branches, visit: Callable[[int], Visit[R]]) -> Visit[list[R]]:
        """Visit each branch from the state here; afterwards the state has what all of them did."""
        steps, elapsed, cause, outside = self.steps, self.elapsed, self.cause, self.choosing
        self.choosing = outside or isinstance(node, PriorityNode)
        answers, ends = [], []
        for index in range(len(node.children)):
            mark = self.state.mark()
            answers.append((yield visit(index)))
            written = self.state.written_since(mark)
            ends.append(_Branch(written, self.steps, self.elapsed, self.cause))
            self.state.leave(mark)
            self.steps, self.elapsed, self.cause = steps, elapsed, cause
        self._merge(node, ends)
        self.choosing = outside
        self.steps = max(end.steps for end in ends)
        self.elapsed = max(end.elapsed for end in ends)
        self.cause = next((end.cause for end in ends if end.cause is not None), None)
        return answers

    def _merge(self, node: Branches, ends: Sequence[_Branch]) -> None:
        self.state.foreseeable = self.sensed
        if isinstance(node, ParallelNode):
            footprints = [footprint(child) for child in node.children]
            together = after_parallel(footprints, node.policy, lambda i, f: ends[i].written[f])
            for fluent, write in together.items():
                self.state.apply(fluent, write)
            return
        before = {fluent: self.state.get(fluent) for end in ends for fluent in end.written}
        values = after_priority(
            range(len(ends)), before, lambda i, f: ends[i].written.get(f, before[f])
        )
        for fluent, value in values.items():
            self.state.put(fluent, value)
