"""Wait: what a node of a tree waits for, as it says itself when it is asked after a tick."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Final, NamedTuple

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from bthtn.engine.agent.clock import Clock


class Wait(NamedTuple):
    """What the next tick of a node waits for, as long as nothing changes.

    Before so many ``seconds`` of the ``clock`` have passed since the latest tick, it does nothing
    but tick the nodes ``below``, and has the same status again. To name more nodes there than it
    ticks is safe: no wait gets longer by it.
    """

    seconds: float = inf
    below: Iterable[Behaviour] = ()
    clock: Clock | None = None


AT_ONCE: Final = Wait(0)
"""The next tick may do something, or what it does depends on the number of ticks."""


def in_order(node: Composite, *, memory: bool) -> Wait:
    """A sequence or selector waits for the child that decided, and those that it ticks before."""
    current = node.current_child
    if current is None:
        return Wait(below=node.children)
    if memory and node.status is Status.RUNNING:
        return Wait(below=(current,))
    return Wait(below=node.children[: node.children.index(current) + 1])
