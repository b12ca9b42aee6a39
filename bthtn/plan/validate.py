"""validate: is a plan executable, and does it lead where it says? Whatever it came from.

`replay` holds each node against the network it comes from. A tree that was rearranged comes
from none. What is left to judge is what run time relies on: every precondition holds where its
step begins, branches cannot disturb each other, and the end is the predicted one. Since
admitted branches may take turns in any order (semantics 2.3.3), that covers all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bthtn.domain.condition import why
from bthtn.domain.projection import projected
from bthtn.plan.merge import after_parallel, after_priority, conflict, side_by_side
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
from bthtn.plan.plan import Plan
from bthtn.plan.walk import Visit, node_text, unwound
from bthtn.world.fluent import Fluent
from bthtn.world.footprint import Footprint, RecordingView
from bthtn.world.state import FrozenState
from bthtn.world.trail import WorkingState
from bthtn.world.truth import UNKNOWN


@dataclass(frozen=True, slots=True)
class Validation:
    """How a plan goes from a state: to its end, or up to the first thing that is wrong."""

    ok: bool
    reason: str
    where: str
    final: FrozenState


def validate(plan: Plan, state: FrozenState) -> Validation:
    """Carry the plan's steps out from this state, whatever they are for."""
    judge = _Judge(state)
    try:
        unwound(judge.node(plan.tree))
    except _Wrong as wrong:
        return Validation(False, wrong.reason, wrong.where, judge.state.freeze())  # noqa: FBT003 - a value, no switch
    except AssertionError:
        raise
    except Exception as error:  # noqa: BLE001 - a condition of the user's that cannot be asked
        reason = f"{type(error).__name__}: {error}"
        return Validation(False, reason, "", judge.state.freeze())  # noqa: FBT003 - a value, no switch
    final = judge.state.freeze()
    arrived = final == plan.predicted
    return Validation(
        arrived, "" if arrived else "it does not lead to what is predicted", "", final
    )


class _Wrong(Exception):  # noqa: N818 - it ends the validation and never leaves this module
    def __init__(self, node: Node, reason: str) -> None:
        self.where = node_text(node)
        self.reason = reason
        super().__init__(reason)


@dataclass(slots=True)
class _Done:
    """What a part of the plan did, how many steps it took, whether planning stopped in it."""

    footprint: Footprint = field(default_factory=Footprint)
    steps: int = 0
    stopped: bool = False
    written: dict[Fluent[Any], Any] = field(default_factory=dict)


class _Judge:
    """The state reached; ``guard`` is how many steps came before the innermost alternative."""

    def __init__(self, state: FrozenState) -> None:
        self.state = WorkingState(state)
        self._steps = 0
        self._guard: int | None = None

    def node(self, node: Node) -> Visit[_Done]:
        """Carry a node out."""
        match node:
            case TaskNode():
                return self._task(node)
            case SequenceNode(children):
                return self._sequence(children)
            case ScopeNode():
                return self._sequence((node.child,))
            case ParallelNode():
                return self._parallel(node)
            case PriorityNode():
                return self._priority(node)
            case SuspendedNode():
                return self._suspended(node)
            case NullNode():
                return self._sequence(())

    def _task(self, node: TaskNode) -> Visit[_Done]:
        yield from ()
        self._foresee()
        step = projected(node.task, node.args, RecordingView(self.state))
        if step.possible is False:
            raise _Wrong(node, why(node.task.precondition, self.state, node.args))
        open_guard = self._guard == self._steps
        if step.writes is None or (step.possible is UNKNOWN and not open_guard):
            raise _Wrong(node, f"it is to be done although {step.unknown} is unknown")
        for fluent, write in step.writes.items():
            self.state.apply(fluent, write)
        self._steps += 1
        return _Done(step.footprint, self._steps)

    def _sequence(self, children: Sequence[Node]) -> Visit[_Done]:
        footprint, stopped = Footprint(), False
        for child in children:
            if stopped and not isinstance(child, SuspendedNode):
                raise _Wrong(child, "it comes behind a suspended part that ensures nothing")
            done: _Done = yield self.node(child)
            footprint, stopped = footprint.then(done.footprint), stopped or done.stopped
        return _Done(footprint, self._steps, stopped)

    def _suspended(self, node: SuspendedNode) -> Visit[_Done]:
        if node.foreseen is not None:
            done: _Done = yield self.node(node.foreseen.tree)
            return _Done(done.footprint, self._steps, stopped=True)
        for fluent, write in node.ensures.items():
            self.state.apply(fluent, write)
        return _Done(Footprint(node.reads, node.ensures), self._steps, not node.ensures)

    def _parallel(self, node: ParallelNode) -> Visit[_Done]:
        branches: list[_Done] = yield self._branches(node.children)
        footprints = [branch.footprint for branch in branches]
        clash = conflict(footprints)
        if clash is not None:
            raise _Wrong(node, f"branches {clash[0]} and {clash[1]} both touch {clash[2]}")
        self._foresee()
        together = after_parallel(footprints, node.policy, lambda i, f: branches[i].written[f])
        for fluent, write in together.items():
            self.state.apply(fluent, write)
        return self._joined(branches, side_by_side(footprints, node.policy))

    def _priority(self, node: PriorityNode) -> Visit[_Done]:
        outer, self._guard = self._guard, self._steps
        branches: list[_Done] = yield self._branches(node.children)
        self._foresee()
        touched = {fluent: self.state.get(fluent) for one in branches for fluent in one.written}
        values = after_priority(
            range(len(branches)), touched, lambda i, f: branches[i].written.get(f, touched[f])
        )
        for fluent, value in values.items():
            self.state.put(fluent, value)
        self._guard = outer
        return self._joined(branches, Footprint.one_of(one.footprint for one in branches))

    def _branches(self, children: Sequence[Node]) -> Visit[list[_Done]]:
        """Each branch from the state here, which is the same again afterwards."""
        entry, branches = self._steps, []
        for child in children:
            mark = self.state.mark()
            done: _Done = yield self.node(child)
            done.written = self.state.written_since(mark)
            branches.append(done)
            self.state.leave(mark)
            self._steps = entry
        return branches

    def _joined(self, branches: Sequence[_Done], footprint: Footprint) -> _Done:
        self._steps = max(branch.steps for branch in branches)
        return _Done(footprint, self._steps, any(branch.stopped for branch in branches))

    def _foresee(self) -> None:
        self.state.foreseeable = self._steps == 0 and self._guard is None
