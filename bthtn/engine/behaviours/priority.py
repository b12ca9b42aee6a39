"""PlanPriority: alternatives, one of which is chosen when execution gets there."""

from __future__ import annotations

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector

from bthtn.engine.behaviours.interruptible import interruptible
from bthtn.engine.behaviours.plan_behaviour import PlanComposite, reset
from bthtn.engine.behaviours.plan_run import PlanRun
from bthtn.engine.behaviours.status import FAILURE, INVALID, RUNNING, SUCCESS
from bthtn.engine.behaviours.wait import AT_ONCE, Wait
from bthtn.engine.plan.nodes import PriorityNode


class PlanPriority(PlanComposite, Selector):
    """The first planned alternative that works in the actual state (semantics 2.4).

    It is chosen on arrival and kept while it runs; when it fails, the next one is tried. A
    reactive priority tries the earlier alternatives again at every tick. The running one is
    aborted for the first of them that does not fail: before a step of that one starts, once its
    conditions hold. Two exceptions: while an uninterruptible step runs, none is tried; and one
    that has had another aborted and failed at once is not tried again while that one runs.

    Alternatives that have failed keep that status until they are tried again or the node starts
    anew, so that displays show the refused ones; py_trees' selector resets them at every tick.
    """

    def __init__(self, node: PriorityNode, children: list[Behaviour], run: PlanRun) -> None:
        super().__init__(children)
        self.memory = not node.reactive
        self.node = node
        self._in_vain: list[Behaviour] = []
        run.has_reactive_choices |= node.reactive

    @property
    def gone(self) -> range:
        """The alternatives that have failed and are not tried again in this run."""
        chosen = self.current_child
        if not self.memory or self.status is not RUNNING or chosen is None:
            return range(0)
        return range(self.children.index(chosen))

    @property
    def is_tried_again(self) -> bool:
        """Whether an alternative has failed, and another one was begun."""
        failed = (child for child in self.children if child.status is FAILURE)
        return self.status is RUNNING and next(failed, None) is not None

    def tick(self) -> Iterator[Behaviour]:
        """Tick the alternatives, or only the one that must not be interrupted."""
        running = self.current_child if self.status is RUNNING else None
        if running is None:
            self._begin()
            yield from self._try(self.children)
        elif self.memory:
            yield from self._try(self.children[self.children.index(running) :], running)
        elif interruptible(running):
            tried = [child for child in self.children if child not in self._in_vain]
            yield from self._try(tried, running)
        else:
            yield from running.tick()
            # After a failure the others are tried in the next tick. In this one, a step of theirs
            # would be reported as refused although it was not even due.
            if running.status is SUCCESS:
                self.stop(SUCCESS)
            yield self

    def waits(self) -> Wait:
        """For the chosen alternative. Earlier ones of a reactive choice are tried in every tick."""
        chosen = self.current_child
        if chosen is None or not (self.memory or chosen is self.children[0]):
            return AT_ONCE
        return Wait(below=(chosen,))

    def _begin(self) -> None:
        """Start a run; RUNNING, so that an end in the same tick is one."""
        self.status, self.feedback_message = RUNNING, ""
        self.current_child, self._in_vain = self.children[0], []
        reset(self.children)

    def _try(
        self, alternatives: list[Behaviour], running: Behaviour | None = None
    ) -> Iterator[Behaviour]:
        """Try alternatives in order; a step that starts has aborted the running one before."""
        for child in alternatives:
            yield from child.tick()
            if child.status in (RUNNING, SUCCESS):
                self._choose(child)
                break
            if running is not None and running is not child and running.status is not RUNNING:
                self._in_vain.append(child)
        else:
            self.current_child = self.children[-1]
            self.stop(FAILURE)
        yield self

    def _choose(self, child: Behaviour) -> None:
        if child is not self.current_child:
            self._in_vain = []
        self.current_child = child
        for later in self.children[self.children.index(child) + 1 :]:
            if later.status is RUNNING:
                later.stop(INVALID)
        if child.status is SUCCESS:
            self.stop(SUCCESS)
