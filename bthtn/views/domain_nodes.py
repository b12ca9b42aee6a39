"""Domains as trees of plain data, for pages of HTML.

A domain is a graph: a task may be called in several places, also inside itself. What is below a
task is shown in one of them, and ``refers`` of the others has the number of that node.
"""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import Any

import networkx as nx

from bthtn.analysis.graph import task_graph
from bthtn.domain.domain import FrozenDomain
from bthtn.views.domain_drawing import appearance_in, is_construct_round
from bthtn.views.plan_nodes import StaticNode, static_node


def domain_tree(domain: FrozenDomain) -> StaticNode:
    """A domain as a tree: tasks that no other task calls, their methods, and what these call.

    What is below a task is shown once, where it is nearest to the root.
    """
    graph = task_graph(domain)
    ids = count(1)
    root = static_node(next(ids), "domain", domain.name, "", "")
    shown: dict[Any, int] = {}
    for task in _roots(graph):
        pending = deque([(task, root, "")] if task not in shown else [])
        while pending:
            node, above, edge = pending.popleft()
            made = static_node(next(ids), *appearance_in(graph, node), edge=edge)
            above["children"].append(made)
            below = [one for one in graph[node] if not is_construct_round(graph, node, one)]
            if below and node in shown:
                made |= {"refers": shown[node], "below": "shown elsewhere"}
                continue
            shown[node] = made["id"]
            for one in below:
                deferred = graph.edges[node, one].get("deferred")
                pending.append((one, made, "deferred" if deferred else ""))
    return root


def _roots(graph: nx.DiGraph[Any]) -> list[Any]:
    """All tasks: those first that no method of another task calls."""
    tasks = [node for node, data in graph.nodes.items() if data["kind"] != "method"]
    called = {task for task in tasks if any(one[0] != task for one in graph.predecessors(task))}
    return sorted(tasks, key=called.__contains__)
