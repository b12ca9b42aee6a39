"""Carrying: a new plan takes over the running steps that it begins with.

    old   sequence ── [walk], shoot           walk runs
    new   sequence ──  walk, hide             not started
    then  sequence ── [walk], hide            the very same leaf, and its operator, runs on

Only the tail is exchanged: nothing is aborted and nothing started twice.
"""

from __future__ import annotations

from collections.abc import Iterable

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.agent.operators import Operators
from bthtn.behaviours.parallel import PlanParallel
from bthtn.behaviours.priority import PlanPriority
from bthtn.behaviours.run import is_same_path
from bthtn.behaviours.sequence import PlanSequence, PlanWithCleanup, discard, enclosing_cleanups
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.plan.nodes import TaskNode
from bthtn.replanning.same_course import IsIdle
from bthtn.world.expression import ALWAYS


class Carrying:
    """Puts running steps into a new subtree, and ends those for which there is no place.

    A step fits where the new plan begins with the same task, arguments and decompositions. On
    the ``same_course`` the names of decompositions do not matter. Steps that are idle may stand
    before it. Parts that are cleaned up after go on where a step of theirs does; all of them, if
    the new plan ``mends`` the old one.
    """

    def __init__(
        self, old: Behaviour, is_idle: IsIdle, *, same_course: bool, mends: bool = False
    ) -> None:
        self._old = old
        self._is_idle = is_idle
        self._same_course = same_course
        self._mends = mends
        self._waiting = running_leaves(old)
        self._carried: set[TaskLeaf] = set()

    def into(self, new: Behaviour) -> Behaviour:
        """The new subtree, running where something could be carried over; the old one is gone."""
        put = self._place(new)
        if self._mends:
            old = (node for node in self._old.iterate() if isinstance(node, PlanWithCleanup))
            self._hand_over(old, _guarded_at_once(new))
        for leaf in sorted(self._waiting, key=lambda leaf: leaf.number, reverse=True):
            leaf.stop(Status.INVALID)
        if self._old not in self._carried:
            self._old.stop(Status.INVALID)
            discard(self._old)
        return new if put is None else put

    def _place(self, node: Behaviour) -> Behaviour | None:
        """What takes the node's place, where something that runs was carried to; None if not."""
        match node:
            case TaskLeaf():
                return self._taken_over(node)
            case PlanSequence():
                return self._into_sequence(node)
            case PlanParallel():
                return self._into_parallel(node)
            case PlanPriority():
                return self._into_priority(node)
            case _:
                return None

    def _taken_over(self, fresh: TaskLeaf) -> TaskLeaf | None:
        leaf = next((one for one in self._waiting if self._fits(one, fresh)), None)
        if leaf is None:
            return None
        new_parts = list(enclosing_cleanups(fresh))
        self._hand_over(enclosing_cleanups(leaf), new_parts)
        if leaf.is_at_work or leaf.is_giving_up:  # else it only waits for its start
            for part in new_parts:
                part.is_open = True
        self._waiting.remove(leaf)
        self._carried.add(leaf)
        match leaf.parent:
            case PlanSequence() as above:
                above.let_go(leaf)
            case Behaviour() as above:
                above.children = [child for child in above.children if child is not leaf]
            case _:
                pass
        leaf.node, leaf.path, leaf.parent = fresh.node, fresh.path, None
        discard(fresh)
        return leaf

    def _hand_over(self, old: Iterable[PlanWithCleanup], new: Iterable[PlanWithCleanup]) -> None:
        """Open the parts of the new plan that stand for open ones of the old, and close those."""
        free = [part for part in new if not part.is_open]
        for part in old:
            if not part.is_open:
                continue
            heir = next((one for one in free if self._is_same_part(part, one)), None)
            if heir is not None:
                free.remove(heir)
                heir.is_open, part.is_open = True, False

    def _is_same_part(self, one: PlanWithCleanup, other: PlanWithCleanup) -> bool:
        same = one.node.task is other.node.task and one.node.args == other.node.args
        return same and (self._same_course or is_same_path(one.path, other.path))

    def _fits(self, leaf: TaskLeaf, fresh: TaskLeaf) -> bool:
        same = leaf.node.task is fresh.node.task and leaf.node.args == fresh.node.args
        return same and (self._same_course or is_same_path(leaf.path, fresh.path))

    def _into_sequence(self, node: PlanSequence) -> Behaviour | None:
        for index, child in enumerate(node.children):
            put = self._place(child)
            if put is not None:
                node.go_on_at(index, put)
                return node
            if not (isinstance(child, TaskLeaf) and self._is_idle(child.node)):
                return None
        return None

    def _into_parallel(self, node: PlanParallel) -> Behaviour | None:
        for index, child in enumerate(node.children):
            put = self._place(child)
            if put is not None:
                _go_on(node, index, put)
        return node if node.status is Status.RUNNING else None

    def _into_priority(self, node: PlanPriority) -> Behaviour | None:
        for index, child in enumerate(node.children):
            put = self._place(child)
            if put is not None:
                _go_on(node, index, put)
                return node
        return None


def idle_for(operators: Operators) -> IsIdle:
    """Which steps do nothing at all, for somebody with these operators."""

    def is_idle(node: TaskNode) -> bool:
        task = node.task
        asks = task.exec_only is not ALWAYS or task.during is not ALWAYS
        acts = node.footprint.writes or task.actual or task.on_start or task.uses or node.duration
        hooked = operators.plan_hooks(task) != (None, None)
        return not (asks or acts or hooked) and operators.find(task) is None

    return is_idle


def _go_on(node: PlanParallel | PlanPriority, index: int, child: Behaviour) -> None:
    node.children[index] = child
    child.parent = node
    node.current_child, node.status = child, Status.RUNNING


def _guarded_at_once(subtree: Behaviour) -> list[PlanWithCleanup]:
    """The parts that are cleaned up after and ticked first, inner ones first."""
    found: list[PlanWithCleanup] = []
    pending = [subtree]
    while pending:
        node = pending.pop()
        match node:
            case PlanSequence():
                found += [node] if isinstance(node, PlanWithCleanup) else []
                pending.extend(node.ahead[:1])
            case PlanParallel():
                pending.extend(node.children)
            case PlanPriority(status=Status.RUNNING, current_child=Behaviour() as chosen):
                pending.append(chosen)
            case PlanPriority():
                pending.extend(node.children[:1])
            case _:
                pass
    return found[::-1]


def running_leaves(subtree: Behaviour) -> list[TaskLeaf]:
    """The steps of a plan that run, left to right."""
    found: list[TaskLeaf] = []
    pending = [subtree]
    while pending:
        node = pending.pop()
        if isinstance(node, TaskLeaf):
            found += [node] if node.status is Status.RUNNING else []
        else:
            pending.extend(reversed(node.children))
    return found
