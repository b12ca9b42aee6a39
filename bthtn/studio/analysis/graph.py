"""A domain as a graph of compound tasks, their methods, and the tasks called by those.

    "fight" ──► ("fight", 1) ──► "fight_from_cover" ──► ("fight_from_cover", 0) ──► …

Tasks are nodes by name, methods by the name of their task and their index. Data of nodes:
``kind`` is ``"primitive"``, ``"compound"`` or ``"method"``; a method has ``method``, a task
``task``. An edge to a task has ``deferred``: whether all of the method's calls of it are deferred.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import PlainBody
from bthtn.engine.domain.network import DeferNetwork, Network, networks_in
from bthtn.engine.domain.task import CompoundTask, TaskCall

N = TypeVar("N", bound=Hashable)


class Graph(Generic[N]):
    """A directed graph; nodes and edges have data, and the order in which they were added.

    ``behind`` has the edges from each node, ``before`` those to it, by the node at the other end.
    """

    def __init__(self) -> None:
        self.nodes: dict[N, dict[str, Any]] = {}
        self.behind: dict[N, dict[N, dict[str, Any]]] = {}
        self.before: dict[N, dict[N, dict[str, Any]]] = {}

    def add(self, node: N, **data: Any) -> None:
        """Add a node, unless it is there, and its data."""
        self.nodes.setdefault(node, {}).update(data)
        self.behind.setdefault(node, {})
        self.before.setdefault(node, {})

    def connect(self, first: N, second: N, **data: Any) -> None:
        """Add an edge, unless it is there, with its nodes, and its data."""
        self.add(first)
        self.add(second)
        edge = self.behind[first].setdefault(second, {})
        edge.update(data)
        self.before[second][first] = edge

    def remove(self, node: N) -> None:
        """Remove a node and its edges."""
        del self.nodes[node]
        for other in self.behind.pop(node):
            del self.before[other][node]
        for other in self.before.pop(node):
            del self.behind[other][node]


def reached(start: N, edges: Mapping[N, Mapping[N, Any]]) -> set[N]:
    """The node, and all to which there is a path of these edges."""
    found, pending = {start}, [start]
    while pending:
        new = edges[pending.pop()].keys() - found
        found |= new
        pending += new
    return found


def task_graph(domain: FrozenDomain) -> Graph[Any]:
    """The graph of the whole domain, without the networks that plain methods return."""
    graph: Graph[Any] = Graph()
    for name, task in domain.tasks.items():
        kind = "compound" if isinstance(task, CompoundTask) else "primitive"
        graph.add(name, kind=kind, task=task)
    for task, methods in domain.methods.items():
        for index, method in enumerate(methods):
            node = (task.name, index)
            graph.add(node, kind="method", method=method)
            graph.connect(task.name, node)
            if isinstance(method.body, PlainBody):
                continue
            for call, deferred in _calls(method.body):
                known = graph.behind[node].get(call.task.name, {"deferred": True})
                both = known["deferred"] and deferred
                graph.connect(node, call.task.name, deferred=both)
    return graph


def restricted(graph: Graph[N], kept: Container[N]) -> Graph[N]:
    """The kept nodes and the edges between them, without their data."""
    part: Graph[N] = Graph()
    for node in filter(kept.__contains__, graph.nodes):
        part.add(node)
        for other in filter(kept.__contains__, graph.behind[node]):
            part.connect(node, other)
    return part


def _calls(network: Network) -> Iterator[tuple[TaskCall, bool]]:
    """Every task call, left to right, and whether it is deferred."""
    for inner in networks_in(network):
        if isinstance(inner, TaskCall):
            yield inner, False
        elif isinstance(inner, DeferNetwork):
            yield inner.call, True
