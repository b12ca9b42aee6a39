"""Draws a py_trees tree in dot: the user's nodes, and the plans mounted below them."""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bthtn.kit.recording.snapshot import Snapshot, Snapshots
from bthtn.studio.views.dot import Drawing


def behaviour_dot(
    root: Behaviour, *, title: str = "", status: bool = False, legend: bool = False
) -> str:
    """The tree in dot, with a node for each compound task of the plans in it.

    With ``status``, each node has the sign and colours of its status; nodes that were aborted
    differ from those that never ran, and steps that failed or were refused say why.
    """
    return snapshot_dot(Snapshots(root).whole(), title=title, status=status, legend=legend)


def snapshot_dot(
    tree: Snapshot, *, title: str = "", status: bool = True, legend: bool = False
) -> str:
    """A tree of ``Snapshots`` in dot, as ``behaviour_dot`` draws it."""
    drawing = Drawing(title)
    pending: list[tuple[Snapshot, str, str]] = [(tree, "", "")]
    while pending:
        node, above, label = pending.pop()
        name = _draw_node(drawing, node, node["status"] if status else "")
        if above:
            drawing.edge(above, name, kind=node["edge"], label=label)
        for number, child in reversed(list(enumerate(node["children"], 1))):
            pending.append((child, name, str(number) if child["edge"] == "choice" else ""))
    return drawing.text(legend=legend)


def _draw_node(drawing: Drawing, node: Snapshot, status: str) -> str:
    message, below, tooltip = node["message"], node["below"], node["tooltip"]
    if status == Status.FAILURE.name and (node["kind"] == "suspended" or "path" in node):
        below = message  # a step or a part that was to be planned says why
    if message:
        tooltip = f"{tooltip}; {message}"
    return drawing.node(node["kind"], node["name"], below=below, tooltip=tooltip, status=status)
