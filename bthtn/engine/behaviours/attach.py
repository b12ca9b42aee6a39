"""``attach``: a BehaviourTree begins the ticks of an agent, and ends its operators."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

from py_trees.common import Status
from py_trees.trees import BehaviourTree

from bthtn.checked import checked
from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.reentrance import at_work, in_the_middle, is_at_work, work
from bthtn.engine.agent.runtime import runtime_of
from bthtn.errors import ExecutionError


@checked
def attach(tree: BehaviourTree, agent: Agent[Any, Any]) -> Callable[[], None]:
    """Let a tree take care of an agent; called once for each agent that has goals in the tree.

    Every ``tree.tick()`` begins with ``agent.sense()``, after the pre-tick handlers that the tree
    has already: aborts go on whichever branch runs, and sensors are read. ``tree.shutdown()``
    first stops the tree if anything in it runs, and at the end closes the agent.

    Returns a function that detaches the agent, and then does nothing. Raises ExecutionError for
    an agent that is attached to a tree.
    """
    runtime = runtime_of(agent)
    if runtime.is_attached:
        message = f"agent '{agent.name}' is attached to a tree already"
        hint = "attach it once; before it moves to another tree, call what attach has returned"
        raise ExecutionError("BT314", message, hint=hint)
    return _Attached(tree, agent).detach


def attached_to(tree: BehaviourTree) -> list[Agent[Any, Any]] | None:
    """The agents that are attached to a tree; None if anything else happens in its ticks."""
    handlers = (*tree.pre_tick_handlers, *tree.post_tick_handlers)
    ties = [getattr(handler, "__self__", None) for handler in handlers]
    agents = [tie.agent for tie in ties if isinstance(tie, _Attached)]
    return agents if len(agents) == len(handlers) else None


class _Attached:
    """The tie between a tree and an agent: the tree's tick and shutdown, with the agent's."""

    def __init__(self, tree: BehaviourTree, agent: Agent[Any, Any]) -> None:
        self.agent = agent
        self._tree = tree
        self._runtime = runtime_of(agent)
        self._runtime.is_attached = self._is_attached = True
        self._is_to_end = False
        tree.add_pre_tick_handler(self._sense)
        # py_trees calls nothing when a tree is shut down, but its behaviours, which may be any.
        self._tick, self._shut_down = tree.tick, tree.shutdown
        tree.tick = self.tick  # type: ignore[method-assign]  # of this tree alone
        tree.shutdown = self.shutdown  # type: ignore[method-assign]  # of this tree alone

    def tick(self, *handlers: Any, **named: Any) -> None:
        """Tick the tree, and shut it down at the end if that was asked for in the middle."""
        if self._is_ticked:
            raise in_the_middle(f"the tree of agent '{self.agent.name}' is ticked")
        self._refuse_at_work("is ticked")
        self._is_to_end = False
        self._runtime.at_work = None  # nothing is, as was seen; an interrupt can leave it behind
        self._runtime.is_ticked = True
        try:
            self._tick_once(*handlers, **named)
        except BaseException:
            self._end_orphans()
            raise
        finally:
            self._runtime.is_ticked = False
            if self._is_to_end:
                self.shutdown()

    @property
    def _is_ticked(self) -> bool:
        return self._runtime.is_ticked and any(worker is self for worker, _ in at_work())

    @work
    def _tick_once(self, *handlers: Any, **named: Any) -> None:
        tree = self._tree
        if tree.visitors or handlers or named or type(tree) is not BehaviourTree:
            self._tick(*handlers, **named)
            return
        # The same, without going through all nodes for no visitor: a tenth of a quiet tick.
        for handler in tree.pre_tick_handlers:
            handler(tree)
        for _ in tree.root.tick():
            pass
        for handler in tree.post_tick_handlers:
            handler(tree)
        tree.count += 1

    def _end_orphans(self) -> None:
        """End what runs below a node that does not, since what was raised has left its tick.

        Whoever stops the tree would not reach it: py_trees stops no node that has not begun.
        """
        for node in list(self._tree.root.iterate()):
            is_below = node.parent is not None and node.parent.status is not Status.RUNNING
            if is_below and node.status is Status.RUNNING:
                node.stop(Status.INVALID)

    def shutdown(self) -> None:
        """Shut the tree down and close the agent; in the middle of a tick, at its end."""
        if not self._is_attached:
            self._shut_down()
            return
        if self._is_ticked:
            self._is_to_end = True
            return
        self._refuse_at_work("is shut down")
        self._runtime.thread = get_ident()  # the one that has ticked the tree may be over
        try:
            if any(node.status is Status.RUNNING for node in self._tree.root.iterate()):
                self._tree.root.stop(Status.INVALID)
            self._shut_down()
        finally:
            self.agent.close()

    def detach(self) -> None:
        """Let the tree take care of the agent no more."""
        if self._is_attached:
            self._runtime.is_attached = self._is_attached = False
            self._tree.pre_tick_handlers.remove(self._sense)

    def _sense(self, _: BehaviourTree) -> None:
        self.agent.sense()

    def _refuse_at_work(self, what: str) -> None:
        """Raise ExecutionError where something of the agent is ticked or stopped."""
        if is_at_work(self.agent):
            raise in_the_middle(f"the tree of agent '{self.agent.name}' {what}")
