"""The rest of a running plan: its tree as it is now, and which of its steps are over.

Suspended parts that were planned on arrival are replaced by their plans, and alternatives that
have failed are dropped. All other nodes are the same nodes, those that are over too: what has
begun is not asked for its condition again, and the record stays that of the whole plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Final

from bthtn.domain.network import ParallelPolicy
from bthtn.plan.nodes import (
    Dropped,
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.plan.walk import Visit, leaves, node_text, unwound
from bthtn.replanning.progress import Progress, Stage


@dataclass(frozen=True, eq=False)
class Rest:
    """What is left of a plan: the tree without the steps that are ``over``."""

    tree: Node
    over: frozenset[TaskNode] = frozenset()
    running: frozenset[TaskNode] = frozenset()

    @cached_property
    def begun(self) -> frozenset[Node]:
        """The nodes in which something has happened."""
        return self.progress().begun()

    def progress(self, tree: Node | None = None) -> Progress:
        """How far a plan with this tree has come, of which these steps are over, or running."""
        tree = self.tree if tree is None else tree
        return Progress(tree, {node: self._stage(node) for node in leaves(tree)})

    def _stage(self, node: TaskNode) -> Stage:
        if node in self.over:
            return Stage.FINISHED
        return Stage.RUNNING if node in self.running else Stage.AHEAD


def rest_of(progress: Progress) -> Rest | None:
    """What is left of a running plan, None where it cannot be told which alternative runs."""
    left = _Left(progress)
    try:
        part: _Part = unwound(left.node(progress.tree))
    except _UnclearError:
        return None
    running = (node for node, stage in progress.stages.items() if stage is Stage.RUNNING)
    return Rest(part.node, frozenset(left.over), frozenset(running))


class _UnclearError(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Part:
    """A node as it is now; whether all of it, or something, is over, and whether it failed."""

    node: Node
    done: bool = False
    begun: bool = False
    failed: bool = False
    running: bool = False


_OF_STAGE: Final = MappingProxyType(
    {
        Stage.AHEAD: (False, False, False, False),
        Stage.RUNNING: (False, True, False, True),
        Stage.FINISHED: (True, True, False, False),
        Stage.FAILED: (False, True, True, False),
    }
)


class _Left:
    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.over: set[TaskNode] = set()

    def node(self, node: Node) -> Visit[_Part]:
        """A node as it is now."""
        if isinstance(node, TaskNode):
            stage = self._progress.stage(node)
            if stage is Stage.FINISHED:
                self.over.add(node)
            return _Part(node, *_OF_STAGE[stage])
        below: list[_Part] = []
        for child in self._progress.below(node):
            part: _Part = yield self.node(child)
            below.append(part)
        whole = self._whole(node, below)
        if whole.done and not isinstance(node, SequenceNode | ScopeNode):
            self.over.update(leaves(whole.node))  # also those that were aborted, or never needed
        return whole

    def _whole(self, node: Node, below: list[_Part]) -> _Part:
        begun = any(part.begun for part in below)
        running = any(part.running for part in below)
        failed = any(part.failed for part in below)
        match node:
            case NullNode():
                return _Part(node, done=True)
            case SuspendedNode():
                return replace(below[0], begun=True) if below else _Part(node)
            case PriorityNode():
                return self._priority(node, below)
            case ParallelNode():
                done = _is_over(node, below)
                return _Part(_with(node, below), done, begun, failed and not done, running)
            case _:
                done = all(part.done for part in below)
                return _Part(_with(node, below), done, begun, failed, running)

    def _priority(self, node: PriorityNode, below: list[_Part]) -> _Part:
        """The alternatives that may still run."""
        begun, running = any(one.begun for one in below), any(one.running for one in below)
        past = self._progress.passed.get(node)
        if past is not None:
            failed = below[past].failed
            return _Part(_behind(node, below, past), begun=True, failed=failed, running=running)
        if not begun or (node.reactive and running):
            return _Part(_with(node, below), begun=begun, running=running)
        chosen = next((part for part in below if not part.failed), None)
        if chosen is not None and not (chosen.done and chosen.begun):
            raise _UnclearError
        done = chosen is not None
        return _Part(_with(node, below), done=done, begun=True, failed=not done)


def _is_over(node: ParallelNode, below: Sequence[_Part]) -> bool:
    match node.policy:
        case ParallelPolicy.ALL:
            return all(part.done for part in below)
        case ParallelPolicy.ANY:
            return any(part.done and part.begun for part in below)
        case ParallelPolicy.PRIMARY:
            return below[0].done and below[0].begun


def _with(node: Node, below: Sequence[_Part]) -> Node:
    """The node with its children as they are now."""
    children = tuple(part.node for part in below)
    match node:
        case ScopeNode():
            return node if children[0] is node.child else replace(node, child=children[0])
        case SequenceNode() | ParallelNode() | PriorityNode():
            same = all(one is other for one, other in zip(children, node.children, strict=True))
            return node if same else replace(node, children=children)
        case _:
            raise AssertionError(f"nothing is below {node}")


def _behind(node: PriorityNode, below: Sequence[_Part], past: int) -> PriorityNode:
    """The node without its first alternatives, which have failed."""
    failed = zip(node.kept[:past], node.children, strict=False)
    gone = [Dropped(place, node_text(child), "it has failed") for place, child in failed]
    dropped = sorted((*node.dropped, *gone), key=lambda one: one.alternative)
    children = tuple(part.node for part in below[past:])
    return replace(node, children=children, kept=node.kept[past:], dropped=tuple(dropped))
