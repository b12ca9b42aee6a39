"""Networks whose order is not total, as sequences and ``unordered`` in one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Protocol, TypeVar

from bthtn.kit.formats.hddl.necessary import closed
from bthtn.kit.formats.hddl.syntax import Network

T = TypeVar("T")
Before = set[tuple[int, int]]
"""All pairs of tasks the first of which comes before the second."""


class Words(Protocol[T]):
    """What the parts of a network are joined with: those of our language, or their text."""

    def sequence(self, parts: Sequence[T]) -> T: ...
    def unordered(self, parts: Sequence[T]) -> T: ...
    def partial_order(self, orders: Sequence[str], parts: dict[str, T]) -> T: ...


def arranged(network: Network, calls: Sequence[T], words: Words[T]) -> Sequence[T]:
    """The calls in the order of the network: parts that come one after the other.

    Parts whose order is made neither of sequences nor of unordered parts, such as ``a < c``,
    ``b < c`` and ``b < d``, are blocks: no step of one comes between those of another.
    """
    line = in_line(network)
    if line is not None:
        return [calls[index] for index in line]
    before = closed(len(calls), network.before)
    return _in_sequence(list(range(len(calls))), before, calls, words)


def in_line(network: Network) -> list[int] | None:
    """The tasks one after the other if their order is total, else None."""
    count = len(network.tasks)
    behind: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for first, then in network.before:
        behind[first].append(then)
        waits[then] += 1
    line = [index for index in range(count) if not waits[index]]
    for index in line:
        for then in behind[index]:
            waits[then] -= 1
            if not waits[then]:
                line.append(then)
    direct = set(network.before)
    return line if all(pair in direct for pair in pairwise(line)) else None


def _in_sequence(
    tasks: list[int], before: Before, calls: Sequence[T], words: Words[T]
) -> Sequence[T]:
    if len(tasks) == 1:
        return [calls[tasks[0]]]

    def whole(group: list[int]) -> T:
        parts = _in_sequence(group, before, calls, words)
        return words.sequence(parts) if len(parts) > 1 else parts[0]

    def is_ordered(task: int, other: int) -> bool:
        return (task, other) in before or (other, task) in before

    unrelated = _groups(tasks, is_ordered)
    if len(unrelated) > 1:
        return [words.unordered([whole(group) for group in unrelated])]
    groups = _groups(tasks, lambda task, other: not is_ordered(task, other))
    if len(groups) > 1:
        groups.sort(key=lambda group: sum((other, group[0]) in before for other in tasks))
        return [whole(group) for group in groups]
    orders = [f"t{pair[0]} < t{pair[1]}" for pair in sorted(before) if set(pair) <= set(tasks)]
    return [words.partial_order(orders, {f"t{task}": calls[task] for task in tasks})]


def _groups(tasks: list[int], are_joined: Callable[[int, int], bool]) -> list[list[int]]:
    """The tasks in groups, of which none is joined with a task of another group."""
    groups: list[list[int]] = []
    left = dict.fromkeys(tasks)
    while left:
        group = [next(iter(left))]
        del left[group[0]]
        for task in group:
            for other in [other for other in left if are_joined(task, other)]:
                group.append(other)
                del left[other]
        groups.append(sorted(group))
    return groups
