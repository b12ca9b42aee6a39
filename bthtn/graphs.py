"""Graphs of anything: what is reachable, what leads back to itself, and by which way.

A graph is a mapping: each node, with the nodes that it leads to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node")


def reached(starts: Iterable[Node], below: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """Return the starts and all nodes that they lead to, where ``below`` gives the next ones."""
    found = set(starts)
    pending = list(found)
    while pending:
        new = set(below(pending.pop())) - found
        found |= new
        pending += new
    return found


def recurring(below: Mapping[Node, Collection[Node]]) -> set[Node]:
    """Return the nodes that lead back to themselves."""
    numbers = components(below)
    many = Counter(numbers.values())
    return {node for node in below if many[numbers[node]] > 1 or node in below[node]}


def round_trip(below: Mapping[Node, Iterable[Node]], start: Node) -> list[Node]:
    """Return the shortest way from a node back to it, with it at both ends; empty if there is none.

    Of equally short ways it is the one whose nodes are mentioned first.
    """
    before: dict[Node, Node] = {}
    pending = [start]
    for node in pending:  # which grows
        for other in below[node]:
            if other not in before:
                before[other] = node
                pending.append(other)
        if start in before:
            way = [start, before[start]]
            while way[-1] != start:
                way.append(before[way[-1]])
            return way[::-1]
    return []


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
                pending += [(other, False) for other in below[node]]
    return order
