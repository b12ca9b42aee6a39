"""Draws a py_trees tree in dot: the user's nodes, and the plans mounted below them."""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.behaviours.suspended import Suspended
from bthtn.behaviours.task_leaf import TaskLeaf
from bthtn.views.appearance import appearance, edge_kind, status_of, tooltip_of
from bthtn.views.dot import Drawing


def behaviour_dot(
    root: Behaviour, *, title: str = "", status: bool = False, legend: bool = False
) -> str:
    """The tree in dot, with a node for each compound task of the plans in it.

    With ``status``, each node has the sign and colours of its status; nodes that were aborted
    differ from those that never ran, and steps that failed or were refused say why.
    """
    drawing = Drawing(title)
    pending: list[tuple[Behaviour, str, str, str]] = [(root, "", "", "")]
    while pending:
        node, above, kind, label = pending.pop()
        name = _draw_node(drawing, node, status_of(node) if status else "")
        if above:
            drawing.edge(above, name, kind=kind, label=label)
        below = edge_kind(node)
        for number, child in reversed(list(enumerate(node.children, 1))):
            pending.append((child, name, below, str(number) if below == "choice" else ""))
    return drawing.text(legend=legend)


def _draw_node(drawing: Drawing, node: Behaviour, status: str) -> str:
    kind, label, below = appearance(node)
    if status == Status.FAILURE.name and isinstance(node, TaskLeaf | Suspended):
        below = node.feedback_message
    tooltip = tooltip_of(node)
    if node.feedback_message:
        tooltip = f"{tooltip}; {node.feedback_message}"
    return drawing.node(kind, label, below=below, tooltip=tooltip, status=status)
