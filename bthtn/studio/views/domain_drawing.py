"""Draws a domain: compound tasks, their methods, and the tasks that these call."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bthtn.engine.domain.builder import Domain, frozen
from bthtn.engine.domain.domain import FrozenDomain
from bthtn.engine.domain.method import Method
from bthtn.engine.domain.task import CompoundTask, PrimitiveTask, Task
from bthtn.engine.text.labels import task_kind, task_tooltip
from bthtn.engine.world.expression import always_holds
from bthtn.studio.analysis.graph import task_graph
from bthtn.studio.views.dot import Drawing
from bthtn.studio.views.plan_nodes import StaticNode, static_node

if TYPE_CHECKING:
    import networkx as nx


def domain_dot(
    domain: Domain[Any] | FrozenDomain,
    *,
    legend: bool = False,
    statuses: Mapping[tuple[str, int], str] = MappingProxyType({}),
) -> str:
    """The domain in dot, with methods in order of preference from top to bottom.

    Methods are coloured by their ``statuses``, by task and index: those of behaviours.
    """
    graph = task_graph(frozen(domain))
    drawing = Drawing(f"domain {domain.name}", direction="LR")
    names = {}
    for node in graph.nodes:
        kind, label, below, tooltip = _appearance_in(graph, node)
        status = statuses.get(tuple(node), "") if kind == "method" else ""
        names[node] = drawing.node(kind, label, below=below, tooltip=tooltip, status=status)
    for above, beneath, data in graph.edges(data=True):
        if _is_construct_round(graph, above, beneath):
            continue
        kind = "deferred" if data.get("deferred") else ""
        drawing.edge(names[above], names[beneath], kind=kind)
    return drawing.text(legend=legend)


def domain_tree(domain: Domain[Any] | FrozenDomain) -> StaticNode:
    """A domain as a tree of plain data, for pages of HTML: its tasks, and the tasks they call.

    A domain is a graph. The nodes below a task are shown once, where it is nearest to the root;
    other nodes of the task have the number of that one as ``refers``.
    """
    graph = task_graph(frozen(domain))
    ids = count(1)
    root = static_node(next(ids), "domain", domain.name, "", "")
    shown: dict[Any, int] = {}
    for task in _roots(graph):
        pending = deque([(task, root, "")] if task not in shown else [])
        while pending:
            node, above, edge = pending.popleft()
            made = static_node(next(ids), *_appearance_in(graph, node), edge=edge)
            above["children"].append(made)
            below = [child for child in graph[node] if not _is_construct_round(graph, node, child)]
            if below and node in shown:
                made |= {"refers": shown[node], "below": "shown elsewhere"}
                continue
            shown[node] = made["id"]
            for child in below:
                deferred = graph.edges[node, child].get("deferred")
                pending.append((child, made, "deferred" if deferred else ""))
    return root


def _roots(graph: nx.DiGraph[Any]) -> list[Any]:
    """All tasks: those first that no method of another task calls."""
    tasks = [node for node, data in graph.nodes.items() if data["kind"] != "method"]
    called = {
        task for task in tasks if any(caller[0] != task for caller in graph.predecessors(task))
    }
    return sorted(tasks, key=called.__contains__)


def _appearance_in(graph: nx.DiGraph[Any], node: Any) -> tuple[str, str, str, str]:
    """Kind, name, second line and tooltip of a node of the graph of a domain."""
    data = graph.nodes[node]
    if data["kind"] == "method":
        return method_appearance(node[1], data["method"])
    return task_appearance(data["task"])


def _is_construct_round(graph: nx.DiGraph[Any], above: Any, below: Any) -> bool:
    """Whether an edge is the recursion of a construct, which is by design: it would say nothing."""
    return (
        isinstance(above, tuple) and above[0] == below and bool(graph.nodes[below]["task"].origin)
    )


def task_appearance(task: Task) -> tuple[str, str, str, str]:
    """Kind, name, second line and tooltip of a task of a domain."""
    if isinstance(task, CompoundTask) and task.origin:
        return "construct", task.name, "", task.doc
    shown = ", ".join(parameter.name for parameter in task.parameters)
    label = f"{task.name}({shown})" if shown else task.name
    if isinstance(task, CompoundTask):
        return "compound", label, "", task.doc or label
    assert isinstance(task, PrimitiveTask), "a task is primitive or compound"
    return task_kind(task), label, "", task_tooltip(task, None)


def method_appearance(index: int, method: Method) -> tuple[str, str, str, str]:
    """Kind, name, second line and tooltip of a method."""
    name = f"{index} '{method.name}'" if method.name else str(index)
    when = "always" if always_holds(method.condition) else f"when {method.condition}"
    return "method", f"{name}: {when}", method.text(), f"{when}: {method.text()}"
