"""Plans as trees of plain data, for pages of HTML.

The nodes are those of ``bthtn.kit.recording.snapshot``, without a status. The ``state`` of a step
has the predicted values of the fluents that it writes.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from bthtn.engine.plan.nodes import Node, ScopeNode, TaskNode
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.projection import Projection
from bthtn.engine.planning.protocol import start_of
from bthtn.engine.text.labels import edge_look, node_appearance
from bthtn.engine.text.tree import numbered_children, unrolled
from bthtn.engine.world.state import FrozenState, State
from bthtn.engine.world.trail import WorkingState
from bthtn.engine.world.truth import value_text

StaticNode = dict[str, Any]


def plan_tree(plan: Plan, start: State | FrozenState | None = None) -> StaticNode:
    """A plan as a tree. With the state that it starts from, steps have their predicted effects."""
    predicted = None
    if start is not None:
        predicted = _Predicted(start_of(plan.domain, start))
        predicted.project(plan.tree)
    ids = count(1)
    top: list[StaticNode] = []
    pending: list[tuple[Any, list[StaticNode], str]] = [(plan.tree, top, "")]
    while pending:
        node, siblings, edge = pending.pop()
        if isinstance(node, ScopeNode):
            node = unrolled(node, plan.domain)
        made = static_node(next(ids), *node_appearance(node, plan.domain), edge=edge)
        if predicted is not None and isinstance(node, TaskNode):
            made["state"] = predicted.written.get(node, {})
        siblings.append(made)
        for place, child in reversed(numbered_children(node)):
            pending.append((child, made["children"], edge_look(node, child, place)[0]))
    return top[0]


def static_node(
    number: int, kind: str, name: str, below: str, tooltip: str, *, edge: str = ""
) -> StaticNode:
    """A node without status and children."""
    texts = {"kind": kind, "name": name, "below": below, "tooltip": tooltip}
    return {"id": number, **texts, "status": "", "message": "", "edge": edge, "children": []}


def without_statuses(tree: StaticNode) -> StaticNode:
    """The same tree, changed: as one that was written and has never run."""
    pending = [tree]
    while pending:
        node = pending.pop()
        node |= {"status": "", "message": ""}
        pending.extend(node["children"])
    return tree


class _Predicted(Projection):
    """Notes the values that each step writes, as texts."""

    def __init__(self, start: FrozenState) -> None:
        super().__init__(WorkingState(start))
        self.written: dict[Node, dict[str, str]] = {}

    def task(self, node: TaskNode) -> None:
        super().task(node)
        writes = node.footprint.writes
        self.written[node] = {str(fluent): value_text(self.state.get(fluent)) for fluent in writes}
