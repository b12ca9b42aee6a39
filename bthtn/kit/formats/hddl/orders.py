"""Networks whose order is not total, as sequences and ``unordered`` in one another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from bthtn.engine.domain.construct import partial_order, unordered
from bthtn.engine.domain.network import NetworkLike, sequence
from bthtn.engine.domain.task import TaskCall
from bthtn.kit.formats.hddl.necessary import closed
from bthtn.kit.formats.hddl.syntax import Network

Before = set[tuple[int, int]]
"""All pairs of tasks the first of which comes before the second."""


def arranged(network: Network, calls: Sequence[TaskCall]) -> NetworkLike:
    """The calls in the order of the network.

    Parts whose order is made neither of sequences nor of unordered parts, such as ``a < c``,
    ``b < c`` and ``b < d``, are blocks: no step of one comes between those of another.
    """
    line = in_line(network)
    if line is not None:
        return sequence(*(calls[index] for index in line))
    before = closed(len(calls), network.before)
    return _arranged(list(range(len(calls))), before, calls)


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


def _arranged(tasks: list[int], before: Before, calls: Sequence[TaskCall]) -> NetworkLike:
    if len(tasks) == 1:
        return calls[tasks[0]]

    def is_ordered(task: int, other: int) -> bool:
        return (task, other) in before or (other, task) in before

    unrelated = _groups(tasks, is_ordered)
    if len(unrelated) > 1:
        return unordered(*(_arranged(group, before, calls) for group in unrelated))
    groups = _groups(tasks, lambda task, other: not is_ordered(task, other))
    if len(groups) > 1:
        groups.sort(key=lambda group: sum((other, group[0]) in before for other in tasks))
        return sequence(*(_arranged(group, before, calls) for group in groups))
    pairs = (pair for pair in sorted(before) if set(pair) <= set(tasks))
    orders = (f"t{first} < t{then}" for first, then in pairs)
    return partial_order(*orders, **{f"t{task}": calls[task] for task in tasks})


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
