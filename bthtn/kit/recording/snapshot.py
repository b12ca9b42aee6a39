"""A running tree as plain data for JSON: the whole tree once, and then its changes.

    snapshots = Snapshots(root)
    root.tick_once()
    tree = updated(None, snapshots.change())
    root.tick_once()
    tree = updated(tree, snapshots.change())

A node is a dictionary: ``id``, ``kind``, ``name``, ``below`` (a second line), ``tooltip``,
``status`` (a status of py_trees, or ABORTED), ``message``, ``edge`` (how it is attached: ``""``,
``"choice"``, ``"mounted"``) and ``children``. A step of a plan also has its ``task``, ``path`` and
``conditions``, a decomposition its ``task`` and ``source``, the file and line of the task.
"""

from __future__ import annotations

from collections.abc import Mapping
from os.path import basename
from typing import Any

from py_trees.behaviour import Behaviour

from bthtn.engine.behaviours.plan_run import path_text
from bthtn.engine.behaviours.sequence import PlanScope
from bthtn.engine.behaviours.task_leaf import TaskLeaf
from bthtn.engine.domain.task import CompoundTask
from bthtn.engine.world.expression import always_holds
from bthtn.engine.world.sharing import Unpicklable
from bthtn.kit.recording.appearance import appearance, edge_kind, status_of, tooltip_of

Snapshot = dict[str, Any]
"""A node with all that is below it."""


class Snapshots(Unpicklable):
    """The changes of a tree, from one call of ``change`` to the next.

    Nodes are numbered in the order in which they are first seen, from 1. A node keeps its number
    as long as it is in the tree; numbers are not used again.
    """

    def __init__(self, root: Behaviour) -> None:
        self._root = root
        self._latest = 0
        self._ids: dict[Behaviour, int] = {}
        self._children: dict[Behaviour, tuple[Behaviour, ...]] = {}
        self._statuses: dict[Behaviour, tuple[str, str]] = {}

    def change(self) -> dict[str, Any] | None:
        """The changes since the last call; None if there are none.

        At first ``{"tree": node}``. Then ``"graft"`` lists the nodes that have other children,
        ``{"id": number, "children": [node, …]}``, and ``"status"`` has the status and message of
        each other node in which they have changed, by its number as a text.
        """
        before, statuses = self._children, self._statuses
        self._children, self._statuses = {}, {}
        grafted: list[Behaviour] = []
        changed: dict[str, list[str]] = {}
        pending = [(self._root, False)]
        while pending:
            node, is_included = pending.pop()  # as a part of what was grafted, or of the whole tree
            if node not in self._ids:
                self._latest += 1
                self._ids[node] = self._latest
            children, status = tuple(node.children), (status_of(node), node.feedback_message)
            self._children[node], self._statuses[node] = children, status
            is_same = before.get(node) == children
            if node in before and not is_included:
                grafted += [] if is_same else [node]
                if statuses[node] != status:
                    changed[str(self._ids[node])] = [*status]
            pending.extend((child, is_included or not is_same) for child in reversed(children))
        if not before:
            return {"tree": self._snapshot(self._root)}
        if grafted:
            found = self._ids.items()
            self._ids = {node: number for node, number in found if node in self._children}
        below = {self._ids[child]: self._snapshot(child)["children"] for child in grafted}
        grafts = [{"id": number, "children": children} for number, children in below.items()]
        parts = {"graft": grafts, "status": changed}
        return {name: part for name, part in parts.items() if part} or None

    def whole(self) -> Snapshot:
        """The tree as it was at the last ``change``, and at present if there was none."""
        if not self._children:
            self.change()
        return self._snapshot(self._root)

    def number(self, node: Behaviour) -> int | None:
        """The number of a node; None if it was not in the tree at the last ``change``."""
        return self._ids.get(node)

    def _snapshot(self, top: Behaviour) -> Snapshot:
        made = self._node(top, "")
        pending = [(top, made)]
        while pending:
            node, above = pending.pop()
            for child in self._children[node]:
                below = self._node(child, edge_kind(node))
                above["children"].append(below)
                pending.append((child, below))
        return made

    def _node(self, node: Behaviour, edge: str) -> Snapshot:
        kind, name, below = appearance(node)
        status, message = self._statuses[node]
        made = {"id": self._ids[node], "kind": kind, "name": name, "below": below}
        made |= {"tooltip": tooltip_of(node), "status": status, "message": message, "edge": edge}
        match node:
            case TaskLeaf():
                made |= {"task": node.node.task.name, "path": path_text(node.path)}
                made["conditions"] = _conditions(node)
            case PlanScope():
                made |= {"task": node.node.task.name, "source": _source(node.node.task)}
        return {**made, "children": []}


def copied(part: Mapping[str, Any]) -> dict[str, Any]:
    """A node, or a change of a tree, with copies of all nodes, whatever their depth."""
    made = dict(part)
    pending = [made]
    while pending:
        above = pending.pop()
        if "tree" in above:
            above["tree"] = dict(above["tree"])
            pending.append(above["tree"])
        for key in ("graft", "children"):
            if key in above:
                above[key] = list(map(dict, above[key]))
                pending.extend(above[key])
    return made


def updated(tree: Snapshot | None, change: Mapping[str, Any] | None) -> Snapshot:
    """The tree after a change. It is ``tree`` itself, changed, unless the change is a whole tree.

    Raises ValueError where there is neither.
    """
    if change is not None and "tree" in change:
        whole: Snapshot = change["tree"]
        return whole
    if tree is None:
        raise ValueError("the first change is a whole tree: {'tree': …}")
    if change is None:
        return tree
    grafts = {graft["id"]: graft["children"] for graft in change.get("graft", ())}
    statuses = change.get("status", {})
    pending = [tree]
    while pending:
        node = pending.pop()
        node["children"] = grafts.pop(node["id"], node["children"])
        status = statuses.get(str(node["id"]), (node["status"], node["message"]))
        node["status"], node["message"] = status
        pending.extend(node["children"])
    return tree


def _conditions(leaf: TaskLeaf) -> list[str]:
    """The conditions of a step with its arguments: at its start, then while it runs."""
    task, args = leaf.node.task, leaf.node.args
    conditions = (task.written_precondition, task.exec_only, task.during)
    return [condition.text(args) for condition in conditions if not always_holds(condition)]


def _source(task: CompoundTask[...]) -> str:
    """The file and line of a task's function: ``domain.py:12``; empty if it has none."""
    code = getattr(task.define, "__code__", None)
    return "" if code is None else f"{basename(code.co_filename)}:{code.co_firstlineno}"
