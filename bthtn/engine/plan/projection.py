"""Projection: the state that a plan leads to, step by step, without running it.

    task             its effects
    scope, sequence  their children in order
    suspended        the effects it ensures; nothing more is known of it
    parallel,        each branch from the state before the node; then the writes of all are
    priority         merged into one state (semantics 2.3, 2.4)

Everything that walks a plan and merges branches is a subclass of this, except the planners, which
have no tree yet, and ``replay``, which must not share code with the planners. Subclasses override
``effects`` (validation computes them again), ``below`` (a running plan leaves out finished nodes)
or ``join`` (some branches do not work).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, assert_never

from bthtn.engine.plan.failure import Failure
from bthtn.engine.plan.merge import merge_into
from bthtn.engine.plan.nodes import (
    BranchingNode,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    Suspension,
    TaskNode,
)
from bthtn.engine.plan.walk import Visit, children_of, unwound
from bthtn.engine.world.fluent import Fluent
from bthtn.engine.world.footprint import Footprint
from bthtn.engine.world.trail import WorkingState
from bthtn.records import record

R = TypeVar("R")
T = TypeVar("T")


@dataclass(slots=True)
class ProjectedPath:
    """The progress of a projection on one path through the plan.

    ``steps`` and ``elapsed`` (planned duration) count from the start of the projection,
    ``done`` has the footprints since the innermost branch began. After a suspension ``cause`` says
    why planning stopped there. ``failure`` is set when the path cannot be continued.
    """

    steps: int = 0
    elapsed: float = 0
    cause: Suspension | None = None
    failure: Failure | None = None
    done: list[Footprint] = field(default_factory=list)

    def fork(self) -> ProjectedPath:
        """A new path for a branch, which starts with the steps, time and cause of this one."""
        return ProjectedPath(self.steps, self.elapsed, self.cause, self.failure)


@record
class BranchEnd:
    """The end of one branch: its path, its footprint, and the values of the fluents it wrote."""

    path: ProjectedPath
    footprint: Footprint
    written: dict[Fluent[Any], Any]


class Projection:
    """Computes the state that a plan leads to. The effects of steps are those of planning.

    ``alternative`` is the number of steps before the innermost alternative of a priority node,
    None outside of any.
    """

    def __init__(self, state: WorkingState) -> None:
        self.state = state
        self.path = ProjectedPath()
        self.alternative: int | None = None

    @property
    def senses(self) -> bool:
        """Whether volatile fluents are known here: before the first step only (semantics 1.3)."""
        return self.path.steps == 0 and self.alternative is None

    def project(self, node: Node) -> None:
        """Project a part of the plan from the current state."""
        unwound(self.visit(node))

    def visit(self, node: Node) -> Visit[None]:
        """Project a part of the plan, as a generator for ``unwound``."""
        match node:
            case SequenceNode() | ScopeNode():
                return self.in_turn(self.below(node))
            case TaskNode():
                self.task(node)
                return _over()
            case ParallelNode() | PriorityNode():
                return self._branching(node)
            case SuspendedNode():
                return self.suspended(node)
            case NullNode():
                return _over()
            case _:
                assert_never(node)

    def _branching(self, node: BranchingNode) -> Visit[None]:
        yield self.branches(node, self.below(node), self.visit)

    def below(self, node: Node) -> Sequence[Node]:
        """The nodes directly below that are part of this projection."""
        return children_of(node)

    def in_turn(self, nodes: Sequence[Node]) -> Visit[None]:
        """Project nodes that follow each other."""
        for node in nodes:
            yield self.visit(node)

    def task(self, node: TaskNode) -> None:
        """Apply the effects of one step."""
        self.sense()
        self.write(self.effects(node))
        self.path.steps += 1
        self.path.elapsed += node.duration

    def effects(self, node: TaskNode) -> Footprint:
        """The footprint of a step in the current state."""
        return node.footprint

    def suspended(self, node: SuspendedNode) -> Visit[None]:
        """Apply the effects that a suspended part ensures."""
        yield from ()
        self.write(Footprint(node.reads, node.ensures))

    def branches(
        self, node: BranchingNode, parts: Iterable[T], visit: Callable[[T], Visit[R]]
    ) -> Visit[list[R]]:
        """Visit each branch from the current state, and join them. Returns the visits' results."""
        path, alternative = self.path, self.alternative
        if isinstance(node, PriorityNode):
            self.alternative = path.steps
        answers: list[R] = []
        ends: list[BranchEnd] = []
        for part in parts:
            mark = self.state.mark()
            self.path = path.fork()
            answers.append((yield visit(part)))
            written = self.state.written_since(mark)
            ends.append(BranchEnd(self.path, Footprint.in_turn(self.path.done), written))
            self.state.undo(mark)
        self.path = path
        self.sense()
        if ends:
            self.join(node, ends)
        self.alternative = alternative
        return answers

    def join(self, node: BranchingNode, ends: Sequence[BranchEnd]) -> None:
        """Merge the writes of all branches into the state; steps and time are the maximum."""
        branches = [(end.footprint, end.written) for end in ends]
        policy = node.policy if isinstance(node, ParallelNode) else None
        self.path.done.append(merge_into(self.state, branches, policy))
        self.path.steps = max(end.path.steps for end in ends)
        self.path.elapsed = max(end.path.elapsed for end in ends)
        causes = (end.path.cause for end in ends if end.path.cause is not None)
        self.path.cause = next(causes, None)

    def write(self, footprint: Footprint) -> None:
        for fluent, write in footprint.writes.items():
            self.state.apply(fluent, write)
        self.path.done.append(footprint)

    def sense(self) -> None:
        """Make volatile fluents known or unknown, before something is read."""
        self.state.foreseeable = self.senses


def _over() -> Visit[None]:
    """The visit of a node with nothing below it that is visited."""
    yield from ()
