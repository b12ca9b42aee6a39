"""Recursive tasks, found as the strongly connected components of the call graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from bthtn.domain.method import Method, PlainBody
from bthtn.domain.network import calls_in
from bthtn.domain.task import CompoundTask

Node = TypeVar("Node")


def recursive_tasks(
    methods: Mapping[CompoundTask[Any], tuple[Method, ...]],
) -> frozenset[CompoundTask[Any]]:
    """Return the tasks that can call themselves; a plain function may call any task."""
    below: dict[Any, dict[Any, None]] = {None: dict.fromkeys(methods)}
    for task, several in methods.items():
        called = below[task] = {}
        for method in several:
            if isinstance(method.body, PlainBody):
                called[None] = None
            else:
                tasks = (call.task for call in calls_in(method.body))
                called.update((one, None) for one in tasks if isinstance(one, CompoundTask))
    numbers = components(below)
    many = Counter(numbers.values())
    return frozenset(
        node
        for node, number in numbers.items()
        if node is not None and (many[number] > 1 or node in below[node])
    )


def components(below: Mapping[Node, Iterable[Node]]) -> dict[Node, int]:
    """Return the number of each node's strongly connected component.

    The nodes reachable from a node have numbers that are not above its own.
    """
    above: dict[Node, list[Node]] = {node: [] for node in below}
    for node, others in below.items():
        for other in others:
            above[other].append(node)
    numbers: dict[Node, int] = {}
    for number, start in enumerate(reversed(_finished(below))):
        pending = [start]
        while pending:
            node = pending.pop()
            if node not in numbers:
                numbers[node] = -number
                pending += above[node]
    return numbers


def _finished(below: Mapping[Node, Iterable[Node]]) -> list[Node]:
    """Return the nodes in depth-first postorder."""
    order: list[Node] = []
    seen: set[Node] = set()
    for start in below:
        pending = [(start, False)]
        while pending:
            node, is_done = pending.pop()
            if is_done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                pending.append((node, True))
                pending += [(one, False) for one in below[node]]
    return order
