"""In the middle: no node of a tree is ticked in the middle of a tick of the same tree."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from py_trees.behaviour import Behaviour

from bthtn.engine.agent.agent import Agent
from bthtn.engine.agent.reentrance import at_work, in_the_middle
from bthtn.engine.agent.runtime import runtime_of


def refuse_inside(node: Behaviour, agent: Agent[Any, Any]) -> None:
    """Raise ExecutionError where a node is ticked by code of its own agent that the tree runs.

    What is inside of a step is ticked in the middle of a tick of the goal above.
    """
    above: list[Behaviour] = []
    root = node
    while root.parent is not None:
        root = root.parent
        above.append(root)
    for worker, method in at_work(but_one=True):
        is_of_tree = isinstance(worker, Behaviour) and _root_of(worker) is root
        if method == "tick" and worker in above:
            continue
        if worker is agent or (is_of_tree and getattr(worker, "agent", None) is agent):
            raise in_the_middle(f"'{node.name}' is ticked")


def at_work_in(node: Behaviour, agent: Agent[Any, Any]) -> AbstractContextManager[None]:
    """Within the ``with``, the agent knows that a node is at work, which must be none already."""
    runtime = runtime_of(agent)
    if runtime.at_work is not None:
        refuse_inside(node, agent)
    return runtime.working(node)


def _root_of(node: Behaviour) -> Behaviour:
    while node.parent is not None:
        node = node.parent
    return node
