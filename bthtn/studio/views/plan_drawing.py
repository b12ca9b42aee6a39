"""Draws a plan in dot: sequences, parallels, priorities, steps, and frames for tasks."""

from __future__ import annotations

from collections import deque
from typing import Final

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.plan.nodes import (
    Dropped,
    Node,
    ScopeNode,
)
from bthtn.engine.plan.plan import Plan
from bthtn.engine.plan.walk import children_of, leaves
from bthtn.engine.text.labels import edge_look, node_appearance
from bthtn.engine.text.tree import numbered_children, scope_text, unrolled
from bthtn.studio.views.dot import Drawing

_CLOSE: Final = "close"


def plan_dot(
    plan: Plan,
    *,
    flat: bool = False,
    scopes: bool = True,
    legend: bool = False,
    most: int | None = None,
) -> str:
    """The plan in dot. Scopes become frames; ``flat`` draws the plan without them.

    Of a plan with more than ``most`` nodes, compound tasks are folded: each is one node.
    """
    title = f"{plan.domain.name}: {plan.goal_text}    record {plan.record!r}"
    root = plan.flat() if flat else plan.tree
    return tree_dot(root, plan.domain, title=title, scopes=scopes, legend=legend, most=most)


def tree_dot(
    root: Node,
    domain: FrozenDomain | None = None,
    *,
    title: str = "",
    scopes: bool = True,
    legend: bool = False,
    most: int | None = None,
) -> str:
    """A plan tree in dot; with the domain, methods are shown with their names.

    Of a tree with more than ``most`` nodes, compound tasks are folded: each is one node.
    """
    drawing = Drawing(title)
    folded = frozenset[Node]() if most is None else folded_scopes(root, most)
    pending: list[tuple[Node | Dropped | str, str, str, str]] = [(root, "", "", "")]
    while pending:
        node, above, kind, label = pending.pop()
        if isinstance(node, str):
            drawing.close_frame()
        elif isinstance(node, ScopeNode) and node.task.decorator is None and node not in folded:
            node = unrolled(node, domain)
            if scopes:
                drawing.open_frame(scope_text(node, domain), tooltip=node.task.doc)
                pending.append((_CLOSE, "", "", ""))
            pending.append((node.child, above, kind, label))
        else:
            look, shown, below, tooltip = node_appearance(node, domain)
            if isinstance(node, ScopeNode) and node in folded:
                below = f"{below}, folded: {sum(1 for _ in leaves(node))} steps"
            name = drawing.node(look, shown, below=below, tooltip=tooltip)
            if above:
                drawing.edge(above, name, kind=kind, label=label)
            for place, child in [] if node in folded else reversed(numbered_children(node)):
                pending.append((child, name, *edge_look(node, child, place)))
    return drawing.text(legend=legend)


def folded_scopes(root: Node, most: int) -> frozenset[Node]:
    """The compound tasks to fold so that about ``most`` nodes are left.

    They are opened level by level, from the root, as long as there is room.
    """
    folded: set[Node] = set()
    inside, pending = _region(root)
    shown = inside + len(pending)
    while pending:
        scope = pending.popleft()
        inside, scopes = _region(scope.child)
        if shown + inside + len(scopes) - 1 > most:
            folded.add(scope)
        else:
            shown += inside + len(scopes) - 1
            pending.extend(scopes)
    return frozenset(folded)


def _region(root: Node) -> tuple[int, deque[ScopeNode]]:
    """How many nodes are drawn from here down to the next scopes, and these scopes."""
    inside = 0
    scopes: deque[ScopeNode] = deque()
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ScopeNode) and node.task.decorator is None:
            scopes.append(node)
        else:
            inside += 1
            pending.extend(reversed(children_of(node)))
    return inside, scopes
