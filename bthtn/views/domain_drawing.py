"""Draws a domain: compound tasks, their methods, and the tasks that these call."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from itertools import count
from types import MappingProxyType
from typing import Any

from bthtn.domain.builder import Domain, frozen
from bthtn.domain.domain import FrozenDomain
from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import DeferNetwork, networks_in
from bthtn.domain.task import CompoundTask, PrimitiveTask, Task, TaskCall
from bthtn.views.dot import Drawing
from bthtn.views.plan_drawing import task_kind, task_tooltip
from bthtn.views.plan_nodes import StaticNode, static_node
from bthtn.world.expression import always_holds

Place = str | tuple[str, int]
"""A task by name, or a method by the name of its task and its index."""


def domain_dot(
    domain: Domain[Any] | FrozenDomain,
    *,
    legend: bool = False,
    statuses: Mapping[tuple[str, int], str] = MappingProxyType({}),
) -> str:
    """The domain in dot, with methods in order of preference from top to bottom.

    Methods are coloured by their ``statuses``, by task and index: those of behaviours.
    """
    whole = frozen(domain)
    drawing = Drawing(f"domain {domain.name}", direction="LR")
    places: list[Place] = [*whole.tasks]
    places += (place for name in whole.tasks for place in _below(whole, name))
    names = {}
    for place in places:
        kind, label, below, tooltip = _appearance_in(whole, place)
        status = "" if isinstance(place, str) else statuses.get(place, "")
        names[place] = drawing.node(kind, label, below=below, tooltip=tooltip, status=status)
    for place in places:
        for other, edge in _below(whole, place).items():
            drawing.edge(names[place], names[other], kind=edge)
    return drawing.text(legend=legend)


def domain_tree(domain: Domain[Any] | FrozenDomain) -> StaticNode:
    """A domain as a tree of plain data, for pages of HTML: its tasks, and the tasks they call.

    A domain is a graph. The nodes below a task are shown once, where it is nearest to the root;
    other nodes of the task have the number of that one as ``refers``.
    """
    whole = frozen(domain)
    ids = count(1)
    root = static_node(next(ids), "domain", domain.name, "", "")
    shown: dict[Place, int] = {}
    for name in _roots(whole):
        pending: deque[tuple[Place, StaticNode, str]] = deque()
        pending += [(name, root, "")] if name not in shown else []
        while pending:
            place, above, edge = pending.popleft()
            made = static_node(next(ids), *_appearance_in(whole, place), edge=edge)
            above["children"].append(made)
            below = _below(whole, place)
            if below and place in shown:
                made |= {"refers": shown[place], "below": "shown elsewhere"}
                continue
            shown[place] = made["id"]
            pending += [(child, made, edge) for child, edge in below.items()]
    return root


def _roots(domain: FrozenDomain) -> list[str]:
    """All tasks: those first that no method of another task calls."""
    called = {
        called.name
        for task in domain.methods
        for called in domain.called(task)
        if called is not task
    }
    return sorted(domain.tasks, key=called.__contains__)


def _below(domain: FrozenDomain, place: Place) -> dict[Place, str]:
    """The methods of a task, or the tasks that a method calls, each with the kind of the edge.

    It is ``"deferred"`` where all of the method's calls of the task are. The recursion of a
    construct is left out: it is by design, and would say nothing.
    """
    if isinstance(place, str):
        task = domain.tasks[place]
        methods = domain.methods[task] if isinstance(task, CompoundTask) else ()
        return {(place, index): "" for index in range(len(methods))}
    below: dict[Place, str] = {}
    body = _method_at(domain, place).body
    for inner in () if isinstance(body, PlainBody) else networks_in(body):
        if isinstance(inner, TaskCall):
            below[inner.task.name] = ""
        elif isinstance(inner, DeferNetwork):
            below.setdefault(inner.call.task.name, "deferred")
    own = domain.tasks[place[0]]
    if isinstance(own, CompoundTask) and own.origin:
        below.pop(own.name, None)
    return below


def _appearance_in(domain: FrozenDomain, place: Place) -> tuple[str, str, str, str]:
    """Kind, name, second line and tooltip of a task or method."""
    if isinstance(place, str):
        return task_appearance(domain.tasks[place])
    return method_appearance(place[1], _method_at(domain, place))


def _method_at(domain: FrozenDomain, place: tuple[str, int]) -> Method:
    task = domain.tasks[place[0]]
    assert isinstance(task, CompoundTask), "only compound tasks have methods"
    return domain.methods[task][place[1]]


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
