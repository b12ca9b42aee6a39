"""Draws a domain in dot: compound tasks, their methods, and the tasks that these call."""

from __future__ import annotations

from bthtn.analysis.graph import task_graph
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task
from bthtn.views.dot import Drawing
from bthtn.views.plan_drawing import task_kind, task_tooltip
from bthtn.world.expression import always_holds


def domain_dot(domain: FrozenDomain, *, legend: bool = False) -> str:
    """The domain in dot, with methods in order of preference from top to bottom."""
    graph = task_graph(domain)
    drawing = Drawing(f"domain {domain.name}", direction="LR")
    names = {}
    for node, data in graph.nodes.items():
        if data["kind"] == "method":
            names[node] = _draw_method(drawing, node[1], data["method"])
        else:
            names[node] = _draw_task(drawing, data["task"])
    for above, below, data in graph.edges(data=True):
        if isinstance(above, tuple) and above[0] == below and graph.nodes[below]["task"].origin:
            continue  # constructs recurse by design: an arrow would say nothing
        kind = "deferred" if data.get("deferred") else ""
        drawing.edge(names[above], names[below], kind=kind)
    return drawing.text(legend=legend)


def _draw_task(drawing: Drawing, task: Task) -> str:
    shown = ", ".join(parameter.name for parameter in task.parameters)
    label = f"{task.name}({shown})" if shown else task.name
    if isinstance(task, CompoundTask) and task.origin:
        return drawing.node("construct", task.name, tooltip=task.doc)
    if isinstance(task, CompoundTask):
        return drawing.node("compound", label, tooltip=task.doc or label)
    assert isinstance(task, PrimitiveTask), "a task is primitive or compound"
    return drawing.node(task_kind(task), label, tooltip=task_tooltip(task, None))


def _draw_method(drawing: Drawing, index: int, method: Method) -> str:
    name = f"{index} '{method.name}'" if method.name else str(index)
    when = "always" if always_holds(method.condition) else f"when {method.condition}"
    tooltip = f"{when}: {method.text()}"
    return drawing.node("method", f"{name}: {when}", below=method.text(), tooltip=tooltip)
