"""A domain as a graph of compound tasks, their methods, and the tasks called by those.

    "fight" ──► ("fight", 1) ──► "fight_from_cover" ──► ("fight_from_cover", 0) ──► …

Tasks are nodes by name, methods by the name of their task and their index. Node attributes:
``kind`` is ``"primitive"``, ``"compound"`` or ``"method"``; a method has ``method``, the data
itself. An edge to a task has ``deferred``: whether all of the method's calls of it are deferred.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import DeferNetwork, Network, networks_in
from bthtn.engine.domain.task import CompoundTask, TaskCall
from bthtn.errors import InputError

try:
    import networkx as nx
except ModuleNotFoundError:
    _LACKS = "graphs of domains and plans need networkx, which is not installed"
    raise InputError("BT418", _LACKS, hint='pip install "bthtn[cli]"') from None


def empty_graph() -> nx.DiGraph[Any]:
    """A directed graph without nodes."""
    return nx.DiGraph()


def task_graph(domain: FrozenDomain) -> nx.DiGraph[Any]:
    """The graph of the whole domain, without the networks that plain methods return."""
    graph = empty_graph()
    for name, task in domain.tasks.items():
        kind = "compound" if isinstance(task, CompoundTask) else "primitive"
        graph.add_node(name, kind=kind, task=task)
    for task, methods in domain.methods.items():
        for index, method in enumerate(methods):
            node = (task.name, index)
            graph.add_node(node, kind="method", method=method)
            graph.add_edge(task.name, node)
            if isinstance(method.body, PlainBody):
                continue
            for call, deferred in _calls(method.body):
                known = graph.get_edge_data(node, call.task.name, {"deferred": True})
                both = known["deferred"] and deferred
                graph.add_edge(node, call.task.name, deferred=both)
    return graph


def restricted(graph: nx.DiGraph[Any], kept: Container[Any]) -> nx.DiGraph[Any]:
    """The subgraph of the kept nodes, in the same order (networkx's views have no order)."""
    part = empty_graph()
    part.add_nodes_from(node for node in graph if node in kept)
    part.add_edges_from(edge for edge in graph.edges if edge[0] in kept and edge[1] in kept)
    return part


def _calls(network: Network) -> Iterator[tuple[TaskCall, bool]]:
    """Every task call, left to right, and whether it is deferred."""
    for inner in networks_in(network):
        if isinstance(inner, TaskCall):
            yield inner, False
        elif isinstance(inner, DeferNetwork):
            yield inner.call, True
