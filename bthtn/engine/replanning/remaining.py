"""RemainingProjection: the state that the rest of a running plan leads to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bthtn.engine.domain.effect import writes_of
from bthtn.engine.domain.task import PrimitiveTask
from bthtn.engine.plan.nodes import Node, SuspendedNode, TaskNode
from bthtn.engine.plan.projection import Projection
from bthtn.engine.plan.walk import Visit
from bthtn.engine.replanning.rest import INVALID, RUNNING, Rest
from bthtn.engine.world.expression import Binding, StateView
from bthtn.engine.world.fluent import Fluent, UnknownRead
from bthtn.engine.world.footprint import Footprint, Write, WriteKind
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import UNKNOWN, Unknown


class RemainingProjection(Projection):
    """Computes the state that the rest of a running plan leads to.

    Finished nodes are skipped. Effects of steps ahead are computed again, and are unknown if they
    depend on unknown fluents. Preconditions are not checked. ``runs`` is true while a running
    step is projected, and ``is_ahead`` where nothing has begun.
    """

    def __init__(self, rest: Rest, state: WorkingState) -> None:
        super().__init__(state)
        self.rest = rest
        self.runs = False
        self.is_ahead = False

    def below(self, node: Node) -> Sequence[Node]:
        """The nodes directly below that have not ended."""
        return self.rest.below(node)

    def in_turn(self, nodes: Sequence[Node]) -> Visit[None]:
        """Project what is left of nodes that follow each other, up to the end of the path."""
        path, was_ahead = self.path, self.is_ahead
        if not was_ahead:
            last = self.rest.last_begun(nodes)
            if last >= 0:
                begun = nodes[last]
                if isinstance(begun, TaskNode):
                    self.task(begun)
                else:
                    yield self.visit(begun)
            nodes, self.is_ahead = nodes[last + 1 :], True
        for node in nodes:
            if path.failure is not None or path.cause is not None:
                break
            if isinstance(node, TaskNode):  # as most are
                self.task(node)
            else:
                yield self.visit(node)
        self.is_ahead = was_ahead

    def task(self, node: TaskNode) -> None:
        """Apply the effects of a step that has not ended."""
        status = INVALID if self.is_ahead else self.rest.status(node)
        if status is not RUNNING and status is not INVALID:
            return
        self.runs = status is RUNNING
        super().task(node)
        self.runs = False

    def sense(self) -> None:
        """Make volatile fluents known or unknown; they are known for a running step."""
        self.state.foreseeable = self.runs or self.senses

    def effects(self, node: TaskNode) -> Footprint:
        """The footprint of the step: computed again, or the planned one if it is running."""
        if self.runs:
            # It may have changed the fluents from which its effects are computed.
            return node.footprint
        return Footprint(node.footprint.reads, self.writes(node), node.footprint.uses)

    def writes(self, node: TaskNode) -> Mapping[Fluent[Any], Write]:
        """The writes of a step that starts in the current state."""
        found = writes_of_call(node.task, node.args, self.state)
        return unknown_writes(node) if found is UNKNOWN else found

    def suspended(self, node: SuspendedNode) -> Visit[None]:
        """Project the tree that was planned for the part on arrival, or the effects it ensures."""
        if self.rest.plan_of(node) is not None:
            yield self.in_turn(self.below(node))
        else:
            yield super().suspended(node)


def writes_of_call(
    task: PrimitiveTask[...], args: Binding, view: StateView
) -> Mapping[Fluent[Any], Write] | Unknown:
    """The writes of a step that starts in this state; unknown if one is not certain."""
    try:
        return writes_of((*task.effects, *task.expected), view, args)
    except UnknownRead:
        return UNKNOWN


def unknown_writes(node: TaskNode) -> Mapping[Fluent[Any], Write]:
    """Unknown values for all that a step was planned to write."""
    return dict.fromkeys(node.footprint.writes, Write(WriteKind.COMPUTED, UNKNOWN))
