"""Handover: a new plan takes over the running steps that it starts with.

    old   sequence ── [walk], shoot           walk is running
    new   sequence ──  walk, hide             not started
    then  sequence ── [walk], hide            the same leaf, and its operator, runs on

Only the tail is exchanged: nothing is aborted and nothing is started twice.

A running step has one operator, which must end exactly once: so its leaf itself moves to the new
plan, and keeps its number and its leases. Several running steps may have the same call, and a plan
may have it several times: the one below the same decompositions is preferred. A step inside a part
with a cleanup may move only to where this part is as well, or its cleanup would be lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.engine.agent.agent import Agent
from bthtn.engine.behaviours.decorated import PlanDecorated
from bthtn.engine.behaviours.parallel import PlanParallel
from bthtn.engine.behaviours.plan_behaviour import discard, postorder
from bthtn.engine.behaviours.plan_run import PlanRun, is_same_path
from bthtn.engine.behaviours.priority import PlanPriority
from bthtn.engine.behaviours.sequence import (
    PlanScope,
    PlanSequence,
    PlanWithCleanup,
    enclosing,
)
from bthtn.engine.behaviours.status import INVALID, RUNNING
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.plan.nodes import (
    Node,
    NullNode,
    ParallelNode,
    PriorityNode,
    ScopeNode,
    SequenceNode,
    SuspendedNode,
    TaskNode,
)
from bthtn.engine.plan.walk import children_of
from bthtn.engine.replanning.continuation import IsIdle
from bthtn.engine.world.expression import ALWAYS


def hand_over(
    old: list[Behaviour],
    new: Behaviour,
    run: PlanRun,
    leaves: Iterable[TaskLeaf],
    *,
    equivalent: bool = False,
    repairs: bool = False,
) -> Behaviour:
    """Move the running ``leaves`` below the old behaviours into the new one; return what to run.

    All belong to the ``run``. A step is moved where the new plan starts with the same task and
    arguments, by preference below the same decompositions; idle steps may stand before it. A part
    with an open cleanup around it has to have its place as well: the same task, arguments and
    decompositions, whose names may differ in ``equivalent`` plans. Where the new part ``repairs`` a
    plan, open parts go on whose place is the first in it, even if no step of theirs is moved. Steps
    without a place are aborted, the latest started first, and the old behaviours are discarded.
    """
    handover = _Handover(leaves, run, equivalent=equivalent)
    running = handover.place(new)
    if repairs and run.has_cleanups:
        parts = [node for part in old for node in postorder(part)]
        opened = (part for part in parts if isinstance(part, PlanWithCleanup))
        handover.move_cleanups(opened, _first_cleanups(new))
    for leaf in sorted(handover.waiting, key=lambda leaf: leaf.number, reverse=True):
        leaf.stop(INVALID)
    for part in reversed(old):
        if part not in handover.moved:
            if part.status is not INVALID:
                part.stop(INVALID)
            discard(part)
    return new if running is None else running


def begins_with_one_of(leaves: list[TaskLeaf], tree: Node, is_idle: IsIdle) -> bool:
    """Whether a plan begins with the task and arguments of one of these steps."""
    running = {(leaf.node.task, leaf.node.args) for leaf in leaves}
    strands: list[list[Node]] = [[tree]]
    while strands:
        strand = strands.pop()
        while strand:
            match node := strand.pop():
                case TaskNode():
                    if (node.task, node.args) in running:
                        return True
                    if not is_idle(node):
                        break
                case ParallelNode() | PriorityNode():
                    strands.extend([child] for child in node.children)
                    break
                case SuspendedNode():
                    break
                case ScopeNode() | SequenceNode():
                    strand.extend(reversed(children_of(node)))
                case NullNode():
                    pass
                case _:
                    assert_never(node)
    return False


def idle_for(agent: Agent[Any, Any]) -> IsIdle:
    """Return a test for steps that do nothing at all when the agent runs them."""

    def is_idle(node: TaskNode) -> bool:
        task = node.task
        acts = node.footprint.writes or task.actual or task.on_start or task.uses or node.duration
        if acts or task.exec_only is not ALWAYS or task.during is not ALWAYS:
            return False
        if agent.operators.find(task) is not None:
            return False
        return agent.operators.plan_hooks(task) == (None, None)

    return is_idle


class _Handover:
    """One handover: ``waiting`` are running steps without a new place, ``moved`` those with one."""

    def __init__(
        self,
        leaves: Iterable[TaskLeaf],
        run: PlanRun,
        *,
        equivalent: bool,
    ) -> None:
        self.waiting = list(leaves)
        self.moved: set[TaskLeaf] = set()
        self._run = run
        self._is_idle = idle_for(run.agent)
        self._equivalent = equivalent

    def place(self, node: Behaviour) -> Behaviour | None:
        """Move steps into the new node; the behaviour for its place, None if nothing was moved."""
        match node:
            case TaskLeaf():
                return self._move_to(node)
            case PlanSequence():
                return self._place_in_sequence(node)
            case PlanParallel():
                return self._place_in_parallel(node)
            case PlanPriority():
                return self._place_in_priority(node)
            case _:  # a part to be planned on arrival, or nothing to do: nothing can run on
                return None

    def move_cleanups(self, old: Iterable[PlanWithCleanup], new: Iterable[PlanWithCleanup]) -> None:
        """Open the parts of the new plan that stand for open ones of the old, and close those."""
        free = [part for part in new if not part.is_open]
        for part in old:
            if not part.is_open:
                continue
            match = next((other for other in free if self._is_same_part(part, other)), None)
            if match is not None:
                free.remove(match)
                match.is_open, part.is_open = True, False

    def _move_to(self, fresh: TaskLeaf) -> TaskLeaf | None:
        """Put the running leaf of the same step in the place of a fresh one."""
        same = [
            running
            for running in self.waiting
            if _is_same_call(running, fresh) and self._fits(running, fresh)
        ]
        if not same:
            return None
        leaf = same[0] if len(same) == 1 else _nearest(same, fresh)
        if self._run.has_cleanups:
            self._move_cleanups_around(leaf, fresh)
        for old in enclosing(leaf, PlanDecorated):
            for new in enclosing(fresh, PlanDecorated):
                if _is_same_call(old, new):
                    new.go_on_from(old)
        self.waiting.remove(leaf)
        self.moved.add(leaf)
        match leaf.parent:
            case PlanSequence() as above:
                above.let_go(leaf)
            case Behaviour() as above:
                above.children = [child for child in above.children if child is not leaf]
            case None:
                pass
        leaf.node, leaf.path, leaf.parent = fresh.node, fresh.path, None
        return leaf

    def _move_cleanups_around(self, leaf: TaskLeaf, fresh: TaskLeaf) -> None:
        new_parts = list(enclosing(fresh, PlanWithCleanup))
        self.move_cleanups(enclosing(leaf, PlanWithCleanup), new_parts)
        if leaf.is_at_work or leaf.is_aborting:  # else it has not been started yet
            for part in new_parts:
                part.is_open = True

    def _fits(self, leaf: TaskLeaf, fresh: TaskLeaf) -> bool:
        """Whether every open cleanup around a running step is there around the fresh one."""
        return not self._run.has_cleanups or all(
            any(self._is_same_part(part, new) for new in enclosing(fresh, PlanWithCleanup))
            for part in enclosing(leaf, PlanWithCleanup)
            if part.is_open
        )

    def _is_same_part(self, old: PlanWithCleanup, new: PlanWithCleanup) -> bool:
        return _is_same_call(old, new) and (self._equivalent or is_same_path(old.path, new.path))

    def _place_in_sequence(self, node: PlanSequence) -> Behaviour | None:
        for index, child in enumerate(node.children):
            running = self.place(child)
            if running is not None:
                node.go_on_at(index, running)
                return node
            if not self._is_passed_over(child):
                return None
        return None

    def _is_passed_over(self, node: Behaviour) -> bool:
        """Whether a step that runs on may stand behind a node: all of its steps are idle."""
        if isinstance(node, PlanScope):
            return all(map(self._is_passed_over, node.children))
        return isinstance(node, TaskLeaf) and self._is_idle(node.node)

    def _place_in_parallel(self, node: PlanParallel) -> Behaviour | None:
        for index, child in enumerate(node.children):
            running = self.place(child)
            if running is not None:
                _go_on_at(node, index, running)
        return node if node.status is RUNNING else None

    def _place_in_priority(self, node: PlanPriority) -> Behaviour | None:
        for index, child in enumerate(node.children):
            running = self.place(child)
            if running is not None:
                _go_on_at(node, index, running)
                return node
        return None


Part = TaskLeaf | PlanWithCleanup | PlanDecorated


def _is_same_call(old: Part, new: Part) -> bool:
    return old.node.task is new.node.task and old.node.args == new.node.args


def _nearest(same: list[TaskLeaf], fresh: TaskLeaf) -> TaskLeaf:
    """The first of these steps below the same decompositions as another; else just the first."""
    return next((leaf for leaf in same if is_same_path(leaf.path, fresh.path)), same[0])


def _go_on_at(node: PlanParallel | PlanPriority, index: int, child: Behaviour) -> None:
    node.children[index] = child
    child.parent = node
    node.current_child, node.status = child, RUNNING


def _first_cleanups(subtree: Behaviour) -> list[PlanWithCleanup]:
    """The parts with a cleanup in which the first steps of a plan stand, inner ones first."""
    found: list[PlanWithCleanup] = []
    pending = [subtree]
    while pending:
        node = pending.pop()
        match node:
            case PlanSequence():
                found += [node] if isinstance(node, PlanWithCleanup) else []
                pending += [node.current_child] if node.current_child else node.children[:1]
            case PlanParallel():
                pending.extend(node.children)
            case PlanPriority(status=Status.RUNNING, current_child=Behaviour() as chosen):
                pending.append(chosen)
            case PlanPriority():
                pending.extend(node.children[:1])
            case _:
                pass
    return found[::-1]
