"""tick_by_timer: a tree that is ticked by the timer of a node, and published."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.trees import BehaviourTree

from bthtn.checked import checked
from bthtn.kit.ros.protocols import Node, demand, demand_positive


@checked
def tick_by_timer(
    tree: BehaviourTree,
    node: Node,
    *,
    period_ms: float = 100,
    snapshots: Callable[..., Any] | None = None,
    topic: str = "~/snapshots",
    qos: Any = 1,
) -> Callable[[], object]:
    """Tick a tree in a timer of a node. Returns a function that ends that.

    The tree is then left as it is, to be stopped and shut down. The period is one of the node's
    clock, so that with simulated time the tree stands still when the simulation does. With
    ``snapshots=String``, the class of std_msgs or another one with a text ``data``, the tree is
    published as text, a behaviour a line, after each tick that has changed it. Raises
    ExecutionError for what is no node, and for a period that is not above zero.
    """
    demand(node, Node, "give it the node: tick_by_timer(tree, node)")
    demand_positive("period_ms", period_ms)
    publisher = node.create_publisher(snapshots, topic, qos) if snapshots is not None else None
    published = ""

    def tick() -> None:
        nonlocal published
        tree.tick()
        if publisher is None or snapshots is None:
            return
        shown = _text(tree.root)
        if shown != published:
            published = shown
            publisher.publish(snapshots(data=shown))

    timer = node.create_timer(period_ms / 1000, tick)
    return lambda: node.destroy_timer(timer)


def _text(root: Behaviour) -> str:
    """A line for each behaviour: its name, status, and feedback message."""
    lines = []
    left = [(root, 0)]
    while left:
        node, depth = left.pop()
        told = f" ({node.feedback_message})" if node.feedback_message else ""
        lines.append(f"{'  ' * depth}{node.name}: {node.status.name}{told}")
        left += [(child, depth + 1) for child in reversed(node.children)]
    return "\n".join(lines)
