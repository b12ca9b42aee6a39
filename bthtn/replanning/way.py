"""Way: the state that the rest of a plan leads to from now on, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bthtn.domain.effect import writes_of
from bthtn.plan.merge import after_parallel, after_priority, side_by_side
from bthtn.plan.nodes import (
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.plan.walk import Visit, unwound
from bthtn.world.fluent import Fluent, UnknownRead
from bthtn.world.footprint import Footprint, RecordingView, Write, WriteKind
from bthtn.world.state import FrozenState
from bthtn.world.trail import WorkingState
from bthtn.world.truth import UNKNOWN


class Way:
    """The state that the rest of a plan leads to, from now on; effects are worked out anew.

    Nodes that are ``over`` are left out. Nothing is judged: a step that is not possible is taken
    as if it were.
    """

    def __init__(self, now: FrozenState, over: frozenset[Node] = frozenset()) -> None:
        self.state = WorkingState(now)
        self._over = over
        self.steps = 0
        self.choosing = False

    def go(self, node: Node) -> None:
        """Go on through a part of the tree."""
        unwound(self._through(node))

    def snapshot(self) -> FrozenState:
        """The state here, in which volatile fluents are unknown where they cannot be foreseen."""
        state = self.state.freeze()
        if self.foreseeable:
            return state
        written = self.state.written()
        hidden = {f: UNKNOWN for f, _ in state.items() if f.volatile and f not in written}
        return state.changed(hidden) if hidden else state

    @property
    def foreseeable(self) -> bool:
        """Whether what the sensors say now can be relied on here (semantics 1.3)."""
        return self.steps == 0 and not self.choosing

    def _through(self, node: Node) -> Visit[Footprint]:
        if node in self._over:
            return self._written(Footprint())
        match node:
            case TaskNode():
                return self._step(node)
            case SuspendedNode(ensures=ensures):
                return self._written(Footprint(node.reads, ensures))
            case ScopeNode():
                return self._sequence((node.child,))
            case SequenceNode(children):
                return self._sequence(children)
            case ParallelNode():
                return self._parallel(node)
            case PriorityNode():
                return self._priority(node)
            case NullNode():
                return self._written(Footprint())

    def _written(self, footprint: Footprint) -> Visit[Footprint]:
        yield from ()
        for fluent, write in footprint.writes.items():
            self.state.apply(fluent, write)
        return footprint

    def _step(self, node: TaskNode) -> Visit[Footprint]:
        self.state.foreseeable = self.foreseeable
        view, task = RecordingView(self.state), node.task
        try:
            writes = writes_of((*task.effects, *task.expected), view, node.args)
        except UnknownRead:
            writes = {f: Write(WriteKind.COMPUTED, UNKNOWN) for f in node.footprint.writes}
        self.steps += 1
        return self._written(Footprint(view.reads | node.footprint.reads, writes, task.uses))

    def _sequence(self, children: Sequence[Node]) -> Visit[Footprint]:
        together = Footprint()
        for child in children:
            footprint: Footprint = yield self._through(child)
            together = together.then(footprint)
        return together

    def _parallel(self, node: ParallelNode) -> Visit[Footprint]:
        footprints, ends = yield self._branches(node.children)
        together = after_parallel(footprints, node.policy, lambda i, f: ends[i][f])
        for fluent, write in together.items():
            self.state.apply(fluent, write)
        return side_by_side(footprints, node.policy)

    def _priority(self, node: PriorityNode) -> Visit[Footprint]:
        outside, self.choosing = self.choosing, True
        footprints, ends = yield self._branches(node.children)
        self.choosing = outside
        self.state.foreseeable = False
        before = {fluent: self.state.get(fluent) for end in ends for fluent in end}
        values = after_priority(range(len(ends)), before, lambda i, f: ends[i].get(f, before[f]))
        for fluent, value in values.items():
            self.state.put(fluent, value)
        return Footprint.one_of(footprints)

    def _branches(
        self, children: Sequence[Node]
    ) -> Visit[tuple[list[Footprint], list[dict[Fluent[Any], Any]]]]:
        """Each branch from the state here, which is the same again afterwards."""
        entry, longest = self.steps, self.steps
        footprints, ends = [], []
        for child in children:
            mark = self.state.mark()
            footprints.append((yield self._through(child)))
            ends.append(self.state.written_since(mark))
            self.state.leave(mark)
            longest, self.steps = max(longest, self.steps), entry
        self.steps = longest
        return footprints, ends
