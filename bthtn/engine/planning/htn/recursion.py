"""Recursive tasks, found as the strongly connected components of the call graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeVar

from bthtn.engine.domain.method import Method, PlainBody
from bthtn.engine.domain.network import calls_in
from bthtn.engine.domain.task import CompoundTask

Vertex = TypeVar("Vertex")


class RecursiveTasks(set[CompoundTask[...]]):
    """The tasks that can call themselves, directly or not, among those looked at so far.

    A plain function may call any task.
    """

    def __init__(self, methods: Mapping[CompoundTask[...], tuple[Method, ...]]) -> None:
        super().__init__()
        self._methods = methods
        self._seen: set[Any] = set()

    def look_at(self, task: CompoundTask[...]) -> None:
        """Look at the task and all that it reaches."""
        if task in self._seen:
            return
        below: dict[Any, list[Any]] = {}
        pending: list[Any] = [task]
        while pending:
            reached = pending.pop()
            if reached not in below and reached not in self._seen:
                pending += below.setdefault(reached, self._called(reached))
        # What was seen before reaches nothing that is new, so that no new task is in its component.
        inner = {
            caller: [callee for callee in called if callee in below]
            for caller, called in below.items()
        }
        self |= recurring(inner) - {None}
        self._seen |= inner.keys()  # at last: another thread may ask in the meantime

    def _called(self, task: CompoundTask[...] | None) -> list[Any]:
        """The compound tasks that a task calls; None stands for any task, and calls them all."""
        if task is None:
            return list(self._methods)
        called: dict[Any, None] = {}
        for method in self._methods[task]:
            if isinstance(method.body, PlainBody):
                called[None] = None
            else:
                tasks = (call.task for call in calls_in(method.body))
                called.update((task, None) for task in tasks if isinstance(task, CompoundTask))
        return list(called)


def recurring(below: Mapping[Vertex, Collection[Vertex]]) -> set[Vertex]:
    """Return the vertices that lead back to themselves."""
    numbers = components(below)
    many = Counter(numbers.values())
    return {vertex for vertex in below if many[numbers[vertex]] > 1 or vertex in below[vertex]}


def components(below: Mapping[Vertex, Iterable[Vertex]]) -> dict[Vertex, int]:
    """Return the number of each vertex's strongly connected component.

    The vertices reachable from a vertex have numbers that are not above its own.
    """
    above: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in below}
    for vertex, others in below.items():
        for other in others:
            above[other].append(vertex)
    numbers: dict[Vertex, int] = {}
    for number, start in enumerate(reversed(_finished(below))):
        pending = [start]
        while pending:
            vertex = pending.pop()
            if vertex not in numbers:
                numbers[vertex] = -number
                pending += above[vertex]
    return numbers


def _finished(below: Mapping[Vertex, Iterable[Vertex]]) -> list[Vertex]:
    """Return the vertices in depth-first postorder."""
    order: list[Vertex] = []
    seen: set[Vertex] = set()
    for start in below:
        pending = [(start, False)]
        while pending:
            vertex, is_done = pending.pop()
            if is_done:
                order.append(vertex)
            elif vertex not in seen:
                seen.add(vertex)
                pending.append((vertex, True))
                pending += [(other, False) for other in below[vertex]]
    return order
