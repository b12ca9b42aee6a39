"""``attach``: a BehaviourTree begins the ticks of an agent, and ends its operators."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

from py_trees.common import Status
from py_trees.trees import BehaviourTree

from bthtn.agent.agent import Agent
from bthtn.agent.runtime import runtime_of
from bthtn.checked import checked
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
    runtime.is_attached = is_attached = True
    shut_down = tree.shutdown

    def sense(_: BehaviourTree) -> None:
        agent.sense()

    def shutdown() -> None:
        if not is_attached:
            shut_down()
            return
        runtime.thread = get_ident()  # the one that has ticked the tree may be over
        try:
            if any(node.status is Status.RUNNING for node in tree.root.iterate()):
                tree.root.stop(Status.INVALID)
            shut_down()
        finally:
            agent.close()

    def detach() -> None:
        nonlocal is_attached
        if is_attached:
            runtime.is_attached = is_attached = False
            tree.pre_tick_handlers.remove(sense)

    tree.add_pre_tick_handler(sense)
    # py_trees calls nothing when a tree is shut down, but its behaviours, which may be any.
    tree.shutdown = shutdown  # type: ignore[method-assign]  # of this tree alone
    return detach
